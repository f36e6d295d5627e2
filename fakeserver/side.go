package fakeserver

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
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
)

// beside finds out whether a path asks something beside the conversation.
func (c *call) beside(method, path string) {
	if c.endpoint != "" {
		return
	}
	_, model, action := geminiPath(path)
	switch {
	case model != "" && action == "countTokens":
		c.side = countTokens
	case model != "" && action == "embedContent":
		c.side = embedOne
	case model != "" && action == "batchEmbedContents":
		c.side = embedMany
	case path == "/v1/messages/count_tokens":
		c.side, c.shape = countTokens, anthropicShape
	case method != http.MethodGet:
	case path == "/v1/models", path == "/v1beta/models", path == "/v1alpha/models", path == "/v1beta/openai/models":
		c.side = listModels
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
	case embedOne:
		text = `{"embedding":{"values":` + vector(c.root) + `}}`
	case embedMany:
		requests := c.root.Get("requests")
		if requests.Len() > maxBatch {
			return c.refusal(http.StatusBadRequest, fmt.Sprintf("got %d requests in one batch, want at most %d", requests.Len(), maxBatch))
		}
		var all []string
		for one := range requests.Items() {
			all = append(all, `{"values":`+vector(one)+`}`)
		}
		text = `{"embeddings":[` + strings.Join(all, ",") + `]}`
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
	case c.vertex, strings.HasPrefix(path, "/v1beta/"), strings.HasPrefix(path, "/v1alpha/"), google:
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

func anthropicModel(name string) string {
	return `{"type":"model","id":` + wire.Quote(name) + `,"display_name":` + wire.Quote(name) + `,"created_at":"2025-11-30T00:00:00Z"}`
}

// tokens counts: a token is four characters of the request's strings. No
// tokenizer is known here, and nobody should rely on the number.
func (c call) tokens() string {
	chars := 0
	for v := range c.root.All() {
		chars += utf8.RuneCountInString(v.Text())
	}
	n := strconv.Itoa((chars + 3) / 4)
	switch {
	case c.shape == anthropicShape:
		return `{"input_tokens":` + n + `}`
	case c.vertex:
		return `{"totalTokens":` + n + `,"totalBillableCharacters":` + strconv.Itoa(chars) + `}`
	}
	return `{"totalTokens":` + n + `,"promptTokensDetails":[{"modality":"TEXT","tokenCount":` + n + `}]}`
}

const (
	maxBatch  = 100 // as in the real API
	maxValues = 3072
)

// vector makes an embedding of length 1 of a request's content: equal texts
// have equal vectors, and that is all it says.
func vector(request wire.Value) string {
	size := 768
	for _, name := range []string{"outputDimensionality", "output_dimensionality"} {
		if n, err := strconv.Atoi(request.Get(name).Raw()); err == nil && n > 0 {
			size = min(n, maxValues)
		}
	}
	sum := sha256.Sum256([]byte(wire.Compact(request.Get("content"))))
	rng := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
	values, square := make([]float64, size), 0.0
	for i := range values {
		values[i] = rng.NormFloat64()
		square += values[i] * values[i]
	}
	b := []byte{'['}
	for i, x := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, x/math.Sqrt(square), 'f', 6, 64)
	}
	return string(append(b, ']'))
}
