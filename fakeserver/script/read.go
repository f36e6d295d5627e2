package script

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/internal/wire"
)

func read(f files, name string) (*Script, error) {
	r := &reader{files: f, left: maxFile, lines: map[string]int{}, script: &Script{Name: baseName(name)}}
	r.file(name, place{}, true)
	if len(r.errs) == 0 && !named(r.script.Name) { // of the file
		r.bad(place{name, 1}, "name: the file's, %q, can't stand in an address; want a name in the script", shortened(r.script.Name))
	}
	r.script.Seed = cmp.Or(r.script.Seed, r.script.Name)
	if len(r.errs) == 0 && len(r.script.Replies) == 0 {
		r.bad(place{name, 1}, "the script has no replies")
	}
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	return r.script, nil
}

// file reads one file: the script's own, or one that it includes at a place.
func (r *reader) file(name string, from place, own bool) {
	if own {
		from = place{name, 1}
	}
	if slices.Contains(r.stack, name) {
		r.bad(from, "include: %s includes itself: %s", name, strings.Join(append(r.stack, name), " → "))
		return
	}
	if r.count++; r.count > maxFiles {
		r.bad(from, "include: more than %d files", maxFiles)
		return
	}
	text, err := r.files.text(name, r.left)
	if err != nil {
		if own {
			r.bad(from, "%v", err)
		} else {
			r.bad(from, "include: %s: %v", shortened(name), err)
		}
		return
	}
	r.left -= int64(len(text))
	root, ok := r.parse(name, text)
	if !ok {
		return
	}
	r.stack = append(r.stack, name)
	defer func() { r.stack = r.stack[:len(r.stack)-1] }()
	if !own {
		r.included(root)
		return
	}
	for _, f := range r.fields(root, "script", "name", "title", "seed", "profile", "replies") {
		switch f.name {
		case "name":
			r.script.Name = r.text(f.value, "name")
			if !named(r.script.Name) {
				r.bad(f.at, "name: got %q, want a word that can stand in an address", shortened(r.script.Name))
			}
		case "title":
			r.script.Title = r.text(f.value, "title")
		case "seed":
			r.script.Seed = r.text(f.value, "seed")
		case "profile":
			r.script.Profile = r.text(f.value, "profile")
			if !slices.ContainsFunc(fakeserver.Profiles(), func(p fakeserver.Profile) bool { return p.Name == r.script.Profile }) {
				r.bad(f.at, "profile: got %q, want one of %s", shortened(r.script.Profile), profileNames())
			}
		case "replies":
			r.replies(f.value)
		}
	}
}

// named reports whether a name can stand in an address and name a folder.
func named(s string) bool {
	return strings.TrimSpace(s) != "" && len(s) <= 80 && s != "." && s != ".." && utf8.ValidString(s) &&
		!strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f || strings.ContainsRune(`/\?#%:*"<>|`, c) })
}

func profileNames() string {
	var names []string
	for _, p := range fakeserver.Profiles() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// included reads the replies of an included file: a list of them, or a script.
func (r *reader) included(root value) {
	if root.Kind == yaml.SequenceNode {
		r.replies(root)
		return
	}
	for _, f := range r.fields(root, "included file", "name", "title", "replies") {
		if f.name == "replies" {
			r.replies(f.value)
		}
	}
}

var partKeys = []string{"text", "thought", "reasoning", "call", "signed", "length"}

func (r *reader) replies(v value) {
	for _, item := range r.items(v, "replies") {
		if len(r.script.Replies) >= maxReplies {
			r.bad(item.at(), "more than %d replies", maxReplies)
			return
		}
		if r.nodes > maxNodes || len(r.errs) >= most {
			return
		}
		r.reply(item)
	}
}

func (r *reader) reply(v value) {
	known := append([]string{"when", "parts", "finish", "error", "raw", "header", "cut", "late", "fault", "include"}, partKeys...)
	fields := r.fields(v, "reply", known...)
	if i := slices.IndexFunc(fields, func(f field) bool { return f.name == "include" }); i >= 0 {
		if len(fields) > 1 {
			r.bad(fields[i].at, "include: stands alone in its entry")
			return
		}
		if name := r.text(fields[i].value, "include"); name != "" {
			r.file(name, fields[i].at, false)
		}
		return
	}
	reply := Reply{place: v.at()}
	var shorthand []field
	var content []string // the keys that say what is given
	for _, f := range fields {
		switch f.name {
		case "when":
			reply.When = r.when(f)
		case "finish":
			reply.Finish = r.text(f.value, "finish")
		case "cut":
			reply.Cut = r.flag(f.value, "cut")
		case "late":
			reply.Late = r.flag(f.value, "late")
		case "header":
			reply.Header = r.header(f)
		case "fault":
			reply.Fault = r.fault(f)
		case "parts":
			content = append(content, f.name)
			for _, item := range r.items(f.value, "parts") {
				if len(reply.Parts) >= maxParts {
					r.bad(item.at(), "more than %d parts in one reply", maxParts)
					break
				}
				reply.Parts = append(reply.Parts, r.part(item.at(), r.fields(item, "part", partKeys...))...)
			}
		case "error":
			content = append(content, f.name)
			reply.Fail = r.fail(f)
		case "raw":
			content = append(content, f.name)
			reply.Raw = r.raw(f)
		default:
			shorthand = append(shorthand, f)
		}
	}
	if len(shorthand) > 0 {
		content = append(content, shorthand[0].name)
		reply.Parts = append(reply.Parts, r.part(v.at(), shorthand)...)
	}
	switch {
	case len(content) == 0 && len(fields) > 0:
		r.bad(v.at(), "the reply says nothing: want text, call, parts, error or raw")
	case len(content) > 1:
		r.bad(v.at(), "the reply has %s and %s, want one; several parts go below parts", content[0], content[1])
	}
	r.script.Replies = append(r.script.Replies, reply)
}

// part reads one part; none where it is wrong.
func (r *reader) part(at place, fields []field) []Part {
	var p Part
	for _, f := range fields {
		switch f.name {
		case "signed":
			p.Signed = r.flag(f.value, "signed")
		case "length":
			p.Length = r.length(f)
		default:
			if p.Kind != "" {
				r.bad(f.at, "a part has %s and %s, want one; several parts go below parts", p.Kind, f.name)
				return nil
			}
			p.Kind = Kind(f.name)
			if p.Kind == Call {
				r.call(f, &p)
			} else {
				p.Text = r.text(f.value, f.name)
			}
		}
	}
	if p.Kind == "" {
		r.bad(at, "a part says nothing: want text, thought, reasoning or call")
		return nil
	}
	p.Signed = p.Signed || p.Length > 0
	return []Part{p}
}

func (r *reader) length(f field) int {
	n := r.number(f.value, "length", mint.Shortest, mint.Longest)
	if n%4 != 0 {
		r.bad(f.at, "length: got %d, want a multiple of 4, as base64 has", n)
	}
	return n
}

func (r *reader) call(f field, p *Part) {
	for _, f := range r.fields(f.value, "call", "name", "args", "id") {
		switch f.name {
		case "name":
			p.Name = r.text(f.value, "name")
		case "id":
			p.ID = r.text(f.value, "id")
		case "args":
			p.Args = r.args(f)
		}
	}
	if p.Name == "" {
		r.bad(f.at, "call: name is missing")
	}
}

// args are a mapping, or a JSON text that is kept as it is.
func (r *reader) args(f field) string {
	v, ok := r.follow(f.value)
	if !ok {
		return ""
	}
	text := v.Value
	if v.Kind != yaml.ScalarNode || v.Tag != "!!str" {
		if text = r.json(v, "args"); text == "" {
			return ""
		}
	}
	if root, err := wire.Parse(text); err != nil || root.Kind() != wire.Object {
		r.bad(f.at, "args: got %s, want a mapping or the text of a JSON object", what(v.Node))
	}
	return text
}

func (r *reader) when(f field) *When {
	w := &When{}
	for _, f := range r.fields(f.value, "when", "turn", "result", "prompt") {
		switch f.name {
		case "turn":
			w.Turn = r.number(f.value, "turn", 1, maxReplies)
		case "prompt":
			w.Prompt = r.text(f.value, "prompt")
		case "result":
			w.result = true
			for _, f := range r.fields(f.value, "result", "name", "contains") {
				if f.name == "name" {
					w.Name = r.text(f.value, "name")
				} else {
					w.Contains = r.text(f.value, "contains")
				}
			}
		}
	}
	if *w == (When{}) {
		r.bad(f.at, "when: says nothing, want turn, result or prompt")
	}
	return w
}

func (r *reader) fail(f field) *Fail {
	out := &Fail{}
	for _, f := range r.fields(f.value, "error", "status", "message", "retry_after") {
		switch f.name {
		case "status":
			out.Status = r.number(f.value, "status", 400, 599)
		case "message":
			out.Message = r.text(f.value, "message")
		case "retry_after":
			out.RetryAfter = r.text(f.value, "retry_after")
		}
	}
	if out.Status == 0 {
		r.bad(f.at, "error: status is missing")
	}
	if out.Message == "" {
		out.Message = http.StatusText(out.Status)
	}
	return out
}

func (r *reader) raw(f field) *Raw {
	out := &Raw{}
	for _, f := range r.fields(f.value, "raw", "endpoint", "plain", "stream") {
		text := r.text(f.value, f.name)
		switch f.name {
		case "endpoint":
			if out.Endpoint = text; !slices.Contains(endpoints(), text) {
				r.bad(f.at, "endpoint: got %q, want one of %s", shortened(text), strings.Join(endpoints(), ", "))
			}
		case "plain":
			out.Plain = text
		case "stream":
			out.Stream = text
		}
	}
	if out.Endpoint == "" || out.Plain+out.Stream == "" {
		r.bad(f.at, "raw: want endpoint, and plain or stream")
	}
	return out
}

func (r *reader) header(f field) map[string]string {
	out := map[string]string{}
	for _, f := range r.fields(f.value, "header") {
		text := r.text(f.value, f.name)
		if strings.ContainsAny(f.name+text, "\r\n") || strings.ContainsAny(f.name, " :") || f.name == "" {
			r.bad(f.at, "header: %q is none that HTTP can carry", shortened(f.name))
		}
		out[f.name] = text
	}
	return out
}
