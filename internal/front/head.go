package front

import (
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
)

// head is the head of a plain request.
type head struct {
	text   string // as it came, without the blank line
	target string
	url    *url.URL
	host   string
	length int64 // of the body
	fields http.Header
	memo   Memo
}

// apart is how long a head may be whose texts are parts of it, in bytes. Whoever
// keeps one of them keeps all of it, and records keep some of each request: of a
// longer one, whose keys they drop, they would hold many times what they keep. Nor is
// a longer one kept for the next request: idle connections are many.
const apart = 1 << 10

// parse reads the head of a plain request, nil where it is not plain. What it
// takes net/http would take too, and in the same way.
func parse(text string) *head {
	line, rest, _ := strings.Cut(text, "\r\n")
	own := func(s string) string { return s }
	if len(text) > apart {
		own = strings.Clone
	}
	target, posts := strings.CutPrefix(line, "POST ")
	target, speaks := strings.CutSuffix(target, " HTTP/1.1")
	if !posts || !speaks || !strings.HasPrefix(target, "/") || !visible(target) {
		return nil
	}
	target = own(target)
	at, err := url.ParseRequestURI(target)
	if err != nil || at.Host != "" {
		return nil
	}
	h := &head{text: text, target: target, url: at, length: -1, fields: make(http.Header, strings.Count(rest, "\n"))}
	for rest != "" {
		line, rest, _ = strings.Cut(rest, "\r\n")
		name, value, found := strings.Cut(line, ":")
		if !found || !isToken(name) {
			return nil
		}
		value = strings.Trim(value, " \t")
		if !isValue(value) || !h.add(textproto.CanonicalMIMEHeaderKey(own(name)), own(value)) {
			return nil
		}
	}
	if h.length < 0 || h.host == "" {
		return nil
	}
	return h
}

// add adds a header line; false: it makes the request one that is not plain.
func (h *head) add(name, value string) bool {
	switch name {
	case "Host":
		plain := h.host == "" && isHost(value)
		h.host = value
		return plain // and not among the header fields, as net/http has it
	case "Content-Length":
		n, err := strconv.ParseUint(value, 10, 62)
		if err != nil || h.length >= 0 {
			return false
		}
		h.length = int64(n)
	case "Connection":
		if value != "keep-alive" {
			return false
		}
	case "Expect", "Pragma", "Te", "Trailer", "Transfer-Encoding", "Upgrade":
		return false
	}
	h.fields[name] = append(h.fields[name], value)
	return true
}

// visible reports whether a text is of visible ASCII letters only.
func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// isToken reports whether a text is a token (RFC 9110, 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' {
			continue
		}
		if strings.IndexByte("!#$%&'*+.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// isValue reports whether a text may be a field's value: no control characters.
func isValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// isHost reports whether a text is a host, with a port or not, in ASCII letters.
func isHost(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' {
			continue
		}
		if strings.IndexByte("-.:[]_", c) < 0 {
			return false
		}
	}
	return s != ""
}
