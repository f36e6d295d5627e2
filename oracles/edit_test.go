package oracles_test

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"example.com/replaycheck/internal/wire"
	"example.com/replaycheck/oracles"
)

// The editors below change what they name and no other byte. A path is gjson's;
// what is not there is left alone.

func setRaw(body, path, raw string) string {
	out, err := sjson.SetRaw(body, path, raw)
	if err != nil {
		return body
	}
	return out
}

func remove(body, path string) string {
	if !gjson.Get(body, path).Exists() {
		return body
	}
	out, err := sjson.Delete(body, path)
	if err != nil {
		return body
	}
	return out
}

// has reports whether a JSON text has a member.
func has(raw, path string) bool { return gjson.Get(raw, path).Exists() }

// text returns a string member, "" where there is none.
func text(raw, path string) string { return gjson.Get(raw, path).String() }

func setText(raw, path, value string) string { return setRaw(raw, path, wire.Quote(value)) }

// items returns the raw items of a list.
func items(body, path string) []string {
	var out []string
	for _, v := range gjson.Get(body, path).Array() {
		out = append(out, v.Raw)
	}
	return out
}

// setItems writes a list back, if it changed.
func setItems(body, path string, list []string) string {
	if slices.Equal(items(body, path), list) {
		return body
	}
	return setRaw(body, path, "["+strings.Join(list, ",")+"]")
}

// Kinds of Gemini parts, as raw JSON.
func isCall(part string) bool   { return has(part, "functionCall") }
func isResult(part string) bool { return has(part, "functionResponse") }
func isSigned(part string) bool { return text(part, "thoughtSignature") != "" }
func isThought(part string) bool {
	return gjson.Get(part, "thought").Type == gjson.True
}

func isText(part string) bool {
	return gjson.Get(part, "text").Type == gjson.String && !isThought(part)
}

// part is the place of one part in a Gemini request.
type place struct {
	entry, index int
	raw          string
}

func (p place) path() string { return fmt.Sprintf("contents.%d.parts.%d", p.entry, p.index) }

// places returns the parts of a Gemini request that are as asked, in order.
func places(body string, is func(string) bool) []place {
	var out []place
	for e, entry := range items(body, "contents") {
		for i, raw := range items(entry, "parts") {
			if is(raw) {
				out = append(out, place{e, i, raw})
			}
		}
	}
	return out
}

func both(a, b func(string) bool) func(string) bool {
	return func(s string) bool { return a(s) && b(s) }
}

func not(a func(string) bool) func(string) bool { return func(s string) bool { return !a(s) } }

// model edits the list of parts of each model entry of a Gemini request.
func model(body string, edit func([]string) []string) string {
	for e, entry := range items(body, "contents") {
		if text(entry, "role") == "model" {
			body = setItems(body, fmt.Sprintf("contents.%d.parts", e), edit(items(entry, "parts")))
		}
	}
	return body
}

// edit changes the body of one request.
type edit func(body string) string

// change changes evidence as a fault would. What it leaves as it was the fault
// does not reach.
type change func(ev *oracles.Evidence)

// gemini, responses and chat apply an edit to every request to one API.
func gemini(e edit) change    { return to("gemini", e) }
func responses(e edit) change { return to("responses", e) }
func completions(e edit) change {
	return to("chat", e)
}

func to(endpoint string, e edit) change {
	return func(ev *oracles.Evidence) {
		for x := range exchanges(ev) {
			if x.Endpoint == endpoint {
				x.Body = e(x.Body)
			}
		}
	}
}

// exchanges yields the recorded exchanges of the runs, to be changed in place.
func exchanges(ev *oracles.Evidence) func(func(*oracles.Exchange) bool) {
	return func(yield func(*oracles.Exchange) bool) {
		for i := range ev.Runs {
			for j := range ev.Runs[i].Exchanges {
				if !yield(&ev.Runs[i].Exchanges[j]) {
					return
				}
			}
		}
	}
}

var (
	signatureForm = regexp.MustCompile(`"thoughtSignature":\s*"([^"]+)"`)
	cipherForm    = regexp.MustCompile(`"encrypted_content":\s*"([^"]+)"`)
	itemForm      = regexp.MustCompile(`"id":\s*"(rs_[^"]+)"`)
)

// learnt applies an edit to requests to one API, with the last value that the
// form finds in the earlier replies; where there is none, nothing changes.
func learnt(endpoint string, form *regexp.Regexp, e func(body, value string) string) change {
	return func(ev *oracles.Evidence) {
		value := ""
		for x := range exchanges(ev) {
			if x.Endpoint == endpoint && value != "" {
				x.Body = e(x.Body, value)
			}
			if m := form.FindAllStringSubmatch(x.Reply, -1); m != nil {
				value = text(`{"v":"`+m[len(m)-1][1]+`"}`, "v")
			}
		}
	}
}

// same reports whether two pieces of evidence say the same.
func same(a, b oracles.Evidence) bool {
	return reflect.DeepEqual(a.Runs, b.Runs) && reflect.DeepEqual(a.Control, b.Control)
}

// editBody applies an edit to the body of request n (1-based) and fails the
// test if it changes nothing.
func editBody(t testing.TB, ev *oracles.Evidence, n int, e edit) {
	t.Helper()
	for x := range exchanges(ev) {
		if n--; n == 0 {
			body := e(x.Body)
			if body == x.Body {
				t.Fatalf("%s: the edit changes nothing in %.200s", ev.Scenario.ID, body)
			}
			x.Body = body
			return
		}
	}
	t.Fatalf("%s: no such request", ev.Scenario.ID)
}
