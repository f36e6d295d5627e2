package oracles

import (
	"slices"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// message is one message of a stored transcript.
type message struct {
	value wire.Value
	role  string
	text  string
	calls []native.Part // ID, name and arguments
	items wire.Value    // the carrier; absent where the message has none
}

// readTranscript reads a stored transcript ("nrllm/v1"). A text that is not one
// has no messages.
func readTranscript(text string) []message {
	root, err := wire.Parse(text)
	if err != nil {
		return nil
	}
	var out []message
	for m := range root.Get("messages").Items() {
		msg := message{value: m, role: m.Get("role").Text(), text: m.Get("content").Text(), items: m.Get("provider_items")}
		for c := range m.Get("tool_calls").Items() {
			f := c.Get("function")
			msg.calls = append(msg.calls, native.Part{Kind: native.Call, Value: c, ID: c.Get("id").Text(), Name: f.Get("name").Text(), Args: f.Get("arguments").Text()})
		}
		out = append(out, msg)
	}
	return out
}

const capsuleType = "nrllm_gemini_generate_content"

// owned returns the native parts of the carrier of a message and the API that
// owns them; no API where there is no carrier or an empty one.
func (m message) owned() (native.API, []native.Part) {
	var parts []native.Part
	for item := range m.items.Items() {
		if item.Get("type").Text() != capsuleType {
			parts = append(parts, native.ResponsesItem(item))
			continue
		}
		if m.items.Len() > 1 {
			return "", nil // malformed: REFUSE-04, REFUSE-05
		}
		for p := range item.Get("parts").Items() {
			parts = append(parts, native.GeminiPart(p))
		}
		return native.Gemini, parts
	}
	if parts == nil {
		return "", nil
	}
	return native.Responses, parts
}

// readState returns the model turns and the user messages of a state that is
// put in.
func readState(text string) (steps []*step, prompts []string) {
	for _, m := range readTranscript(text) {
		switch m.role {
		case "user":
			prompts = append(prompts, m.text)
		case "assistant":
			var public []native.Part
			if m.text != "" {
				public = append(public, native.Part{Kind: native.Text, Text: m.text})
			}
			public = append(public, m.calls...)
			api, parts := m.owned()
			if api == "" {
				parts = public
			}
			s := newStep(len(steps)+1, native.Reply{API: api, Parts: parts}, len(prompts)-1, false)
			s.stored, s.public = true, public
			if len(m.calls) == 0 {
				s.calls = nil // nothing could answer them (CALLID-07)
			}
			steps = append(steps, s)
		}
	}
	return steps, prompts
}

// assistants returns the model's messages of a run's state, in order.
func assistants(run Run) []message {
	if run.Outcome.State == nil {
		return nil
	}
	var out []message
	for _, m := range readTranscript(*run.Outcome.State) {
		if m.role == "assistant" {
			out = append(out, m)
		}
	}
	return out
}

// storedRuns returns the results of the calls in the state that was put in, in
// the order of the calls.
func storedRuns(v *View) []*ToolRun {
	if len(v.prior) == 0 {
		return nil
	}
	var out []*ToolRun
	byID := map[string]*ToolRun{}
	for _, m := range readTranscript(v.Scenario.State(v.Variant)) {
		for _, c := range m.calls {
			byID[c.ID] = &ToolRun{Name: c.Name, Arguments: c.Args, CallID: c.ID}
			out = append(out, byID[c.ID])
		}
		if run := byID[m.value.Get("tool_call_id").Text()]; run != nil && m.role == "tool" {
			run.Result = m.text
		}
	}
	// A call that is still pending has no run yet.
	return slices.DeleteFunc(out, func(run *ToolRun) bool { return run.Result == "" })
}
