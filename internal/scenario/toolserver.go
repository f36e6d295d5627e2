package scenario

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"

	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
)

// toolServer runs the tools of an agent scenario for its processes, and keeps
// count: what a process that dies did is known only outside of it.
type toolServer struct {
	http  *httptest.Server
	box   *subject.Toolbox
	begun func(ctx context.Context, runID string) int

	mu     sync.Mutex
	ids    []string // run by attempt
	calls  map[int][]ToolCall
	hold   *hold
	closed bool
}

// hold keeps the calls of one attempt waiting.
type hold struct {
	attempt int
	want    int           // how many calls to wait for
	come    int           // how many have come
	arrived chan struct{} // closed when they are there
	release chan struct{} // closed to let them go on
}

func startTools(task subject.Task, begun func(context.Context, string) int) *toolServer {
	s := &toolServer{box: subject.NewToolbox(task), begun: begun, calls: map[int][]ToolCall{}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// close ends the server, twice or once, and waits for the calls under way.
func (s *toolServer) close() {
	s.mu.Lock()
	if s.hold != nil && !s.closed {
		s.let()
	}
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
}

// url returns the URL for a new attempt, and its number.
func (s *toolServer) url(runID string) (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids = append(s.ids, runID)
	return s.http.URL + "/" + strconv.Itoa(len(s.ids)-1), len(s.ids) - 1
}

// of returns the calls of an attempt so far.
func (s *toolServer) of(attempt int) []ToolCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]ToolCall(nil), s.calls[attempt]...)
}

// stall holds the calls of the next attempt until there are as many as wanted
// and let is called.
func (s *toolServer) stall(want int) *hold {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = &hold{attempt: len(s.ids), want: want, arrived: make(chan struct{}), release: make(chan struct{})}
	s.closed = false
	return s.hold
}

// let lets the calls that are held go on; s.mu is locked.
func (s *toolServer) let() {
	if !s.closed {
		close(s.hold.release)
		s.closed = true
	}
}

func (s *toolServer) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.let()
}

func (s *toolServer) serve(w http.ResponseWriter, r *http.Request) {
	text, err := s.answer(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = io.WriteString(w, text)
}

func (s *toolServer) answer(r *http.Request) (string, error) {
	n, err := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
	if err != nil {
		return "", fmt.Errorf("got path %s, want the tool_url", r.URL.Path)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, subject.MaxLine))
	if err != nil {
		return "", err
	}
	v, err := wire.Parse(string(body))
	if err != nil {
		return "", err
	}
	call := ToolCall{ToolRun: subject.ToolRun{Name: v.Get("name").Text(), Arguments: v.Get("arguments").Text(), CallID: v.Get("call_id").Text()}}
	// Who asked may be dead by now; the call came all the same.
	run, held, at := s.log(context.WithoutCancel(r.Context()), n, call)
	if held != nil {
		select {
		case <-held.release:
		case <-r.Context().Done():
		}
	}
	result, err := run(context.WithoutCancel(r.Context()))
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[n][at].Result = result
	return result, nil
}

// log takes a call in, before it runs. It has its place before the database is
// asked: another call may come meanwhile.
func (s *toolServer) log(ctx context.Context, n int, call ToolCall) (func(context.Context) (string, error), *hold, int) {
	s.mu.Lock()
	id, at := "", len(s.calls[n])
	if n >= 0 && n < len(s.ids) {
		id = s.ids[n]
	}
	call.Recorded = NotCounted
	s.calls[n] = append(s.calls[n], call)
	run := s.box.Begin(call.Name, call.Arguments, call.CallID)
	s.mu.Unlock()
	recorded := s.begun(ctx, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[n][at].Recorded = recorded
	held := s.hold
	if held == nil || held.attempt != n {
		return run, nil, at
	}
	if held.come++; held.come == held.want {
		close(held.arrived)
	}
	return run, held, at
}
