package script

import (
	"strings"

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

func (w writer) geminiPart(i int, p Part) string {
	var b strings.Builder
	b.WriteByte('{')
	switch p.Kind {
	case Call:
		b.WriteString(`"functionCall":{`)
		if p.ID != "" {
			b.WriteString(`"id":` + wire.Quote(p.ID) + `,`)
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
