package fakeserver

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// Redacted stands in a record where a key was.
const Redacted = "REDACTED"

// Record is what a run saw. It is a copy and belongs to the caller.
type Record struct {
	// Exchanges are in the order in which their bodies were read to the end.
	Exchanges []Exchange
	Leftover  int // scripted replies that nobody asked for
	// Err joins what makes the record incomplete or the run unfit: a limit
	// passed (*LimitError), a body that broke off, a script that makes no
	// sense. nil: none.
	Err error
}

// Exchange is one request as it arrived and what it was answered.
type Exchange struct {
	Seq    int // 1-based, in its play
	Method string
	Path   string // as received, without the play's prefix
	Query  string // as received; the values of parameters that may hold keys are Redacted
	Proto  string // "HTTP/1.1"
	// Header is what net/http leaves in it (Host and Transfer-Encoding are not
	// in it); the values of headers that may hold keys are Redacted.
	Header http.Header
	Body   string // exactly as received, whatever its Content-Encoding

	Endpoint string // Gemini, Responses or Chat; "": unknown
	Model    string // as path or body name it, "": neither does
	Stream   bool   // what was asked for
	Step     int    // the scripted reply given, 1-based; 0: none, unscripted or refused
	// Profile is the name of the profile whose rules hold for it, record-only where
	// none does; "" for one to no API.
	Profile string
	// Refusal is what the provider's profile would answer, nil where no rule is
	// broken. It is shared and not to be written to.
	Refusal *Refusal
	Refused bool // the refusal was the answer (Script.Enforce)
	// Notes say for people what is not right with opaque values that no rule of
	// the profile refuses, one line each. They are shared as Refusal is.
	Notes []string
	// Fault names what went wrong on the way of the answer, as scripted; "" if
	// nothing did. With Step 0 it stood in the place of a reply.
	Fault string
	// Side: it asked for models, a count of tokens or an embedding, and was
	// answered without the script. Endpoint is empty then.
	Side bool
	// Elsewhere: it is one to Responses that names a history which the provider
	// would keep (previous_response_id or conversation, not null).
	Elsewhere bool

	Status int
	// Reply holds the bytes handed to the connection, all of them while the
	// reply is still under way.
	Reply     string
	ReplyType string // content type
	// Cut: the reply had no clean end, by the script or because the client was
	// gone.
	Cut bool
}

// Record returns what was recorded so far. Exchanges whose reply is still
// under way are in it.
func (p *Play) Record() Record {
	out := p.Peek()
	for i := range out.Exchanges {
		out.Exchanges[i].Header = out.Exchanges[i].Header.Clone()
	}
	return out
}

// Given returns how many scripted replies were given so far.
func (p *Play) Given() int { return int(p.given.Load()) }

// Peek is Record for those who write to nothing in it: headers are shared.
func (p *Play) Peek() Record {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := Record{Leftover: max(0, len(p.basis.replies)-p.next)}
	if len(p.exchanges) > 0 {
		out.Exchanges = make([]Exchange, len(p.exchanges))
	}
	for i, ex := range p.exchanges {
		out.Exchanges[i] = *ex
	}
	out.Err = p.err()
	return out
}

// Only is Peek for plays that have one exchange, which it copies into out; false:
// there are more or none. The error is Record.Err.
func (p *Play) Only(out *Exchange) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.exchanges) != 1 {
		return false, nil
	}
	*out = *p.exchanges[0]
	return true, p.err()
}

// err is what makes the record incomplete; p.mu is locked.
func (p *Play) err() error {
	if len(p.errs) == 0 {
		return nil
	}
	errs := slices.Clone(p.errs)
	if p.more > 0 {
		errs = append(errs, fmt.Errorf("fakeserver: %d more errors like these", p.more))
	}
	return errors.Join(errs...)
}

// Each calls f with each exchange so far, in their order, until it returns false.
// f must neither keep nor change what it gets, nor call the play.
func (p *Play) Each(f func(*Exchange) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, ex := range p.exchanges {
		if !f(ex) {
			return
		}
	}
}
