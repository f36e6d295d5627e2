package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/genai"
)

// runTools runs the calls side by side and returns their responses in the order
// of the calls, whichever is done first.
func (s *session) runTools(ctx context.Context, calls []*genai.FunctionCall) ([]genai.Part, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begun := make([]func(context.Context) (string, error), len(calls))
	for i, call := range calls {
		args, err := argumentsOf(call)
		if err != nil {
			return nil, err
		}
		begun[i] = s.box.Begin(call.Name, args, call.ID)
	}
	results, errs := make([]string, len(calls)), make([]error, len(calls))
	var running sync.WaitGroup
	for i := range calls {
		running.Go(func() {
			if results[i], errs[i] = begun[i](ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	running.Wait()
	if err := cause(errs); err != nil {
		return nil, err
	}
	parts := make([]genai.Part, len(calls))
	for i, call := range calls {
		part := genai.NewPartFromFunctionResponse(call.Name, responseOf(results[i]))
		// "Populated by the client to match the corresponding function call id",
		// says the field's own documentation; the helper leaves it out.
		part.FunctionResponse.ID = call.ID
		parts[i] = *part
	}
	return parts, nil
}

// argumentsOf is the arguments as JSON text, "" where the SDK has none.
func argumentsOf(call *genai.FunctionCall) (string, error) {
	if call.Args == nil {
		return "", nil
	}
	text, err := json.Marshal(call.Args)
	if err != nil {
		return "", fmt.Errorf("genai: encode the arguments of %q: %w", call.Name, err)
	}
	return string(text), nil
}

// responseOf wraps a result as the documentation of FunctionResponse.Response
// says: an object is the output, anything else goes under "output".
func responseOf(result string) map[string]any {
	var object map[string]any
	if err := json.Unmarshal([]byte(result), &object); err == nil && object != nil {
		return object
	}
	return map[string]any{"output": result}
}

// pending returns the calls of the model's last turn, if no entry of the user
// follows it. A streamed turn may be several entries.
func pending(history []*genai.Content) []*genai.FunctionCall {
	var calls []*genai.FunctionCall
	from := len(history)
	for from > 0 && history[from-1] != nil && history[from-1].Role == genai.RoleModel {
		from--
	}
	for _, content := range history[from:] {
		for _, p := range content.Parts {
			if p != nil && p.FunctionCall != nil {
				calls = append(calls, p.FunctionCall)
			}
		}
	}
	return calls
}

// cause returns the error that came first in the order of the calls. Calls that
// were cancelled because another one failed are not the cause.
func cause(errs []error) error {
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil && !errors.Is(err, context.Canceled) }); i >= 0 {
		return errs[i]
	}
	return errors.Join(errs...)
}
