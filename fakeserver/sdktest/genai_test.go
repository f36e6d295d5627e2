package sdktest_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/genai"

	"example.com/replaycheck/fakeserver"
)

const (
	sig       = "EjQKMgG+Pvb7Qp8/aGVsbG8gd29ybGQ="
	geminiFC  = `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"x","name":"f","args":{"a":1}},"thoughtSignature":"` + sig + `"}]},"finishReason":"STOP","index":0}],"modelVersion":"gemini-3.8-flash"}`
	geminiEnd = `{"candidates":[{"content":{"role":"model","parts":[{"text":"done"}]},"finishReason":"STOP","index":0}],"modelVersion":"gemini-3.8-flash"}`
)

// google is a client of the SDK for a play, of AI Studio or Vertex.
func google(t *testing.T, p *fakeserver.Play, backend genai.Backend) *genai.Client {
	t.Helper()
	cfg := &genai.ClientConfig{Backend: backend, APIKey: "k", HTTPOptions: genai.HTTPOptions{BaseURL: p.URL()}}
	if backend == genai.BackendVertexAI {
		// A client of its own: else the SDK looks for credentials.
		cfg.APIKey, cfg.Project, cfg.Location, cfg.HTTPClient = "", "p", "l", &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	}
	c, err := genai.NewClient(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func geminiReplies(endpoint string) []fakeserver.Reply {
	return []fakeserver.Reply{
		{Endpoint: endpoint, Plain: geminiFC, Stream: "data: " + geminiFC + "\r\n\r\n"},
		{Endpoint: endpoint, Plain: geminiEnd, Stream: "data: " + geminiEnd + "\r\n\r\n"},
	}
}

func TestGenAI(t *testing.T) {
	for name, backend := range map[string]genai.Backend{fakeserver.Gemini: genai.BackendGeminiAPI, fakeserver.Vertex: genai.BackendVertexAI} {
		for _, stream := range []bool{false, true} {
			p := fakeserver.New(t, fakeserver.Script{Replies: geminiReplies(name), Enforce: true})
			c := google(t, p, backend)
			ask := func(history []*genai.Content) *genai.Content {
				t.Helper()
				if !stream {
					r, err := c.Models.GenerateContent(t.Context(), "gemini-3.8-flash", history, nil)
					if err != nil {
						t.Fatal(name, err)
					}
					return r.Candidates[0].Content
				}
				var out *genai.Content
				for r, err := range c.Models.GenerateContentStream(t.Context(), "gemini-3.8-flash", history, nil) {
					if err != nil {
						t.Fatal(name, err)
					}
					out = r.Candidates[0].Content
				}
				return out
			}
			history := []*genai.Content{genai.NewContentFromText("?", genai.RoleUser)}
			turn := ask(history)
			call := turn.Parts[0].FunctionCall
			history = append(history, turn, genai.NewContentFromParts([]*genai.Part{{FunctionResponse: &genai.FunctionResponse{ID: call.ID, Name: call.Name, Response: map[string]any{"r": 1}}}}, genai.RoleUser))
			if got := ask(history).Parts[0].Text; got != "done" {
				t.Errorf("%s: got %q", name, got)
			}
			for _, x := range p.Record().Exchanges {
				if x.Refusal != nil || x.Endpoint != name || x.Stream != stream {
					t.Errorf("%s: got %+v with refusal %+v", name, x, x.Refusal)
				}
			}
		}
	}
}

func TestGenAIReadsRefusals(t *testing.T) {
	for backend, want := range map[genai.Backend]string{
		genai.BackendGeminiAPI: "Function call is missing a thought_signature in functionCall parts.",
		genai.BackendVertexAI:  "Unable to submit request because function call `f` in the 2. content block is missing",
	} {
		endpoint := map[genai.Backend]string{genai.BackendGeminiAPI: fakeserver.Gemini, genai.BackendVertexAI: fakeserver.Vertex}[backend]
		p := fakeserver.New(t, fakeserver.Script{Replies: geminiReplies(endpoint)[:1], Enforce: true})
		c := google(t, p, backend)
		history := []*genai.Content{
			genai.NewContentFromText("?", genai.RoleUser),
			genai.NewContentFromFunctionCall("f", map[string]any{"a": 1}, genai.RoleModel),
			genai.NewContentFromFunctionResponse("f", map[string]any{"r": 1}, genai.RoleUser),
		}
		_, err := c.Models.GenerateContent(t.Context(), "gemini-3.8-flash", history, nil)
		check := func(err error) {
			t.Helper()
			e, ok := errors.AsType[genai.APIError](err)
			if !ok || e.Code != 400 || e.Status != "INVALID_ARGUMENT" || !strings.HasPrefix(e.Message, want) {
				t.Errorf("got %#v, want 400 with %q", err, want)
			}
		}
		check(err)
		for _, err := range c.Models.GenerateContentStream(t.Context(), "gemini-3.8-flash", history, nil) {
			check(err)
		}
		if _, err := c.Models.GenerateContent(t.Context(), "gemini-3.8-flash", history[:1], nil); err != nil {
			t.Error(err)
		}
	}
}

func TestGenAIAsksBesideTheConversation(t *testing.T) {
	for backend, prefix := range map[genai.Backend]string{genai.BackendGeminiAPI: "models/", genai.BackendVertexAI: "publishers/google/models/"} {
		t.Run(backend.String(), func(t *testing.T) {
			p := fakeserver.New(t, fakeserver.Script{})
			c := google(t, p, backend)
			text := []*genai.Content{genai.NewContentFromText("Hello", genai.RoleUser)}
			if r, err := c.Models.CountTokens(t.Context(), "gemini-3.8-flash", text, nil); err != nil || r.TotalTokens < 1 {
				t.Errorf("got %+v, %v", r, err)
			}
			size := int32(3)
			for model, config := range map[string]*genai.EmbedContentConfig{"gemini-embedding-001": nil, "text-embedding-005": {OutputDimensionality: &size}, "gemini-embedding-2": {OutputDimensionality: &size}} {
				want := 768
				if config != nil {
					want = int(size)
				}
				r, err := c.Models.EmbedContent(t.Context(), model, text, config)
				if err != nil || len(r.Embeddings) != 1 || len(r.Embeddings[0].Values) != want {
					t.Errorf("%s: got %+v, %v", model, r, err)
				}
			}
			if m, err := c.Models.Get(t.Context(), "gemini-3.8-flash", nil); err != nil || m.Name != prefix+"gemini-3.8-flash" {
				t.Errorf("got %+v, %v", m, err)
			}
			n := 0
			for m, err := range c.Models.All(t.Context()) {
				if err != nil || !strings.HasPrefix(m.Name, prefix) {
					t.Fatal(m, err)
				}
				n++
			}
			if n != 3 {
				t.Errorf("got %d models, want 3", n)
			}
			for _, x := range p.Record().Exchanges {
				if !x.Side {
					t.Errorf("got %s %s for a turn of the conversation", x.Method, x.Path)
				}
			}
		})
	}
	p := fakeserver.New(t, fakeserver.Script{})
	texts := []*genai.Content{genai.NewContentFromText("a", genai.RoleUser), genai.NewContentFromText("b", genai.RoleUser)}
	r, err := google(t, p, genai.BackendVertexAI).Models.EmbedContent(t.Context(), "text-embedding-005", texts, nil)
	if err != nil || len(r.Embeddings) != 2 || r.Embeddings[1].Statistics == nil || r.Embeddings[1].Statistics.TokenCount != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
}
