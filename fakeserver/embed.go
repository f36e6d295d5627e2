package fakeserver

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"

	"example.com/replaycheck/internal/wire"
)

const (
	maxBatch  = 100  // as in Google's API
	maxInputs = 2048 // as in OpenAI's
	maxValues = 3072
)

// embeddings answers a request for embeddings in the form of the API that is asked.
func (c call) embeddings() *form {
	text := ""
	switch c.side {
	case embedOne:
		text = `{"embedding":{"values":` + floats(vector(c.root.Get("content"), c.root, c.root.Get("embedContentConfig"))) + `}}`
	case embedMany:
		requests := c.root.Get("requests")
		if requests.Len() > maxBatch {
			return c.tooMany(requests.Len(), "requests", maxBatch)
		}
		var all []string
		for one := range requests.Items() {
			all = append(all, `{"values":`+floats(vector(one.Get("content"), one))+`}`)
		}
		text = `{"embeddings":[` + strings.Join(all, ",") + `]}`
	case embedPredict:
		instances := c.root.Get("instances")
		if instances.Len() > maxBatch {
			return c.tooMany(instances.Len(), "instances", maxBatch)
		}
		var all []string
		for one := range instances.Items() {
			if !one.Get("content").Exists() { // images and much else are asked for so
				break
			}
			_, tokens := count(one.Get("content"))
			all = append(all, `{"embeddings":{"values":`+floats(vector(one.Get("content"), c.root.Get("parameters")))+`,"statistics":{"truncated":false,"token_count":`+tokens+`}}}`)
		}
		if len(all) == 0 || len(all) < instances.Len() {
			return c.refusal(http.StatusBadRequest, "predict is answered for embeddings only; want instances with content")
		}
		chars, _ := count(instances)
		text = `{"predictions":[` + strings.Join(all, ",") + `],"metadata":{"billableCharacterCount":` + strconv.Itoa(chars) + `}}`
	case embedOpenAI:
		input := c.root.Get("input")
		if input.Kind() != wire.String && input.Kind() != wire.Array {
			return c.refusal(http.StatusBadRequest, "got no input for embeddings, want a text or a list")
		}
		inputs := inputs(input)
		if len(inputs) > maxInputs {
			return c.tooMany(len(inputs), "inputs", maxInputs)
		}
		text = c.openaiEmbeddings(inputs)
	}
	return newForm(Reply{}, jsonType, text, nil)
}

func (c call) tooMany(n int, of string, most int) *form {
	return c.refusal(http.StatusBadRequest, fmt.Sprintf("got %d %s in one batch, want at most %d", n, of, most))
}

// inputs are the texts, or lists of tokens, that OpenAI's API is given as one or
// as a list.
func inputs(input wire.Value) []wire.Value {
	if first := input.Index(0); input.Kind() != wire.Array || first.Kind() == wire.Number {
		return []wire.Value{input}
	}
	var out []wire.Value
	for one := range input.Items() {
		out = append(out, one)
	}
	return out
}

func (c call) openaiEmbeddings(inputs []wire.Value) string {
	var all []string
	for i, input := range inputs {
		values := vector(input, c.root)
		text := floats(values)
		if c.root.Get("encoding_format").Text() == "base64" {
			text = wire.Quote(packedFloats(values))
		}
		all = append(all, `{"object":"embedding","index":`+strconv.Itoa(i)+`,"embedding":`+text+`}`)
	}
	_, tokens := count(c.root.Get("input"))
	return `{"object":"list","data":[` + strings.Join(all, ",") + `],"model":` + wire.Quote(c.model) +
		`,"usage":{"prompt_tokens":` + tokens + `,"total_tokens":` + tokens + `}}`
}

// vector makes an embedding of length 1 of a content: equal contents have equal
// vectors, and that is all it says. One of the settings may ask for a size.
func vector(content wire.Value, settings ...wire.Value) []float64 {
	size := 768
	for _, s := range settings {
		for _, name := range []string{"outputDimensionality", "output_dimensionality", "dimensions"} {
			if n, err := strconv.Atoi(s.Get(name).Raw()); err == nil && n > 0 {
				size = min(n, maxValues)
			}
		}
	}
	sum := sha256.Sum256([]byte(wire.Compact(content)))
	rng := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
	values, square := make([]float64, size), 0.0
	for i := range values {
		values[i] = rng.NormFloat64()
		square += values[i] * values[i]
	}
	for i := range values {
		values[i] /= math.Sqrt(square)
	}
	return values
}

// floats writes a vector as a list of JSON.
func floats(values []float64) string {
	b := []byte{'['}
	for i, x := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, x, 'f', 6, 64)
	}
	return string(append(b, ']'))
}

// packedFloats writes it as OpenAI does where base64 is asked for: 32 bits each,
// the lowest byte first.
func packedFloats(values []float64) string {
	var b []byte
	for _, x := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	}
	return base64.StdEncoding.EncodeToString(b)
}
