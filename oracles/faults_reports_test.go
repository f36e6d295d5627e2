package oracles_test

import (
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/oracles"
)

// nthToNth is a rule of thumb of a client that keeps values in a list of their
// own: the nth value of a turn belongs to its nth call.
func nthToNth(ev *oracles.Evidence) {
	gemini(func(body string) string {
		for i := range items(body, "contents") {
			at := fmt.Sprintf("contents.%d.parts", i)
			parts, calls, values := items(body, at), []int(nil), []string(nil)
			for k, p := range parts {
				if isCall(p) {
					calls = append(calls, k)
				}
				if isCall(p) && isSigned(p) {
					values = append(values, text(p, sig))
				}
			}
			for n, k := range calls {
				value := ""
				if n < len(values) {
					value = values[n]
				}
				switch has := text(parts[k], sig); {
				case value == "":
					parts[k] = dropSig(parts[k])
				case value != has:
					parts[k] = setText(parts[k], sig, value)
				}
			}
			body = setItems(body, at, parts)
		}
		return body
	})(ev)
}

// messagesFirst is the order of a client whose message type has a text and a list
// of calls: within a turn what is said comes before the first call.
func messagesFirst(ev *oracles.Evidence) {
	input(func(list []string) []string {
		for i := range list {
			if text(list[i], "type") != "message" || !has(list[i], "id") {
				continue
			}
			first := i
			for j := i - 1; j >= 0 && has(list[j], "id"); j-- {
				if isItemCall(list[j]) {
					first = j
				}
			}
			list = slices.Concat(list[:first], list[i:i+1], list[first:i], list[i+1:])
		}
		return list
	})(ev)
}

// What these reports tell is to be seen in one scenario only, so it has to stay.
func TestOneScenarioShowsIt(t *testing.T) {
	for _, c := range []struct {
		report, scenario string
		change           change
	}{
		{"O030 juspay/clairvoyance#1030", "gemini/parallel-two-of-many", nthToNth},
		{"O013, O064 continuedev/continue#11994", "openai/message-between-calls", messagesFirst},
	} {
		t.Run(c.report, func(t *testing.T) {
			changed := map[string]bool{}
			for _, d := range cells(t) {
				ev := copyOf(d.ev)
				c.change(&ev)
				if !same(ev, d.ev) {
					changed[ev.Scenario.ID] = true
				}
			}
			NewWithT(t).Expect(changed).To(Equal(map[string]bool{c.scenario: true}))
		})
	}
}
