package gemini

import (
	"strconv"
	"strings"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/internal/wire"
)

// Reasons of rejected replies.
const (
	reasonNotJSON     = "the reply is not JSON"
	reasonNotReply    = "the reply does not have the shape of one"
	reasonNoCandidate = "the reply has no candidate"
	reasonBlocked     = "the prompt was blocked"
	reasonUnsigned    = "a thought signature is missing"
	reasonCallID      = "a function call has an ID that is empty, not a string or not its own"
	reasonTooLarge    = "the reply is over the limit"
	reasonNoBody      = "the body of the error broke off"
	reasonRedirect    = "redirects are not followed"
	missingSignature  = "MISSING_THOUGHT_SIGNATURE"
)

// wordings maps pieces of the provider's known messages to reasons. Messages
// themselves are never shown: some of them quote the request.
var wordings = []struct{ piece, reason string }{
	{"is missing a thought_signature", reasonUnsigned},
	{"is missing a `thought_signature`", reasonUnsigned},
	{"Corrupted thought signature", "a thought signature is corrupted"},
	{"Invalid thought signature", "a thought signature is not valid"},
	{"Thought signature is not valid", "a thought signature is not valid"},
	{"Base64 decoding failed", "a thought signature is not base64"},
	{"function call turn comes immediately after", "a function call does not follow a user or response turn"},
	{"function response turn comes immediately after", "a function response does not follow its call"},
	{"number of function response parts is equal", "calls and responses differ in number"},
	{"functionResponse.id does not match", "a response has the ID of no call"},
	{"cannot start list", "a list stands where an object must"},
	{"Unknown name", "a member is unknown to the provider"},
	{"required oneof field 'data'", "a part holds no data"},
	{"API key not valid", "the API key is not valid"},
}

// answered types an error answer.
func answered(status int, body string) error {
	if status >= 300 && status < 400 {
		return &chat.ResponseError{Provider: Provider, Status: status, Reason: reasonRedirect, Shape: chat.BodyShape(body)}
	}
	root, _ := wire.Parse(body)
	return errorObject(status, root, body)
}

// errorObject reads {"error":{…}}, which some routes wrap in a list.
func errorObject(status int, root wire.Value, body string) error {
	if root.Kind() == wire.Array {
		root = root.Index(0)
	}
	e := root.Get("error")
	err := &chat.ResponseError{Provider: Provider, Status: status, Code: chat.SafeCode(e.Get("status").Text()), Shape: chat.BodyShape(body)}
	message := e.Get("message").Text()
	for _, w := range wordings {
		if strings.Contains(message, w.piece) {
			err.Reason = w.reason
			break
		}
	}
	return err
}

// errorChunk types an error that came inside a stream that had begun well.
func errorChunk(status int, root wire.Value) error {
	if code, err := strconv.Atoi(root.Get("error").Get("code").Raw()); err == nil && code >= 400 && code <= 599 {
		status = code
	}
	return errorObject(status, root, root.Raw())
}

func rejected(status int, reason, body string) error {
	return &chat.ResponseError{Provider: Provider, Status: status, Reason: reason, Shape: chat.BodyShape(body)}
}
