package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/genai"

	"example.com/replaycheck/oracles"
)

// conversation is a conversation under way.
type conversation interface {
	// send sends the parts as the user's next entry with the plain method.
	send(context.Context, []genai.Part) (reply, error)
	// stream does it with the streamed method.
	stream(context.Context, []genai.Part) (reply, error)
	// history is what would have to be kept to go on later.
	history() []*genai.Content
}

// reply is what an application takes out of a response, or out of all chunks
// of a streamed one.
type reply struct {
	text     string
	thoughts []string
	calls    []*genai.FunctionCall
}

// add takes in a response or the next chunk of one.
func (r *reply) add(resp *genai.GenerateContentResponse) {
	r.text += resp.Text()
	r.calls = append(r.calls, resp.FunctionCalls()...)
	if len(resp.Candidates) == 0 || resp.Candidates[0].Content == nil {
		return
	}
	for _, p := range resp.Candidates[0].Content.Parts {
		if p != nil && p.Thought && p.Text != "" {
			r.thoughts = append(r.thoughts, p.Text)
		}
	}
}

// thinking is the model's thoughts in one text, nil where it showed none.
func (r *reply) thinking() *string {
	if len(r.thoughts) == 0 {
		return nil
	}
	return new(strings.Join(r.thoughts, ""))
}

// configOf declares the tools as JSON schemas, as the SDK's example
// examples/models/generate_content/function_declaration_json_schema.go does.
func configOf(system *string, tools []oracles.Tool) (*genai.GenerateContentConfig, error) {
	config := &genai.GenerateContentConfig{}
	if system != nil {
		config.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: *system}}}
	}
	var declared []*genai.FunctionDeclaration
	for _, t := range tools {
		d := &genai.FunctionDeclaration{Name: t.Name, Description: t.Description}
		if len(t.Schema) > 0 {
			if err := json.Unmarshal(t.Schema, &d.ParametersJsonSchema); err != nil {
				return nil, fmt.Errorf("genai: schema of tool %q: %w", t.Name, err)
			}
		}
		declared = append(declared, d)
	}
	if len(declared) > 0 {
		config.Tools = []*genai.Tool{{FunctionDeclarations: declared}}
	}
	return config, nil
}

// The state is the SDK's own message types as JSON: they carry JSON tags, and
// no other form is documented.

func encodeHistory(history []*genai.Content) (string, error) {
	text, err := json.Marshal(history)
	if err != nil {
		return "", fmt.Errorf("genai: encode the history: %w", err)
	}
	return string(text), nil
}

func decodeHistory(state string) ([]*genai.Content, error) {
	var history []*genai.Content
	if err := json.Unmarshal([]byte(state), &history); err != nil {
		return nil, fmt.Errorf("genai: decode the history: %w", err)
	}
	return history, nil
}
