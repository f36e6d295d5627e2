package front_test

import (
	"bufio"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"example.com/replaycheck/internal/front"
)

// quiet is for servers whose handlers panic on purpose.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// listen returns a listener of a kind that leaves no port in TIME_WAIT, and how to
// connect to it.
func listen(t testing.TB) (net.Listener, func() *net.UnixConn) {
	t.Helper()
	at := &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"}
	ln, err := net.ListenUnix("unix", at)
	if err != nil {
		t.Fatal(err)
	}
	return ln, func() *net.UnixConn {
		c, err := net.DialUnix("unix", nil, at)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// fronted serves plain requests by the package.
func fronted(t testing.TB, s *http.Server) func() *net.UnixConn {
	t.Helper()
	ln, dial := listen(t)
	srv := &front.Server{HTTP: s}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serve: got %v, want it closed", err)
		}
	})
	t.Cleanup(func() {
		_ = srv.Close()
		wg.Wait()
	})
	return dial
}

// standard serves all by net/http.
func standard(t testing.TB, s *http.Server) func() *net.UnixConn {
	t.Helper()
	ln, dial := listen(t)
	var wg sync.WaitGroup
	wg.Go(func() { _ = s.Serve(ln) })
	t.Cleanup(func() {
		_ = s.Close()
		wg.Wait()
	})
	return dial
}

// starter starts a server and returns how to connect to it.
type starter func(t testing.TB, s *http.Server) func() *net.UnixConn

// eachServer runs a test on a server of each kind: what holds for one has to hold
// for the other.
func eachServer(t *testing.T, test func(t *testing.T, start starter)) {
	t.Helper()
	t.Run("front", func(t *testing.T) { test(t, fronted) })
	t.Run("net/http", func(t *testing.T) { test(t, standard) })
}

// read reads one answer; last: the server says that the connection ends with it.
func read(in *bufio.Reader) (body string, last bool, err error) {
	r, err := http.ReadResponse(in, nil)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = r.Body.Close() }()
	text, err := io.ReadAll(r.Body)
	return string(text), r.Close, err
}

// answer is read, and the test's end where there is none.
func answer(t testing.TB, in *bufio.Reader) (body string, last bool) {
	t.Helper()
	body, last, err := read(in)
	if err != nil {
		t.Fatal(err)
	}
	return body, last
}
