package inject_test

import (
	"strings"
	"testing"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/wire"
	"example.com/replaycheck/mutations/internal/inject"
	"example.com/replaycheck/oracles"
)

// recorded are requests of the reference adapters, each conversation's in order.
func recorded(t *testing.T) [][]fakeserver.Exchange {
	t.Helper()
	s, err := oracles.Open(t.Context(), oracles.Config{
		New: func() (oracles.Subject, error) { return reference.New(), nil }, InProcess: true,
		Scenarios: []string{"gemini/[a-eo-u]*", "openai/*", "foreign/[gto]*"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out [][]fakeserver.Exchange
	for i, r := range s.Runs() {
		if r.Bytes > 1<<18 || r.Mode.Stored || len(r.Variant) > 0 || r.Process {
			continue
		}
		ev, err := s.Drive(t.Context(), i, nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []fakeserver.Exchange
		for _, run := range ev.Runs {
			all = append(all, run.Exchanges...)
		}
		out = append(out, all)
	}
	return out
}

// TestEditsKeepToTheirPlace: what an edit makes is JSON still, and of the members
// beside the history it changes at most the one that it is about.
func TestEditsKeepToTheirPlace(t *testing.T) {
	conversations := recorded(t)
	for _, name := range inject.Names() {
		edit := inject.Named(name)
		changed := 0
		for _, all := range conversations {
			for i, x := range all {
				in := fakeserver.Incoming{Method: x.Method, Path: x.Path, Body: x.Body, Earlier: all[:i]}
				out := edit(in)
				if out.Body == in.Body {
					continue
				}
				changed++
				if out.Path != in.Path || out.Method != in.Method {
					t.Errorf("%s: changed the request line", name)
				}
				before, _ := wire.Parse(in.Body)
				after, err := wire.Parse(out.Body)
				if err != nil {
					t.Errorf("%s: made %v of %.120s", name, err, in.Body)
					continue
				}
				for member, v := range before.Members() {
					switch member {
					case "contents", "input", "messages":
						continue
					}
					if after.Get(member).Raw() != v.Raw() && !strings.HasPrefix(name, "store-true") && name != "encrypted-content-dropped.not-asked" {
						t.Errorf("%s: changed %s", name, member)
					}
				}
			}
		}
		if changed == 0 && name != "args-to-list.numeric" && name != "nested-cast" && name != "empty-part-dropped.no-carrier" && name != "foreign-items-sent.thought" {
			t.Errorf("%s: found no place", name)
		}
	}
}

func TestEditsFindTheirPlaceByMeaning(t *testing.T) {
	const path = "/v1beta/models/m:generateContent"
	for _, row := range []struct{ name, fault, body, want string }{
		{
			"the first signed call, whichever part it is", "drop-signature",
			`{"contents":[{"role":"model","parts":[{"text":"a","thoughtSignature":"T"},{"functionCall":{"name":"f"},"thoughtSignature":"S"}]}]}`,
			`{"contents":[{"role":"model","parts":[{"text":"a","thoughtSignature":"T"},{"functionCall":{"name":"f"}}]}]}`,
		},
		{
			"in the other spelling", "drop-signature",
			`{"contents":[{"role":"model","parts":[{"function_call":{"name":"f"},"thought_signature":"S"}]}]}`,
			`{"contents":[{"role":"model","parts":[{"function_call":{"name":"f"}}]}]}`,
		},
		{
			"the second step, not the second entry", "drop-signature-second-step",
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"A"}]},{"role":"model","parts":[{"functionCall":{"name":"g"},"thoughtSignature":"B"}]},{"role":"user","parts":[{"functionResponse":{"name":"f"}}]},{"role":"model","parts":[{"functionCall":{"name":"h"},"thoughtSignature":"C"}]}]}`,
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"A"}]},{"role":"model","parts":[{"functionCall":{"name":"g"},"thoughtSignature":"B"}]},{"role":"user","parts":[{"functionResponse":{"name":"f"}}]},{"role":"model","parts":[{"functionCall":{"name":"h"}}]}]}`,
		},
		{
			"nothing where there is no place", "drop-signature",
			`{ "contents" : [ {"role":"user","parts":[{"text":"hi","thoughtSignature":"S"}]} ] }`,
			`{ "contents" : [ {"role":"user","parts":[{"text":"hi","thoughtSignature":"S"}]} ] }`,
		},
		{
			"bytes elsewhere stay", "drop-signature",
			`{ "x" : 1.0, "contents":[{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"S"}]}] ,"y":"\u00e9"}`,
			`{ "x" : 1.0, "contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]}] ,"y":"\u00e9"}`,
		},
		{
			"a signature without a text is a signed empty part", "trailing-empty-part-dropped",
			`{"contents":[{"role":"model","parts":[{"text":"a"},{"thoughtSignature":"S"}]}]}`,
			`{"contents":[{"role":"model","parts":[{"text":"a"}]}]}`,
		},
		{
			"one entry per call, each before its result", "results-interleaved",
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"g"}}]},{"role":"user","parts":[{"functionResponse":{"name":"f"}},{"functionResponse":{"name":"g"}}]}]}`,
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"user","parts":[{"functionResponse":{"name":"f"}}]},{"role":"model","parts":[{"functionCall":{"name":"g"}}]},{"role":"user","parts":[{"functionResponse":{"name":"g"}}]}]}`,
		},
		{
			"members with odd names", "unknown-member-dropped",
			`{"contents":[{"role":"model","parts":[{"text":"a","x.y":1,"a|b":{"c":2}}]}]}`,
			`{"contents":[{"role":"model","parts":[{"text":"a"}]}]}`,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := inject.Named(row.fault)(fakeserver.Incoming{Path: path, Body: row.body}).Body; got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
	if inject.Named("nothing") != nil {
		t.Error("got an edit that nobody made")
	}
	other := fakeserver.Incoming{Path: "/v1/models", Body: `{"contents":[]}`}
	if got := inject.Named("drop-signature")(other); got.Body != other.Body {
		t.Errorf("got %s", got.Body)
	}
}
