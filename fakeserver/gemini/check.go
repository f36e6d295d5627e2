// Package gemini knows what Google refuses on the routes to Gemini: its rules,
// each with the error that it answers, where that is from and how well it is
// known.
package gemini

import (
	"strconv"
	"strings"

	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/wire"
)

// Form is how the answer to a request is written.
type Form uint8

// The forms.
const (
	Plain  Form = iota // one JSON object
	Events             // server-sent events
	List               // a JSON list; errors are in a list too
)

// Check returns what the rules say of a request to a route, nil if nothing; of
// one that is not refused, what people should know of its signatures.
func Check(body *Reading, route string, f Form, c rule.Choice, m *Minted) (*rule.Refusal, []string) {
	if c.Profile.Name == rule.RecordOnly {
		return nil, nil
	}
	return check(body.request(route, c.Model, m), f, c)
}

func check(r *Request, f Form, c rule.Choice) (*rule.Refusal, []string) {
	if refusal := first(r, f, c); refusal != nil {
		return refusal, nil
	}
	return nil, r.notes()
}

func first(r *Request, f Form, c rule.Choice) *rule.Refusal {
	return table().First(c, r.route, r, func(i rule.Info, message string, hits []rule.Hit) string {
		if i.Status == 200 {
			return answered(message, f)
		}
		return failed(i, message, hits, f)
	})
}

// Rules returns what the table says.
func Rules() []rule.Info { return table().Infos() }

func failed(i rule.Info, message string, hits []rule.Hit, f Form) string {
	var b strings.Builder
	b.WriteString(`{"error":{"code":` + strconv.Itoa(i.Status) + `,"message":` + wire.Quote(message) + `,"status":"INVALID_ARGUMENT"`)
	if i.Details {
		b.WriteString(`,"details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[`)
		for n, h := range hits {
			if n > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`{"field":` + wire.Quote(h.Field) + `,"description":` + wire.Quote(rule.Fill(i.Message, h)) + `}`)
		}
		b.WriteString(`]}]`)
	}
	b.WriteString(`}}`)
	if f == List {
		return "[" + b.String() + "]"
	}
	return b.String()
}

// answered is a reply with a candidate that holds nothing but the reason.
func answered(reason string, f Form) string {
	body := `{"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"` + reason + `","index":0}]}`
	switch f {
	case Events:
		return "data: " + body + "\n\n"
	case List:
		return "[" + body + "]"
	}
	return body
}
