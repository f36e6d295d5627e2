package live

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/result"
)

// keptExchange is an exchange in the list of a conversation's files.
type keptExchange struct {
	Request int         `json:"request,omitempty"` // as findings number it; 0: not judged
	Method  string      `json:"method"`
	Path    string      `json:"path"`
	Query   string      `json:"query,omitempty"` // keys redacted, as in Header
	Header  http.Header `json:"header"`
	Status  int         `json:"status"`
	Type    string      `json:"content_type"`
	Rule    string      `json:"rule,omitempty"` // that it breaks
	Why     string      `json:"why,omitempty"`
	Notes   []string    `json:"notes,omitempty"`
	Fault   string      `json:"fault,omitempty"`
	Cut     bool        `json:"cut,omitempty"`
	Sent    string      `json:"sent"`     // file with the request's body
	Got     string      `json:"answered"` // file with the reply's
}

// keep writes the exchanges of conversations as files below Options.Keep. What
// goes wrong is kept for Kept.
func (s *Server) keep(list ...*conversation) {
	if s.options.Keep == "" {
		return
	}
	s.keeping.Lock()
	defer s.keeping.Unlock()
	for _, c := range list {
		if c.kept {
			continue
		}
		c.kept = true
		if err := s.keepOne(c); err != nil && s.notKept == nil {
			s.notKept = fmt.Errorf("live: keep conversation %s: %w", c.id(), err)
		}
	}
}

// Kept says why not all conversations were written below Options.Keep, nil if
// they were.
func (s *Server) Kept() error {
	s.keeping.Lock()
	defer s.keeping.Unlock()
	return s.notKept
}

// keepOne writes a conversation's folder, which gets its name once all is in it:
// a server that is killed leaves no half file that looks like a whole one.
func (s *Server) keepOne(c *conversation) (err error) {
	if err := os.MkdirAll(s.options.Keep, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(s.options.Keep) // nothing is written outside, whatever a scenario is called
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	dir := path.Join(c.scenario.ID, "."+c.id()+".part")
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.RemoveAll(dir)
		}
	}()
	judged := map[int]int{} // Seq → number
	if v := c.seen(); v != nil {
		for i, x := range v.requests {
			judged[x.Seq] = i + 1
		}
	}
	list := []keptExchange{}
	for _, x := range c.play.Record().Exchanges {
		k := kept(x, judged[x.Seq])
		for name, text := range map[string]string{k.Sent: x.Body, k.Got: x.Reply} {
			if err := root.WriteFile(path.Join(dir, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
		list = append(list, k)
	}
	b, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	if err := root.WriteFile(path.Join(dir, "exchanges.json"), append(b, '\n'), 0o644); err != nil {
		return err
	}
	return root.Rename(dir, c.folder())
}

func kept(x fakeserver.Exchange, n int) keptExchange {
	k := keptExchange{
		Request: n, Method: x.Method, Path: x.Path, Query: x.Query, Header: x.Header, Status: x.Status, Type: x.ReplyType,
		Notes: x.Notes, Fault: x.Fault, Cut: x.Cut,
	}
	if x.Refusal != nil {
		k.Rule, k.Why = x.Refusal.Rule, x.Refusal.Why
	}
	ending := ".json"
	if strings.HasPrefix(x.ReplyType, "text/event-stream") {
		ending = ".sse"
	}
	number := fmt.Sprint(n)
	if n == 0 {
		number = fmt.Sprintf("unjudged-%d", x.Seq)
	}
	k.Sent, k.Got = "request-"+number+".json", "reply-"+number+ending
	return k
}

// folder is where a conversation's files are, below Options.Keep.
func (c *conversation) folder() string { return path.Join(c.scenario.ID, c.id()) }

var requestNumber = regexp.MustCompile(`^request (\d+)`)

// withFiles names the files of the requests that findings are about.
func (s *Server) withFiles(c *conversation, runs map[string]result.Run) map[string]result.Run {
	if s.options.Keep == "" {
		return runs
	}
	for id, run := range runs {
		run.Findings = slices.Clone(run.Findings)
		for i := range run.Findings {
			if m := requestNumber.FindStringSubmatch(run.Findings[i].Where); m != nil {
				run.Findings[i].Raw = path.Join(s.options.Keep, c.folder(), "request-"+m[1]+".json")
			}
		}
		runs[id] = run
	}
	return runs
}
