package oracles_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"example.com/replaycheck/oracles"
)

// tiny is a whole adapter for Gemini, and a subject: it asks, runs the tools that
// the model calls, and sends the model's own content back as it came.
type tiny struct{}

func (tiny) Describe(context.Context) (oracles.Description, error) {
	return oracles.Description{
		V: 1, Name: "tiny", Version: "0.1", SDK: []oracles.SDK{},
		Providers:    map[string]oracles.Provider{oracles.Gemini: {Models: []string{}}},
		Modes:        []string{"plain"},
		State:        "none",
		Capabilities: []string{oracles.Tools, oracles.Parallel, oracles.Sequential},
	}, nil
}

func (tiny) Run(ctx context.Context, task oracles.Task) (oracles.Outcome, error) {
	out := oracles.Outcome{V: 1}
	tools := oracles.NewToolbox(task)
	contents := []any{}
	for l, leg := range task.Legs {
		for i, prompt := range leg.Prompts {
			contents = append(contents, map[string]any{"role": "user", "parts": []any{map[string]any{"text": prompt}}})
			for {
				content, err := ask(ctx, leg, contents)
				if err != nil {
					return failed(out, err)
				}
				contents = append(contents, content) // thoughtSignature and all
				results, err := runTools(ctx, tools, content)
				if err != nil {
					return out, err
				}
				if results == nil {
					out.Answers = append(out.Answers, oracles.Answer{Leg: l, Prompt: i, Content: content.text()})
					break
				}
				contents = append(contents, map[string]any{"role": "user", "parts": results})
			}
		}
	}
	out.ToolRuns = tools.Runs()
	return out, nil
}

// runTools answers the calls of a reply, each under the name and ID it came with.
func runTools(ctx context.Context, tools *oracles.Toolbox, c content) (results []any, err error) {
	for _, part := range c.parts() {
		call := part.FunctionCall
		if call == nil {
			continue
		}
		text, err := tools.Begin(call.Name, string(call.Args), call.ID)(ctx)
		if err != nil {
			return nil, err
		}
		response := map[string]any{"name": call.Name, "response": map[string]any{"result": text}}
		if call.ID != "" {
			response["id"] = call.ID
		}
		results = append(results, map[string]any{"functionResponse": response})
	}
	return results, nil
}

// failed puts a failure of the conversation where the harness looks for it; the
// error of Run is for a subject that could not run at all.
func failed(out oracles.Outcome, err error) (oracles.Outcome, error) {
	out.Error = &oracles.SubjectError{Kind: oracles.FromProvider, Message: err.Error()}
	return out, nil
}

// content keeps the parts as they came.
type content struct {
	Role  string            `json:"role"`
	Parts []json.RawMessage `json:"parts"`
}

type part struct {
	Text         string
	Thought      bool
	FunctionCall *struct {
		ID, Name string
		Args     json.RawMessage
	}
}

// parts are those that can be read; the others are sent back all the same.
func (c content) parts() (out []part) {
	for _, raw := range c.Parts {
		var p part
		if json.Unmarshal(raw, &p) == nil {
			out = append(out, p)
		}
	}
	return out
}

func noObject(part json.RawMessage) bool { return part[0] != '{' }

func (c content) text() (s string) {
	for _, p := range c.parts() {
		if !p.Thought {
			s += p.Text
		}
	}
	return s
}

func ask(ctx context.Context, leg oracles.Leg, contents []any) (content, error) {
	body, err := json.Marshal(map[string]any{"contents": contents})
	if err != nil {
		return content{}, err
	}
	url := leg.BaseURL + "/v1beta/models/" + leg.Model + ":generateContent"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return content{}, err
	}
	req.Header.Set("x-goog-api-key", leg.APIKey)
	client := http.Client{}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return content{}, err
	}
	defer resp.Body.Close()
	var reply struct {
		Candidates []struct{ Content content }
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil || len(reply.Candidates) == 0 {
		return content{}, fmt.Errorf("answer %d without a candidate", resp.StatusCode)
	}
	return content{"model", slices.DeleteFunc(reply.Candidates[0].Content.Parts, noObject)}, nil
}

// A subject is two methods. In a test of one's own it is judged by
// oracles.Test(t, oracles.Config{New: …}); Judge gives the report.
func ExampleJudge() {
	report, err := oracles.Judge(context.Background(), oracles.Config{
		New: func() (oracles.Subject, error) { return tiny{}, nil },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Requirements {
		if len(r.Runs) > 0 && r.Status != "unsupported" {
			fmt.Println(r.ID, r.Status)
		}
	}
	// Output:
	// REPLAY-01 pass
	// REPLAY-02 pass
	// REPLAY-03 pass
	// REPLAY-04 pass
	// REPLAY-05 pass
	// REPLAY-06 pass
	// REPLAY-07 pass
	// REPLAY-11 pass
	// REPLAY-14 pass
	// REPLAY-15 pass
	// STRUCT-01 pass
	// STRUCT-02 pass
	// STRUCT-03 pass
	// CALLID-02 pass
	// CALLID-03 pass
}
