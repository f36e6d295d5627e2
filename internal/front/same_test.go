package front_test

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var dates = regexp.MustCompile(`(?m)^Date: .*\r\n`)

// answers is all that a server sends to some bytes, which come in pieces. Dates are
// left out, and header lines stand in the order of their names.
func answers(t testing.TB, c *net.UnixConn, pieces ...[]byte) string {
	t.Helper()
	defer func() { _ = c.Close() }()
	var wg sync.WaitGroup
	wg.Go(func() {
		for _, piece := range pieces {
			if _, err := c.Write(piece); err != nil {
				return // it has its answer and left
			}
		}
		_ = c.CloseWrite()
	})
	got, _ := io.ReadAll(c) // where the server left with bytes unread: what came before
	wg.Wait()
	text := dates.ReplaceAllString(string(got), "Date: now\r\n")
	var out strings.Builder
	for {
		i := strings.Index(text, "HTTP/1.1 ")
		if i < 0 {
			break
		}
		end := strings.Index(text[i:], "\r\n\r\n")
		if end < 0 {
			break
		}
		lines := strings.Split(text[i:i+end], "\r\n")
		slices.Sort(lines[1:])
		out.WriteString(text[:i] + strings.Join(lines, "\r\n"))
		text = text[i+end:]
	}
	return out.String() + text
}

// pair is a server of each kind.
type pair struct{ front, standard func() *net.UnixConn }

func newPair(t testing.TB) pair {
	t.Helper()
	server := func() *http.Server { return &http.Server{Handler: http.HandlerFunc(handle), ErrorLog: quiet()} }
	return pair{fronted(t, server()), standard(t, server())}
}

// same wants both servers to answer the same.
func (p pair) same(t testing.TB, pieces ...[]byte) {
	t.Helper()
	var got, want string
	var wg sync.WaitGroup
	one, other := p.front(), p.standard()
	wg.Go(func() { got = answers(t, one, pieces...) })
	want = answers(t, other, pieces...)
	wg.Wait()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("to %.300q in %d pieces, want as net/http answers (-), got (+):\n%s", bytes.Join(pieces, nil), len(pieces), diff)
	}
}

// Whatever is asked, and however it comes, the answer is net/http's: alone, after
// plain requests and before one.
func TestSameAsNetHTTP(t *testing.T) {
	p := newPair(t)
	plain := post("/v1/x", "before")
	for name, request := range requests() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // some wait, as net/http does, for a client to read its answer
			b := []byte(request)
			p.same(t, []byte(plain+request+plain))
			if strings.HasSuffix(name, " of 300 kB") {
				return // both wait for half a second each time
			}
			p.same(t, b)
			p.same(t, []byte(plain), b)
			if len(b) < 1_000 {
				p.same(t, slices.Collect(slices.Chunk(b, 1))...)
			}
			if head := bytes.Index(b, []byte("\r\n\r\n")); head > 0 {
				p.same(t, b[:head+4], b[head+4:])
				p.same(t, b[:head+2], b[head+2:])
			}
		})
	}
}

// Requests that follow each other in one connection, and end anywhere.
func TestSameInARow(t *testing.T) {
	p := newPair(t)
	all := requests()
	delete(all, "head of 1.1 MB")
	for _, name := range []string{"/hijack", "/hijack of nothing"} { // how much of what follows was read by then is chance
		delete(all, name)
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range all {
			if !yield(name) {
				return
			}
		}
	})
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var text strings.Builder
		for range 2 + rng.IntN(5) {
			if rng.IntN(3) > 0 {
				text.WriteString(post("/v1/x", strings.Repeat("p", rng.IntN(3_000))))
			} else {
				text.WriteString(all[names[rng.IntN(len(names))]])
			}
		}
		b := []byte(text.String())
		if rng.IntN(4) == 0 {
			b = b[:rng.IntN(len(b))]
		}
		p.same(t, slices.Collect(slices.Chunk(b, 1+rng.IntN(len(b)+1)))...)
	}
}

func FuzzSameAsNetHTTP(f *testing.F) {
	for _, request := range requests() {
		if len(request) < 1_000 {
			f.Add([]byte(request), 0)
		}
	}
	p := newPair(f)
	f.Fuzz(func(t *testing.T, b []byte, piece int) {
		if len(b) == 0 || len(b) > 10_000 {
			return
		}
		if piece < 1 || piece > len(b) {
			piece = len(b)
		}
		p.same(t, slices.Collect(slices.Chunk(b, piece))...)
	})
}

// What is plain is answered here: else the comparison would say nothing.
func TestPlainStaysHere(t *testing.T) {
	given := make(chan net.Conn, 1)
	dial := fronted(t, &http.Server{
		Handler: http.HandlerFunc(handle),
		ConnState: func(c net.Conn, state http.ConnState) {
			if state == http.StateNew {
				given <- c
			}
		},
	})
	c := dial()
	defer func() { _ = c.Close() }()
	in := bufio.NewReader(c)
	ask := func(request string) {
		t.Helper()
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		answer(t, in)
	}
	for _, body := range []string{"", "a", strings.Repeat("b", 5_000), strings.Repeat("c", 2_000_000)} {
		ask(post("/v1/x", body, "Content-Type: application/json"))
	}
	for _, path := range []string{"/pieces", "/large", "/watched", "/unread"} {
		ask(post(path, "b"))
	}
	select {
	case <-given:
		t.Fatal("a plain request was given to net/http")
	default:
	}
	ask("GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
	ask(post("/v1/x", "after"))
	select {
	case <-given:
	default:
		t.Error("a GET was not given to net/http")
	}
}
