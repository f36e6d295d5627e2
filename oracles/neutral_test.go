package oracles_test

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// airy writes white space after every token that ends a piece of a JSON text.
func airy(body string) string {
	var b strings.Builder
	inString := false
	for i := 0; i < len(body); i++ {
		c := body[i]
		b.WriteByte(c)
		switch {
		case inString && c == '\\':
			i++
			b.WriteByte(body[i])
		case c == '"':
			inString = !inString
		case !inString && strings.IndexByte("{[,:", c) >= 0:
			b.WriteString("\r\n\t ")
		}
	}
	return b.String()
}

// everyRequest edits every request, with its number.
func everyRequest(e func(n int, x *oracles.Exchange)) change {
	return func(ev *oracles.Evidence) {
		n := 0
		for x := range exchanges(ev) {
			n++
			e(n, x)
		}
	}
}

// What no requirement is about makes no difference.
func TestUnrelatedChangesAreIgnored(t *testing.T) {
	for _, row := range []struct {
		name   string
		change change
	}{
		{"white space between tokens", everyRequest(func(_ int, x *oracles.Exchange) { x.Body = airy(x.Body) })},
		{"headers", everyRequest(func(n int, x *oracles.Exchange) {
			x.Header.Set("User-Agent", "other/9")
			x.Header.Set("X-Goog-Api-Client", fmt.Sprintf("gl-go/%d", n))
			x.Header.Add("Idempotency-Key", fmt.Sprint(n))
		})},
		{"options of the model", everyRequest(func(n int, x *oracles.Exchange) {
			if x.Endpoint == "gemini" {
				x.Body = setRaw(x.Body, "generationConfig", fmt.Sprintf(`{"temperature":0.%d,"thinkingConfig":{"includeThoughts":true}}`, n))
				x.Body = setRaw(x.Body, "safetySettings", "[]")
				return
			}
			x.Body = setRaw(x.Body, "temperature", fmt.Sprintf("0.%d", n))
			x.Body = setRaw(x.Body, "parallel_tool_calls", "true")
		})},
		{"the system prompt", everyRequest(func(n int, x *oracles.Exchange) {
			if x.Endpoint == "gemini" {
				x.Body = setRaw(x.Body, "systemInstruction", fmt.Sprintf(`{"parts":[{"text":"It is minute %d."}]}`, n))
			}
		})},
		{"descriptions of tools", everyRequest(func(_ int, x *oracles.Exchange) {
			if has(x.Body, "tools.0.functionDeclarations.0.name") {
				x.Body = setText(x.Body, "tools.0.functionDeclarations.0.description", "encrypted_content, provider_items, native_id")
			}
		})},
		{"the version in the path", everyRequest(func(_ int, x *oracles.Exchange) {
			if x.Endpoint == "gemini" {
				x.Path, x.Query = strings.Replace(x.Path, "/v1beta/", "/v1/", 1), "key=REDACTED"
			}
		})},
		{"the protocol and the time of a connection", everyRequest(func(n int, x *oracles.Exchange) { x.Proto, x.Seq = "HTTP/1.0", n })},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for i, d := range cells(t) {
				if d.again() || d.ev.Scenario.Expect == "refused" {
					continue
				}
				ev := copyOf(d.ev)
				row.change(&ev)
				if same(ev, d.ev) {
					continue
				}
				v := view(t, ev)
				for _, o := range scopesOf(t)[i] {
					if found := o.Check(v); len(found) > 0 {
						t.Errorf("%s on %s: got\n%s", o.ID, d.cell, showAll(found))
					}
				}
			}
		})
	}
}

// words is the closed list of changes.
var words = strings.Fields(`absent null empty changed re-encoded moved copied merged split reordered duplicated swapped truncated
	stand-in foreign wrapper reduced shrunk unanswered added leaked accepted refused`)

var placeForm = regexp.MustCompile(`^(request \d+|run \d+|answer \d+|control run|state after the last run|tool log)(, | \(|$)`)

// TestFindingsAreWellFormed judges each fault in the first scenarios that it
// changes: twice, with the same findings, each of a form that a person can act
// on and that shows no opaque value whole.
func TestFindingsAreWellFormed(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			left := 2
			for i, d := range cells(t) {
				if d.again() {
					continue
				}
				ev := copyOf(d.ev)
				if f.change(&ev); same(ev, d.ev) {
					continue
				}
				if left--; left < 0 {
					return
				}
				opaque := opaqueValues(&ev)
				v, w := view(t, ev), view(t, ev)
				for _, o := range scopesOf(t)[i] {
					found := o.Check(v)
					if again := o.Check(w); !reflect.DeepEqual(found, again) {
						t.Errorf("%s on %s: judged twice, got\n%s\nand\n%s", o.ID, d.cell, showAll(found), showAll(again))
					}
					for _, g := range found {
						wellFormed(t, o.ID+" on "+d.String(), g, opaque)
					}
				}
			}
		})
	}
}

func wellFormed(t *testing.T, where string, f oracles.Finding, opaque []string) {
	t.Helper()
	if !slices.Contains(words, string(f.Change)) {
		t.Errorf("%s: change %q is not one of the closed list", where, f.Change)
	}
	if f.Level != result.Provider && f.Level != result.Verbatim {
		t.Errorf("%s: level %q", where, f.Level)
	}
	if !slices.Contains([]result.Basis{result.Confirmed, result.Documented, result.Unconfirmed, result.Contested}, f.Basis) {
		t.Errorf("%s: basis %q", where, f.Basis)
	}
	if !placeForm.MatchString(f.Where) {
		t.Errorf("%s: where is %q", where, f.Where)
	}
	for _, text := range []string{f.Where, f.Want, f.Got, f.Means} {
		if text == "" || strings.ContainsAny(text, "\n\r\x1b") || len(text) > 400 {
			t.Errorf("%s: not one line of a few words: %q\n%s", where, text, show(f))
		}
		for _, v := range opaque {
			if strings.Contains(text, v) {
				t.Errorf("%s: quotes a whole value: %s", where, show(f))
			}
		}
	}
	if f.Want == f.Got {
		t.Errorf("%s: want and got look the same: %s", where, show(f))
	}
	if strings.Contains(f.Means, "accepted") {
		t.Errorf("%s: claims acceptance: %s", where, f.Means)
	}
}

// opaqueValues are the signatures and ciphers of a conversation.
func opaqueValues(ev *oracles.Evidence) []string {
	out := signaturesOf(ev)
	for x := range exchanges(ev) {
		for _, m := range cipherForm.FindAllStringSubmatch(x.Reply, -1) {
			out = append(out, m[1])
		}
	}
	return out
}
