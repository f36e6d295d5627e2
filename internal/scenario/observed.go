package scenario

import (
	"net/http"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/subject"
)

// Observed makes evidence of a conversation that nobody drove: what a play has
// recorded of it so far. Every request to an API counts as a step of it, with
// what it was answered: those that were refused or not scripted too, which are
// as good evidence as any. Requests that met a failure of the server's (429 and
// 5xx) are left out, as clients send them again. The subject is not known, nor
// is its outcome; the runs of its tools are what the requests show of them.
func Observed(id string, exchanges []fakeserver.Exchange) Evidence {
	sc := &fixtures.Scenario{ID: id}
	ev := Evidence{Scenario: sc}
	var kept []fakeserver.Exchange
	for _, x := range exchanges {
		if x.Endpoint == "" || x.Status == http.StatusTooManyRequests || x.Status >= 500 {
			continue
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
	ev.Runs[0].Outcome.ToolRuns = toolRuns(kept)
	return ev
}

// toolRuns are the runs that the requests show: each call of a reply with the
// result that the next request ends with, by ID or, without, by order.
func toolRuns(exchanges []fakeserver.Exchange) []subject.ToolRun {
	var out []subject.ToolRun
	var calls []native.Part
	for _, x := range exchanges {
		if req, err := native.ParseRequest(native.API(x.Endpoint), x.Body); err == nil {
			out = append(out, answered(calls, lastResults(req))...)
		}
		// One that broke off has given its client whatever came.
		reply, _ := native.ParseReply(native.API(x.Endpoint), x.Reply)
		calls = reply.Calls()
	}
	return out
}

// lastResults are the results after the last turn of the model.
func lastResults(req native.Request) []native.Part {
	var out []native.Part
	for _, e := range req.Entries {
		if e.Model() {
			out = nil
			continue
		}
		for _, p := range e.Parts {
			if p.Kind == native.Result {
				out = append(out, p)
			}
		}
	}
	return out
}

// answered pairs calls with results: those with an ID by it, the rest by order.
func answered(calls, results []native.Part) []subject.ToolRun {
	of := make([]int, len(calls)) // result of each call, from 1; 0: none
	used := make([]bool, len(results))
	for k, call := range calls {
		for i, r := range results {
			if of[k] == 0 && !used[i] && call.ID != "" && r.ID == call.ID {
				of[k], used[i] = i+1, true
			}
		}
	}
	for k, call := range calls {
		if of[k] == 0 && k < len(results) && !used[k] && (call.ID == "" || results[k].ID == "") {
			of[k], used[k] = k+1, true
		}
	}
	var out []subject.ToolRun
	for k, call := range calls {
		if of[k] == 0 {
			continue
		}
		body := results[of[k]-1].Body
		text := body.Text()
		if text == "" {
			text = body.Raw()
		}
		out = append(out, subject.ToolRun{Name: call.Name, Arguments: call.Args, CallID: call.ID, Result: text})
	}
	return out
}
