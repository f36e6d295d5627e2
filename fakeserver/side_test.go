package fakeserver_test

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/wire"
)

func TestQuestionsBesideTheConversationUseNoReply(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	const (
		google = `{"name":"models/NAME","version":"001","displayName":"NAME","inputTokenLimit":1048576,"outputTokenLimit":65536,"supportedGenerationMethods":["generateContent","countTokens"]}`
		openai = `{"id":"NAME","object":"model","created":1764460800,"owned_by":"replaycheck"}`
		garden = `{"name":"publishers/google/models/NAME","versionId":"default"}`
		claude = `{"type":"model","id":"NAME","display_name":"NAME","created_at":"2025-11-30T00:00:00Z"}`
	)
	all := func(form string, names ...string) string {
		var out []string
		for _, n := range names {
			out = append(out, strings.ReplaceAll(form, "NAME", n))
		}
		return strings.Join(out, ",")
	}
	geminis := []string{"gemini-2.5-pro", "gemini-3.8-flash", "gemini-4-argon"}
	for _, row := range []struct{ name, method, target, header, body, want string }{
		{"Google's models", "GET", "/v1beta/models?pageSize=5", "", "", `{"models":[` + all(google, geminis...) + `]}`},
		{"Google's models of v1, by header", "GET", "/v1/models", "x-goog-api-key", "", `{"models":[` + all(google, geminis...) + `]}`},
		{"Google's models of v1, by query", "GET", "/v1/models?key=k", "", "", `{"models":[` + all(google, geminis...) + `]}`},
		{"one of Google's", "GET", "/v1beta/models/gemini-x", "", "", all(google, "gemini-x")},
		{"compatible", "GET", "/v1beta/openai/models", "Authorization", "", `{"object":"list","data":[` + all(openai, geminis...) + `]}`},
		{"one of the compatible", "GET", "/v1beta/openai/models/gemini-x", "Authorization", "", all(openai, "gemini-x")},
		{"OpenAI's models", "GET", "/v1/models", "Authorization", "", `{"object":"list","data":[` + all(openai, "gpt-4.1", "gpt-5", "gpt-6-sol") + `]}`},
		{"one of OpenAI's", "GET", "/v1/models/gpt-x", "Authorization", "", all(openai, "gpt-x")},
		{"Anthropic's models", "GET", "/v1/models", "anthropic-version", "", `{"data":[` + all(claude, "claude-sonnet-4-5") + `],"has_more":false,"first_id":"claude-sonnet-4-5","last_id":"claude-sonnet-4-5"}`},
		{"one of Anthropic's", "GET", "/v1/models/claude-x", "x-api-key", "", all(claude, "claude-x")},
		{"one of Vertex's", "GET", "/v1/projects/p/locations/l/publishers/google/models/gemini-x", "Authorization", "", all(garden, "gemini-x")},
		{"Vertex's models", "GET", "/v1beta1/publishers/google/models?pageSize=5", "Authorization", "", `{"publisherModels":[` + all(garden, geminis...) + `]}`},
		{"Vertex's models of v1, of a project", "GET", "/v1/projects/p/locations/l/publishers/google/models", "Authorization", "", `{"publisherModels":[` + all(garden, geminis...) + `]}`},
		{"tokens", "POST", "/v1beta/models/g:countTokens", "", `{"contents":[{"role":"user","parts":[{"text":"fünf!"}]}]}`, `{"totalTokens":3,"promptTokensDetails":[{"modality":"TEXT","tokenCount":3}]}`},
		{"tokens on Vertex", "POST", "/v1/projects/p/locations/l/publishers/google/models/g:countTokens", "", `{"contents":[{"parts":[{"text":"fünf!"}]}]}`, `{"totalTokens":2,"totalBillableCharacters":5}`},
		{"tokens of Anthropic", "POST", "/v1/messages/count_tokens", "", `{"messages":[{"role":"user","content":"Hello"}]}`, `{"input_tokens":3}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := s.Play(script(gemini))
			r, err := http.NewRequest(row.method, p.URL()+row.target, strings.NewReader(row.body))
			if err != nil {
				t.Fatal(err)
			}
			if row.header != "" {
				r.Header.Set(row.header, "k")
			}
			got := do(t, c, r)
			if got.status != 200 || got.kind != "application/json" || got.body != row.want || !wire.Valid(got.body) {
				t.Errorf("got %+v\nwant %s", got, row.want)
			}
			rec := p.Close()
			if rec.Leftover != 1 || rec.Err != nil || len(rec.Exchanges) != 1 {
				t.Fatalf("got record %+v", rec)
			}
			if x := rec.Exchanges[0]; !x.Side || x.Step != 0 || x.Endpoint != "" || x.Reply != got.body || x.Body != row.body {
				t.Errorf("got exchange %+v", x)
			}
		})
	}
}

// vertexOf is what stands before the name of one of Vertex's models.
const vertexOf = "/v1beta1/projects/p/locations/l/publishers/google/models/"

func TestEmbeddings(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	p := s.Play(script())
	embed := func(content, more string) string {
		return post(t, c, p.URL()+"/v1beta/models/g:embedContent", `{"content":{"parts":[{"text":"`+content+`"}]}`+more+`}`).body
	}
	size := func(body string) (int, float64) {
		v, err := wire.Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		n, square := 0, 0.0
		for x := range v.At("embedding.values").Items() {
			f, err := strconv.ParseFloat(x.Raw(), 64)
			if err != nil {
				t.Fatal(err)
			}
			n, square = n+1, square+f*f
		}
		return n, math.Sqrt(square)
	}
	a, again, b := embed("a", ""), embed("a", ""), embed("b", "")
	if a != again || a == b {
		t.Error("want equal vectors of equal texts, and of those only")
	}
	for _, row := range []struct {
		body string
		want int
	}{{a, 768}, {embed("a", `,"outputDimensionality":3`), 3}, {embed("a", `,"output_dimensionality":1000000`), 3072}, {embed("a", `,"outputDimensionality":-1`), 768}} {
		if n, length := size(row.body); n != row.want || math.Abs(length-1) > 0.01 {
			t.Errorf("got %d values of length %f, want %d of length 1", n, length, row.want)
		}
	}
	for _, row := range []struct{ path, body, want string }{
		{vertexOf + "g:predict", `{"instances":[{"content":"a"},{"content":"ab"}],"parameters":{"outputDimensionality":1}}`, `^\{"predictions":\[` +
			`\{"embeddings":\{"values":\[-?1\.000000\],"statistics":\{"truncated":false,"token_count":1\}\}\},\{"embeddings":\{"values":\[-?1\.000000\],"statistics":\{"truncated":false,"token_count":1\}\}\}` +
			`\],"metadata":\{"billableCharacterCount":3\}\}$`},
		{vertexOf + "g:predict", `{"instances":[{"content":"a"},{"prompt":"a cat"}]}`, `predict is answered for embeddings only; want instances with content`},
		{vertexOf + "g:predict", `{}`, `predict is answered for embeddings only`},
		{vertexOf + "g:predict", `{"instances":[` + strings.Repeat(`{},`, 100) + `{}]}`, `got 101 instances in one batch, want at most 100`},
		{vertexOf + "g:embedContent", `{"content":{"parts":[{"text":"a"}]},"embedContentConfig":{"outputDimensionality":1}}`, `^\{"embedding":\{"values":\[-?1\.000000\]\}\}$`},
		{"/v1/embeddings", `{"model":"e","input":"hello","dimensions":1}`, `^\{"object":"list","data":\[\{"object":"embedding","index":0,"embedding":\[-?1\.000000\]\}\],"model":"e","usage":\{"prompt_tokens":2,"total_tokens":2\}\}$`},
		{"/v1/embeddings", `{"model":"e","input":["a","b"],"dimensions":1,"encoding_format":"base64"}`, `"index":0,"embedding":"AACA(Pw|vw)=="\},\{"object":"embedding","index":1,"embedding":"AACA(Pw|vw)=="\}`},
		{"/v1/embeddings", `{"model":"e","input":[1,2],"dimensions":1}`, `"data":\[\{"object":"embedding","index":0,"embedding":\[-?1\.000000\]\}\]`},
		{"/v1beta/openai/embeddings", `{"model":"e","input":[[1],[2]],"dimensions":1}`, `"index":1,"embedding":\[-?1\.000000\]\}\]`},
		{"/v1/embeddings", `{"model":"e"}`, `got no input for embeddings, want a text or a list`},
		{"/v1/embeddings", `{"input":[` + strings.Repeat(`"",`, 2048) + `""]}`, `got 2049 inputs in one batch, want at most 2048`},
	} {
		if got := post(t, c, p.URL()+row.path, row.body); !regexp.MustCompile(row.want).MatchString(got.body) || !wire.Valid(got.body) {
			t.Errorf("%s: got %s, want %s", row.path, got.body, row.want)
		}
	}
	one := `{"content":{"parts":[{"text":"a"}]},"outputDimensionality":2}`
	got := post(t, c, p.URL()+"/v1beta/models/g:batchEmbedContents", `{"requests":[`+one+`,`+one+`]}`)
	v, err := wire.Parse(got.body)
	if err != nil || v.Get("embeddings").Len() != 2 || v.At("embeddings[1].values").Len() != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	got = post(t, c, p.URL()+"/v1beta/models/g:batchEmbedContents", `{"requests":[`+strings.Repeat(`{},`, 100)+`{}]}`)
	if got.status != 400 || !strings.Contains(got.body, "got 101 requests in one batch, want at most 100") {
		t.Errorf("got %+v", got)
	}
}

func TestQuestionsBesideTheConversationThatMakeNoSense(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	p := s.Play(script())
	for _, row := range []struct{ method, target, body, want string }{
		{"POST", "/v1beta/models", "", "none of the scripted APIs"},
		{"GET", "/v1beta/models/g:countTokens", "", `got method \"GET\"`},
		{"POST", "/v1beta/models/g:countTokens", "{", "not JSON"},
		{"GET", "/v1/responses", "", `got method \"GET\"`},
	} {
		r, err := http.NewRequest(row.method, p.URL()+row.target, strings.NewReader(row.body))
		if err != nil {
			t.Fatal(err)
		}
		if got := do(t, c, r); got.status != 400 || !strings.Contains(got.body, row.want) {
			t.Errorf("%s %s: got %+v, want 400 with %q", row.method, row.target, got, row.want)
		}
	}
}

// The new endpoints play plain and streamed like the others.
func TestEndpointsPlay(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	for _, row := range []struct{ name, endpoint, path, plain, stream string }{
		{"Vertex", "vertex", vertexPath, `{}`, strings.Replace(vertexPath, ":g", ":streamG", 1) + "?alt=sse"},
		{"Vertex, v1beta1, with a key", "vertex", "/v1beta1/publishers/google/models/g:generateContent", `{}`, "/v1beta1/publishers/google/models/g:streamGenerateContent?alt=sse"},
		{"compatible", "gemini-openai", compatPath, `{}`, ""},
		{"compatible on Vertex", "gemini-openai", compatVertexPath, `{}`, ""},
		{"Anthropic", "anthropic", messagesPath, `{}`, ""},
		{"AI Studio, v1alpha", "gemini", "/v1alpha/models/g:generateContent", `{}`, "/v1alpha/models/g:streamGenerateContent?alt=sse"},
	} {
		t.Run(row.name, func(t *testing.T) {
			reply := fakeserver.Reply{Endpoint: row.endpoint, Plain: `{"plain":1}`, Stream: "event: x\ndata: {\"a\":1}\n\ndata: [DONE]\n\n"}
			p := s.Play(script(reply, reply))
			if got := post(t, c, p.URL()+row.path, row.plain); got.body != reply.Plain || got.status != 200 {
				t.Errorf("got %+v", got)
			}
			stream, body := row.path, `{"stream":true}`
			if row.stream != "" {
				stream, body = row.stream, `{}`
			}
			if got := post(t, c, p.URL()+stream, body); got.body != reply.Stream || got.kind != "text/event-stream" {
				t.Errorf("got %+v", got)
			}
			got := post(t, c, p.URL()+row.path, `{}`)
			if got.status != 400 || !strings.Contains(got.body, "all 2 replies of the script were given") {
				t.Errorf("got %+v", got)
			}
			rec := p.Close()
			if rec.Leftover != 0 || rec.Exchanges[0].Endpoint != row.endpoint || !rec.Exchanges[1].Stream {
				t.Errorf("got %+v", rec)
			}
			shape := map[string]string{
				"gemini-openai": `[{"error":{"code":400,`, "gemini": `{"error":{"code":400,`, "vertex": `{"error":{"code":400,`,
				"anthropic": `{"type":"error","error":{"type":"invalid_request_error","message":"replaycheck's`,
			}[row.endpoint]
			if !strings.HasPrefix(got.body, shape) {
				t.Errorf("got %s, want it to begin with %s", got.body, shape)
			}
		})
	}
}
