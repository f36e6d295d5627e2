package oracles_test

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

func isReasoning(item string) bool { return text(item, "type") == "reasoning" }
func isItemCall(item string) bool  { return text(item, "type") == "function_call" && has(item, "id") }
func isOutput(item string) bool    { return text(item, "type") == "function_call_output" }

// afterReasoning edits the item after the first reasoning item that has one of
// the model's own behind it.
func afterReasoning(e func(reasoning, next string) []string) func([]string) []string {
	return func(list []string) []string {
		for i := range list[:max(0, len(list)-1)] {
			if isReasoning(list[i]) && has(list[i+1], "id") {
				return slices.Replace(slices.Clone(list), i, i+2, e(list[i], list[i+1])...)
			}
		}
		return list
	}
}

// loneReasoning is the item that a reply ended with, in variant lone of
// openai/reasoning-at-the-end; "" if there is none, and then the fault goes
// unseen.
func loneReasoning() string {
	all, _ := fixtures.All() // judged by its own tests
	for _, sc := range all {
		if sc.ID == "openai/reasoning-at-the-end" {
			return items(sc.For("lone")[0].Plain, "output")[0]
		}
	}
	return ""
}

func openaiFaults() []fault {
	return []fault{
		{"reasoning-orphaned", "", []string{"OPENAI-03", "OPENAI-04"}, result.Provider, input(afterReasoning(func(r, _ string) []string { return []string{r} }))},
		{"reasoning-orphaned", "every call and output", []string{"OPENAI-03", "OPENAI-04"}, result.Provider, input(func(list []string) []string {
			return filter(list, func(item string) bool { return !isItemCall(item) && !isOutput(item) })
		})},
		{"reasoning-orphaned", "the call without its id and another between", []string{"OPENAI-03", "OPENAI-04"}, result.Provider, input(afterReasoning(func(r, next string) []string {
			return []string{r, `{"type":"message","role":"assistant","content":"Hm."}`, next}
		}))},
		{"reasoning-orphaned", "that nothing followed", []string{"OPENAI-03", "OPENAI-04"}, result.Provider, input(onItem(
			func(item string) bool { return text(item, "content") == "Shorter, please." },
			func(item string) []string { return []string{loneReasoning(), item} },
		))},
		{"reasoning-dropped", "", []string{"OPENAI-03", "OPENAI-04"}, result.Provider, input(afterReasoning(func(_, next string) []string { return []string{next} }))},
		{"reasoning-dropped", "all of it", []string{"OPENAI-03"}, result.Provider, input(func(list []string) []string { return filter(list, not(isReasoning)) })},
		{"reasoning-dropped", "and the id of its call", []string{"OPENAI-03"}, result.Provider, input(afterReasoning(func(_, next string) []string { return []string{remove(next, "id")} }))},
		{"reasoning-reordered", "", []string{"OPENAI-03", "OPENAI-04"}, result.Provider, input(afterReasoning(func(r, next string) []string { return []string{next, r} }))},
		{"reasoning-reordered", "calls first", []string{"OPENAI-03"}, result.Provider, input(func(list []string) []string {
			for i, item := range list {
				if isItemCall(item) {
					for j := i - 1; j >= 0 && has(list[j], "id"); j-- {
						if isReasoning(list[j]) {
							return slices.Concat(list[:j], list[i:i+1], list[j:i], list[i+1:])
						}
					}
				}
			}
			return list
		})},
		{"reasoning-reordered", "two reasoning items exchanged", []string{"OPENAI-03"}, result.Provider, input(func(list []string) []string { return swapped(list, isReasoning) })},
		{"reasoning-reordered", "messages before the calls", []string{"OPENAI-03", "OPENAI-04"}, result.Provider, messagesFirst},
		{"item-id-dropped", "", []string{"OPENAI-03"}, result.Verbatim, input(onItem(isItemCall, func(item string) []string { return []string{remove(item, "id")} }))},
		{"item-id-dropped", "of the reasoning item", []string{"OPENAI-03"}, result.Provider, input(onItem(isReasoning, func(item string) []string { return []string{remove(item, "id")} }))},
		{"item-id-dropped", "of the message behind the reasoning item", []string{"OPENAI-03", "OPENAI-04"}, result.Provider, input(onItem(
			func(item string) bool { return text(item, "type") == "message" && text(item, "id") != "" },
			func(item string) []string { return []string{remove(item, "id")} },
		))},
		{"item-duplicated", "a call", []string{"OPENAI-03"}, result.Provider, input(onItem(isItemCall, func(item string) []string { return []string{item, item} }))},
		{"item-duplicated", "a reasoning item", []string{"OPENAI-03"}, result.Provider, input(onItem(isReasoning, func(item string) []string { return []string{item, item} }))},
		{"encrypted-content-dropped", "not asked for", []string{"OPENAI-02"}, result.Verbatim, responses(func(body string) string { return remove(body, "include") })},
		{"encrypted-content-dropped", "removed", []string{"OPENAI-03"}, result.Provider, input(onItem(isReasoning, func(item string) []string { return []string{remove(item, "encrypted_content")} }))},
		{"reasoning-invented", "on the call", []string{"OPENAI-03"}, result.Provider, input(onItem(isItemCall, func(item string) []string { return []string{setText(item, "encrypted_content", "gAAAAABhYmM=")} }))},
		{"encrypted-content-dropped", "null", []string{"OPENAI-03"}, result.Provider, input(onItem(isReasoning, func(item string) []string { return []string{setRaw(item, "encrypted_content", "null")} }))},
		{"encrypted-content-dropped", "cut", []string{"OPENAI-03"}, result.Provider, input(onItem(isReasoning, func(item string) []string {
			return []string{setText(item, "encrypted_content", text(item, "encrypted_content")[:100])}
		}))},
		{"encrypted-content-dropped", "another's", []string{"OPENAI-03"}, result.Provider, input(func(list []string) []string {
			out := slices.Clone(list)
			value := ""
			for i, item := range out {
				if isReasoning(item) && value != "" && text(item, "encrypted_content") != "" {
					out[i] = setText(item, "encrypted_content", value)
				} else if isReasoning(item) {
					value = text(item, "encrypted_content")
				}
			}
			return out
		})},
		{"encrypted-content-dropped", "in the standard alphabet", []string{"OPENAI-03"}, result.Provider, input(onItem(isReasoning, func(item string) []string {
			return []string{setText(item, "encrypted_content", strings.NewReplacer("-", "+", "_", "/").Replace(text(item, "encrypted_content")))}
		}))},
		{"store-true", "", []string{"OPENAI-02"}, result.Provider, responses(func(body string) string { return setRaw(body, "store", "true") })},
		{"store-true", "not said", []string{"OPENAI-02"}, result.Provider, responses(func(body string) string { return remove(body, "store") })},
		{"store-true", "previous_response_id", []string{"OPENAI-02"}, result.Provider, responses(func(body string) string { return setText(body, "previous_response_id", "resp_1") })},
		{"results-swapped", "of two Responses calls", []string{"OPENAI-03", "REPLAY-15"}, result.Provider, input(func(list []string) []string {
			out := slices.Clone(list)
			first := slices.IndexFunc(out, isOutput)
			if first < 0 || first+1 >= len(out) || !isOutput(out[first+1]) {
				return list
			}
			a, b := out[first], out[first+1]
			out[first], out[first+1] = setText(a, "output", text(b, "output")), setText(b, "output", text(a, "output"))
			return out
		})},
		{"result-missing", "an output", []string{"OPENAI-03", "REPLAY-15"}, result.Provider, input(onItem(isOutput, drop))},
		{"result-extra", "an output twice", []string{"OPENAI-03", "REPLAY-15"}, result.Provider, input(onItem(isOutput, func(item string) []string { return []string{item, item} }))},
		{"wrong-endpoint", "", []string{"OPENAI-01"}, result.Verbatim, wrongEndpoint},
	}
}

// wrongEndpoint sends the first tool request of a GPT-6 model to the other
// endpoint, where the script has no answer for it.
func wrongEndpoint(ev *oracles.Evidence) {
	for i := range ev.Runs {
		for j := range ev.Runs[i].Exchanges {
			x := &ev.Runs[i].Exchanges[j]
			if x.Endpoint != "responses" {
				continue
			}
			x.Endpoint, x.Path, x.Step, x.Status, x.Reply = "chat", "/v1/chat/completions", 0, 400, `{"error":{"message":"unscripted"}}`
			x.Body = fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"…"}]}`, text(x.Body, "model"))
			ev.Runs[i].Exchanges, ev.Runs = ev.Runs[i].Exchanges[:j+1], ev.Runs[:i+1]
			return
		}
	}
}
