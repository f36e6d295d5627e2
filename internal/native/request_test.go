package native_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/replaycheck/internal/native"
)

// show writes entries as "role: kind text|name(args)#id signed, …".
func show(entries []native.Entry) string {
	var out []string
	for _, e := range entries {
		var parts []string
		for _, p := range e.Parts {
			parts = append(parts, showPart(p))
		}
		role := e.Role
		if e.Model() {
			role += "*"
		}
		if e.Results() {
			role += "="
		}
		out = append(out, role+": "+strings.Join(parts, ", "))
	}
	return strings.Join(out, "\n")
}

func showPart(p native.Part) string {
	s := p.Kind.String()
	if p.Text != "" {
		s += fmt.Sprintf(" %q", p.Text)
	}
	if p.Name != "" {
		s += " " + p.Name
	}
	if p.Args != "" {
		s += "(" + p.Args + ")"
	}
	if p.ID != "" {
		s += "#" + p.ID
	}
	if p.Body.Exists() {
		s += "=" + p.Body.Raw()
	}
	if p.Signed() {
		s += " signed " + p.Sig.Text()
	}
	if len(p.Minted) > 0 {
		s += fmt.Sprintf(" minted %q", p.Minted)
	}
	return s
}

func TestParseRequest(t *testing.T) {
	for _, row := range []struct {
		name string
		api  native.API
		body string
		want string
	}{
		{
			"gemini", native.Gemini, `{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[
			{"role":"user","parts":[{"text":"hi"}]},
			{"role":"model","parts":[{"text":"t","thought":true},{"text":"v","thoughtSignature":"S1"},{"functionCall":{"id":"a","name":"f","args":{"n":1.0}},"thoughtSignature":"S2"},{}]},
			{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"r":1}}}]},
			{"parts":[{"text":"no role"}]}]}`,
			"user: text \"hi\"\n" +
				"model*: thought \"t\", text \"v\" signed S1, call f({\"n\":1.0})#a signed S2, part\n" +
				"user=: result f#a={\"r\":1}\n" +
				": text \"no role\"",
		},
		{
			"gemini, the other spelling", native.Gemini, `{"contents":[
			{"role":"model","parts":[{"function_call":{"name":"f"},"thought_signature":"S"}]},
			{"role":"function","parts":[{"function_response":{"name":"f","response":{}}}]}]}`,
			"model*: call f signed S\nfunction=: result f={}",
		},
		{
			"gemini, odd parts", native.Gemini, `{"contents":[{"role":"model","parts":[null,7,{"text":7},{"text":"a","thought":"true"},{"functionCall":"f"},{"thoughtSignature":7},{"thoughtSignature":"S"},{"text":""}]}]}`,
			"model*: part, part, part, text \"a\", part, part, part signed S, text", //nolint:dupword // on purpose
		},
		{"gemini, a call in a user entry", native.Gemini, `{"contents":[{"role":"user","parts":[{"functionCall":{"name":"f","args":{}}}]}]}`, "user*: call f({})"},
		{"gemini, results and text", native.Gemini, `{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f"}},{"text":"and"}]}]}`, "user: result f, text \"and\""},
		{"gemini, no contents", native.Gemini, `{"contents":{}}`, ""},
		{"gemini, entries of other kinds", native.Gemini, `{"contents":["a",{"role":"user"},{"role":7,"parts":{}}]}`, ": \nuser: \n: "},
		{
			"responses", native.Responses, `{"input":[
			{"role":"user","content":"hi"},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]},
			{"type":"reasoning","id":"rs_1","encrypted_content":"E","summary":[]},
			{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},
			{"type":"function_call_output","call_id":"c1","output":"r"},
			{"type":"web_search_call","id":"ws_1"},{"note":1}]}`,
			"user: text \"hi\"\n" +
				"assistant*: text \"ab\"\n" +
				"assistant*: reasoning signed E\n" +
				"assistant*: call f({})#c1\n" +
				"=: result \"r\"#c1=\"r\"\n" +
				"assistant*: part\nassistant*: part",
		},
		{"responses, one string", native.Responses, `{"input":"hi"}`, "user: text \"hi\""},
		{"responses, nothing", native.Responses, `{}`, ""},
		{"responses, an output in parts", native.Responses, `{"input":[{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"r"}]}]}`, "=: result \"r\"#c=[{\"type\":\"input_text\",\"text\":\"r\"}]"},
		{
			"chat", native.Chat, `{"messages":[
			{"role":"system","content":"s"},
			{"role":"user","content":[{"type":"text","text":"h"},{"type":"text","text":"i"}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"r"},
			{"role":"assistant","content":"done"}]}`,
			"system: text \"s\"\nuser: text \"hi\"\nassistant*: call f({\"a\":1})#c1\ntool=: result \"r\"#c1=\"r\"\nassistant*: text \"done\"",
		},
		{"chat, an empty content", native.Chat, `{"messages":[{"role":"assistant","content":""}]}`, "assistant*: "},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := native.ParseRequest(row.api, row.body)
			if err != nil || r.API != row.api || !r.Root.Exists() {
				t.Fatalf("got %v", err)
			}
			if got := show(r.Entries); got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}

func TestPartsKeepTheirPlace(t *testing.T) {
	r, err := native.ParseRequest(native.Gemini, `{"contents":[{},{"role":"model","parts":[{},{"text":"a" ,"thoughtSignature":"S"}]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Entries[1].Parts[1]
	if p.Value.Path() != "contents[1].parts[1]" || p.Value.Raw() != `{"text":"a" ,"thoughtSignature":"S"}` || p.Sig.Path() != "contents[1].parts[1].thoughtSignature" {
		t.Errorf("got %q at %q, signature at %q", p.Value.Raw(), p.Value.Path(), p.Sig.Path())
	}
}

func TestParseRequestRefuses(t *testing.T) {
	for _, row := range []struct {
		api  native.API
		body string
		want string
	}{
		{native.Gemini, ``, "wire: invalid JSON at byte 0: expected a value"},
		{native.Responses, `{"input":`, "wire: invalid JSON at byte 9: expected a value"},
		{"claude", `{}`, `native: read request: got API "claude", want one of ["gemini" "vertex" "gemini-openai" "responses" "chat" "anthropic"]`},
	} {
		r, err := native.ParseRequest(row.api, row.body)
		if err == nil || err.Error() != row.want || r.Entries != nil || r.API != row.api {
			t.Errorf("%s %q: got %v, want %s", row.api, row.body, err, row.want)
		}
	}
}
