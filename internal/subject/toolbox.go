package subject

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"example.com/replaycheck/internal/wire"
)

// Toolbox runs the tools of one task for a Go subject: it picks the scripted
// result of each call and keeps the log that becomes Outcome.ToolRuns. One
// toolbox serves one run, since a result's nth counts within a run. It is safe
// for concurrent use.
type Toolbox struct {
	url   string // "": results come from tools
	mu    sync.Mutex
	tools map[string]*tool
	runs  []ToolRun
}

type tool struct {
	results []ToolResult
	args    []wire.Value // parsed args per result, absent: fits any
	bad     error        // args of the script that are not JSON
	calls   int
}

// NewToolbox returns the toolbox of a task. A mistake in the task (args that
// are not JSON) surfaces when the tool is called.
func NewToolbox(task Task) *Toolbox {
	b := &Toolbox{tools: make(map[string]*tool, len(task.Tools))}
	if task.ToolURL != nil {
		b.url = *task.ToolURL
	}
	for _, t := range task.Tools {
		known := &tool{results: t.Results, args: make([]wire.Value, len(t.Results))}
		for i, r := range t.Results {
			if len(r.Args) == 0 {
				continue
			}
			var err error
			if known.args[i], err = wire.Parse(string(r.Args)); err != nil {
				known.bad = errors.Join(known.bad, fmt.Errorf("results[%d].args: %w", i, err))
			}
		}
		b.tools[t.Name] = known
	}
	return b
}

// Begin starts one call. Call it in the order of the calls, before any of the
// returned functions runs: the order decides nth and the log. The call is in
// the log from then on. arguments is JSON text as the library gave it, "" for
// none, which counts as {}; callID is the public ID, "" where there is none.
//
// The returned function waits the script's delay and returns the result; it
// may run in a goroutine of its own. Its error is the context's, or a
// *ToolError, which makes the run's outcome an error of kind FromSubject.
func (b *Toolbox) Begin(name, arguments, callID string) func(context.Context) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tools[name]
	if t == nil {
		return fails(&ToolError{Name: name, Nth: 1, Arguments: arguments, Reason: "the task offers no such tool"})
	}
	t.calls++
	nth, at := t.calls, len(b.runs)
	if b.url != "" {
		b.runs = append(b.runs, ToolRun{Name: name, Arguments: arguments, CallID: callID})
		return func(ctx context.Context) (string, error) {
			text, err := post(ctx, b.url, name, arguments, callID)
			if err != nil {
				if ctx.Err() != nil {
					return "", ctx.Err()
				}
				return "", &ToolError{Name: name, Nth: nth, Arguments: arguments, Reason: err.Error()}
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			b.runs[at].Result = text
			return text, nil
		}
	}
	r, err := t.pick(arguments)
	if err != nil {
		return fails(&ToolError{Name: name, Nth: t.calls, Arguments: arguments, Reason: err.Error()})
	}
	b.runs = append(b.runs, ToolRun{Name: name, Arguments: arguments, CallID: callID, Result: r.Result})
	return func(ctx context.Context) (string, error) {
		if err := wait(ctx, time.Duration(r.DelayMS)*time.Millisecond); err != nil {
			return "", err
		}
		return r.Result, nil
	}
}

// Runs returns a copy of the log, in the order in which the calls started,
// never nil. Calls that no result fits are not in it: nothing ran.
func (b *Toolbox) Runs() []ToolRun {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]ToolRun{}, b.runs...)
}

// pick returns the first result whose args and nth fit the current call.
func (t *tool) pick(arguments string) (ToolResult, error) {
	if t.bad != nil {
		return ToolResult{}, fmt.Errorf("the task's script is broken: %w", t.bad)
	}
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	got, parseErr := wire.Parse(arguments)
	for i, r := range t.results {
		if r.Nth != 0 && r.Nth != t.calls {
			continue
		}
		if want := t.args[i]; want.Exists() && (parseErr != nil || !wire.SameValue(want, got)) {
			continue
		}
		return r, nil
	}
	if parseErr != nil {
		return ToolResult{}, fmt.Errorf("the arguments are not JSON: %w", parseErr)
	}
	return ToolResult{}, errors.New("no scripted result fits")
}

// ToolError says why a call could not be answered. A run that meets one ends
// with its Outcome as error.
type ToolError struct {
	Name      string
	Nth       int    // 1-based count of calls of this tool in this run
	Arguments string // JSON text as the library gave it
	Reason    string
}

func (e *ToolError) Error() string {
	args := e.Arguments
	if args == "" {
		args = "none"
	}
	return fmt.Sprintf("subject: tool %q, call %d, arguments %s: %s", e.Name, e.Nth, clip(args, 200), e.Reason)
}

// Outcome returns the error as Outcome.Error holds it: kind FromSubject.
func (e *ToolError) Outcome() *Error { return &Error{Kind: FromSubject, Message: e.Error()} }

func fails(err error) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return "", err }
}

// wait returns after d, or with the context's error when that ends first.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// post asks the harness for a result (Task.ToolURL). It uses no proxy and
// keeps no connection, so that nothing outlives the run.
func post(ctx context.Context, url, name, arguments, callID string) (string, error) {
	body := `{"name":` + wire.Quote(name) + `,"arguments":` + wire.Quote(arguments) + `,"call_id":` + wire.Quote(callID) + `}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("tool_url: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("tool_url: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, MaxLine+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("tool_url: read the result: %w", err)
	case len(text) > MaxLine:
		return "", fmt.Errorf("tool_url: the result is over %d bytes", MaxLine)
	case resp.StatusCode != http.StatusOK:
		return "", fmt.Errorf("tool_url: got status %d, want 200", resp.StatusCode)
	}
	return string(text), nil
}

// clip shortens s to about n bytes without cutting a character, and says so.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:n], len(s))
}
