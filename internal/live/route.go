package live

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"example.com/replaycheck/internal/native"
)

// Header names a conversation, as a path prefix /c/NAME does.
const Header = "X-Replaycheck-Conversation"

// target is where a request is to go.
type target struct {
	scenario *Scenario
	key      string // of the group
	name     string // of the group; "" for one of a key, which is numbered
	named    bool   // by the client
	path     string // the API's own
	api      native.API
}

var wellNamed = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// route reads where a request is to go:
//
//	[/s/SCENARIO][/c/NAME]/v1beta/models/…
//
// The scenario is the first where none is named; the conversation is named by
// the path, the header or, without a name, the API key.
func (s *Server) route(r *http.Request) (target, error) {
	t := target{scenario: &s.options.Scenarios[0], path: r.URL.EscapedPath()}
	if rest, ok := strings.CutPrefix(t.path, "/s/"); ok {
		found := false
		for i := range s.options.Scenarios {
			sc := &s.options.Scenarios[i]
			if after, ok := strings.CutPrefix(rest, url.PathEscape(sc.ID)+"/"); ok {
				t.scenario, t.path, found = sc, "/"+after, true
			} else if after, ok := strings.CutPrefix(rest, sc.ID+"/"); ok {
				t.scenario, t.path, found = sc, "/"+after, true
			}
		}
		if !found {
			return t, fmt.Errorf("no scenario is served at %q", short(t.path))
		}
	}
	if rest, ok := strings.CutPrefix(t.path, "/c/"); ok {
		name, after, _ := strings.Cut(rest, "/")
		if !wellNamed.MatchString(name) {
			return t, fmt.Errorf("got the conversation %q, want up to 64 of A-Z a-z 0-9 . _ -", short(name))
		}
		t.name, t.named, t.path = name, true, "/"+after
	}
	if dotted(t.path) {
		return t, fmt.Errorf("the path %q has a dot segment", short(t.path))
	}
	if name := r.Header.Get(Header); name != "" && !t.named {
		if !wellNamed.MatchString(name) {
			return t, fmt.Errorf("%s: got %q, want up to 64 of A-Z a-z 0-9 . _ -", Header, short(name))
		}
		t.name, t.named = name, true
	}
	t.api = apiOf(t.path)
	switch key := keyOf(r); {
	case t.named:
		t.key = "name:" + t.scenario.ID + ":" + t.name
	case key != "":
		mac := hmac.New(sha256.New, s.secret[:])
		_, _ = mac.Write([]byte(key))
		t.key = fmt.Sprintf("key:%s:%x", t.scenario.ID, mac.Sum(nil)[:12])
	default:
		t.key, t.name = "none:"+t.scenario.ID, "no key"
	}
	return t, nil
}

func newSecret() (out [32]byte) {
	_, _ = rand.Read(out[:]) // never fails, see its doc comment
	return out
}

// keyOf is the API key of a request, wherever providers take it.
func keyOf(r *http.Request) string {
	for _, name := range []string{"X-Goog-Api-Key", "Authorization", "X-Api-Key", "Api-Key"} {
		if key := r.Header.Get(name); key != "" {
			return key
		}
	}
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if name, value, _ := strings.Cut(pair, "="); strings.EqualFold(name, "key") {
			return value
		}
	}
	return ""
}

// apiOf is the API that a path belongs to, as far as it has conversations.
func apiOf(path string) native.API {
	switch {
	case strings.HasSuffix(path, "enerateContent"): // :generateContent, :streamGenerateContent
		return native.Gemini
	case strings.HasSuffix(path, "/responses"):
		return native.Responses
	case strings.HasSuffix(path, "/chat/completions"):
		return native.Chat // whoever is behind it
	case strings.HasSuffix(path, "/messages"):
		return native.Anthropic
	}
	return ""
}

// dotted reports whether a path has a segment that some client or proxy on the
// way would resolve ("." or "..").
func dotted(path string) bool {
	if p, err := url.PathUnescape(path); err == nil {
		path = p
	}
	for seg := range strings.SplitSeq(path, "/") {
		if seg == "." || seg == ".." {
			return true
		}
	}
	return false
}

func short(s string) string {
	if len(s) > 100 {
		s = strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}

// begins reports whether a request begins a conversation: it holds nothing that
// came from the model and no result. opening is the user's first text.
func begins(api native.API, body string) (fresh bool, opening string) {
	if api == "" {
		return false, ""
	}
	req, err := native.ParseRequest(api, body)
	if err != nil {
		return false, ""
	}
	fresh = true
	for _, e := range req.Entries {
		switch {
		case e.Model() || e.Results():
			fresh = false
		case opening == "" && e.Role != "system" && e.Role != "developer":
			for _, p := range e.Parts {
				opening += p.Text
			}
		}
	}
	return fresh, opening
}
