package gemini

import (
	"fmt"
	"slices"

	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/internal/wire"
)

// The routes to Gemini.
const (
	AIStudio = "AI Studio"
	Vertex   = "Vertex"
	Compat   = "OpenAI-compatible" // of AI Studio
)

type kind uint8

const (
	other   kind = iota // data of another kind
	empty               // no data
	text                // visible
	thought             // text with thought:true
	call
	result
)

type sigState uint8

const (
	unsigned sigState = iota // absent, null or ""
	unreadable
	standIn
	known
	unknown
)

// part is one part of a request.
type part struct {
	content, index int // of the content, and in it
	kind           kind
	body           wire.Value // the text, or the object of a call or result
	name, id, args wire.Value // of a call or result; args is its response
	sig            wire.Value
	aside          string // the member of the other host that holds its signature, "" none does
	state          sigState
	at             []int // of a known signature: the parts it was minted for
}

func (p *part) path() string { return fmt.Sprintf("contents[%d].parts[%d]", p.content, p.index) }

// content is one entry of the history: a run of those of its parts that a rule
// can be about, and how many it has in all.
type content struct {
	from, to       int
	all            int
	model          bool
	calls, results int
}

// onlyResults reports whether a content holds function results and nothing else.
func (c content) onlyResults() bool { return c.results > 0 && c.results == c.all }

// mostLines bounds how many places an error names.
const mostLines = 100

// stranger is a member that the API has no field for: of a content where part
// is below 0, else of its part, of its call or response where field is set.
type stranger struct {
	name          string
	content, part int
	field         string
}

func (s stranger) at() string {
	switch {
	case s.part < 0:
		return fmt.Sprintf("contents[%d]", s.content)
	case s.field == "":
		return fmt.Sprintf("contents[%d].parts[%d]", s.content, s.part)
	}
	return fmt.Sprintf("contents[%d].parts[%d].%s", s.content, s.part, s.field)
}

// Request is a request to Gemini, read once for all rules.
type Request struct {
	route     string
	chat      bool   // it came as messages, to the OpenAI-compatible endpoint of either host
	model     string // as stamps have it, "" unknown
	minted    *Minted
	contents  []content
	parts     []part
	turn      int // the content that began the current user turn, -1: none
	strangers []stranger
}

// Reading is what can be told of a body without knowing what was given out. It is
// not changed, so requests with the same body may share one.
type Reading struct {
	root wire.Value
	r    Request
}

// Read reads a body for Check.
func Read(root wire.Value) *Reading {
	out := &Reading{root: root, r: Request{minted: &Minted{}}}
	out.r.read(root)
	return out
}

// request is the body as a request to a route.
func (b *Reading) request(route, model string, m *Minted) *Request {
	r := &Request{route: route, model: mint.Model(model), minted: m}
	if len(b.r.strangers) > 0 { // what was given out tells whether they are some
		r.read(b.root)
	} else {
		r.contents, r.parts, r.turn = b.r.contents, slices.Clone(b.r.parts), b.r.turn
	}
	for i := range r.parts {
		r.judge(&r.parts[i])
	}
	return r
}

func (r *Request) read(root wire.Value) {
	list := root.Get("contents")
	r.contents = make([]content, 0, list.Len())
	for c := range list.Items() {
		r.addContent(c)
	}
	r.findTurn()
}

func (r *Request) findTurn() {
	r.turn = -1
	for i, c := range r.contents {
		if !c.model && !c.onlyResults() {
			r.turn = i
		}
	}
}

func (r *Request) addContent(v wire.Value) {
	c := content{from: len(r.parts)}
	n := len(r.contents)
	for name, m := range v.Members() {
		switch name {
		case "role":
			c.model = m.Text() == "model"
		case "parts":
			i := 0
			for p := range m.Items() {
				r.addPart(p, n, i, &c)
				i++
			}
			c.all += i
		default:
			r.note(m, nil, stranger{name: name, content: n, part: -1})
		}
	}
	c.to = len(r.parts)
	c.model = c.model || c.calls > 0
	r.contents = append(r.contents, c)
}

// note keeps a member that neither the API nor what was given out has.
func (r *Request) note(v wire.Value, given map[string]bool, s stranger) {
	if v.Kind() != wire.Null && !given[s.name] && len(r.strangers) < mostLines {
		r.strangers = append(r.strangers, s)
	}
}

func (r *Request) addPart(v wire.Value, n, i int, c *content) {
	if name, m, ok := v.Sole(); ok && name == "text" && m.Kind() != wire.Null {
		return // most of a history, and no rule is about it
	}
	p := part{content: n, index: i, kind: empty}
	isThought := false
	for name, m := range v.Members() {
		switch name {
		case "thoughtSignature", "thought_signature":
			p.sig = m
			continue
		case "thought":
			isThought = m.IsTrue()
			continue
		case "videoMetadata", "video_metadata", "partMetadata", "part_metadata", "mediaResolution", "media_resolution",
			"mediaProcessing", "media_processing", "speechMetadata", "speech_metadata":
			continue
		}
		if m.Kind() == wire.Null {
			continue
		}
		switch name {
		case "text":
			if p.kind != call && p.kind != result { // beside one of those, those count
				p.kind, p.body = text, m
			}
		case "functionCall", "function_call":
			p.kind, p.body = call, m
		case "functionResponse", "function_response":
			p.kind, p.body = result, m
		case "inlineData", "inline_data", "fileData", "file_data", "executableCode", "executable_code", "codeExecutionResult", "code_execution_result",
			"toolCall", "tool_call", "toolResponse", "tool_response", "audioTranscription", "audio_transcription":
			if p.kind != call && p.kind != result {
				p.kind = other
			}
		default:
			if p.kind == empty && r.minted.names[name] { // data that this server itself sent
				p.kind = other
			}
			r.note(m, r.minted.names, stranger{name: name, content: n, part: i})
		}
	}
	switch p.kind {
	case call:
		c.calls++
	case result:
		c.results++
	}
	if p.kind == text && !p.sig.Exists() { // most of a history, and no rule is about it
		return
	}
	if p.kind == text && isThought {
		p.kind = thought
	}
	r.addFunction(&p)
	if r.parts == nil { // where one content has such a part the others may
		r.parts = make([]part, 0, cap(r.contents)-n+4)
	}
	r.parts = append(r.parts, p)
}

// addFunction reads the object of a call or result.
func (r *Request) addFunction(p *part) {
	field := "args"
	switch p.kind {
	case call:
	case result:
		field = "response"
	default:
		return
	}
	for name, m := range p.body.Members() {
		switch name {
		case "name":
			p.name = m
		case "id":
			p.id = m
		case field:
			p.args = m
		case "partialArgs", "partial_args", "willContinue", "will_continue", "scheduling", "parts":
		default:
			r.note(m, r.minted.inner, stranger{name, p.content, p.index, p.field()})
		}
	}
}

// field is the name of a call's or result's field, in the spelling of errors.
func (p *part) field() string {
	if p.kind == call {
		return "function_call"
	}
	return "function_response"
}

// judge says what a part's signature is.
func (r *Request) judge(p *part) {
	sig := p.sig.Text()
	switch {
	case p.sig.Kind() == wire.Null || p.sig.Kind() == wire.String && sig == "" || !p.sig.Exists():
		p.state = unsigned
	case p.sig.Kind() != wire.String:
		p.state = unreadable
	case sentinel(sig, r.route):
		p.state = standIn
	default:
		p.at, p.state = r.minted.find(sig, r.model)
	}
}
