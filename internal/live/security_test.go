package live_test

import (
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/live"
)

func paths() []string {
	return []string{
		live.Root, live.Root + "?part", live.Root + "c/c1", live.Root + "api/conversations", live.Root + "api/conversations/c1",
		live.Root + "api/report", live.Root + "api/report.xml", live.Root + "report.html", live.Root + "style.css", live.Root + "live.js",
	}
}

func TestHeaders(t *testing.T) {
	s := serve(t, live.Options{})
	talk(t, s, "/c/alice", nil)
	live.Settle(s)
	for _, path := range paths() {
		t.Run(path, func(t *testing.T) {
			g := NewWithT(t)
			a := get(t, s, path)
			g.Expect(a.status).To(Equal(http.StatusOK))
			g.Expect(a.header.Get("X-Content-Type-Options")).To(Equal("nosniff"))
			g.Expect(a.header.Get("X-Frame-Options")).To(Equal("DENY"))
			g.Expect(a.header.Get("Referrer-Policy")).To(Equal("no-referrer"))
			g.Expect(a.header.Get("Cross-Origin-Resource-Policy")).To(Equal("same-origin"))
			g.Expect(a.header.Get("Cache-Control")).To(Equal("no-store"))
			g.Expect(a.header).NotTo(HaveKey("Access-Control-Allow-Origin"))
			csp := a.header.Get("Content-Security-Policy")
			g.Expect(csp).To(And(ContainSubstring("default-src 'none'"), ContainSubstring("base-uri 'none'"), ContainSubstring("frame-ancestors 'none'")))
			g.Expect(csp).NotTo(ContainSubstring("unsafe"))
			if strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
				g.Expect(a.body).NotTo(MatchRegexp(`(?i)<script(?: defer)? [^>]*>[^<]|<script>|javascript:|\son[a-z]+=|https?://[^1w]`), "inline code, or something from elsewhere")
			}
		})
	}
}

func TestHostIsChecked(t *testing.T) {
	s := serve(t, live.Options{Hosts: []string{"fake.internal"}})
	talk(t, s, "/c/alice", nil)
	for host, status := range map[string]int{
		"127.0.0.1:4100": 200, "localhost:4100": 200, "LOCALHOST": 200, "localhost.": 200, "[::1]:4100": 200, "192.168.1.7:80": 200, "fake.internal:4100": 200,
		"evil.example:4100": 403, "127.0.0.1.evil.example": 403, "localhost.evil.example:4100": 403, "": 403, "fake.internal.evil.example": 403,
	} {
		t.Run(host, func(t *testing.T) {
			g := NewWithT(t)
			for _, path := range paths() {
				a := get(t, s, path, func(r *http.Request) { r.Host = host })
				g.Expect(a.status).To(Equal(status), path)
				if status == http.StatusForbidden {
					g.Expect(a.body).NotTo(ContainSubstring("alice"))
				}
			}
		})
	}
	// A provider is asked by whatever name the app has for it.
	NewWithT(t).Expect(send(t, s, http.MethodPost, "/c/x"+model, `{"contents":[]}`, func(r *http.Request) { r.Host = "host.docker.internal" }).status).To(Equal(200))
}

func TestOtherSitesAreKeptOut(t *testing.T) {
	s := serve(t, live.Options{})
	for _, c := range []struct {
		name, site, mode, dest string
		status                 int
	}{
		{"no browser", "", "", "", 200},
		{"its own script", "same-origin", "cors", "empty", 200},
		{"typed in", "none", "navigate", "document", 200},
		{"a link elsewhere", "cross-site", "navigate", "document", 200},
		{"another site's script", "cross-site", "cors", "empty", 403},
		{"without cors", "cross-site", "no-cors", "script", 403},
		{"another port of this host", "same-site", "cors", "empty", 403},
		{"a frame", "cross-site", "navigate", "iframe", 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := get(t, s, live.Root+"api/conversations", with("Sec-Fetch-Site", c.site), with("Sec-Fetch-Mode", c.mode), with("Sec-Fetch-Dest", c.dest), with("Origin", "https://evil.example"))
			NewWithT(t).Expect(a.status).To(Equal(c.status))
			NewWithT(t).Expect(a.header).NotTo(HaveKey("Access-Control-Allow-Origin"))
		})
	}
}

func TestMethodsAndPaths(t *testing.T) {
	g := NewWithT(t)
	s := serve(t, live.Options{})
	for _, m := range []string{http.MethodPost, http.MethodDelete, http.MethodOptions} {
		g.Expect(send(t, s, m, live.Root+"api/report", "").status).To(Equal(http.StatusMethodNotAllowed), m)
	}
	for path, status := range map[string]int{
		"/": 302, "/_replaycheck": 302, "/favicon.ico": 404, live.Root + "nothing": 404, live.Root + "c/": 404, live.Root + "c/c99": 404,
		live.Root + "../secret": 404, live.Root + "api/conversations/..": 404, live.Root + "live.html": 404,
	} {
		g.Expect(get(t, s, path).status).To(Equal(status), path)
	}
	g.Expect(look(t, s).Conversations).To(BeEmpty(), "none of these is a conversation")
}

// What a client or a model says is shown, never run; keys are shown nowhere.
func TestEscapedAndRedacted(t *testing.T) {
	const evil = `</pre></code><script>alert(1)</script><img src=x onerror=alert(1)>`
	quoted := strings.ReplaceAll(evil, `"`, `\"`)
	g := NewWithT(t)
	text := "replies:\n- parts:\n  - text: '" + evil + "'\n  - call: {name: '" + evil + "', args: {a: '" + evil + "'}, id: '" + evil + "'}\n    signed: true\n- text: ok\n"
	s := serve(t, live.Options{Scenarios: []live.Scenario{scenario(t, "weather", text)}, Observe: true})
	c := &client{t: t, s: s, base: "/c/alice", lose: func(turn string) string {
		return strings.Replace(drop(turn), `"role"`, `"`+quoted+`":1,"role"`, 1)
	}, changes: []func(*http.Request){
		with("Authorization", "Bearer sk-secret-1"), with("X-Goog-Api-Key", "sk-secret-2"), with("Cookie", "sk-secret-3"), with("User-Agent", evil),
		func(r *http.Request) { r.URL.RawQuery = "key=sk-secret-4&x=" + `%3Cscript%3E` },
	}}
	c.say(quoted)
	c.result(quoted)
	send(t, s, http.MethodPost, "/c/alice/v1/"+`%3Cscript%3Ealert(1)`, "{}")
	send(t, s, http.MethodPost, "/c/"+`%3Cscript%3E/x`, "{}")
	live.Settle(s)
	seen := 0
	for _, path := range paths() {
		a := get(t, s, path)
		g.Expect(a.status).To(Equal(http.StatusOK), path)
		g.Expect(a.body).NotTo(ContainSubstring("sk-secret"), path)
		if strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			g.Expect(a.body).NotTo(ContainSubstring("<script>"), path)
			g.Expect(a.body).NotTo(ContainSubstring("<img"), path)
			seen += strings.Count(a.body, "&lt;script&gt;")
		}
	}
	g.Expect(seen).To(BeNumerically(">", 10), "it is shown")
}
