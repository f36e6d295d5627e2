package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrTooLong is returned when one event or list item passes the reader's limit.
var ErrTooLong = errors.New("wire: stream item is over the limit")

// Event is one server-sent event.
type Event struct {
	Name string // the event field; "" when absent (then it is "message")
	Data string // the data lines, joined by LF
	// Open is true when the stream ended before the blank line that should
	// close the event.
	Open bool
}

// EventReader reads server-sent events as the HTML standard writes them: lines
// end in LF, CR LF or CR, comments are skipped, several data lines are joined.
type EventReader struct {
	in      *bufio.Reader
	limit   int
	begun   bool
	afterCR bool
}

// NewEventReader reads events from r. No event may be longer than limit bytes;
// limit 0 means 64 MiB.
func NewEventReader(r io.Reader, limit int) *EventReader {
	return &EventReader{in: bufio.NewReader(r), limit: orDefault(limit)}
}

func orDefault(limit int) int {
	if limit <= 0 {
		return 64 << 20
	}
	return limit
}

// Next returns the next event that has data. At the clean end of the stream it
// returns io.EOF, after an unclosed event that had data (see Event.Open); any
// other error is the reader's own or ErrTooLong.
func (r *EventReader) Next() (Event, error) {
	var ev Event
	var data []string
	size := 0
	for {
		line, end, err := r.line(r.limit - size)
		if err != nil && !errors.Is(err, io.EOF) {
			return Event{}, err
		}
		size += len(line)
		if line == "" && (end || err != nil) {
			if data != nil {
				ev.Data, ev.Open = strings.Join(data, "\n"), err != nil
				return ev, nil
			}
			if err != nil {
				return Event{}, io.EOF
			}
			ev, size = Event{}, 0
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			data = append(data, value)
		case "event":
			ev.Name = value
		}
	}
}

// line returns the next line without its end, and whether it had one.
func (r *EventReader) line(limit int) (string, bool, error) {
	if !r.begun {
		r.begun = true
		if bom, err := r.in.Peek(3); err == nil && string(bom) == "\ufeff" {
			_, _ = r.in.Discard(3)
		}
	}
	var b []byte // what came before what is there now
	for {
		if _, err := r.in.Peek(1); err != nil {
			if errors.Is(err, io.EOF) && len(b) > 0 {
				return string(b), false, nil
			}
			return "", false, err
		}
		there, _ := r.in.Peek(r.in.Buffered()) // all of it is
		if r.afterCR {
			r.afterCR = false
			if there[0] == '\n' {
				_, _ = r.in.Discard(1)
				continue
			}
		}
		end := lineEnd(there)
		if len(b)+end > limit {
			return "", false, ErrTooLong
		}
		if end == len(there) {
			b = append(b, there...)
			_, _ = r.in.Discard(end)
			continue
		}
		// A CR may be half of a CR LF. Peeking further would block on a live
		// stream, so the LF is skipped when it comes.
		r.afterCR = there[end] == '\r'
		line := string(there[:end])
		if len(b) > 0 {
			line = string(append(b, there[:end]...))
		}
		_, _ = r.in.Discard(end + 1)
		return line, true, nil
	}
}

// lineEnd returns where the first CR or LF is, the length where there is none.
func lineEnd(b []byte) int {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i]
	}
	if i := bytes.IndexByte(b, '\r'); i >= 0 {
		return i
	}
	return len(b)
}

// ArrayReader reads the items of one JSON list as they arrive, each as its
// exact text: the form in which Gemini streams without alt=sse.
type ArrayReader struct {
	in    *bufio.Reader
	limit int
	state byte // 0 before '[', 'i' wants an item, 'n' wants ',' or ']', 'e' ended
	first bool
}

// NewArrayReader reads list items from r. No item may be longer than limit
// bytes; limit 0 means 64 MiB.
func NewArrayReader(r io.Reader, limit int) *ArrayReader {
	return &ArrayReader{in: bufio.NewReader(r), limit: orDefault(limit)}
}

// Next returns the text of the next item. After the closing bracket and a
// clean end of the stream it returns io.EOF; a stream that ends earlier is
// io.ErrUnexpectedEOF, other text between the items is an error too.
func (r *ArrayReader) Next() (string, error) {
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) && r.state != 'e' {
				return "", io.ErrUnexpectedEOF
			}
			return "", err
		}
		switch {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
		case r.state == 0 && c == '[':
			r.state, r.first = 'i', true
		case r.state == 'i' && r.first && c == ']', r.state == 'n' && c == ']':
			r.state = 'e'
		case r.state == 'n' && c == ',':
			r.state, r.first = 'i', false
		case r.state == 'i' && c == '{':
			r.state = 'n'
			return r.item()
		default:
			return "", fmt.Errorf("wire: unexpected byte 0x%02x between the items of a JSON list", c)
		}
	}
}

// item reads the rest of an object whose brace was read.
func (r *ArrayReader) item() (string, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	depth, inString := 1, false
	for depth > 0 {
		c, err := r.in.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
		if b.WriteByte(c); b.Len() > r.limit {
			return "", ErrTooLong
		}
		switch {
		case inString && c == '\\':
			if c, err = r.in.ReadByte(); err == nil {
				b.WriteByte(c)
			}
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return b.String(), nil
}
