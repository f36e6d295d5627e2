package fakeserver

import (
	"strings"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/wire"
)

// capsuleType is the type of the one item that Gemini owns in a carrier.
const capsuleType = "nrllm_gemini_generate_content"

// repliesBefore are the replies that a scenario's stored transcripts are from:
// of the variant and of the control run. What is malformed in them is left out.
func repliesBefore(s *fixtures.Scenario, variant string) []Reply {
	if !s.Carrier { // it has none
		return nil
	}
	var out []Reply
	for _, v := range []string{variant, "control"} {
		root, err := wire.Parse(s.State(v))
		if err != nil {
			continue
		}
		for m := range root.Get("messages").Items() {
			out = append(out, carried(m.Get("provider_items"))...)
		}
	}
	return out
}

// carried returns the replies of a carrier: its items, byte for byte.
func carried(carrier wire.Value) []Reply {
	var out []Reply
	var items []string
	for item := range carrier.Items() {
		if item.Get("type").Text() != capsuleType {
			items = append(items, item.Raw())
		} else if parts := item.Get("parts"); parts.Kind() == wire.Array {
			out = append(out, Reply{Endpoint: Gemini, Plain: `{"candidates":[{"content":{"parts":` + parts.Raw() + `}}]}`})
		}
	}
	if len(items) > 0 {
		out = append(out, Reply{Endpoint: Responses, Plain: `{"output":[` + strings.Join(items, ",") + `]}`})
	}
	return out
}
