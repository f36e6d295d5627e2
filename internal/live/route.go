package live

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"example.com/replaycheck/internal/native"
)

// Header names a conversation, as a path prefix /c/NAME does.
const Header = "X-Replaycheck-Conversation"

// key tells groups apart: by the name that the client gives, or by a sum of its
// API key.
type key struct {
	scenario *Scenario
	name     string // "" for an API key
	sum      [sha256.Size]byte
}

// target is where a request is to go.
type target struct {
	scenario *Scenario
	key      key    // of the group
	name     string // of the group; "" for one of a key, which is numbered
	named    bool   // by the client
	path     string // the API's own
	api      native.API
}

// wellNamed reports whether a conversation may be called so.
func wellNamed(name string) bool {
	for i, c := range []byte(name) {
		letter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_'
		if !letter && (i == 0 || c != '.' && c != '-') {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

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
		if !wellNamed(name) {
			return t, fmt.Errorf("got the conversation %q, want up to 64 of A-Z a-z 0-9 . _ -", short(name))
		}
		t.name, t.named, t.path = name, true, "/"+after
	}
	if dotted(t.path) {
		return t, fmt.Errorf("the path %q has a dot segment", short(t.path))
	}
	if name := r.Header.Get(Header); name != "" && !t.named {
		if !wellNamed(name) {
			return t, fmt.Errorf("%s: got %q, want up to 64 of A-Z a-z 0-9 . _ -", Header, short(name))
		}
		t.name, t.named = name, true
	}
	t.api = apiOf(t.path)
	t.key.scenario = t.scenario
	switch secret := keyOf(r); {
	case t.named:
		t.key.name = t.name
	case secret != "":
		t.key.sum = s.sum(secret)
	default:
		t.name = "no key"
	}
	return t, nil
}

// sum tells API keys apart. Whoever finds one in memory can't try keys on it.
func (s *Server) sum(secret string) [sha256.Size]byte {
	var room [256]byte
	return sha256.Sum256(append(append(room[:0], s.secret[:]...), secret...))
}

func newSecret() (out [32]byte) {
	_, _ = rand.Read(out[:]) // never fails, see its doc comment
	return out
}

// keyOf is the API key of a request, wherever providers take it.
func keyOf(r *http.Request) string {
	for _, name := range []string{"X-Goog-Api-Key", "Authorization", "X-Api-Key", "Api-Key"} {
		if values := r.Header[name]; len(values) > 0 && values[0] != "" { // the names are canonical
			return values[0]
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
	if strings.IndexByte(path, '%') >= 0 {
		if p, err := url.PathUnescape(path); err == nil {
			path = p
		}
	}
	if !strings.Contains(path, "/.") && !strings.HasPrefix(path, ".") {
		return false
	}
	for seg := range strings.SplitSeq(path, "/") {
		if seg == "." || seg == ".." {
			return true
		}
	}
	return false
}

// maxShort is how many bytes of a text short leaves.
const maxShort = 100

func short(s string) string {
	if len(s) > maxShort {
		s = strings.ToValidUTF8(s[:maxShort], "") + "…"
	}
	return s
}
