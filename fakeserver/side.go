package fakeserver

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/replaycheck/internal/wire"
)

// side is a question beside the conversation: it is answered without the
// script, in the smallest form that clients accept.
type side uint8

const (
	nothing side = iota
	listModels
	oneModel
	countTokens
	embedOne
	embedMany
	embedPredict // of Vertex
	embedOpenAI
)

// beside finds out whether a path asks something beside the conversation.
func (c *call) beside(method, path string) {
	if c.endpoint != "" {
		return
	}
	endpoint, model, action := geminiPath(path)
	switch {
	case model != "" && action == "countTokens":
		c.side = countTokens
	case model != "" && action == "embedContent":
		c.side = embedOne
	case model != "" && action == "batchEmbedContents":
		c.side = embedMany
	case endpoint == Vertex && action == "predict":
		c.side = embedPredict
	case path == "/v1/embeddings", path == "/v1beta/openai/embeddings":
		c.side = embedOpenAI
	case path == "/v1/messages/count_tokens":
		c.side, c.shape = countTokens, anthropicShape
	case method != http.MethodGet:
	case path == "/v1/models", path == "/v1beta/models", path == "/v1alpha/models", path == "/v1beta/openai/models":
		c.side = listModels
	case isVertexModels(path):
		c.side, c.shape, c.vertex = listModels, googleShape, true
	case model != "" && action == "":
		c.side, c.model = oneModel, model
	case strings.HasPrefix(path, "/v1beta/openai/models/"):
		c.side, c.model = oneModel, strings.TrimPrefix(path, "/v1beta/openai/models/")
	}
}

// aside answers a question beside the conversation. Which provider is asked for
// its models is in the path, or where two share it, in how the key is given.
func (c call) aside(header http.Header, path, query string) *form {
	text := ""
	switch c.side {
	case listModels, oneModel:
		text = c.models(header, path, query)
	case countTokens:
		text = c.tokens()
	case embedOne, embedMany, embedPredict, embedOpenAI:
		return c.embeddings()
	}
	return newForm(Reply{}, jsonType, text, nil)
}

// The names that a list of models has: one of each profile. Any other is served
// as well.
var (
	googleModels    = []string{"gemini-2.5-pro", "gemini-3.8-flash", "gemini-4-argon"}
	openaiModels    = []string{"gpt-4.1", "gpt-5", "gpt-6-sol"}
	anthropicModels = []string{"claude-sonnet-4-5"}
)

func (c call) models(header http.Header, path, query string) string {
	names, one, list := openaiModels, openaiModel, `{"object":"list","data":[%s]}`
	google := header.Get("X-Goog-Api-Key") != "" || strings.Contains(query, "key=")
	switch {
	case strings.HasPrefix(path, "/v1beta/openai/"):
		names = googleModels
	case c.vertex:
		names, one, list = googleModels, vertexModel, `{"publisherModels":[%s]}`
	case strings.HasPrefix(path, "/v1beta/"), strings.HasPrefix(path, "/v1alpha/"), google:
		names, one, list = googleModels, googleModel, `{"models":[%s]}`
	case header.Get("Anthropic-Version") != "" || header.Get("X-Api-Key") != "":
		names, one = anthropicModels, anthropicModel
		list = `{"data":[%s],"has_more":false,"first_id":` + wire.Quote(names[0]) + `,"last_id":` + wire.Quote(names[len(names)-1]) + `}`
	}
	if c.side == oneModel {
		return one(c.model)
	}
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = one(name)
	}
	return fmt.Sprintf(list, strings.Join(all, ","))
}

func openaiModel(name string) string {
	return `{"id":` + wire.Quote(name) + `,"object":"model","created":1764460800,"owned_by":"replaycheck"}`
}

func googleModel(name string) string {
	return `{"name":` + wire.Quote("models/"+name) + `,"version":"001","displayName":` + wire.Quote(name) +
		`,"inputTokenLimit":1048576,"outputTokenLimit":65536,"supportedGenerationMethods":["generateContent","countTokens"]}`
}

// vertexModel is a model as Vertex's Model Garden lists it.
func vertexModel(name string) string {
	return `{"name":` + wire.Quote("publishers/google/models/"+name) + `,"versionId":"default"}`
}

func anthropicModel(name string) string {
	return `{"type":"model","id":` + wire.Quote(name) + `,"display_name":` + wire.Quote(name) + `,"created_at":"2025-11-30T00:00:00Z"}`
}

// tokens counts: a token is four characters of the request's strings. No
// tokenizer is known here, and nobody should rely on the number.
func (c call) tokens() string {
	chars, n := count(c.root)
	switch {
	case c.shape == anthropicShape:
		return `{"input_tokens":` + n + `}`
	case c.vertex:
		return `{"totalTokens":` + n + `,"totalBillableCharacters":` + strconv.Itoa(chars) + `}`
	}
	return `{"totalTokens":` + n + `,"promptTokensDetails":[{"modality":"TEXT","tokenCount":` + n + `}]}`
}

// count returns how many characters and tokens the strings of a value have.
func count(of wire.Value) (chars int, tokens string) {
	for v := range of.All() {
		chars += utf8.RuneCountInString(v.Text())
	}
	return chars, strconv.Itoa((chars + 3) / 4)
}
