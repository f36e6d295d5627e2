package script

import (
	"slices"
	"strings"
	"sync"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/internal/wire"
)

// gemini writes a reply of generateContent and of streamGenerateContent.
func (w writer) gemini(r Reply) (plain, stream string) {
	var parts []string
	var chunks strings.Builder
	finish := r.Finish
	if finish == "" {
		finish = "STOP"
	}
	for i, p := range r.Parts {
		part := w.geminiPart(i, p)
		parts = append(parts, part)
		texts := []string{part}
		if p.Kind == Text && !p.Signed {
			texts = texts[:0]
			for _, piece := range pieces(p.Text) {
				texts = append(texts, `{"text":`+wire.Quote(piece)+`}`)
			}
		}
		for k, text := range texts {
			end := ""
			if i == len(r.Parts)-1 && k == len(texts)-1 {
				end = finish
			}
			event(&chunks, "", w.geminiReply(text, end))
		}
	}
	if len(parts) == 0 {
		event(&chunks, "", w.geminiReply("", finish))
	}
	return w.geminiReply(strings.Join(parts, ","), finish), chunks.String()
}

func (w writer) geminiReply(parts, finish string) string {
	if finish != "" {
		finish = `,"finishReason":` + wire.Quote(finish)
	}
	return `{"candidates":[{"content":{"parts":[` + parts + `],"role":"model"}` + finish + `,"index":0}],` +
		`"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":8,"totalTokenCount":20},` +
		quotes(`"modelVersion":%s,"responseId":%s}`, w.model, w.id("", 0, 20))
}

// gemini4 is the profile of the models whose calls always have an id.
const gemini4 = "gemini-4"

// gemini4Models are the beginnings of their names.
var gemini4Models = sync.OnceValue(func() []string {
	for _, p := range fakeserver.Profiles() {
		if p.Name == gemini4 {
			return p.Models
		}
	}
	return nil
})

// geminiID is the id of a call, "" for none: a generation that always gives one has
// one made for it.
func (w writer) geminiID(i int, p Part) string {
	model := strings.ToLower(mint.Model(w.model))
	if w.script.Profile == gemini4 || slices.ContainsFunc(gemini4Models(), func(name string) bool { return strings.HasPrefix(model, name) }) {
		return w.callID(i, p)
	}
	return p.ID
}

func (w writer) geminiPart(i int, p Part) string {
	var b strings.Builder
	b.WriteByte('{')
	switch p.Kind {
	case Call:
		b.WriteString(`"functionCall":{`)
		if id := w.geminiID(i, p); id != "" {
			b.WriteString(`"id":` + wire.Quote(id) + `,`)
		}
		b.WriteString(`"name":` + wire.Quote(p.Name))
		if p.Args != "" {
			b.WriteString(`,"args":` + p.Args)
		}
		b.WriteByte('}')
	case Text:
		b.WriteString(`"text":` + wire.Quote(p.Text))
	default:
		b.WriteString(`"text":` + wire.Quote(p.Text) + `,"thought":true`)
	}
	if p.Signed {
		b.WriteString(`,"thoughtSignature":` + wire.Quote(w.value(mint.Gemini, i, p, 0)))
	}
	b.WriteByte('}')
	return b.String()
}
