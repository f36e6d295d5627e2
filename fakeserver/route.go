package fakeserver

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"example.com/replaycheck/internal/wire"
)

// call is what a request asked for.
type call struct {
	endpoint string // Gemini, Responses, Chat; "": unknown
	stream   bool
	array    bool   // a Gemini stream as one JSON list, without alt=sse
	google   bool   // whose error shape is understood
	problem  string // why no reply can be given; "": none
	model    string // of a Gemini path
	root     wire.Value
}

// route reads what path and query ask for. path has no prefix and is
// unescaped. Whether an OpenAI request streams is in its body, see readBody.
func route(method, path, query string) call {
	c := call{google: strings.Contains(path, "/models/") || strings.Contains(path, "/v1beta/") || strings.Contains(path, "/v1alpha/")}
	switch {
	case path == "/v1/responses":
		c.endpoint = Responses
	case path == "/v1/chat/completions":
		c.endpoint = Chat
	default:
		c.gemini(path, query)
	}
	switch {
	case c.endpoint == "":
		c.problem = "got " + short(method+" "+path) + ", which is none of the scripted APIs" +
			"; want POST /v1beta/models/{model}:generateContent, …:streamGenerateContent, /v1/responses or /v1/chat/completions"
	case method != http.MethodPost:
		c.problem = "got method " + short(method) + " for " + short(path) + ", want POST"
	}
	return c
}

func (c *call) gemini(path, query string) {
	version, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/models/")
	endpoint := Gemini
	switch {
	case version == "v1beta" || version == "v1" || version == "v1alpha":
	case isVertex(version):
		endpoint = Vertex
	default:
		return
	}
	model, action, _ := strings.Cut(rest, ":")
	if model == "" || strings.Contains(model, "/") {
		return
	}
	c.model = model
	switch action {
	case "generateContent":
		c.endpoint = endpoint
	case "streamGenerateContent":
		c.endpoint, c.stream, c.array = endpoint, true, !asksForEvents(query)
	}
}

// isVertex reports whether a path up to its models is Vertex's: of a project,
// or without one as with a key instead of a token.
func isVertex(path string) bool {
	version, rest, _ := strings.Cut(path, "/")
	if version != "v1" && version != "v1beta1" {
		return false
	}
	at := strings.Split(rest, "/")
	if len(at) == 6 && at[0] == "projects" && at[2] == "locations" && at[1] != "" && at[3] != "" {
		at = at[4:]
	}
	return len(at) == 2 && at[0] == "publishers" && at[1] == "google"
}

// asksForEvents reads alt (or $alt) of a query. A released client sends
// $alt=json;enum-encoding=int, which net/url refuses, so it is read here.
func asksForEvents(query string) bool {
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name = unescaped(name); name == "alt" || name == "$alt" {
			alt, _, _ := strings.Cut(unescaped(value), ";")
			return alt == "sse"
		}
	}
	return false
}

func unescaped(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

// readBody completes c with what the body says. No API reads a body that is no
// JSON object, so no reply is spent on one.
func (c *call) readBody(body, encoding string) {
	if c.problem != "" {
		return
	}
	v, err := wire.Parse(body)
	switch {
	case err != nil && encoding != "":
		c.problem = "the request body is not JSON but has the content encoding " + short(encoding) + ", which is recorded as it is and not read; want none"
	case err != nil:
		c.problem = "the request body is not JSON: " + err.Error()
	case v.Kind() != wire.Object:
		c.problem = "the request body is a JSON " + v.Kind().String() + ", want an object"
	case c.endpoint != Gemini && c.endpoint != Vertex: // there the path says it
		c.stream = v.Get("stream").IsTrue()
	}
	c.root = v
}

// refusal is an error in the shape of the API that was called.
func (c call) refusal(status int, message string) *form {
	text := wire.Quote("replaycheck's fake provider: " + message)
	if c.google {
		text = `{"error":{"code":` + strconv.Itoa(status) + `,"message":` + text + `,"status":"` + googleStatus(status) + `"}}`
	} else {
		text = `{"error":{"message":` + text + `,"type":"invalid_request_error","param":null,"code":null}}`
	}
	return newForm(Reply{Status: status}, jsonType, text, nil)
}

func googleStatus(status int) string {
	if status == http.StatusNotFound {
		return "NOT_FOUND"
	}
	return "INVALID_ARGUMENT"
}

// short quotes what came from a client and bounds its length.
func short(s string) string {
	const most = 200
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return wire.Quote(s)
}
