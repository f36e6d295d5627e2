package fakeserver

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// call is what a request asked for.
type call struct {
	endpoint  string // one that replies are scripted for; "": none
	stream    bool
	array     bool   // a Gemini stream as one JSON list, without alt=sse
	vertex    bool   // Google's cloud, whichever API of it
	shape     shape  // of errors
	side      side   // what is asked beside the conversation
	elsewhere bool   // its history is said to be with the provider
	problem   string // why no reply can be given; "": none
	model     string // of the path, else of the body; "": none says it
	root      wire.Value
	body      *Body
}

// route reads what path and query ask for. path has no prefix and is
// unescaped. Whether a request of most APIs streams is in its body, see
// readBody.
func route(method, path, query string) call {
	c := call{}
	if strings.Contains(path, "/models/") || strings.Contains(path, "/v1beta/") || strings.Contains(path, "/v1alpha/") {
		c.shape = googleShape
	}
	switch {
	case path == "/v1/responses":
		c.endpoint = Responses
	case path == "/v1/chat/completions":
		c.endpoint = Chat
	case path == "/v1/messages":
		c.endpoint, c.shape = Anthropic, anthropicShape
	case path == "/v1beta/openai/chat/completions":
		c.endpoint, c.shape = GeminiOpenAI, googleList
	case isVertexChat(path):
		c.endpoint, c.shape, c.vertex = GeminiOpenAI, googleList, true
	default:
		c.gemini(path, query)
	}
	c.beside(method, path)
	want := http.MethodPost
	if c.side == listModels || c.side == oneModel {
		want = http.MethodGet
	}
	switch {
	case c.endpoint == "" && c.side == nothing:
		c.problem = "got " + short(method+" "+path) + ", which is none of the scripted APIs" +
			"; want POST /v1beta/models/{model}:generateContent, …:streamGenerateContent, the same on Vertex's paths, /v1beta/openai/chat/completions, " +
			"/v1/responses, /v1/chat/completions or /v1/messages"
	case method != want:
		c.problem = "got method " + short(method) + " for " + short(path) + ", want " + want
	}
	return c
}

func (c *call) gemini(path, query string) {
	endpoint, model, action := geminiPath(path)
	if endpoint == "" {
		return
	}
	c.model, c.vertex = model, endpoint == Vertex
	switch action {
	case "generateContent":
		c.endpoint = endpoint
	case "streamGenerateContent":
		c.endpoint, c.stream, c.array = endpoint, true, !asksForEvents(query)
		if c.array {
			c.shape = googleList
		}
	}
}

// geminiPath takes a path of AI Studio or Vertex apart: the endpoint, the model
// and what is asked of it; "" where it is none.
func geminiPath(path string) (endpoint, model, action string) {
	version, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/models/")
	switch {
	case version == "v1beta" || version == "v1" || version == "v1alpha":
		endpoint = Gemini
	case isVertex(version):
		endpoint = Vertex
	default:
		return "", "", ""
	}
	model, action, _ = strings.Cut(rest, ":")
	if model == "" || strings.Contains(model, "/") {
		return "", "", ""
	}
	return endpoint, model, action
}

// isVertex reports whether a path up to its models is Vertex's: of a project,
// or without one as with a key instead of a token.
func isVertex(path string) bool {
	rest, ok := ofVertex(path)
	return ok && rest == "publishers/google"
}

func isVertexChat(path string) bool {
	rest, ok := ofVertex(strings.TrimPrefix(path, "/"))
	return ok && rest == "endpoints/openapi/chat/completions"
}

// isVertexModels reports whether a path lists the models of Vertex.
func isVertexModels(path string) bool {
	rest, ok := ofVertex(strings.TrimPrefix(path, "/"))
	return ok && rest == "publishers/google/models"
}

// ofVertex cuts version, project and location off a path of Vertex.
func ofVertex(path string) (string, bool) {
	version, rest, _ := strings.Cut(path, "/")
	if version != "v1" && version != "v1beta1" {
		return "", false
	}
	if at := strings.SplitN(rest, "/", 5); len(at) == 5 && at[0] == "projects" && at[2] == "locations" && at[1] != "" && at[3] != "" {
		rest = at[4]
	}
	return rest, true
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
func (c *call) readBody(body *Body, encoding string) {
	if c.body = body; c.problem != "" || c.side == listModels || c.side == oneModel {
		return
	}
	v, err := body.JSON()
	switch {
	case err != nil && encoding != "":
		c.problem = "the request body is not JSON but has the content encoding " + short(encoding) + ", which is recorded as it is and not read; want none"
	case err != nil:
		c.problem = "the request body is not JSON: " + err.Error()
	case packed(encoding):
		c.problem = "the request says that its body has the content encoding " + short(encoding) + ", but it is plain JSON; want none"
	case v.Kind() != wire.Object:
		c.problem = "the request body is a JSON " + v.Kind().String() + ", want an object"
	case c.endpoint != Gemini && c.endpoint != Vertex: // there the path says it
		c.stream = v.Get("stream").IsTrue()
	}
	c.elsewhere = native.Elsewhere(native.API(c.endpoint), v)
	if c.root = v; c.model == "" {
		c.model = v.Get("model").Text()
	}
}

// packed reports whether a Content-Encoding is one that servers undo: they can't
// where the body does not have it.
func packed(encoding string) bool {
	return slices.ContainsFunc([]string{"gzip", "x-gzip", "deflate", "br", "zstd", "compress"}, func(known string) bool {
		return strings.EqualFold(strings.TrimSpace(encoding), known)
	})
}

// short quotes what came from a client and bounds its length.
func short(s string) string {
	const most = 200
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return wire.Quote(s)
}
