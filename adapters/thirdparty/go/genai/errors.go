package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"google.golang.org/genai"

	"example.com/replaycheck/oracles"
)

// unsupportedError says that a leg names another provider.
type unsupportedError struct{ provider string }

func (e *unsupportedError) Error() string {
	return fmt.Sprintf("genai: provider %q: got no way to reach it, want %s", e.provider, gemini)
}

// streamError is an error that a stream yielded.
type streamError struct{ error }

func (e *streamError) Unwrap() error { return e.error }

// brokenOff reports whether a stream ended before its end: within a chunk,
// between two, or with the connection. A chunk that the SDK could read but does
// not understand is something else.
func (e *streamError) brokenOff() bool {
	_, unopened := errors.AsType[*url.Error](e)
	_, cutChunk := errors.AsType[*json.SyntaxError](e)
	_, network := errors.AsType[net.Error](e)
	return !unopened && (cutChunk || network || errors.Is(e, io.ErrUnexpectedEOF))
}

// outcomeError sorts an error into the protocol's kinds. A stream that ended
// because the run's own time was up did not break off.
func outcomeError(ctx context.Context, err error) *oracles.SubjectError {
	out := &oracles.SubjectError{Kind: "subject", Message: message(err)}
	if _, ok := errors.AsType[*unsupportedError](err); ok {
		out.Kind = "unsupported"
	}
	if e, ok := errors.AsType[*streamError](err); ok && e.brokenOff() && ctx.Err() == nil {
		out.Kind = "stream"
	}
	if e, ok := errors.AsType[genai.APIError](err); ok {
		out.Kind, out.Status = "provider", e.Code
	}
	return out
}

// message is the text of an error without the response that the SDK prints into
// it. That holds the headers, the time of day among them, so equal runs would
// not give equal reports.
func message(err error) string {
	const dump = "error unmarshalling input"
	head, _, found := strings.Cut(err.Error(), dump)
	if !found {
		return err.Error()
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return head + dump + ": " + err.Error()
}

// redact takes the key out of an error: the SDK prints its whole configuration
// where it does not like it.
func redact(err error, key string) error {
	if key == "" || !strings.Contains(err.Error(), key) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), key, "[redacted]"))
}
