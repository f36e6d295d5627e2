package fakeserver

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"strings"
	"unsafe"

	"example.com/replaycheck/internal/wire"
)

const (
	jsonType  = "application/json"
	eventType = "text/event-stream"
)

// form is a reply in the shape in which it is sent.
type form struct {
	status int
	kind   string // content type
	text   string
	pieces []string // the text in the pieces that are flushed; nil: at once
	header http.Header
	cut    bool
	fault  *Fault // what happens on the way, nil: nothing
	lines  []line // of its header, where they are known; nil: they are not
}

// line is what a form's header has under one name.
type line struct {
	name   string
	values []string
}

func newForm(r Reply, kind, text string, pieces []string) *form {
	if own := r.Header.Get("Content-Type"); own != "" {
		kind = own
	}
	return &form{
		status: cmp.Or(r.Status, http.StatusOK), kind: kind, text: text,
		pieces: pieces, header: r.Header, cut: r.Cut, fault: r.Fault,
	}
}

// send writes f and returns how many bytes of its text went out, and an error
// where that is not all.
func send(w http.ResponseWriter, f *form, http10 bool) (int, error) {
	announce(w, f, http10)
	w.WriteHeader(f.status)
	if f.pieces == nil {
		n, err := write(w, f.text)
		if f.cut && err == nil {
			err = flush(w)
		}
		return n, err
	}
	if len(f.pieces) == 0 {
		return 0, flush(w)
	}
	sent := 0
	for _, piece := range f.pieces {
		if _, err := write(w, piece); err != nil {
			return sent, err
		}
		if err := flush(w); err != nil {
			return sent, err
		}
		sent += len(piece)
	}
	return sent, nil
}

// write hands text to w without a copy. net/http cuts a string into pieces of
// 2 KiB but takes bytes as they are; that these are a string's is sound because
// a writer must not change or keep them.
func write(w io.Writer, text string) (int, error) {
	return w.Write(unsafe.Slice(unsafe.StringData(text), len(text)))
}

func flush(w http.ResponseWriter) error {
	err := http.NewResponseController(w).Flush()
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// splitEvents cuts a stream after each blank line. Bytes after the last one are
// a piece of their own.
func splitEvents(stream string) []string {
	pieces := []string{}
	start, lineStart := 0, 0
	for i := 0; i < len(stream); i++ {
		c := stream[i]
		if c != '\n' && c != '\r' {
			continue
		}
		blank := i == lineStart
		if c == '\r' && i+1 < len(stream) && stream[i+1] == '\n' {
			i++
		}
		lineStart = i + 1
		if blank {
			pieces = append(pieces, stream[start:lineStart])
			start = lineStart
		}
	}
	if start < len(stream) {
		pieces = append(pieces, stream[start:])
	}
	return pieces
}

// splitArray makes a JSON list of the data of the stream's events, byte for
// byte, and cuts it after each item. A cut stream has no closing bracket.
func splitArray(stream string, cut bool) (string, []string) {
	var b strings.Builder
	b.Grow(len(stream) + 2)
	b.WriteByte('[')
	var ends []int
	events := wire.NewEventReader(strings.NewReader(stream), len(stream)+1)
	for {
		ev, err := events.Next()
		if err != nil { // only the end: the text is in memory and below the limit
			break
		}
		if len(ends) > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(ev.Data)
		ends = append(ends, b.Len())
	}
	if !cut {
		b.WriteByte(']')
	}
	text := b.String()
	if len(ends) == 0 {
		return text, []string{text}
	}
	ends[len(ends)-1] = len(text)
	pieces := make([]string, 0, len(ends))
	start := 0
	for _, end := range ends {
		pieces = append(pieces, text[start:end])
		start = end
	}
	return text, pieces
}
