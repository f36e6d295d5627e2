// Package openai knows what OpenAI refuses on Responses and Chat Completions:
// its rules, each with the error that it answers, where that is from and how
// well it is known. What vendors refuse behind the same APIs is in it too.
package openai

import (
	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/wire"
)

// CheckResponses returns what the rules say of a request to Responses, nil if
// nothing; of one that is not refused, what people should know of its ciphers.
func CheckResponses(body *Responses, c rule.Choice, m *Minted) (*rule.Refusal, []string) {
	if c.Profile.Name == rule.RecordOnly {
		return nil, nil
	}
	r := body.given(m)
	if refusal := responses().First(c, "", r, failed); refusal != nil {
		return refusal, nil
	}
	return nil, r.notes(c.Model)
}

// CheckChat returns what the rules say of a request to Chat Completions, nil if
// nothing.
func CheckChat(root wire.Value, c rule.Choice) *rule.Refusal {
	if c.Profile.Name == rule.RecordOnly {
		return nil
	}
	return chat().First(c, "", readChat(root), failed)
}

// Rules returns what the tables say.
func Rules() []rule.Info { return append(responses().Infos(), chat().Infos()...) }

func failed(i rule.Info, message string, hits []rule.Hit) string {
	return `{"error":{"message":` + wire.Quote(message) + `,"type":"invalid_request_error","param":` +
		orNull(rule.Fill(i.Param, hits[0])) + `,"code":` + orNull(i.Code) + `}}`
}

func orNull(s string) string {
	if s == "" {
		return "null"
	}
	return wire.Quote(s)
}

// fill makes the hit of a rule whose texts hold the names.
func fill(pairs ...string) []rule.Hit { return []rule.Hit{{Fill: pairs}} }
