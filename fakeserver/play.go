package fakeserver

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Play is one run on a server. Its methods are safe for concurrent use.
type Play struct {
	id      string
	server  *Server
	options Options
	basis   *basis
	edit    func(Incoming) Incoming
	pick    func(Asked) (*Ready, error)
	enforce bool
	given   atomic.Int64 // replies, as next has it
	chaos   *Chaos
	known   *known // nil: minted is all

	mu        sync.Mutex
	exchanges []*Exchange
	next      int    // reply to give, from 0
	held      *Ready // chosen by pick and not given yet; nil: none is
	tries     int    // requests that met that reply's fault
	bytes     int64  // recorded and reserved
	errs      []error
	more      int // errors beyond those kept
	closed    bool
	halted    bool          // stop is closed
	stop      chan struct{} // closed when requests under way must end; nil: nobody waits, see stops
	under     []*inflight   // requests under way
	idle      chan struct{} // closed when the last of them is done after Close; nil before

	// What every play needs, and the first request of it: most plays of a busy
	// server have no other.
	first struct {
		known     known
		exchange  Exchange
		exchanges [1]*Exchange
		under     [1]*inflight
	}
}

func newPlay(s *Server, id string, o Options, script Script) *Play {
	b := script.basis()
	p := &Play{
		id: id, server: s, options: o, basis: b,
		edit: script.Edit, pick: script.Pick, enforce: script.Enforce, chaos: script.Chaos,
	}
	p.exchanges, p.under = p.first.exchanges[:0], p.first.under[:0]
	if script.Known != nil {
		p.known = &p.first.known
		p.known.basis, p.known.shared = b, script.Shared
	}
	if b.err != nil {
		p.errs = append(p.errs, b.err)
	}
	return p
}

// URL returns the base URL of the run, without API version and final slash; ""
// for a play without a server.
func (p *Play) URL() string {
	if p.server == nil {
		return ""
	}
	return p.server.http.URL + prefix + p.id
}

// grace is how long Close lets requests under way end by themselves.
const grace = 250 * time.Millisecond

// Close ends the run and returns its record: later requests are strays.
// Requests under way get a moment to end, then their connections break; one
// whose body was not complete is named in Err.
func (p *Play) Close() Record {
	if p.server != nil {
		p.server.plays.Delete(p.id)
	}
	p.mu.Lock()
	if !p.closed {
		p.closed, p.idle = true, make(chan struct{})
		if len(p.under) == 0 {
			close(p.idle)
		}
	}
	p.mu.Unlock()
	p.settle()
	return p.Record()
}

// settle waits for the requests under way, after a while by breaking them off.
func (p *Play) settle() {
	tick := time.NewTicker(grace)
	defer tick.Stop()
	for {
		select {
		case <-p.idle:
			return
		case <-tick.C:
			// Again each time: a handler may have set a deadline of its own.
			p.breakOff()
		}
	}
}

// serve answers one request; false: the play is closed.
func (p *Play) serve(in *inflight) bool {
	if !p.enter(in) {
		return false
	}
	defer p.leave(in)
	defer p.own(in)
	body, err := p.read(in)
	if err != nil {
		p.refuse(in, err)
		return true
	}
	p.respond(in, NewBody(body, nil))
	return true
}

// respond records a request whose body is complete, and answers it.
func (p *Play) respond(in *inflight, body *Body) {
	if p.edit != nil {
		body = NewBody(p.edited(in, body.text), body)
	}
	in.call.readBody(body, in.head.encoding)
	refusal, notes := p.validate(in)
	ex, f, err := p.record(in, body.text, refusal, notes)
	if err != nil {
		p.refuse(in, err)
		return
	}
	n, err := p.deliver(in, f)
	if err != nil {
		p.mu.Lock()
		ex.Reply, ex.Cut = ex.Reply[:min(n, len(ex.Reply))], true
		p.mu.Unlock()
	}
	if f.cut || err != nil {
		hangUp(in)
	}
}

// edited lets the script's edit change the request and reads again what it asks
// for.
func (p *Play) edited(in *inflight, body string) string {
	was := Incoming{Method: in.r.Method, Path: in.head.path, Query: in.head.asked, Body: body, Earlier: p.Record().Exchanges}
	now := p.edit(was)
	if now.Path != was.Path || now.Query != was.Query {
		in.head = readHead(in.r, now.Path, unescapedPath(now.Path), now.Query)
		in.call = in.head.call
	}
	return now.Body
}

// own puts a panic of ours into the record, as nothing else would show it.
func (p *Play) own(in *inflight) {
	if v := recover(); v != nil {
		p.note(fmt.Errorf("fakeserver: internal: panic: %v\n%s", v, debug.Stack()))
		hangUp(in)
	}
}

// refuse answers a request that is not recorded and says so in the record.
func (p *Play) refuse(in *inflight, err error) {
	p.release(in, in.held)
	p.note(fmt.Errorf("fakeserver: record %s %s: %w", in.r.Method, short(in.head.path), err))
	in.w.Header().Set("Connection", "close")
	if limit, ok := errors.AsType[*LimitError](err); ok {
		drain(in.w, in.r)
		_, _ = send(in.w, in.call.refusal(http.StatusRequestEntityTooLarge, limit.Error()), false)
		return
	}
	_, _ = send(in.w, in.call.refusal(http.StatusBadRequest, err.Error()), false)
}

// record takes the request in, in the order in which bodies are complete, and
// says what to answer.
func (p *Play) record(in *inflight, body string, refusal *Refusal, notes []string) (*Exchange, *form, error) {
	r, h := in.r, in.head
	seen := Exchange{
		Method: r.Method, Path: h.path, Query: h.query, Proto: r.Proto,
		Header: h.header, Body: body, Endpoint: in.call.endpoint, Model: in.call.model, Stream: in.call.stream,
		Profile: p.profile(in.call), Refusal: refusal, Refused: refusal != nil && p.enforce, Notes: notes, Side: in.call.side != nothing, Elsewhere: in.call.elsewhere,
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.exchanges) >= p.options.MaxExchanges {
		return nil, nil, &LimitError{fmt.Sprintf("request %d", len(p.exchanges)+1), int64(p.options.MaxExchanges), "MaxExchanges"}
	}
	if err := p.hold(in, h.size); err != nil {
		return nil, nil, err
	}
	ex := &p.first.exchange
	if len(p.exchanges) > 0 {
		ex = new(Exchange)
	}
	*ex = seen
	p.exchanges = append(p.exchanges, ex)
	ex.Seq = len(p.exchanges)
	f := p.give(in.call, ex)
	ex.Status, ex.Reply, ex.ReplyType, ex.Cut = f.status, f.text, f.kind, f.cut
	if r.Method == http.MethodHead {
		ex.Reply = ""
	}
	return ex, f, nil
}

// give is what an exchange is answered.
func (p *Play) give(c call, ex *Exchange) *form {
	if ex.Refused {
		return refused(ex.Refusal, c)
	}
	if ex.Side && c.problem == "" {
		return c.aside(ex.Header, ex.Path, ex.Query)
	}
	if f := p.again(c, ex); f != nil {
		f = f.faultless()
		ex.Step = p.next
		return f
	}
	f, why := p.answer(c, ex)
	if f == nil {
		return c.refusal(http.StatusBadRequest, why)
	}
	f, whole := p.spoiled(f, c, ex)
	if !whole {
		return f
	}
	p.held = nil
	p.next++
	p.given.Store(int64(p.next))
	ex.Step = p.next
	return f
}

// again is the last reply given, where it may be asked for again and the request
// is the one that got it; else nil.
func (p *Play) again(c call, ex *Exchange) *form {
	if p.next == 0 || p.next > len(p.basis.replies) || !p.basis.replies[p.next-1].reply.Repeat {
		return nil
	}
	for _, earlier := range p.exchanges {
		if earlier != ex && earlier.Step == p.next && earlier.Path == ex.Path && earlier.Query == ex.Query && earlier.Body == ex.Body {
			return p.basis.replies[p.next-1].formFor(c)
		}
	}
	return nil
}

// answer is the next reply in the form asked for; nil and the reason where
// there is none that fits.
func (p *Play) answer(c call, ex *Exchange) (*form, string) {
	switch {
	case c.problem != "":
	case p.pick != nil:
		return p.picked(c, ex)
	case p.next < len(p.basis.replies) && p.basis.replies[p.next].reply.Endpoint == c.endpoint:
		if f := p.basis.replies[p.next].formFor(c); f != nil {
			return f, ""
		}
	}
	return nil, p.why(c, ex.Seq)
}

// chosen asks the script's Pick, once for a reply: a fault may keep it from
// being given for a while.
func (p *Play) chosen(c call, ex *Exchange) (*Ready, error) {
	if p.held != nil && speaks(p.held.reply.Endpoint, c.endpoint) {
		return p.held, nil
	}
	r, err := p.pick(c.asked(ex.Path))
	if err == nil && r == nil {
		err = errors.New("the script's Pick chose neither a reply nor an error")
	}
	if err != nil {
		return nil, err
	}
	p.held = r
	return r, nil
}

// picked is the reply that the script's Pick chooses.
func (p *Play) picked(c call, ex *Exchange) (*form, string) {
	r, err := p.chosen(c, ex)
	var why string
	switch {
	case err != nil:
		why = err.Error()
	case !speaks(r.reply.Endpoint, c.endpoint):
		why = fmt.Sprintf("the reply chosen for it is for the endpoint %q, the request is to %q", r.reply.Endpoint, c.endpoint)
	default:
		if f := r.formFor(c); f != nil {
			return f, ""
		}
		why = "the reply chosen for it has no such form (plain or streamed)"
	}
	return nil, fmt.Sprintf("request %d is not scripted: %s", ex.Seq, why)
}

// speaks reports whether a reply for one endpoint is one of another's: Google's
// two hosts write alike.
func speaks(reply, asked string) bool {
	google := func(endpoint string) bool { return endpoint == Gemini || endpoint == Vertex }
	return reply == asked || google(reply) && google(asked)
}

// why says what was expected of a request that got no scripted reply.
func (p *Play) why(c call, seq int) string {
	got := "request " + strconv.Itoa(seq)
	switch {
	case c.problem != "":
		return got + " is not scripted: " + c.problem
	case p.next >= len(p.basis.replies):
		return fmt.Sprintf("%s is not scripted: all %d replies of the script were given, no further request was expected", got, len(p.basis.replies))
	case p.basis.replies[p.next].reply.Endpoint != c.endpoint:
		return fmt.Sprintf("%s is not scripted: got a request to the endpoint %q, want %q for reply %d of the script", got, c.endpoint, p.basis.replies[p.next].reply.Endpoint, p.next+1)
	case c.stream:
		return fmt.Sprintf("%s is not scripted: it asks for a stream, want a plain request: reply %d of the script has no streamed form", got, p.next+1)
	}
	return fmt.Sprintf("%s is not scripted: it asks for a plain reply, want a streamed request: reply %d of the script has no plain form", got, p.next+1)
}

// note keeps an error for the record; of a flood only the first few.
func (p *Play) note(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.errs) >= 8 {
		p.more++
		return
	}
	p.errs = append(p.errs, err)
}
