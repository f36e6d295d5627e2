package front

import (
	"log"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"
)

// said is what a handler's header says itself of what is added else.
type said struct {
	connection string // "" where nothing is said
	date       bool
	kind       bool // of the body: its type, or that it is encoded
}

// hasBody reports whether replies of a status have a body.
func hasBody(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// appendStatus appends a status line.
func appendStatus(out []byte, status int) []byte {
	out = append(out, "HTTP/1.1 "...)
	out = strconv.AppendInt(out, int64(status), 10)
	if text := http.StatusText(status); text != "" {
		out = append(append(out, ' '), text...)
	} else {
		out = append(out, " status code "...)
		out = strconv.AppendInt(out, int64(status), 10)
	}
	return append(out, "\r\n"...)
}

// appendHeader appends the header lines of a handler's in the order of their names,
// but for those that depend on how the body is sent.
func appendHeader(out []byte, h http.Header, status int) ([]byte, said) {
	var s said
	var room [16]string
	names := room[:0]
	for name, values := range h {
		switch {
		case name == "Connection":
			s.connection = strings.Join(values, ", ")
			continue
		case name == "Trailer" || name == "Transfer-Encoding" || strings.HasPrefix(name, http.TrailerPrefix):
			continue
		case !hasBody(status) && name == "Content-Length", status == http.StatusNotModified && name == "Content-Type":
			continue
		case name == "Date":
			s.date = true
		case name == "Content-Type", name == "Content-Encoding" && h.Get(name) != "":
			s.kind = true
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !isToken(name) {
			continue // as net/http does
		}
		for _, value := range h[name] {
			out = appendField(out, name, value)
		}
	}
	return out, s
}

// appendField appends a header line. A line break in a value would begin another.
func appendField(out []byte, name, value string) []byte {
	out = append(append(out, name...), ": "...)
	if strings.IndexByte(value, '\n') >= 0 || strings.IndexByte(value, '\r') >= 0 {
		value = strings.NewReplacer("\r", " ", "\n", " ").Replace(value)
	}
	out = append(out, textproto.TrimString(value)...)
	return append(out, "\r\n"...)
}

// date is the Date header line of a second.
type date struct {
	second int64
	line   []byte
}

func (d *date) append(out []byte) []byte {
	now := time.Now()
	if second := now.Unix(); second != d.second || d.line == nil {
		d.second = second
		d.line = append(d.line[:0], "Date: "...)
		d.line = append(now.UTC().AppendFormat(d.line, http.TimeFormat), "\r\n"...)
	}
	return append(out, d.line...)
}

// logf is for what goes wrong beside all answers.
func (s *Server) logf(format string, values ...any) {
	if s.HTTP.ErrorLog != nil {
		s.HTTP.ErrorLog.Printf(format, values...)
		return
	}
	log.Printf(format, values...)
}
