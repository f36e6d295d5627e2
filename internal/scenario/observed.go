package scenario

import (
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/subject"
)

// Observed makes evidence of a conversation that nobody drove: what a play has
// recorded of it so far. Every request to an API counts as a step of it, with
// what it was answered: those that were refused or not scripted too, which are
// as good evidence as any. Requests that met a failure of the server's or the
// network's instead of a reply are left out, as clients send them again; a reply
// that cannot be read, since it broke off, is not wanted back. The subject is not
// known, nor is its outcome; the runs of its tools are what the requests show.
func Observed(id string, exchanges []fakeserver.Exchange) Evidence {
	sc := &fixtures.Scenario{ID: id}
	ev := Evidence{Scenario: sc}
	var kept []fakeserver.Exchange
	for _, x := range exchanges {
		if !Counts(&x) {
			continue
		}
		x.Reply = unzipped(x.Reply)
		if _, err := native.ParseReply(native.API(x.Endpoint), x.Reply); err != nil {
			x.Reply, x.Cut = "", true
		}
		reply := fixtures.Reply{Endpoint: x.Endpoint, Plain: x.Reply}
		if x.Stream {
			reply.Plain, reply.Stream = "", x.Reply
			ev.Mode.Stream = true
		}
		sc.Replies, sc.Endpoints = append(sc.Replies, reply), append(sc.Endpoints, x.Endpoint)
		x.Step = len(sc.Replies)
		kept = append(kept, x)
	}
	ev.Runs = []Run{{Exchanges: kept, Connections: NotCounted}}
	ev.Runs[0].Task.Legs = []subject.Leg{{}, {Stream: true}} // nobody asked for the one or the other
	if len(kept) > 1 {                                       // else nothing is asked of them
		ev.Runs[0].Outcome.ToolRuns, ev.Runs[0].Read = toolRuns(kept)
	}
	return ev
}

// Counts reports whether an exchange is one that Observed keeps.
func Counts(x *fakeserver.Exchange) bool {
	return x.Endpoint != "" && !x.Side && x.Status != http.StatusTooManyRequests && x.Status < 500 && (x.Fault == "" || x.Step > 0)
}

// unzipped is a reply without the compression that a fault gave it.
func unzipped(reply string) string {
	if !strings.HasPrefix(reply, "\x1f\x8b") {
		return reply
	}
	z, err := gzip.NewReader(strings.NewReader(reply))
	if err != nil {
		return reply
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return reply
	}
	return string(text)
}

// toolRuns are the runs that the requests show: each call of a reply with the
// result that the next request ends with, and those of the history that the
// first request brings. It returns the requests too, as it has read them: references to stored
// items stand for these.
func toolRuns(exchanges []fakeserver.Exchange) (out []subject.ToolRun, read []native.Request) {
	var calls []native.Part
	kept := stored{}
	for i, x := range exchanges {
		req, err := native.ParseRequest(native.API(x.Endpoint), x.Body)
		req = kept.resolve(req)
		read = append(read, req)
		turns := callTurns(req)
		switch {
		case err != nil:
		case i == 0:
			for _, t := range turns {
				out = append(out, runsOf(t.calls, t.answers())...)
			}
		case len(turns) > 0:
			last := lastTurn(turns, len(calls))
			if len(last.calls) != len(calls) { // something was lost or added
				last.calls = asSent(calls, last.calls)
			}
			out = append(out, runsOf(calls, last.answers())...)
		}
		// One that broke off has given its client whatever came.
		reply, _ := native.ParseReply(native.API(x.Endpoint), x.Reply)
		calls = reply.Calls()
		kept.add(req, reply)
	}
	return out, read
}

// callTurn is a turn of the model in a request, with the results after it.
type callTurn struct{ calls, results []native.Part }

// callTurns are the turns of the model that a request holds; results before the
// first are a turn of their own.
func callTurns(req native.Request) []callTurn {
	var out []callTurn
	model := false
	for _, e := range req.Entries {
		if len(out) == 0 || e.Model() && !model {
			out = append(out, callTurn{})
		}
		model = e.Model()
		t := &out[len(out)-1]
		for _, p := range e.Parts {
			switch p.Kind {
			case native.Call:
				t.calls = append(t.calls, p)
			case native.Result:
				t.results = append(t.results, p)
			}
		}
	}
	return out
}

// lastTurn is the turn that a request ends with. One with fewer calls than its
// reply had may have been sent in pieces, each with its results.
func lastTurn(turns []callTurn, calls int) callTurn {
	last := turns[len(turns)-1]
	whole := last
	for i := len(turns) - 2; i >= 0 && len(whole.calls) < calls && len(turns[i].calls) > 0; i-- {
		whole = callTurn{slices.Concat(turns[i].calls, whole.calls), slices.Concat(turns[i].results, whole.results)}
	}
	if len(whole.calls) == calls {
		return whole
	}
	return last
}

// asSent are the calls of a reply with the IDs that they were sent under, as far
// as they were sent.
func asSent(calls, sent []native.Part) []native.Part {
	out, used := slices.Clone(calls), make([]bool, len(sent))
	for k, call := range calls {
		for i, s := range sent {
			if !used[i] && s.Name == call.Name && s.Args == call.Args {
				out[k], used[i] = s, true
				break
			}
		}
	}
	return out
}

// answers are the results of a turn's calls, in their order; nil where there is
// none. The ID that a call was sent with tells its result, where there is one;
// else the order does.
func (t callTurn) answers() []*native.Part {
	out := make([]*native.Part, len(t.calls))
	used := make([]bool, len(t.results))
	for k, call := range t.calls {
		for i, r := range t.results {
			if out[k] == nil && !used[i] && call.ID != "" && r.ID == call.ID {
				out[k], used[i] = &t.results[i], true
			}
		}
	}
	for k, call := range t.calls {
		if out[k] == nil && k < len(t.results) && !used[k] && (call.ID == "" || t.results[k].ID == "") {
			out[k], used[k] = &t.results[k], true
		}
	}
	return out
}

// runsOf are the runs of calls that have an answer.
func runsOf(calls []native.Part, answers []*native.Part) []subject.ToolRun {
	var out []subject.ToolRun
	for k, call := range calls {
		if k >= len(answers) || answers[k] == nil {
			continue
		}
		body := answers[k].Body
		text := body.Text()
		if text == "" {
			text = body.Raw()
		}
		out = append(out, subject.ToolRun{Name: call.Name, Arguments: call.Args, CallID: call.ID, Result: text})
	}
	return out
}
