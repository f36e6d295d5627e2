package chat

import "fmt"

// ReplayMessage is the one constant message of every refusal of a malformed or
// ambiguous carrier (REFUSE-08).
const ReplayMessage = "gemini replay state is malformed or ambiguous"

// ConfigError is raised before any contact: the request cannot be made from
// what the caller gave. It never quotes native content or keys.
type ConfigError struct {
	Message string
}

func (e *ConfigError) Error() string { return e.Message }

// ErrReplayState returns the typed refusal of a carrier (REFUSE).
func ErrReplayState() error { return &ConfigError{Message: ReplayMessage} }

// ConnectionError is raised when the provider could not be reached or the
// exchange broke off: dial, time-out, cancellation, a stream cut short.
type ConnectionError struct {
	Provider string
	Action   string // what was being done, such as "read stream"
	Err      error  // unwrapped by Unwrap; never holds a key or a body
}

func (e *ConnectionError) Error() string {
	return fmt.Sprintf("%s: %s: %v", e.Provider, e.Action, e.Err)
}

// Unwrap returns the cause, so that errors.Is sees context.Canceled.
func (e *ConnectionError) Unwrap() error { return e.Err }

// ResponseError is raised for an answer that is an error, and for a reply that
// is rejected while it is parsed (200, but no usable completion). It holds no
// text of the body: providers quote signatures in their messages (REPLAY-14).
type ResponseError struct {
	Provider string
	Status   int    // HTTP status
	Code     string // the provider's own code or status word ([A-Za-z0-9_.-], at most 64 bytes), "" where it gave none
	Reason   string // one of our constants: what is wrong, as far as we know the provider's wording
	Shape    string // what the body was: "empty", "text", or the members of its JSON such as "{error{code,message,status}}"
}

func (e *ResponseError) Error() string {
	s := fmt.Sprintf("%s: response %d", e.Provider, e.Status)
	if e.Code != "" {
		s += " (" + e.Code + ")"
	}
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	return s + ", body " + e.Shape
}
