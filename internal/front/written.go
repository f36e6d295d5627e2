package front

import "net/http"

// written is the head of a reply as it was written, for a next one that says the same:
// most replies of a connection differ in their bodies only. The zero one is of none.
type written struct {
	status int
	fields []field // of the handler's header
	text   []byte  // as far as it follows from them
	said   said
	length int64
}

// field is a header field with one value.
type field struct{ name, value string }

// is reports whether a handler says the same.
func (l *written) is(status int, h http.Header) bool {
	if l.status != status || len(l.fields) != len(h) {
		return false
	}
	for i := range l.fields {
		f := &l.fields[i]
		if values := h[f.name]; len(values) != 1 || values[0] != f.value {
			return false
		}
	}
	return true
}

// set keeps what a handler said, unless a field has several values or none.
func (l *written) set(status int, h http.Header, text []byte, s said, length int64) {
	l.status, l.fields = 0, l.fields[:0]
	for name, values := range h {
		if len(values) != 1 {
			return
		}
		l.fields = append(l.fields, field{name, values[0]})
	}
	l.status, l.text, l.said, l.length = status, append(l.text[:0], text...), s, length
}
