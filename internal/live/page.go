package live

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/replaycheck/internal/page"
	"example.com/replaycheck/internal/report"
)

//go:embed live.html live.js icon.svg
var files embed.FS

// policy lets a page load its own style and script and nothing else, from
// nowhere else, inside nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page answers below Root.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !s.ownHost(r.Host):
		http.Error(w, "replaycheck: this page answers to addresses and localhost only, not to the host name it was asked by (serve --host NAME allows one)", http.StatusForbidden)
		return
	case foreign(r):
		http.Error(w, "replaycheck: another site's page may not read this", http.StatusForbidden)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "replaycheck: only GET", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path+"/" == Root {
		http.Redirect(w, r, Root, http.StatusFound)
		return
	}
	s.pageAt(w, r, strings.TrimPrefix(r.URL.Path, Root))
}

// ownHost reports whether a request was made to this machine by address or as
// localhost: a name that somebody else can point here is refused.
func (s *Server) ownHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	return net.ParseIP(name) != nil || name == "localhost" || slices.Contains(s.options.Hosts, name)
}

// foreign reports whether a browser says that a request is another site's doing,
// following a link apart.
func foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
}

func (s *Server) pageAt(w http.ResponseWriter, r *http.Request, path string) {
	switch {
	case path == "":
		s.show(w, r, "overview", s.overview(r.Host))
	case path == "style.css":
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write([]byte(page.Style()))
	case path == "live.js":
		file(w, path, "text/javascript; charset=utf-8")
	case path == "icon.svg":
		file(w, path, "image/svg+xml")
	case strings.HasPrefix(path, "c/"):
		if c := s.journal.get(strings.TrimPrefix(path, "c/")); c != nil {
			s.show(w, r, "conversation", s.detail(c))
			return
		}
		s.gone(w)
	case path == "report.html":
		w.Header().Set("Content-Security-Policy", report.Policy()+"; frame-ancestors 'none'")
		s.write(w, "text/html; charset=utf-8", func(b *bytes.Buffer) error { return report.HTML(b, s.Report()) })
	case path == "api/report.xml":
		s.write(w, "application/xml", func(b *bytes.Buffer) error { return report.JUnit(b, s.Report()) })
	case path == "api/report":
		s.write(w, "application/json", func(b *bytes.Buffer) error { return report.JSON(b, s.Report()) })
	case path == "api/conversations":
		s.json(w, s.overview(r.Host))
	case strings.HasPrefix(path, "api/conversations/"):
		if c := s.journal.get(strings.TrimPrefix(path, "api/conversations/")); c != nil {
			s.json(w, s.detail(c))
			return
		}
		s.gone(w)
	default:
		http.NotFound(w, r)
	}
}

func file(w http.ResponseWriter, name, kind string) {
	w.Header().Set("Content-Type", kind)
	text, _ := files.ReadFile(name) // it is embedded
	_, _ = w.Write(text)
}

func (s *Server) gone(w http.ResponseWriter) {
	http.Error(w, "replaycheck: there is no such conversation, or it is over and has left the journal", http.StatusNotFound)
}

// write sends what is written as a whole, or an error.
func (s *Server) write(w http.ResponseWriter, kind string, write func(*bytes.Buffer) error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		http.Error(w, "replaycheck: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(b.Bytes())
}

// show renders a page; with ?part only what changes in it. Its tag is the state
// that it shows, so that asking again costs nothing while nothing happens.
func (s *Server) show(w http.ResponseWriter, r *http.Request, name string, data any) {
	tag := `"` + strconv.FormatInt(s.journal.changes.Load(), 36) + `"`
	part := r.URL.Query().Has("part")
	w.Header().Set("ETag", tag)
	if part && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if !part {
		name += "-page"
	}
	s.write(w, "text/html; charset=utf-8", func(b *bytes.Buffer) error {
		pages, err := s.pages()
		if err != nil {
			return err
		}
		return pages.ExecuteTemplate(b, name, data)
	})
}

func functions() template.FuncMap {
	return template.FuncMap{
		"clock": func(t time.Time) string { return t.Format(time.TimeOnly) },
		"root":  func() string { return Root },
		"count": plural,
		"bytes": func(n int) string {
			switch {
			case n >= 1<<20:
				return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
			case n >= 1<<10:
				return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
			}
			return strconv.Itoa(n) + " B"
		},
	}
}
