package oracles_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// asOne are conversations of each API that a garbled request is put into.
var asOne = []string{"gemini/single-call", "gemini/signed-text", "openai/single-call", "foreign/gemini-to-openai", "foreign/openai-to-gemini", "foreign/there-and-back", "foreign/gemini-to-chat"}

func TestUnreadableRequests(t *testing.T) {
	for _, row := range []struct {
		name, body, got string
	}{
		{"empty", "", "wire: invalid JSON at byte 0: expected a value"},
		{"no JSON", "contents=1", "wire: invalid JSON at byte 0: expected a value"},
		{"cut", `{"contents":[{"role":"user","parts":[{"text":"secret`, "wire: invalid JSON at byte 52: expected the end of the string"},
		{"two texts", `{}{}`, "wire: invalid JSON at byte 2: expected the end of the text"},
		{"compressed", "\x1f\x8b\x08\x00", "wire: invalid JSON at byte 0: expected a value"},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, id := range asOne {
				ev := good(t, id, plainMemory, "")
				n := requests(ev)
				editBody(t, &ev, n, func(string) string { return row.body })
				v := view(t, ev)
				for _, o := range oracles.All() {
					if !o.Scope(v) || !ofRequests(o) {
						continue
					}
					found := o.Check(v)
					if !slices.ContainsFunc(found, func(f oracles.Finding) bool {
						return f.Change == result.Changed && f.Want == "a JSON body" && f.Got == row.got && strings.HasPrefix(f.Where, "request ") && f.Gates(result.Provider)
					}) {
						t.Errorf("%s on %s: got\n%s", o.ID, id, showAll(found))
					}
				}
			}
		})
	}
}

// A body that is JSON of another shape holds no history: what it should have
// held is missing.
func TestRequestsOfAnotherShape(t *testing.T) {
	for _, body := range []string{`null`, `[]`, `"text"`, `{}`, `{"contents":{},"input":{},"messages":{}}`, `{"contents":[7,null,[]],"input":[7,null,[]],"messages":[7,null,[]]}`, `{"contents":[{"parts":[[],null]}]}`} {
		for id, names := range map[string][]string{
			"gemini/single-call":       {"REPLAY-01", "REPLAY-03", "REPLAY-11", "REPLAY-15"},
			"gemini/signed-text":       {"REPLAY-02"},
			"gemini/text-and-call":     {"REPLAY-06"},
			"openai/single-call":       {"OPENAI-02", "OPENAI-03", "REPLAY-15"},
			"foreign/gemini-to-openai": {"FOREIGN-01", "OPENAI-03"},
			"foreign/openai-to-gemini": {"FOREIGN-03"},
			"foreign/there-and-back":   {"FOREIGN-06"},
			"foreign/gemini-to-chat":   {"FOREIGN-05"},
		} {
			ev := good(t, id, plainMemory, "")
			editBody(t, &ev, requests(ev), func(string) string { return body })
			v := view(t, ev)
			for _, name := range names {
				if found := oracle(t, name).Check(v); !gates(found, result.Provider) {
					t.Errorf("%s on %s with %s: got\n%s", name, id, body, showAll(found))
				}
			}
		}
	}
}

// A reply that can't be read is the fixture's fault: an error, not a verdict.
func TestUnreadableReplyIsAnError(t *testing.T) {
	for _, row := range []struct{ name, reply, want string }{
		{"no JSON", "<html>", ""},
		{"cut", `{"candidates":[`, "wire: invalid JSON at byte 15: expected a value"},
		{"a cut list", `[{}`, "unexpected EOF"},
		{"an event that is no JSON", "data: <html>\n\n", "wire: invalid JSON at byte 0: expected a value"},
	} {
		ev := good(t, "gemini/single-call", plainMemory, "")
		ev.Runs[0].Exchanges[0].Reply = row.reply
		_, err := oracles.NewView(ev)
		switch {
		case row.want == "" && err != nil: // events without any data: a turn of nothing
			t.Errorf("%s: got %v", row.name, err)
		case row.want != "" && (err == nil || err.Error() != row.want):
			t.Errorf("%s: got %v, want %s", row.name, err, row.want)
		}
	}
}

// A state that is no transcript holds no carrier.
func TestUnreadableState(t *testing.T) {
	for _, state := range []string{"", "nonsense", `{}`, `{"messages":7}`, `{"messages":[null,7,{"role":"assistant"}]}`, `{"schema":"nrllm/v1","messages":[]}`} {
		ev := good(t, "gemini/single-call", plainMemory, "")
		ev.Runs[0].Outcome.State = &state
		if found := oracle(t, "REPLAY-01").Check(view(t, ev)); !gates(found, result.Verbatim) {
			t.Errorf("%q: passes", state)
		}
	}
}

// TestEvidenceOfNothing: no runs at all, as before a run.
func TestEvidenceOfNothing(t *testing.T) {
	for i, d := range cells(t) {
		v := view(t, oracles.Evidence{Scenario: d.ev.Scenario, Mode: d.mode, Variant: d.variant, Subject: d.ev.Subject})
		for _, o := range scopesOf(t)[i] {
			if found := o.Check(v); !gates(found, result.Verbatim) {
				t.Errorf("%s on %s: passes", o.ID, d.cell)
			}
		}
	}
}

func TestOddSignatures(t *testing.T) {
	for _, raw := range []string{`7`, `{}`, `[]`, `true`, `"\ud800"`, `""`, `null`, `" "`, `"\u0000"`} {
		ev := good(t, "gemini/single-call", plainMemory, "")
		editBody(t, &ev, 2, func(body string) string { return setRaw(body, "contents.1.parts.0."+sig, raw) })
		for _, id := range []string{"REPLAY-01", "REPLAY-03"} {
			found := oracle(t, id).Check(view(t, ev))
			if id == "REPLAY-03" && !gates(found, result.Provider) {
				t.Errorf("%s: passes", raw)
			}
			for _, f := range found {
				wellFormed(t, raw, f, nil)
			}
		}
	}
}
