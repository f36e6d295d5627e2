package fakeserver_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/replaycheck/fakeserver"
)

// endless is a body that is not held in memory.
type endless struct{ left int64 }

func (e *endless) Read(b []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(b)), e.left))
	for i := range b[:n] {
		b[i] = ' '
	}
	e.left -= int64(n)
	return n, nil
}

func TestLimitsAreErrorsAndAnsweredInShape(t *testing.T) {
	for _, row := range []struct {
		name     string
		options  fakeserver.Options
		path     string
		google   bool
		bodies   []int // sizes
		option   string
		refused  int // how many of the requests
		recorded int
		want     string
	}{
		{"one body", fakeserver.Options{MaxBody: 100}, "/v1/responses", false, []int{101, 100}, "MaxBody", 1, 1, "request body of 101 bytes, limit 100: raise Options.MaxBody"},
		{"one body, gemini", fakeserver.Options{MaxBody: 100}, generate, true, []int{5000}, "MaxBody", 1, 0, "request body of 5000 bytes, limit 100: raise Options.MaxBody"},
		{"all bytes", fakeserver.Options{MaxBytes: 2500}, generate, true, []int{1000, 1000, 1000}, "MaxBytes", 1, 2, ", limit 2500: raise Options.MaxBytes"},
		{"all bytes, by headers", fakeserver.Options{MaxBytes: 40}, generate, true, []int{2}, "MaxBytes", 1, 0, ", limit 40: raise Options.MaxBytes"},
		{"count", fakeserver.Options{MaxExchanges: 2}, "/v1/responses", false, []int{9, 9, 9, 9}, "MaxExchanges", 2, 2, "request 3, limit 2: raise Options.MaxExchanges"},
	} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, chunked %t", row.name, chunked), func(t *testing.T) {
				s, c := start(t, row.options)
				p := s.Play(script())
				refused := 0
				for _, size := range row.bodies {
					var body io.Reader = strings.NewReader("{" + strings.Repeat(" ", size-2) + "}")
					if chunked {
						body = io.MultiReader(body)
					}
					r, err := http.NewRequest(http.MethodPost, p.URL()+row.path, body)
					if err != nil {
						t.Fatal(err)
					}
					got := do(t, c, r)
					if got.status == 413 {
						refused++
						verifyShape(t, got.body, row.google, "413", "INVALID_ARGUMENT")
						if !strings.Contains(got.body, "raise Options."+row.option) {
							t.Errorf("got %s", got.body)
						}
					}
				}
				rec := p.Close()
				limit, ok := errors.AsType[*fakeserver.LimitError](rec.Err)
				if !ok || limit.Option != row.option || refused != row.refused || len(rec.Exchanges) != row.recorded {
					t.Fatalf("got %d refused, %d recorded, %v", refused, len(rec.Exchanges), rec.Err)
				}
				if !chunked && !strings.Contains(rec.Err.Error(), row.want) || !strings.HasPrefix(rec.Err.Error(), `fakeserver: record POST "`+row.path+`": `) {
					t.Errorf("got %v, want %q", rec.Err, row.want)
				}
			})
		}
	}
}

func TestALimitBelowZeroIsRefused(t *testing.T) {
	if s, err := fakeserver.Start(fakeserver.Options{MaxBytes: -1}); err == nil || s != nil || !strings.Contains(err.Error(), "MaxBytes:-1") {
		t.Errorf("got %v", err)
	}
}

func TestAStrayWithALargeBodySeesWhy(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	r, err := http.NewRequest(http.MethodPost, hostOf(s.Play(script()))+generate, &endless{20 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if got := do(t, c, r); got.status != 404 {
		t.Errorf("got %+v", got)
	}
}

func TestRefusedBodiesGiveTheirRoomBack(t *testing.T) {
	s, c := start(t, fakeserver.Options{MaxBody: 1000, MaxBytes: 4000, MaxExchanges: 1})
	p := s.Play(script())
	for range 20 {
		post(t, c, p.URL()+generate, "{"+strings.Repeat(" ", 900)+"}")
	}
	text := p.Close().Err.Error()
	if strings.Contains(text, "MaxBytes") || !strings.HasSuffix(text, "fakeserver: 11 more errors like these") {
		t.Errorf("got %s", text)
	}
}

func TestAHugeBodyIsRefusedInBoundedMemory(t *testing.T) {
	for _, chunked := range []bool{false, true} {
		s, c := start(t, fakeserver.Options{MaxBody: 1 << 20})
		p := s.Play(script(gemini))
		const size = 100 << 20
		r, err := http.NewRequest(http.MethodPost, p.URL()+generate, &endless{size})
		if err != nil {
			t.Fatal(err)
		}
		if !chunked {
			r.ContentLength = size
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := do(t, c, r)
		runtime.ReadMemStats(&after)
		if got.status != 413 || !strings.Contains(got.body, "limit 1048576: raise Options.MaxBody") {
			t.Errorf("chunked %t: got %+v", chunked, got)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
			t.Errorf("chunked %t: %d bytes were allocated for a body over the limit of %d", chunked, grown, 1<<20)
		}
		if rec := p.Close(); rec.Err == nil || len(rec.Exchanges) != 0 || rec.Leftover != 1 {
			t.Errorf("got %+v", rec)
		}
	}
}

func TestAnnouncedBodyOverTheLimitIsNotAskedFor(t *testing.T) {
	s, _ := start(t, fakeserver.Options{MaxBody: 10})
	p := s.Play(script())
	c := dialRaw(t, p.URL())
	defer c.conn.Close()
	request := strings.Replace(string(rawRequest(p.URL(), generate, strings.Repeat(" ", 100))), "\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n", 1)
	head, _, _ := strings.Cut(request, "\r\n\r\n")
	if _, err := io.WriteString(c.conn, head+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := c.in.ReadString('\n'); err != nil || !strings.Contains(line, "413") {
		t.Errorf("got %q %v, want 413 at once", line, err)
	}
}

// waiting sends a request up to the middle of its body and returns when the
// server is known to read on.
func waiting(t *testing.T, base string) *rawConn {
	t.Helper()
	c := dialRaw(t, base)
	request := string(rawRequest(base, generate, strings.Repeat(" ", 100)))
	head, body, _ := strings.Cut(request, "\r\n\r\n")
	if _, err := io.WriteString(c.conn, head+"\r\nExpect: 100-continue\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := c.in.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatal(line, err)
	}
	if _, err := io.WriteString(c.conn, body[:10]); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAClientThatHangsUpMidBodyIsNoted(t *testing.T) {
	s, _ := start(t, fakeserver.Options{})
	p := s.Play(script(gemini))
	c := waiting(t, p.URL())
	c.conn.Close()
	rec := p.Close()
	want := `fakeserver: record POST "` + generate + `": the request body ended after 10 of 100 bytes: unexpected EOF`
	if rec.Err == nil || rec.Err.Error() != want || len(rec.Exchanges) != 0 || rec.Leftover != 1 {
		t.Errorf("got %+v\nwant %s", rec, want)
	}
}

func TestABrokenChunkIsAnsweredAndNoted(t *testing.T) {
	s, _ := start(t, fakeserver.Options{})
	p := s.Play(script(gemini))
	c := dialRaw(t, p.URL())
	defer c.conn.Close()
	head, _, _ := strings.Cut(string(rawRequest(p.URL(), generate, "")), "Content-Length")
	if _, err := io.WriteString(c.conn, head+"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nXYZ\r\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := c.in.ReadString('\n'); err != nil || !strings.Contains(line, "400") {
		t.Errorf("got %q %v", line, err)
	}
	if rec := p.Close(); rec.Err == nil || !strings.Contains(rec.Err.Error(), "the request body ended after 3 bytes: ") || len(rec.Exchanges) != 0 {
		t.Errorf("got %+v", rec)
	}
}

func within(t *testing.T, most time.Duration, what string, f func()) {
	t.Helper()
	begin := time.Now()
	f()
	if took := time.Since(begin); took > most {
		t.Errorf("%s took %v, want at most %v", what, took, most)
	}
}

func TestSlowClientsDoNotBlockClose(t *testing.T) {
	s, _ := start(t, fakeserver.Options{MaxBody: 1000})
	big := strings.Repeat("x", 64<<20)
	reading := s.Play(script(fakeserver.Reply{Endpoint: "gemini", Plain: big}, fakeserver.Reply{Endpoint: "gemini", Plain: big}))
	for _, path := range []string{generate, generate} { // asks and never reads
		c := dialRaw(t, reading.URL())
		defer c.conn.Close()
		if _, err := c.conn.Write(rawRequest(reading.URL(), path, `{}`)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.in.ReadByte(); err != nil {
			t.Fatal(err)
		}
	}
	sending, refused := s.Play(script()), s.Play(script())
	defer waiting(t, sending.URL()).conn.Close()
	// Announces too much and stops in the middle, while the server drains it.
	c := dialRaw(t, refused.URL())
	defer c.conn.Close()
	if _, err := c.conn.Write(rawRequest(refused.URL(), generate, strings.Repeat(" ", 100_000))[:5000]); err != nil {
		t.Fatal(err)
	}
	for refused.Record().Err == nil {
		runtime.Gosched()
	}
	within(t, time.Second, "Play.Close while a body comes", func() {
		if rec := sending.Close(); rec.Err == nil {
			t.Error("got no error for a body that never ended")
		}
	})
	within(t, time.Second, "Play.Close while replies go out", func() {
		if rec := reading.Close(); len(rec.Exchanges) != 2 || !rec.Exchanges[0].Cut || len(rec.Exchanges[0].Reply) == len(big) {
			t.Errorf("got %d exchanges", len(rec.Exchanges))
		}
	})
	within(t, time.Second, "Play.Close while draining", func() { refused.Close() })
}

func TestServerCloseEndsWhateverClientsDo(t *testing.T) {
	s, _ := start(t, fakeserver.Options{})
	p := s.Play(script(fakeserver.Reply{Endpoint: "gemini", Plain: strings.Repeat("x", 64<<20)}))
	unread := dialRaw(t, p.URL())
	defer unread.conn.Close()
	if _, err := unread.conn.Write(rawRequest(p.URL(), generate, `{}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := unread.in.ReadByte(); err != nil {
		t.Fatal(err)
	}
	defer waiting(t, p.URL()).conn.Close()
	silent, loris := dialRaw(t, p.URL()), dialRaw(t, p.URL())
	defer silent.conn.Close()
	defer loris.conn.Close()
	if _, err := io.WriteString(loris.conn, "POST / HTTP/1.1\r\nHo"); err != nil {
		t.Fatal(err)
	}
	within(t, time.Second, "Server.Close", s.Close)
	within(t, time.Second, "Server.Close again", s.Close)
	if _, err := silent.in.ReadByte(); err == nil {
		t.Error("a connection was left open")
	}
	rec := p.Close()
	if len(rec.Exchanges) != 1 || !rec.Exchanges[0].Cut || rec.Err == nil {
		t.Errorf("got %d exchanges, %v", len(rec.Exchanges), rec.Err)
	}
}

func TestWhatIsNoHTTPRequestIsCountedAsStray(t *testing.T) {
	flood := "POST /r/x/v1/responses HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X-Flood: "+strings.Repeat("y", 1000)+"\r\n", 2000) + "\r\n"
	for _, row := range []struct{ name, text, want string }{
		{"garbage", "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", "400 Bad Request"},
		{"header flood", flood, "431 Request Header Fields Too Large"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, _ := start(t, fakeserver.Options{})
			p := s.Play(script())
			c := dialRaw(t, p.URL())
			defer c.conn.Close()
			go func() { _, _ = io.WriteString(c.conn, row.text) }()
			if line, err := c.in.ReadString('\n'); err != nil || !strings.Contains(line, row.want) {
				t.Errorf("got %q %v", line, err)
			}
			s.Close()
			if got := s.Strays(); got != 1 {
				t.Errorf("got %d strays", got)
			}
			if rec := p.Close(); rec.Err != nil || len(rec.Exchanges) != 0 {
				t.Errorf("got %+v", rec)
			}
		})
	}
}

func TestManyHeadersAreKept(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	p := s.Play(script(gemini))
	r, err := http.NewRequest(http.MethodPost, p.URL()+generate, strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		r.Header.Set(fmt.Sprintf("X-Many-%d", i), strings.Repeat("y", 500))
	}
	if got := do(t, c, r); got.status != 200 {
		t.Errorf("got %+v", got)
	}
	if ex := p.Close().Exchanges[0]; len(ex.Header) < 1000 || len(ex.Header.Get("X-Many-999")) != 500 {
		t.Errorf("got %d headers", len(ex.Header))
	}
}
