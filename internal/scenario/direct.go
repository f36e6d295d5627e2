package scenario

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/replaycheck/fakeserver"
)

// direct hands the requests to one play to it as they are, without a connection:
// most of what a run costs is the two ends of one. It does what net/http's client and
// server do to a request and a reply between them, as far as a subject or an oracle
// can see it. What is not plainly a request to the play goes on to next, and so to
// whoever listens there.
type direct struct {
	play *fakeserver.Play
	base string // the play's URL
	next http.RoundTripper
}

// RoundTrip sends a request.
func (d *direct) RoundTrip(r *http.Request) (*http.Response, error) {
	path, ok := d.pathOf(r)
	if !ok {
		return d.next.RoundTrip(r)
	}
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	if r.Context().Err() != nil {
		return nil, context.Cause(r.Context())
	}
	w := &directReply{header: http.Header{}, ctx: r.Context()}
	if !d.play.Serve(w, received(r, len(body)), path, body) {
		r = r.Clone(r.Context()) // the play is closed: the server says so
		r.Body = io.NopCloser(strings.NewReader(body))
		return d.next.RoundTrip(r)
	}
	return w.response(r)
}

// mostDirect is how long a body may be, in bytes: what is longer meets the server's
// own limits.
const mostDirect = 16 << 20

// pathOf returns the path that the play's API is asked for; false for what is
// better left to net/http.
func (d *direct) pathOf(r *http.Request) (string, bool) {
	if r.Method != http.MethodPost || r.URL == nil || r.Body == nil || r.ContentLength <= 0 || r.ContentLength > mostDirect || r.Close || r.Trailer != nil || r.Host != "" && r.Host != r.URL.Host {
		return "", false
	}
	for name, values := range r.Header {
		switch name {
		case "Authorization", "Accept", "Content-Type", "X-Goog-Api-Key":
		default: // Expect, Connection, Host and others mean something to net/http
			return "", false
		}
		for _, v := range values {
			if strings.ContainsFunc(v, func(c rune) bool { return c < ' ' || c > '~' }) || textproto.TrimString(v) != v {
				return "", false
			}
		}
	}
	own, ok := strings.CutPrefix(d.base, r.URL.Scheme+"://"+r.URL.Host)
	path, in := strings.CutPrefix(r.URL.EscapedPath(), own+"/")
	if !ok || !in || r.URL.User != nil || r.URL.Opaque != "" || strings.Contains(r.URL.Path, "/.") {
		return "", false
	}
	return "/" + path, true
}

// readBody reads the body of a request, which must be as long as it says.
func readBody(r *http.Request) (string, error) {
	var b strings.Builder
	b.Grow(int(r.ContentLength))
	n, err := io.Copy(&b, r.Body)
	if closed := r.Body.Close(); err == nil {
		err = closed
	}
	if err == nil && n != r.ContentLength {
		err = fmt.Errorf("http: ContentLength=%d with Body length %d", r.ContentLength, n)
	}
	return b.String(), err
}

// received is a request as a server gets it.
func received(r *http.Request, n int) *http.Request {
	h := make(http.Header, len(r.Header)+3)
	for name, values := range r.Header {
		h[name] = append([]string(nil), values...)
	}
	h["User-Agent"] = []string{"Go-http-client/1.1"}
	h["Content-Length"] = []string{strconv.Itoa(n)}
	h["Accept-Encoding"] = []string{"gzip"}
	u := url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery, ForceQuery: r.URL.ForceQuery}
	out := http.Request{
		Method: r.Method, URL: &u, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Body: http.NoBody,
		ContentLength: int64(n), Host: r.URL.Host, RequestURI: u.RequestURI(),
	}
	return out.WithContext(r.Context())
}

// directReply takes a reply as a server writes it, and is then its body, to be read
// in the pieces that were flushed, as they would arrive.
type directReply struct {
	ctx    context.Context
	header http.Header
	status int         // 0: not written yet
	sent   http.Header // as it was when the status was written
	text   []byte
	pieces []int // where text was flushed
	broken bool  // the connection was taken over, and so ended where it was
	closed bool
	read   int
}

// Header is that of the reply.
func (w *directReply) Header() http.Header { return w.header }

// WriteHeader sends the status and the headers so far.
func (w *directReply) WriteHeader(status int) {
	if w.status == 0 {
		w.status, w.sent = status, w.header.Clone()
	}
}

func (w *directReply) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.text == nil {
		// The fake provider writes a reply as a whole, or in some pieces of a size.
		w.text = make([]byte, 0, max(len(b), 512))
	}
	w.text = append(w.text, b...)
	return len(b), nil
}

// Flush ends a piece.
func (w *directReply) Flush() {
	w.WriteHeader(http.StatusOK)
	w.pieces = append(w.pieces, len(w.text))
}

// Hijack ends the reply where it is: the fake provider takes over a connection only
// to break it.
func (w *directReply) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.broken = true
	ours, theirs := net.Pipe()
	_ = theirs.Close() // nobody reads
	return ours, nil, nil
}

// response is the reply as a client gets it.
func (w *directReply) response(r *http.Request) (*http.Response, error) {
	if w.status == 0 && w.broken {
		return nil, io.ErrUnexpectedEOF
	}
	w.WriteHeader(http.StatusOK)
	length := int64(-1)
	switch announced := w.sent.Get("Content-Length"); {
	case announced != "":
		n, err := strconv.ParseInt(announced, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("scenario: the fake provider announced a length of %q", announced)
		}
		length = n
		w.broken = w.broken || n > int64(len(w.text))
	case len(w.pieces) == 0:
		length = int64(len(w.text))
		w.sent.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	return &http.Response{
		Status: strconv.Itoa(w.status) + " " + http.StatusText(w.status), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.sent, Body: w, ContentLength: length, Request: r,
	}, nil
}

// errClosed is what net/http says to a client; http.ErrBodyReadAfterClose is for servers.
var errClosed = errors.New("http: read on closed response body")

// Read reads the body. A piece is read before the next has arrived.
func (w *directReply) Read(b []byte) (int, error) {
	switch {
	case w.closed:
		return 0, errClosed
	case w.read == len(w.text) && w.broken:
		return 0, io.ErrUnexpectedEOF
	case w.read == len(w.text):
		return 0, io.EOF
	case w.ctx.Err() != nil:
		return 0, context.Cause(w.ctx)
	}
	end := len(w.text)
	if i, _ := slices.BinarySearch(w.pieces, w.read+1); i < len(w.pieces) {
		end = w.pieces[i]
	}
	n := copy(b, w.text[w.read:end])
	w.read += n
	return n, nil
}

// Close ends the reading.
func (w *directReply) Close() error {
	w.closed = true
	return nil
}
