package oracles_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

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
	leg, contents := task.Legs[0], []any{}
	for i, prompt := range leg.Prompts {
		contents = append(contents, map[string]any{"role": "user", "parts": []any{map[string]any{"text": prompt}}})
		for {
			content, err := ask(ctx, leg, contents)
			if err != nil {
				return failed(out, err)
			}
			contents = append(contents, content.raw) // thoughtSignature and all
			var results []any
			for _, part := range content.Parts {
				if call := part.FunctionCall; call != nil {
					text, err := tools.Begin(call.Name, string(call.Args), call.ID)(ctx)
					if err != nil {
						return out, err
					}
					results = append(results, map[string]any{"functionResponse": map[string]any{
						"id": call.ID, "name": call.Name, "response": map[string]any{"result": text},
					}})
				}
			}
			if results == nil {
				out.Answers = append(out.Answers, oracles.Answer{Prompt: i, Content: content.text()})
				break
			}
			contents = append(contents, map[string]any{"role": "user", "parts": results})
		}
	}
	out.ToolRuns = tools.Runs()
	return out, nil
}

// failed puts a failure of the conversation where the harness looks for it; the
// error of Run is for a subject that could not run at all.
func failed(out oracles.Outcome, err error) (oracles.Outcome, error) {
	out.Error = &oracles.SubjectError{Kind: oracles.FromProvider, Message: err.Error()}
	return out, nil
}

type content struct {
	raw   json.RawMessage
	Parts []struct {
		Text         string
		FunctionCall *struct {
			ID, Name string
			Args     json.RawMessage
		}
	}
}

func (c content) text() (s string) {
	for _, p := range c.Parts {
		s += p.Text
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
		Candidates []struct{ Content json.RawMessage }
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil || len(reply.Candidates) == 0 {
		return content{}, fmt.Errorf("answer %d without a candidate", resp.StatusCode)
	}
	c := content{raw: reply.Candidates[0].Content}
	return c, json.Unmarshal(c.raw, &c)
}

// A subject is two methods. In a test of one's own it is judged by
// oracles.Test(t, oracles.Config{New: …}); Judge gives the report.
func ExampleJudge() {
	report, err := oracles.Judge(context.Background(), oracles.Config{
		New:       func() (oracles.Subject, error) { return tiny{}, nil },
		Only:      []string{"REPLAY-03", "REPLAY-04", "REPLAY-15"},
		Scenarios: []string{"gemini/single-call", "gemini/parallel-different"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Requirements {
		if len(r.Runs) > 0 {
			fmt.Println(r.ID, r.Status)
		}
	}
	// Output:
	// REPLAY-03 pass
	// REPLAY-04 pass
	// REPLAY-15 pass
}
