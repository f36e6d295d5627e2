package script

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/internal/wire"
)

// writer writes one reply for one model.
type writer struct {
	script *Script
	step   int // number of the reply in the script, from 1
	model  string
	vendor string // whose signatures Chat Completions carries: "google", "vertex", or "" for nobody's
}

// id makes an identifier of a part (0: of the reply), with so many digits.
func (w writer) id(prefix string, part, digits int) string {
	// The script's limits are below those of mint: it can't fail.
	id, err := mint.ID(w.script.Seed, prefix, w.step, part, digits)
	if err != nil {
		return ""
	}
	return id
}

// lengths are those of values whose part asks for none: some pass a column of
// 255 characters.
var lengths = []int{96, 148, 212, 304, 412, 616}

// value mints the value of a part (from 0).
func (w writer) value(kind mint.Kind, part int, p Part, form int) string {
	length := p.Length
	if length == 0 {
		sum := sha256.Sum256(fmt.Appendf(nil, "replaycheck length %s\x00%d\x00%d", w.script.Seed, w.step, part))
		length = lengths[int(sum[0])%len(lengths)]
	}
	// As above.
	v, err := mint.Value(w.script.Seed, mint.Stamp{Kind: kind, Model: w.model, Step: w.step, Part: part + 1, Form: form}, length)
	if err != nil {
		return ""
	}
	return v
}

// callID is the id of a call where the API must have one.
func (w writer) callID(part int, p Part) string {
	if p.ID != "" {
		return p.ID
	}
	return w.id("call_", part+1, 24)
}

// pieces cuts a text at spaces, for the deltas of a stream.
func pieces(text string) []string {
	var out []string
	for len(text) > 24 && len(out) < 7 {
		i := strings.LastIndexByte(text[:24], ' ')
		if i <= 0 {
			break
		}
		out, text = append(out, text[:i]), text[i:]
	}
	return append(out, text)
}

func event(b *strings.Builder, name, data string) {
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	b.WriteString("data: " + data + "\n\n")
}

// quotes are the values given, quoted, in a text with %s.
func quotes(format string, values ...string) string {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = wire.Quote(v)
	}
	return fmt.Sprintf(format, args...)
}

// failure is an error in the form of an API.
func failure(endpoint string, f Fail) string {
	if endpoint == fakeserver.Anthropic {
		kind := map[int]string{401: "authentication_error", 403: "permission_error", 404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error"}[f.Status]
		switch {
		case kind == "" && f.Status < 500:
			kind = "invalid_request_error"
		case kind == "":
			kind = "api_error"
		}
		return quotes(`{"type":"error","error":{"type":%s,"message":%s},"request_id":"req_replaycheck"}`, kind, f.Message)
	}
	if endpoint == fakeserver.Gemini || endpoint == fakeserver.Vertex || endpoint == fakeserver.GeminiOpenAI {
		name := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}[f.Status]
		if name == "" {
			name = "INTERNAL"
		}
		return `{"error":{"code":` + strconv.Itoa(f.Status) + quotes(`,"message":%s,"status":%s}}`, f.Message, name)
	}
	kind, code := "invalid_request_error", "null"
	switch {
	case f.Status == http.StatusTooManyRequests:
		kind, code = "requests", `"rate_limit_exceeded"`
	case f.Status >= 500:
		kind = "server_error"
	}
	return quotes(`{"error":{"message":%s,"type":%s`, f.Message, kind) + `,"param":null,"code":` + code + `}}`
}
