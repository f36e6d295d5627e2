package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// Reasons of a chat.ResponseError. They are constants because the provider's
// own sentences quote what was sent.
const (
	reasonNotJSON  = "the reply is not a JSON object"
	reasonNoReply  = "the reply holds no choice and no output"
	reasonUnended  = "the response was not completed"
	reasonBadItem  = "an output item is not an object"
	reasonBadCall  = "a tool call lacks its id or its name"
	reasonTwinCall = "two tool calls have the same id"
	reasonBadText  = "the content is neither text nor null"
	reasonNoStream = "the reply is not an event stream"
	reasonTooLong  = "the reply is over the size limit"
	reasonRedirect = "the reply is a redirect, and those are not followed"
	reasonReported = "the provider reported an error"
)

// wordings are pieces of the provider's messages and what they mean.
func wordings() [][2]string {
	return [][2]string{
		{"without its required following item", "a reasoning item came without the item that followed it"},
		{"without its required", "an item came without its reasoning item"},
		{"No tool output found", "a call has no output"},
		{"No tool call found", "an output has no call"},
		{"could not be verified", "encrypted content was not accepted"},
		{"Duplicate item found", "an item was sent twice"},
		{"Items are not persisted", "an item was named that the provider does not keep"},
		{"must be a response to a prece", "a tool result has no call"},
		{"must be followed by tool messages", "a call has no tool result"},
	}
}

// rejected is the error of a reply that cannot be used, for one of our reasons.
func rejected(status int, body, reason string) error {
	return &chat.ResponseError{Provider: Provider, Status: status, Reason: reason, Shape: chat.BodyShape(body)}
}

// reported is the error of a reply that says what went wrong, without repeating
// any of it: report is its error object, reason what we call it when the words
// are not known to us.
func reported(status int, body string, report wire.Value, reason string) error {
	e := &chat.ResponseError{Provider: Provider, Status: status, Reason: reason, Shape: chat.BodyShape(body)}
	for _, name := range []string{"code", "type"} {
		if e.Code = chat.SafeCode(report.Get(name).Text()); e.Code != "" {
			break
		}
	}
	message := report.Get("message").Text()
	for _, w := range wordings() {
		if strings.Contains(message, w[0]) {
			e.Reason = w[1]
			break
		}
	}
	return e
}

// answered is the error of a response that cannot be a reply at all: its status
// or its content type says so.
func answered(status int, body, reason string) error {
	v, err := wire.Parse(body)
	if err == nil && v.Kind() == wire.Array { // some routes wrap the object
		v = v.Index(0)
	}
	return reported(status, body, v.Get("error"), reason)
}

// connectionError wraps what broke an exchange. The context's own error comes
// first, so that a cancelled request is seen as one.
func connectionError(ctx context.Context, action string, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return &chat.ConnectionError{Provider: Provider, Action: action, Err: ctxErr}
	}
	return &chat.ConnectionError{Provider: Provider, Action: action, Err: cause(err)}
}

// cause keeps an error whose text cannot hold any of the exchange, and only the
// type of any other: net/http quotes malformed answers.
func cause(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // it holds the address, which the caller knows
	}
	for _, plain := range []error{io.ErrUnexpectedEOF, io.EOF, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, plain) {
			return plain
		}
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return err
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return err
	}
	return fmt.Errorf("broken exchange (%T)", err)
}
