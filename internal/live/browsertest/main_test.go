package browsertest_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"example.com/replaycheck/fakeserver/script"
	"example.com/replaycheck/internal/live"
)

const weather = `
title: One signed call, its result, the answer
replies:
- parts:
  - thought: The user wants the weather.
  - call: {name: weather, args: {city: "<script>window.run=1</script>"}, id: fc-1}
    signed: true
- text: "It is 7 °C in Leipzig. <img src=x onerror=window.run=1>"
`

// chromium finds a browser, or skips the test by name.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("no chromium on PATH and none in $CHROMIUM: the page was not looked at")
	return ""
}

// browser is a tab that notes what it asks for and what goes wrong in it.
type browser struct {
	ctx context.Context
	t   *testing.T

	mu       sync.Mutex
	asked    []string
	problems []string
}

func open(t *testing.T) *browser {
	t.Helper()
	path := chromium(t)
	alloc, cancelAlloc := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 900), chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("no-first-run", true), chromedp.WSURLReadTimeout(60*time.Second),
	)...)
	tab, cancelTab := chromedp.NewContext(alloc)
	ctx, cancelTime := context.WithTimeout(tab, 2*time.Minute)
	t.Cleanup(func() {
		cancelTime()
		_ = chromedp.Cancel(tab) // waits until the browser has ended
		cancelTab()
		cancelAlloc()
	})
	b := &browser{ctx: ctx, t: t}
	err := chromedp.Listen(ctx, func(ev any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch ev := ev.(type) {
		case *network.EventRequestWillBeSent:
			b.asked = append(b.asked, ev.Request.URL)
		case *runtime.EventExceptionThrown:
			b.problems = append(b.problems, ev.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			b.problems = append(b.problems, "console "+ev.Type.String())
		case *log.EventEntryAdded:
			b.problems = append(b.problems, ev.Entry.Text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	return b
}

func call[P, R any](b *browser, cmd cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, cmd, params); err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) dark(on bool) {
	value := "light"
	if on {
		value = "dark"
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}}})
}

// value evaluates a script; a promise is waited for.
func value[T any](b *browser, js string) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", js, err)
	}
	return out
}

func (b *browser) text(js string) string    { b.t.Helper(); return value[string](b, js) }
func (b *browser) number(js string) float64 { b.t.Helper(); return value[float64](b, js) }

// until waits until a script's value is true.
func (b *browser) until(js string) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Poll[bool](js, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(20*time.Second)))
	if err != nil {
		b.t.Fatalf("%s: %v; the page says: %s", js, err, b.text(`document.body.innerText.slice(0, 2000)`))
	}
}

// clean fails the test on anything that went wrong in the page and on requests
// to anyone but its server.
func (b *browser) clean(base string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("the page: %s", p)
	}
	for _, u := range b.asked {
		if !strings.HasPrefix(u, base) {
			b.t.Errorf("the page asked %s for something", u)
		}
	}
}

// shoot keeps a picture where $REPLAYCHECK_SCREENSHOTS names a folder.
func (b *browser) shoot(name string) {
	b.t.Helper()
	dir := os.Getenv("REPLAYCHECK_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// contrast is that of a selector's text on its own background, by the formula of
// WCAG 2.
const contrast = `(function (selector) {
  const parse = (c) => c.match(/[\d.]+/g).slice(0, 3).map(Number);
  const lum = (c) => { const [r, g, b] = parse(c).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const e = document.querySelector(selector), s = getComputedStyle(e);
  let under = e; while (/(, 0\)|transparent)$/.test(getComputedStyle(under).backgroundColor)) under = under.parentElement;
  const a = lum(s.color), b = lum(getComputedStyle(under).backgroundColor);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
})`

func serve(t *testing.T) (s *live.Server, base string, stop func()) {
	t.Helper()
	sc, err := script.Parse("weather.yaml", weather)
	if err != nil {
		t.Fatal(err)
	}
	s, err = live.New(live.Options{Scenarios: []live.Scenario{{ID: sc.Name, Title: sc.Title, Play: sc.Play, Left: sc.Left}}})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.Serve(ctx, ln); err != nil {
			t.Error(err)
		}
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
		s.Close()
	})
	t.Cleanup(stop)
	return s, "http://" + ln.Addr().String(), stop
}

// post sends one request of an app.
func post(t *testing.T, url, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: tr, Timeout: time.Minute}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}

const (
	model = "/v1beta/models/gemini-3.8-flash:generateContent"
	user  = `{"role":"user","parts":[{"text":"How is the <b>weather</b>?"}]}`
	// What came back without its signature, and the result of the call.
	lost   = `{"role":"model","parts":[{"text":"The user wants the weather.","thought":true},{"functionCall":{"id":"fc-1","name":"weather","args":{"city":"<script>window.run=1</script>"}}}]}`
	result = `{"role":"user","parts":[{"functionResponse":{"id":"fc-1","name":"weather","response":{"result":"<script>window.run=1</script>"}}}]}`
)
