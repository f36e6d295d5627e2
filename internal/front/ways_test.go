package front_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// seen is a request as the handler sees it.
type seen struct {
	Method, URI, Path, Query, Proto, Host, Body string
	Header                                      http.Header
	Length                                      int64
	Coding                                      []string
	Close                                       bool
}

// handle answers in the ways that a handler can, by path.
func handle(w http.ResponseWriter, r *http.Request) {
	ctl := http.NewResponseController(w)
	text := strings.Repeat("0123456789abcdef", 512)
	switch r.URL.Path {
	case "/unread":
		_, _ = io.WriteString(w, "not read")
		return
	case "/unread-close":
		w.Header().Set("Connection", "close")
		_, _ = io.WriteString(w, "not read")
		return
	case "/some":
		_, err := r.Body.Read(make([]byte, 1))
		_, _ = fmt.Fprintf(w, "read some: %v", err)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, "after %d bytes: %v", len(body), err)
		return
	}
	switch r.URL.Path {
	case "/nothing":
	case "/empty":
		w.WriteHeader(http.StatusAccepted)
	case "/length":
		w.Header().Set("Content-Length", "5")
		_, _ = io.WriteString(w, "12345")
	case "/length-large":
		w.Header()["Content-Length"] = []string{"16384"}
		_, _ = io.WriteString(w, text)
		_, _ = io.WriteString(w, text)
	case "/short":
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "12345")
	case "/over":
		w.Header().Set("Content-Length", "3")
		_, err := io.WriteString(w, "12345")
		w.Header().Set("X-Late", fmt.Sprint(err))
		_, _ = io.WriteString(w, "123")
	case "/large":
		_, _ = w.Write([]byte(text))
	case "/pieces":
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{"data: 1\n\n", "data: 2\n\n", text} {
			_, _ = w.Write([]byte(piece)) // of strings net/http makes chunks of 2 KiB
			_ = ctl.Flush()
		}
	case "/flush-first":
		_ = ctl.Flush()
		_, _ = io.WriteString(w, "then this")
	case "/204":
		w.Header().Set("Content-Length", "5")
		w.WriteHeader(http.StatusNoContent)
		_, err := io.WriteString(w, "12345")
		w.Header().Set("X-Late", fmt.Sprint(err))
	case "/304":
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Etag", "e")
		w.WriteHeader(http.StatusNotModified)
	case "/close":
		w.Header().Set("Connection", "close")
		_, _ = io.WriteString(w, "bye")
	case "/keep":
		w.Header().Set("Connection", "keep-alive")
		_, _ = io.WriteString(w, "stay")
	case "/header":
		w.Header()["X-Many"] = []string{"a", " b ", "c\r\nX-Injected: 1", ""}
		w.Header()["x-lower"] = []string{"1"}
		w.Header()["bad name"] = []string{"1"}
		w.Header()["Date"] = nil
		w.Header().Set("Content-Encoding", "identity")
		w.WriteHeader(299)
		w.Header().Set("X-Late", "1")
		_, _ = io.WriteString(w, "x")
	case "/twice":
		w.WriteHeader(http.StatusTeapot)
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, "<html>")
	case "/early":
		w.Header().Set("Link", "</a>")
		w.WriteHeader(http.StatusEarlyHints)
		_, _ = io.WriteString(w, "and then")
	case "/panic":
		_, _ = io.WriteString(w, "never sent")
		panic("on purpose") //nolint:forbidigo // as handlers may
	case "/abort":
		_, _ = w.Write([]byte(text))
		panic(http.ErrAbortHandler) //nolint:forbidigo // as handlers may
	case "/status":
		w.WriteHeader(42)
	case "/hijack":
		_, _ = io.WriteString(w, "begun ")
		c, rw, err := ctl.Hijack()
		if err != nil {
			_, _ = fmt.Fprint(w, err)
			return
		}
		rest, _ := io.ReadAll(rw) // what came before and what comes now: where it was cut is chance
		_, err = io.WriteString(w, "too late")
		_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nraw%s%v", rest, err)
		_ = c.Close()
	case "/watched":
		left := r.Context().Done()
		select {
		case <-left:
		default:
		}
		_, _ = io.WriteString(w, "watched")
	default:
		sum := sha256.Sum256(body)
		_ = json.NewEncoder(w).Encode(seen{
			r.Method, r.RequestURI, r.URL.Path, r.URL.RawQuery, r.Proto, r.Host, fmt.Sprintf("%d %x", len(body), sum[:4]),
			r.Header, r.ContentLength, r.TransferEncoding, r.Close,
		})
	}
}

func post(path, body string, lines ...string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: 127.0.0.1:80\r\n%sContent-Length: %d\r\n\r\n%s", path, strings.Join(append(lines, ""), "\r\n"), len(body), body)
}

// requests are the ways of asking: plain ones, and those that are not.
func requests() map[string]string {
	out := map[string]string{
		"plain":               post("/v1/x?key=a%20b&c", `{"a":1}`, "Content-Type: application/json", "Authorization: Bearer k"),
		"header":              post("/x", "b", "x-lower:1", "X-Two: a", "X-Two: \t b\t ", "X-Empty:", "X-High: \xc3\xa9\xff", "Keep-Alive: 5", "Accept-Encoding: gzip, deflate"),
		"keep-alive":          post("/x", "b", "Connection: keep-alive"),
		"Keep-Alive":          post("/x", "b", "Connection: Keep-Alive"),
		"close":               post("/x", "b", "Connection: close"),
		"upgrade":             post("/x", "b", "Connection: Upgrade", "Upgrade: websocket"),
		"pragma":              post("/x", "b", "Pragma: no-cache"),
		"expect":              post("/x", "b", "Expect: 100-continue"),
		"expect something":    post("/x", "b", "Expect: something"),
		"trailer":             post("/x", "b", "Trailer: X-A"),
		"te":                  post("/x", "b", "TE: trailers"),
		"chunked":             "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		"chunked with length": post("/x", "3\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
		"transfer identity":   post("/x", "b", "Transfer-Encoding: identity"),
		"no length":           "POST /x HTTP/1.1\r\nHost: h\r\n\r\n",
		"length twice":        post("/x", "abc", "Content-Length: 3"),
		"length two":          post("/x", "abc", "Content-Length: 2"),
		"length plus":         "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: +3\r\n\r\nabc",
		"length minus":        "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: -3\r\n\r\nabc",
		"length zeros":        "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0003\r\n\r\nabc",
		"length list":         "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 3, 3\r\n\r\nabc",
		"length empty":        "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\nabc",
		"length enormous":     "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 9223372036854775807\r\n\r\nabc",
		"length too large":    "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\nabc",
		"length underscore":   "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1_0\r\n\r\nabcdefghij",
		"body too short":      "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 30\r\n\r\nabc",
		"short of 300 kB":     "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\nabc",
		"closed of 300 kB":    "POST /close HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\nabc",
		"no body at all":      "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 30\r\n\r\n",
		"no host":             "POST /x HTTP/1.1\r\nContent-Length: 1\r\n\r\nb",
		"host empty":          "POST /x HTTP/1.1\r\nHost:\r\nContent-Length: 1\r\n\r\nb",
		"hosts":               post("/x", "b", "Host: other"),
		"host bad":            "POST /x HTTP/1.1\r\nHost: a b\r\nContent-Length: 1\r\n\r\nb",
		"host odd":            "POST /x HTTP/1.1\r\nHost: a$b%20\r\nContent-Length: 1\r\n\r\nb",
		"host v6":             "POST /x HTTP/1.1\r\nHost: [::1]:80\r\nContent-Length: 1\r\n\r\nb",
		"get":                 "GET /x HTTP/1.1\r\nHost: h\r\n\r\n",
		"get with a body":     "GET /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"head":                "HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n",
		"options":             "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
		"lower":               "post /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"HTTP/1.0":            "POST /x HTTP/1.0\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"HTTP/1.0 to stay":    "POST /x HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nb",
		"HTTP/1.2":            "POST /x HTTP/1.2\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"HTTP/2":              "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"http/1.1":            "POST /x http/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"absolute":            "POST http://other/x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"two slashes":         "POST //other/x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"fragment":            "POST /x#f?q HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"escaped":             "POST /a%2Fb%zz HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"escaped well":        "POST /a%2Fb%20c/../d;e?x=%zz HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"path of letters":     "POST /\xc3\xa9 HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"path with a space":   "POST /a b HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"no path":             "POST  HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"continued":           post("/x", "b", "X-A: 1\r\n 2"),
		"space before colon":  post("/x", "b", "X-A : 1"),
		"no colon":            post("/x", "b", "X-A"),
		"no name":             post("/x", "b", ": 1"),
		"first line bad":      "POST /x HTTP/1.1\r\n X: 1\r\nHost: h\r\nContent-Length: 1\r\n\r\nb",
		"name bad":            post("/x", "b", "X(A): 1"),
		"value bad":           post("/x", "b", "X-A: a\x01b"),
		"value with NUL":      post("/x", "b", "X-A: a\x00b"),
		"value with CR":       post("/x", "b", "X-A: a\rb"),
		"line feeds only":     "POST /x HTTP/1.1\nHost: h\nContent-Length: 1\n\nb",
		"some line feeds":     "POST /x HTTP/1.1\r\nHost: h\nContent-Length: 1\r\n\r\nb",
		"line feeds then not": "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\n\nb\r\n\r\n",
		"garbage":             "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"blank lines first":   "\r\n\r\n" + post("/x", "b"),
		"head in pieces":      "POST /x HTTP/1.1\r\nHost: h\r\nConte",
		"head of 5 kB":        post("/x", "b", "X-A: "+strings.Repeat("a", 5_000)),
		"head of 1.1 MB":      post("/x", "b", "X-A: "+strings.Repeat("a", 1_100_000)),
		"body of 3.9 kB":      post("/x", strings.Repeat("b", 3_900)),
		"body of 4 kB":        post("/x", strings.Repeat("b", 4_096)),
		"body of 5 kB":        post("/x", strings.Repeat("b", 5_000)),
		"body of 300 kB":      post("/x", strings.Repeat("b", 300_000)),
	}
	for _, way := range []string{
		"unread", "unread-close", "some", "nothing", "empty", "length", "length-large", "short", "over", "large", "pieces", "flush-first",
		"204", "304", "close", "keep", "header", "twice", "early", "panic", "abort", "status", "hijack", "watched",
	} {
		out["/"+way] = post("/"+way, "body")
		out["/"+way+" of nothing"] = post("/"+way, "")
	}
	for _, way := range []string{"unread", "unread-close", "some"} {
		out["/"+way+" of 200 kB"] = post("/"+way, strings.Repeat("b", 200_000))
		out["/"+way+" of 300 kB"] = post("/"+way, strings.Repeat("b", 300_000))
	}
	return out
}
