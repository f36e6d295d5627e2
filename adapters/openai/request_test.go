package openai_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/openai"
)

const (
	capsule = `[{"type":"nrllm_gemini_generate_content","parts":[{"text":"T","thought":true,"thoughtSignature":"c2ln"},{"functionCall":{"id":"native-1","name":"weather","args":{"city":"Leipzig"}},"thoughtSignature":"c2lnMg=="}],"tool_call_bindings":[{"tool_call_id":"call_g","native_id":"native-1"}]}]`
	items   = `[ {"type":"reasoning","id":"rs_1","encrypted_content":"gAAA\u002b<&>\/","summary":[], "n":1.0},
 {"type":"function_call","id":"fc_1","call_id":"call_o","name":"weather","arguments":"{}"} ]`
	toolsTail = `"tools":[{"type":"function","name":"weather","description":"Tells the weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}},"strict":false}]`
	head      = `{"model":"gpt-6-sol","store":false,"include":["reasoning.encrypted_content"],"input":[`
)

func turn(text, id, carrier string) []chat.Message {
	m := chat.Message{Role: chat.Assistant, Content: text, ToolCalls: []chat.ToolCall{{ID: id, Name: "weather", Arguments: `{"city":"Leipzig"}`}}}
	if carrier != "" {
		m.ProviderItems = json.RawMessage(carrier)
	}
	return []chat.Message{user("Hi"), m, {Role: chat.Tool, ToolCallID: id, Content: "r<1>"}}
}

func TestBuildRequest(t *testing.T) {
	rows := []struct {
		name   string
		msgs   []chat.Message
		tools  []chat.ToolSpec
		opts   chat.Options
		edit   func(*openai.Config)
		stream bool
		path   string
		want   string
	}{
		{
			name: "tools of a GPT-6 model go to Responses", msgs: []chat.Message{{Role: chat.System, Content: "S"}, user("Hi")}, tools: weather(),
			path: openai.PathResponses, want: head + `{"role":"system","content":"S"},{"role":"user","content":"Hi"}],` + toolsTail + `}`,
		},
		{
			name: "streamed too", msgs: []chat.Message{user("Hi")}, tools: weather(), stream: true,
			path: openai.PathResponses, want: head + `{"role":"user","content":"Hi"}],` + toolsTail + `,"stream":true}`,
		},
		{
			name: "options on Responses", msgs: []chat.Message{user("Hi")}, tools: []chat.ToolSpec{{Name: "ping"}},
			opts: chat.Options{MaxTokens: new(64), ResponseSchema: json.RawMessage(`{"type": "object"}`)}, path: openai.PathResponses,
			want: head + `{"role":"user","content":"Hi"}],"tools":[{"type":"function","name":"ping","parameters":{"type":"object","properties":{}},"strict":false}],"max_output_tokens":64,"text":{"format":{"type":"json_schema","name":"response","schema":{"type": "object"}}}}`,
		},
		{
			name: "own items go back byte for byte", msgs: turn("", "call_o", items), tools: weather(), path: openai.PathResponses,
			want: head + `{"role":"user","content":"Hi"},{"type":"reasoning","id":"rs_1","encrypted_content":"gAAA\u002b<&>\/","summary":[], "n":1.0},{"type":"function_call","id":"fc_1","call_id":"call_o","name":"weather","arguments":"{}"},{"type":"function_call_output","call_id":"call_o","output":"r<1>"}],` + toolsTail + `}`,
		},
		{
			name: "a Gemini turn is rebuilt, text first", msgs: turn("Look", "call_g", capsule), tools: weather(), path: openai.PathResponses,
			want: head + `{"role":"user","content":"Hi"},{"type":"message","role":"assistant","content":"Look"},{"type":"function_call","call_id":"call_g","name":"weather","arguments":"{\"city\":\"Leipzig\"}"},{"type":"function_call_output","call_id":"call_g","output":"r<1>"}],` + toolsTail + `}`,
		},
		{
			name: "a rebuilt turn without text has no message", msgs: turn("", "call_g", capsule), tools: weather(), path: openai.PathResponses,
			want: head + `{"role":"user","content":"Hi"},{"type":"function_call","call_id":"call_g","name":"weather","arguments":"{\"city\":\"Leipzig\"}"},{"type":"function_call_output","call_id":"call_g","output":"r<1>"}],` + toolsTail + `}`,
		},
		{
			name: "an empty carrier is rebuilt", msgs: turn("Look", "call_g", `[]`), tools: weather(), path: openai.PathResponses,
			want: head + `{"role":"user","content":"Hi"},{"type":"message","role":"assistant","content":"Look"},{"type":"function_call","call_id":"call_g","name":"weather","arguments":"{\"city\":\"Leipzig\"}"},{"type":"function_call_output","call_id":"call_g","output":"r<1>"}],` + toolsTail + `}`,
		},
		{
			name: "a carrier on another role is ignored", msgs: []chat.Message{{Role: chat.User, Content: "Hi", ProviderItems: json.RawMessage(`7`)}}, tools: weather(),
			path: openai.PathResponses, want: head + `{"role":"user","content":"Hi"}],` + toolsTail + `}`,
		},
		{
			name: "plain chat of a GPT-6 model", msgs: []chat.Message{user("Hi")}, path: openai.PathChat,
			want: `{"model":"gpt-6-sol","messages":[{"role":"user","content":"Hi"}]}`,
		},
		{
			name: "a stream without tools", msgs: []chat.Message{user("Hi")}, stream: true, path: openai.PathChat,
			want: `{"model":"gpt-6-sol","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			name: "Chat Completions holds no carrier", msgs: turn("Look", "call_g", capsule), path: openai.PathChat,
			want: `{"model":"gpt-6-sol","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Look","tool_calls":[{"id":"call_g","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Leipzig\"}"}}]},{"role":"tool","tool_call_id":"call_g","content":"r<1>"}]}`,
		},
		{
			name: "nor looks into one", msgs: turn("", "call_g", `{"broken`), path: openai.PathChat,
			want: `{"model":"gpt-6-sol","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_g","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Leipzig\"}"}}]},{"role":"tool","tool_call_id":"call_g","content":"r<1>"}]}`,
		},
		{
			name: "an empty answer stays", msgs: []chat.Message{user("Hi"), {Role: chat.Assistant}, user("Well?")}, path: openai.PathChat,
			want: `{"model":"gpt-6-sol","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":""},{"role":"user","content":"Well?"}]}`,
		},
		{
			name: "another model with tools and options", msgs: []chat.Message{user("Hi")}, tools: weather(), path: openai.PathChat,
			opts: chat.Options{Model: "gpt-4.1-mini", Temperature: new(0.2), MaxTokens: new(9), Stop: []string{"a", "\"<"}, ResponseSchema: json.RawMessage(`{}`)},
			want: `{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"weather","description":"Tells the weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}],"temperature":0.2,"max_tokens":9,"stop":["a","\"<"],"response_format":{"type":"json_schema","json_schema":{"name":"response","schema":{}}}}`,
		},
		{
			name: "two tools, one without a description, one stop sequence", msgs: []chat.Message{user("Hi")}, tools: []chat.ToolSpec{{Name: "ping"}, {Name: "pong", Description: "P"}}, path: openai.PathChat,
			opts: chat.Options{Model: "gpt-4.1-mini", MaxTokens: new(1), Stop: []string{"a"}},
			want: `{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"ping","parameters":{"type":"object","properties":{}}}},{"type":"function","function":{"name":"pong","description":"P","parameters":{"type":"object","properties":{}}}}],"max_tokens":1,"stop":["a"]}`,
		},
		{
			name: "a compatible base URL", msgs: []chat.Message{user("Hi")}, tools: weather(), edit: func(c *openai.Config) { c.TreatAsOpenAI = false }, opts: chat.Options{MaxTokens: new(9)}, path: openai.PathChat,
			want: `{"model":"gpt-6-sol","messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"weather","description":"Tells the weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}],"max_completion_tokens":9}`,
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			cfg := openai.Config{BaseURL: "http://127.0.0.1:1", APIKey: "k", Model: "gpt-6-sol", TreatAsOpenAI: true}
			if row.edit != nil {
				row.edit(&cfg)
			}
			c, err := openai.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			before, err := json.Marshal(row.opts)
			if err != nil {
				t.Fatal(err)
			}
			msgs := append([]chat.Message(nil), row.msgs...)
			for n := range 2 {
				got, err := c.BuildRequest(row.msgs, row.tools, row.opts, row.stream)
				if err != nil {
					t.Fatal(err)
				}
				if got.Path != row.path {
					t.Errorf("build %d: got path %s, want %s", n+1, got.Path, row.path)
				}
				if d := cmp.Diff(row.want, got.Body); d != "" {
					t.Errorf("build %d: body (-want +got):\n%s", n+1, d)
				}
			}
			after, _ := json.Marshal(row.opts)
			if d := cmp.Diff(msgs, row.msgs) + cmp.Diff(string(before), string(after)); d != "" {
				t.Errorf("building changed its input:\n%s", d)
			}
		})
	}
}

func TestEndpoint(t *testing.T) {
	rows := []struct {
		name, base, model string
		treat             bool
		want              string
	}{
		{"astra", "", "gpt-6-astra", false, openai.PathResponses},
		{"sol", "", "gpt-6-sol", false, openai.PathResponses},
		{"luna", "", "gpt-6-luna", false, openai.PathResponses},
		{"a dated snapshot", "", "gpt-6-luna-2026-09-01", false, openai.PathResponses},
		{"a fine-tuned one", "", "ft:gpt-6-sol:acme::x1", false, openai.PathResponses},
		{"a region of OpenAI", "https://EU.api.openai.com/v1/", "gpt-6-sol", false, openai.PathResponses},
		{"a longer number is another model", "", "gpt-60", false, openai.PathChat},
		{"gpt-5", "", "gpt-5.2", false, openai.PathChat},
		{"o-series", "", "o4-mini", false, openai.PathChat},
		{"gpt-4.1-mini", "", "gpt-4.1-mini", false, openai.PathChat},
		{"an unknown model", "", "mistral-large", false, openai.PathChat},
		{"another host", "https://llm.example", "gpt-6-sol", false, openai.PathChat},
		{"a host that only looks like OpenAI's", "https://api.openai.com.example", "gpt-6-sol", false, openai.PathChat},
		{"another host, treated as OpenAI", "https://llm.example/x", "gpt-6-sol", true, openai.PathResponses},
		{"treated as OpenAI, another model", "https://llm.example", "gpt-4.1-mini", true, openai.PathChat},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c, err := openai.New(openai.Config{BaseURL: row.base, APIKey: "k", TreatAsOpenAI: row.treat})
			if err != nil {
				t.Fatal(err)
			}
			for _, stream := range []bool{false, true} {
				got, err := c.BuildRequest([]chat.Message{user("Hi")}, weather(), chat.Options{Model: row.model}, stream)
				if err != nil || got.Path != row.want {
					t.Errorf("stream %v: got %s, %v, want %s", stream, got.Path, err, row.want)
				}
				got, err = c.BuildRequest([]chat.Message{user("Hi")}, nil, chat.Options{Model: row.model}, stream)
				if err != nil || got.Path != openai.PathChat {
					t.Errorf("stream %v, no tools: got %s, %v, want %s", stream, got.Path, err, openai.PathChat)
				}
			}
		})
	}
}

// TestFamilies: which options a model takes, and what the message of a refusal
// calls its family.
func TestFamilies(t *testing.T) {
	const older, newer = "max_tokens", "max_completion_tokens"
	for _, row := range []struct {
		model, family     string
		temperature, stop bool
		tokens            string
	}{
		{"gpt-6-astra-2026-09-01", "gpt-6-astra", false, false, newer},
		{"gpt-6-sol", "gpt-6-sol", false, false, newer},
		{"gpt-6-luna:free", "gpt-6-luna", false, false, newer},
		{"gpt-6.1", "gpt-6", false, false, newer},
		{"gpt-5-chat-latest", "gpt-5-chat", true, true, newer},
		{"gpt-5.2", "gpt-5", false, false, newer},
		{"o1-pro", "o1", false, true, newer},
		{"o3", "o3", false, false, newer},
		{"o4-mini", "o4", false, false, newer},
		{"o4x", "", true, true, older},
		{"gpt-4.1-mini-2025-04-14", "", true, true, older},
		{"mistral-large", "", true, true, older},
	} {
		t.Run(row.model, func(t *testing.T) {
			c, err := openai.New(openai.Config{APIKey: "k", Model: row.model})
			if err != nil {
				t.Fatal(err)
			}
			refusal := func(opts chat.Options) string {
				_, err := c.BuildRequest([]chat.Message{user("Hi")}, nil, opts, false)
				return said(err)
			}
			want := map[bool]string{false: "openai: temperature: got one, want none: model family " + row.family + " takes only its default"}
			if got := refusal(chat.Options{Temperature: new(0.0)}); got != want[row.temperature] {
				t.Errorf("temperature: got %q, want %q", got, want[row.temperature])
			}
			want = map[bool]string{false: "openai: stop: got 1 sequences, want none: model family " + row.family + " does not take them here"}
			if got := refusal(chat.Options{Stop: []string{"x"}}); got != want[row.stop] {
				t.Errorf("stop: got %q, want %q", got, want[row.stop])
			}
			got, err := c.BuildRequest([]chat.Message{user("Hi")}, nil, chat.Options{MaxTokens: new(9)}, false)
			if want := `{"model":"` + row.model + `","messages":[{"role":"user","content":"Hi"}],"` + row.tokens + `":9}`; err != nil || got.Body != want {
				t.Errorf("got %s, %v, want %s", got.Body, err, want)
			}
		})
	}
}

func TestProfiles(t *testing.T) {
	t.Run("own rows come first", func(t *testing.T) {
		c, err := openai.New(openai.Config{APIKey: "k", Model: "gpt-6-sol", Profiles: []openai.Profile{{Model: "gpt-6-sol", ToolsOnResponses: true, Temperature: true}}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.BuildRequest([]chat.Message{user("Hi")}, weather(), chat.Options{Temperature: new(0.5)}, false)
		want := `{"model":"gpt-6-sol","store":false,"input":[{"role":"user","content":"Hi"}],` + toolsTail + `,"temperature":0.5}`
		if err != nil || got.Body != want {
			t.Errorf("got %s, %v, want %s", got.Body, err, want)
		}
	})
	t.Run("a family may have one letter, but not none", func(t *testing.T) {
		c, err := openai.New(openai.Config{APIKey: "k", Profiles: []openai.Profile{{Model: "m"}, {Model: "", Temperature: true, Stop: true, MaxCompletionTokens: true}}})
		if err != nil {
			t.Fatal(err)
		}
		want := "openai: temperature: got one, want none: model family m takes only its default"
		if _, err := c.BuildRequest([]chat.Message{user("Hi")}, nil, chat.Options{Model: "m-2", Temperature: new(0.5)}, false); said(err) != want {
			t.Errorf("got %v, want %q", err, want)
		}
		got, err := c.BuildRequest([]chat.Message{user("Hi")}, nil, chat.Options{Model: "-x", MaxTokens: new(9)}, false)
		if want := `{"model":"-x","messages":[{"role":"user","content":"Hi"}],"max_tokens":9}`; err != nil || got.Body != want {
			t.Errorf("got %s, %v, want %s", got.Body, err, want)
		}
	})
	t.Run("the table is a copy", func(t *testing.T) {
		openai.Profiles()[0].Model = "changed"
		if got := openai.Profiles()[0].Model; got == "changed" {
			t.Error("got a shared table, want a copy")
		}
	})
}

func TestBuildRequestRefuses(t *testing.T) {
	ok := []chat.Message{user("Hi")}
	rows := []struct {
		name  string
		msgs  []chat.Message
		tools []chat.ToolSpec
		opts  chat.Options
		want  string
	}{
		{"no model", ok, nil, chat.Options{}, "openai: model: got none"},
		{"no messages", nil, nil, chat.Options{Model: "m"}, "openai: messages: got none"},
		{"unknown role", []chat.Message{{Role: "bot"}}, nil, chat.Options{Model: "m"}, "openai: messages[0]: got an unknown role"},
		{"result without call", []chat.Message{{Role: chat.Tool}}, nil, chat.Options{Model: "m"}, "openai: messages[0]: got a tool result without"},
		{"second message of an unknown role", []chat.Message{user("Hi"), {Role: "bot"}}, nil, chat.Options{Model: "m"}, "openai: messages[1]: got an unknown role"},
		{"call without ID", []chat.Message{{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "a", Name: "w"}, {Name: "w"}}}}, nil, chat.Options{Model: "m"}, "openai: messages[0].tool_calls[1]: got no ID or no name"},
		{"call without name", []chat.Message{{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "a"}}}}, nil, chat.Options{Model: "m"}, "openai: messages[0].tool_calls[0]: got no ID or no name"},
		{"temperature a model does not take", ok, nil, chat.Options{Model: "o3-mini", Temperature: new(1.0)}, "openai: temperature: got one, want none: model family o3"},
		{"temperature below 0", ok, nil, chat.Options{Model: "m", Temperature: new(-1.0)}, "openai: temperature: got -1"},
		{"temperature that is no number", ok, nil, chat.Options{Model: "m", Temperature: new(math.NaN())}, "openai: temperature: got NaN"},
		{"temperature without end", ok, nil, chat.Options{Model: "m", Temperature: new(math.Inf(1))}, "openai: temperature: got +Inf"},
		{"temperature without start", ok, nil, chat.Options{Model: "m", Temperature: new(math.Inf(-1))}, "openai: temperature: got -Inf"},
		{"no tokens", ok, nil, chat.Options{Model: "m", MaxTokens: new(0)}, "openai: max tokens: got 0"},
		{"stop a model does not take", ok, nil, chat.Options{Model: "gpt-5", Stop: []string{"x"}}, "openai: stop: got 1 sequences"},
		{"schema that is no object", ok, nil, chat.Options{Model: "m", ResponseSchema: json.RawMessage(`[]`)}, "openai: response schema: got no JSON object"},
		{"second tool without name", ok, []chat.ToolSpec{{Name: "a"}, {}}, chat.Options{Model: "m"}, "openai: tools[1]: got no name"},
		{"parameters that are no JSON", ok, []chat.ToolSpec{{Name: "a", Parameters: json.RawMessage(`{`)}}, chat.Options{Model: "m"}, "openai: tools[0]: got parameters that are no JSON object"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c, err := openai.New(openai.Config{APIKey: "k"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.BuildRequest(row.msgs, row.tools, row.opts, false)
			if _, ok := errors.AsType[*chat.ConfigError](err); !ok || !strings.HasPrefix(said(err), row.want) {
				t.Errorf("got %v, want a ConfigError that starts with %q", err, row.want)
			}
		})
	}
}

func TestResponsesRefusesMalformedCarriers(t *testing.T) {
	c, err := openai.New(openai.Config{APIKey: "k", Model: "gpt-6-sol"})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{
		"no parts":     `[{"type":"nrllm_gemini_generate_content"}]`,
		"parts scalar": `[{"type":"nrllm_gemini_generate_content","parts":"p"}]`,
		"part scalar":  `[{"type":"nrllm_gemini_generate_content","parts":[1]}]`,
		"two capsules": `[{"type":"nrllm_gemini_generate_content","parts":[]},{"type":"nrllm_gemini_generate_content","parts":[]}]`,
		"mixed":        `[{"type":"nrllm_gemini_generate_content","parts":[]},{"type":"reasoning"}]`,
		"not a list":   `null`,
		"not objects":  `["secret"]`,
		"bindings":     `[{"type":"nrllm_gemini_generate_content","parts":[],"tool_call_bindings":{}}]`,
	}
	for name, carrier := range rows {
		t.Run(name, func(t *testing.T) {
			for _, stream := range []bool{false, true} {
				_, err := c.BuildRequest(turn("Look", "call_g", carrier), weather(), chat.Options{}, stream)
				if _, ok := errors.AsType[*chat.ConfigError](err); !ok || said(err) != chat.ReplayMessage {
					t.Errorf("stream %v: got %v, want a ConfigError with the constant message", stream, err)
				}
			}
		})
	}
}
