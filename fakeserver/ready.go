package fakeserver

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
)

// Ready is a reply as it is given out: checked, and with its forms, each of which is
// made once. Many plays may give out the same.
type Ready struct {
	reply                Reply
	plain, stream, array made
}

// made is a form once somebody asked for it.
type made struct {
	once sync.Once
	form *form
}

// Ready returns the reply as it is given out; what becomes of r later makes no
// difference to it. The error says what is wrong with r.
func (r Reply) Ready() (*Ready, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	return r.ready(), nil
}

// ready is Ready for a reply that is given out whatever is wrong with it.
func (r Reply) ready() *Ready {
	if r.Fault != nil {
		own := *r.Fault
		r.Fault = &own
	}
	if len(r.Header) > 0 {
		header := http.Header{}
		for name, values := range r.Header {
			header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
		r.Header = header
	}
	return &Ready{reply: r}
}

// readyAll makes the replies of a script ready. The error joins all that is wrong
// with them.
func readyAll(replies []Reply) ([]*Ready, error) {
	var errs []error
	out := make([]*Ready, len(replies))
	for i, r := range replies {
		if err := r.check(); err != nil {
			errs = append(errs, fmt.Errorf("fakeserver: script: reply %d: %w", i+1, err))
		}
		out[i] = r.ready()
	}
	return out, errors.Join(errs...)
}

// Reply returns the reply. Nothing in it may be written to.
func (r *Ready) Reply() Reply { return r.reply }

// formFor returns what a request asked for, not to be written to; nil where the
// reply has no such form.
func (r *Ready) formFor(c call) *form {
	reply := &r.reply
	failed := reply.Status >= 400
	switch {
	case c.stream && reply.Stream == "" && reply.Plain != "" && !failed, !c.stream && reply.Plain == "" && reply.Stream != "" && !failed:
		return nil
	case !c.stream, failed && reply.Stream == "":
		return r.plain.of(func() *form { return newForm(*reply, jsonType, reply.Plain, nil) })
	case c.array:
		return r.array.of(func() *form {
			text, pieces := splitArray(reply.Stream, reply.Cut)
			return newForm(*reply, jsonType, text, pieces)
		})
	}
	return r.stream.of(func() *form { return newForm(*reply, eventType, reply.Stream, splitEvents(reply.Stream)) })
}

func (m *made) of(read func() *form) *form {
	m.once.Do(func() {
		m.form = read()
		m.form.lines = m.form.headerLines(false)
	})
	return m.form
}
