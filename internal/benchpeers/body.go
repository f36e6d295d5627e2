package benchpeers

import (
	"fmt"
	"strings"
)

// The shapes of a request: an API, with a history of many turns, or with one
// long text of the user and nothing before it; or the same history again and
// again, as load generators send it.
const (
	Gemini        = "gemini"
	Responses     = "responses"
	GeminiText    = Gemini + text
	ResponsesText = Responses + text

	GeminiAgain    = Gemini + again
	ResponsesAgain = Responses + again

	text  = ", one text"
	again = ", the same again"
)

// apiOf is the API of a shape.
func apiOf(shape string) string {
	api, _, _ := strings.Cut(shape, ",")
	return api
}

// number stands in a body where each request gets a number of its own, so that
// no two requests are alike and each belongs to another conversation.
const number = "#00000000000"

// Anchor is in the user's text that each body ends with.
const Anchor = "anchor-hello"

const (
	schema = `{"type":"object","properties":{"city":{"type":"string","description":"a city"},"days":{"type":"integer"}},"required":["city"]}`
	words  = `Some ordinary words with a \"quote\" and a line\n. `
)

// form is how a shape writes a history: a head, an entry of a role and a tail
// around the last text.
type form struct{ head, entry, tail, model string }

var forms = map[string]form{
	Gemini: {
		head: `{"systemInstruction":{"parts":[{"text":"You are terse."}]},"tools":[{"functionDeclarations":[{"name":"weather","description":"a forecast","parameters":` +
			schema + `}]}],"generationConfig":{"temperature":0.2},"contents":[`,
		entry: `{"role":%q,"parts":[{"text":"%s"}]}`, tail: `]}`, model: "model",
	},
	Responses: {
		head: `{"model":"gpt-6-sol","store":false,"instructions":"You are terse.","tools":[{"type":"function","name":"weather","description":"a forecast","strict":false,"parameters":` +
			schema + `}],"input":[`,
		entry: `{"role":%q,"content":"%s"}`, tail: `]}`, model: "assistant",
	},
}

// Body makes a chat request of exactly size bytes: instructions, a tool, a
// history of texts of about 400 bytes and a last text of the user with the
// anchor; or all in one text. The first text holds the number, unless the same is
// to come again. It is an error
// where size is too small for that.
func Body(shape string, size int) ([]byte, error) {
	f, ok := forms[apiOf(shape)]
	if !ok {
		return nil, fmt.Errorf("benchpeers: got shape %q, want that of %s or %s", shape, Gemini, Responses)
	}
	if strings.HasSuffix(shape, text) {
		return f.oneText(size)
	}
	first := fmt.Sprintf(f.entry, "user", number)
	if strings.HasSuffix(shape, again) {
		first = fmt.Sprintf(f.entry, "user", "Hello")
	}
	said := fmt.Sprintf(f.entry, f.model, strings.Repeat(words, 8)) + "," + fmt.Sprintf(f.entry, "user", strings.Repeat(words, 8))
	least := len(f.head) + len(first) + len(",") + len(fmt.Sprintf(f.entry, f.model, "Yes?")) + len(",") + len(fmt.Sprintf(f.entry, "user", Anchor)) + len(f.tail)
	if size < least {
		return nil, fmt.Errorf("benchpeers: got a size of %d bytes for %s, want at least %d", size, shape, least)
	}
	pairs := (size - least) / (len(said) + 1)
	pad := size - least - pairs*(len(said)+1)
	var b strings.Builder
	b.Grow(size)
	b.WriteString(f.head + first)
	for range pairs {
		b.WriteString("," + said)
	}
	b.WriteString("," + fmt.Sprintf(f.entry, f.model, "Yes?"))
	b.WriteString("," + fmt.Sprintf(f.entry, "user", Anchor+strings.Repeat("x", pad)) + f.tail)
	return []byte(b.String()), nil
}

// oneText is the body without a history.
func (f form) oneText(size int) ([]byte, error) {
	body := f.head + fmt.Sprintf(f.entry, "user", number+" "+Anchor+" @") + f.tail
	fill := size - len(body) + 1
	if fill < 0 {
		return nil, fmt.Errorf("benchpeers: got a size of %d bytes, want at least %d", size, len(body))
	}
	said := strings.Repeat(words, fill/len(words)) + strings.Repeat("x", fill%len(words))
	return []byte(strings.Replace(body, "@", said, 1)), nil
}
