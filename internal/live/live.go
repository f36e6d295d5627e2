// Package live puts the fake providers in front of any app: it keeps the app's
// conversations apart, judges them as they go and shows them on a page. It never
// talks to anyone.
package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/front"
	"example.com/replaycheck/internal/page"
	"example.com/replaycheck/oracles"
	"example.com/replaycheck/specs"
)

// Scenario is what conversations play.
type Scenario struct {
	ID    string
	Title string
	// Play returns the script for one conversation.
	Play func() fakeserver.Script
	// Left returns how many replies are left after n were given.
	Left func(n int) int

	shared *fakeserver.Shared // by its conversations; New makes it, as gists
	gists  *gists
}

// Options say what is served. Zero values stand for the defaults.
type Options struct {
	Scenarios []Scenario // the first is for addresses that name none; at least one
	Profile   string     // as in fakeserver.Script; "": the script's own, or by the model
	With      []string   // likewise
	// Observe answers what the provider's profile would refuse as scripted, and
	// only records the refusal.
	Observe bool
	Chaos   *fakeserver.Chaos // as in fakeserver.Script
	MaxBody int64             // bytes of one request body; 0: 64 MiB
	// MaxBytes bounds what is kept of all conversations; 0: 256 MiB. Finished and
	// judged ones leave, oldest first.
	MaxBytes int64
	// MaxConversations bounds their number likewise; 0: 1,000.
	MaxConversations int
	// Keep is a folder for the exchanges of each conversation, as files, when it
	// leaves the journal or the server is closed; "" keeps none. See Server.Kept.
	Keep string
	// HTTP2 speaks HTTP/2 in the clear to clients that begin with it.
	HTTP2   bool
	Idle    time.Duration // a conversation ends without a request for so long; 0: 10 min
	Hosts   []string      // further host names that the page answers to
	Version string        // of the tool, in reports
	Now     func() time.Time
}

func (o Options) withDefaults() Options {
	o.MaxBody = cmp.Or(o.MaxBody, 64<<20)
	o.MaxBytes = cmp.Or(o.MaxBytes, 256<<20)
	o.MaxConversations = cmp.Or(o.MaxConversations, 1000)
	o.Idle = cmp.Or(o.Idle, 10*time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Server serves conversations. Its methods are safe for concurrent use.
type Server struct {
	options Options
	oracles []oracles.Oracle
	specs   func() map[string]specs.Spec
	pages   func() (*template.Template, error)
	started time.Time
	secret  [32]byte // for telling keys apart without keeping them
	prints  maphash.Seed

	journal journal
	reading budget
	buffers buffers
	recent  recent
	unheard unheard
	judging judging
	keeping sync.Mutex
	notKept error
	done    context.CancelFunc
	wg      sync.WaitGroup
}

// New returns a server that judges until it is closed.
func New(o Options) (*Server, error) {
	if len(o.Scenarios) == 0 {
		return nil, errors.New("live: no scenario to serve")
	}
	for i, sc := range o.Scenarios {
		if slices.ContainsFunc(o.Scenarios[:i], func(other Scenario) bool { return other.ID == sc.ID }) {
			return nil, fmt.Errorf("live: two scenarios are named %q", sc.ID)
		}
	}
	// What the first answer does not need is read when it is needed.
	o.Scenarios = slices.Clone(o.Scenarios)
	for i := range o.Scenarios {
		o.Scenarios[i].shared, o.Scenarios[i].gists = &fakeserver.Shared{}, &gists{}
	}
	s := &Server{options: o.withDefaults(), oracles: oracles.All(), specs: sync.OnceValue(readSpecs), pages: sync.OnceValues(readPages)}
	s.secret, s.prints = newSecret(), maphash.MakeSeed()
	s.started = s.options.Now()
	s.journal.init()
	s.journal.runsOf = s.runsOf
	s.reading.most, s.recent.most = s.options.MaxBytes, s.options.MaxBytes/16
	s.judging.init()
	ctx, cancel := context.WithCancel(context.Background())
	s.done = cancel
	s.wg.Go(func() { s.judge(ctx) })
	s.wg.Go(func() { s.sweep(ctx) })
	return s, nil
}

// readSpecs returns the requirements by ID, none where they cannot be read:
// then nothing can be judged.
func readSpecs() map[string]specs.Spec {
	all, err := specs.All()
	if err != nil {
		return nil
	}
	out := map[string]specs.Spec{}
	for _, spec := range all {
		out[spec.ID] = spec
	}
	return out
}

func readPages() (*template.Template, error) {
	shared, err := page.New()
	if err != nil {
		return nil, err
	}
	return shared.Funcs(functions()).ParseFS(files, "*.html")
}

// Serve answers on ln until the context ends, then ends all connections and
// returns nil; an error says why it ended before.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &front.Server{HTTP: &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 20,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return s.unheard.context(fakeserver.ConnContext(ctx, c), c)
		},
		ConnState: func(c net.Conn, state http.ConnState) {
			if s.unheard.state(c, state) {
				s.journal.note(s.options.Now(), "a request that never became one: its head is no HTTP, too long or without an end")
			}
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}}
	if s.options.HTTP2 {
		srv.HTTP.Protocols = &http.Protocols{}
		srv.HTTP.Protocols.SetHTTP1(true)
		srv.HTTP.Protocols.SetUnencryptedHTTP2(true)
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		// Replies under way get a moment.
		grace, cancel := context.WithTimeout(context.Background(), 250*time.Millisecond)
		defer cancel()
		if srv.Shutdown(grace) != nil {
			_ = srv.Close()
		}
	})
	err := srv.Serve(ln)
	if !stop() {
		<-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	_ = srv.Close()
	return fmt.Errorf("live: serve: %w", err)
}

// Close ends all conversations and judges what is not judged yet. Reports can
// still be asked for.
func (s *Server) Close() {
	s.done()
	s.wg.Wait()
	for _, c := range s.journal.all() {
		c.play.Close()
		s.judgeOne(c)
		s.journal.finish(c)
		s.keep(c)
	}
}

// sweep ends conversations by time.
func (s *Server) sweep(ctx context.Context) {
	tick := time.NewTicker(max(s.options.Idle/10, 10*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.endIdle()
		}
	}
}

// endIdle ends the conversations that nothing came to for a while.
func (s *Server) endIdle() {
	for _, c := range s.journal.idle(s.options.Now().Add(-s.options.Idle)) {
		s.finish(c)
	}
}

// finish ends a conversation: nothing comes to it any more.
func (s *Server) finish(c *conversation) {
	s.journal.finish(c)
	s.judging.add(c, s.options.Now())
}
