package gemini

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"

	"example.com/replaycheck/adapters/chat"
)

// errTooLarge says that a response passed Config.MaxResponseBytes.
var errTooLarge = errors.New("gemini: response is over the limit")

// response is the body of an answer, bounded. It remembers the connection's own
// error so that a broken connection and a broken text are told apart.
type response struct {
	status int
	body   io.ReadCloser
	left   int64 // bytes that may still come; less than 0: too many came
	broken error
	cancel context.CancelFunc
}

func (r *response) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	if err != nil && err != io.EOF { // an io.EOF that is wrapped is none
		r.broken = err
	}
	if r.left -= int64(n); r.over() {
		return 0, errTooLarge
	}
	return n, err
}

// over reports whether more came than Config.MaxResponseBytes.
func (r *response) over() bool { return r.left < 0 }

// Close ends the exchange, also in the middle of a stream.
func (r *response) Close() {
	_ = r.body.Close()
	r.cancel()
}

// failure types an error of reading the response.
func (r *response) failure(action string, err error) error {
	switch {
	case r.over():
		return &chat.ResponseError{Provider: Provider, Status: r.status, Reason: reasonTooLarge, Shape: "over the limit"}
	case r.broken != nil:
		return &chat.ConnectionError{Provider: Provider, Action: action, Err: cause(r.broken)}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &chat.ConnectionError{Provider: Provider, Action: action, Err: io.ErrUnexpectedEOF}
	}
	return &chat.ResponseError{Provider: Provider, Status: r.status, Reason: reasonNotJSON, Shape: "text"}
}

// cause strips an error of the HTTP client of everything that may quote what
// was sent or received: addresses, status lines, headers.
func cause(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	for _, known := range []error{context.Canceled, context.DeadlineExceeded, io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, known) {
			return known
		}
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return e
	}
	if e, ok := errors.AsType[x509.HostnameError](err); ok {
		return e
	}
	return fmt.Errorf("the exchange failed (%T)", err)
}
