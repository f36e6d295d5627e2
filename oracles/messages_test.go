package oracles_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/oracles"
)

// message is what an oracle says, word for word, of a fault in one cell.
type message struct {
	id    string // the oracle
	cell  string
	fault string // of faults, or of moreEdits
	want  string
}

// moreEdits are edits for messages that no selected fault brings about.
func moreEdits() map[string]change {
	onCarrier := func(e func(raw string) string) change {
		return onState(func(state string) string {
			for i, m := range items(state, "messages") {
				if has(m, "provider_items") {
					return setItems(state, "messages", slices.Replace(items(state, "messages"), i, i+1, e(m)))
				}
			}
			return state
		})
	}
	return map[string]change{
		"state: no carrier":   onCarrier(func(m string) string { return remove(m, "provider_items") }),
		"state: a part less":  onCarrier(func(m string) string { return remove(m, "provider_items.0.parts.0") }),
		"state: an item less": onCarrier(func(m string) string { return remove(m, "provider_items.0") }),
		"empty signature":     onFirst(isSigned, func(p string) string { return setText(p, sig, "") }),
		"null signature":      onFirst(isSigned, func(p string) string { return setRaw(p, sig, "null") }),
		"turn and prompt gone": entries(func(list []string) []string {
			if len(list) > 2 {
				return list[2:]
			}
			return list
		}),
		"a copy in a text": gemini(func(body string) string {
			for _, p := range places(body, isSigned) {
				return setText(body, "contents.0.parts.0.text", text(body, "contents.0.parts.0.text")+" "+text(p.raw, sig))
			}
			return body
		}),
		"the carrier as text": func(ev *oracles.Evidence) {
			carrier := text(ev.Scenario.State(ev.Variant), "messages.1.provider_items")
			completions(func(body string) string { return setText(body, "messages.1.content", carrier) })(ev)
		},
		"refused": func(ev *oracles.Evidence) {
			r := &ev.Runs[0]
			r.Exchanges, r.Outcome.Answers = nil, nil
			r.Outcome.Error = &oracles.SubjectError{Kind: subject.Refused, Message: "gemini replay state is malformed or ambiguous"}
		},
		"control refused": func(ev *oracles.Evidence) {
			r := &ev.Control[0]
			r.Exchanges, r.Connections = nil, 0
			r.Outcome.Error = ev.Runs[0].Outcome.Error
		},
		"answers gone": func(ev *oracles.Evidence) {
			for i := range ev.Runs {
				ev.Runs[i].Outcome.Answers = nil
			}
		},
		"strict tools": responses(func(body string) string { return setRaw(body, "tools.0.strict", "true") }),
	}
}

// changes are the faults and the further edits by name.
func changes() map[string]change {
	out := moreEdits()
	for _, f := range faults() {
		out[f.String()] = f.change
	}
	return out
}

// publicID are the IDs that the reference adapters make up.
var publicID = regexp.MustCompile(`call_[A-Z2-7]{26}`)

func messages() []message {
	return slices.Concat(replayMessages(), foreignMessages(), refuseMessages(), openaiMessages(), thinkMessages(), structMessages(), callidMessages(), streamMessages())
}

func TestEveryOracleSaysWhatWasLostWhere(t *testing.T) {
	edits := changes()
	for _, row := range messages() {
		t.Run(row.id+" "+row.fault, func(t *testing.T) {
			i := slices.IndexFunc(cells(t), func(d driven) bool { return d.String() == row.cell })
			e, ok := edits[row.fault]
			if i < 0 || !ok {
				t.Fatalf("got no cell %s or no edit %s", row.cell, row.fault)
			}
			if !slices.ContainsFunc(scopesOf(t)[i], func(o oracles.Oracle) bool { return o.ID == row.id }) {
				t.Fatalf("%s is not judged in %s", row.id, row.cell)
			}
			ev := copyOf(cells(t)[i].ev)
			e(&ev)
			got := publicID.ReplaceAllString(showAll(oracle(t, row.id).Check(view(t, ev))), "⟨call⟩")
			if got != strings.TrimSpace(row.want) {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}

// TestEveryOracleHasAMessage keeps the table whole.
func TestEveryOracleHasAMessage(t *testing.T) {
	said := map[string]bool{}
	for _, row := range messages() {
		said[row.id] = true
	}
	for _, f := range faults() {
		for _, id := range f.red {
			if !said[id] {
				t.Errorf("%s: no row pins its message", id)
			}
		}
	}
}
