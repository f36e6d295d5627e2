package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strings"
	"syscall"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/internal/subject"
)

// driverMain is a driver that is bad in the way its first argument says. Those
// after a + describe themselves well and are bad at their task only.
//
// It ends without the second that the race detector takes at an ordinary exit:
// one run of the command starts hundreds of drivers.
func driverMain() {
	syscall.Exit(drive(os.Args[1], os.Args[2:]))
}

func drive(how string, args []string) (code int) {
	line, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 9
	}
	bad, atTask := strings.CutPrefix(how, "+")
	if atTask && bytes.HasPrefix(line, []byte(`{"describe"`)) || wellMannered[how] != nil {
		s := sender{how: bad}
		if err := subject.Serve(context.Background(), s, bytes.NewReader(line), os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	switch bad {
	case "silent":
	case "two-lines":
		fmt.Println(`{"describe":{"v":1}}`)
		fmt.Println(`{"describe":{"v":1}}`)
	case "garbage":
		fmt.Println("Hello \x1b[31mworld")
	case "exit":
		fmt.Fprintln(os.Stderr, "no such module")
		return 3
	case "flood":
		chunk := bytes.Repeat([]byte("x"), 1<<20)
		for range 200 {
			if _, err := os.Stdout.Write(chunk); err != nil {
				return 9
			}
		}
	case "hang":
		hang(args)
	}
	return 0
}

// hang never ends. With an address it first connects there, and holds the
// connection as long as it lives.
func hang(args []string) {
	if len(args) > 0 {
		if _, err := net.Dial("tcp", args[0]); err != nil {
			return
		}
	}
	never, writer, err := os.Pipe()
	if err != nil {
		return
	}
	defer writer.Close()
	_, _ = never.Read(make([]byte, 1)) // not select{}: the runtime would call that a deadlock
}

// wellMannered are the drivers that keep to the protocol.
var wellMannered = map[string]func(context.Context, subject.Task) (subject.Outcome, error){
	"sends-nothing":   sendsNothing,
	"sends-one":       sendsOne,
	"no-capabilities": sendsOne,
	"strips":          strips,
}

// sender is a subject of the tests.
type sender struct{ how string }

func (s sender) Describe(context.Context) (subject.Description, error) {
	d := subject.Description{
		V: subject.Version, Name: "drv", Version: "1", Docs: "https://example.com/drv",
		Providers:    map[string]subject.Provider{subject.Gemini: {}, subject.OpenAIResponses: {}, subject.OpenAIChat: {}},
		Modes:        []string{"plain", "stream"},
		Stops:        []string{},
		State:        "none",
		Capabilities: []string{subject.Tools, subject.Parallel, subject.Sequential},
	}
	switch s.how {
	case "no-capabilities":
		d.Capabilities = nil
	case "strips":
		d.State, d.Stops = "library", []string{subject.StopAtToolCalls, subject.StopAtAnswer}
	}
	return d, nil
}

func (s sender) Run(ctx context.Context, task subject.Task) (subject.Outcome, error) {
	run := wellMannered[s.how]
	if run == nil {
		return subject.Outcome{}, errors.New("not asked to run")
	}
	return run(ctx, task)
}

// sendsNothing answers every prompt out of thin air.
func sendsNothing(_ context.Context, task subject.Task) (subject.Outcome, error) {
	o := subject.Outcome{V: subject.Version}
	for l, leg := range task.Legs {
		for p := range leg.Prompts {
			o.Answers = append(o.Answers, subject.Answer{Leg: l, Prompt: p, Content: "Sure."})
		}
	}
	return o, nil
}

// sendsOne sends the first prompt and takes whatever comes for the answer.
func sendsOne(ctx context.Context, task subject.Task) (subject.Outcome, error) {
	leg := task.Legs[0]
	url := leg.BaseURL + "/v1beta/models/" + leg.Model + ":generateContent"
	if leg.Stream {
		url = leg.BaseURL + "/v1beta/models/" + leg.Model + ":streamGenerateContent?alt=sse"
	}
	prompt, err := json.Marshal(leg.Prompts[0])
	if err != nil {
		return subject.Outcome{}, err
	}
	body := `{"contents":[{"role":"user","parts":[{"text":` + string(prompt) + `}]}]}`
	if leg.Provider != subject.Gemini {
		url = leg.BaseURL + "/v1/responses"
		body = fmt.Sprintf(`{"model":%q,"stream":%t,"store":false,"input":[{"role":"user","content":%s}]}`, leg.Model, leg.Stream, prompt)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return subject.Outcome{}, err
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		return subject.Outcome{}, err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return subject.Outcome{}, err
	}
	return sendsNothing(ctx, task)
}

// strips is the reference adapters with every signature taken out of the
// requests on their way.
func strips(ctx context.Context, task subject.Task) (subject.Outcome, error) {
	first, last := regexp.MustCompile(`"thoughtSignature":\s*"[^"]*"\s*,`), regexp.MustCompile(`,?\s*"thoughtSignature":\s*"[^"]*"`)
	for i, leg := range task.Legs {
		target, err := url.Parse(leg.BaseURL)
		if err != nil {
			return subject.Outcome{}, err
		}
		proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host})
			body, err := io.ReadAll(r.In.Body)
			if err != nil {
				return
			}
			body = last.ReplaceAll(first.ReplaceAll(body, nil), nil)
			r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}})
		defer proxy.Close()
		task.Legs[i].BaseURL = proxy.URL + target.Path
	}
	return reference.New().Run(ctx, task)
}

// stubbornMain says when it is ready for an interrupt, and when it saw the
// first; then it would go on for ever.
func stubbornMain() {
	conn, err := net.Dial("tcp", os.Args[1])
	if err != nil {
		os.Exit(9)
	}
	ctx, stop := interruptible(context.Background())
	defer stop()
	_, _ = io.WriteString(conn, "r")
	<-ctx.Done()
	// The hook that gives signals their default meaning back may still be on
	// its way; this one runs after it.
	stop()
	_, _ = io.WriteString(conn, "1")
	select {}
}
