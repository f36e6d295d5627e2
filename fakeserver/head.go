package fakeserver

import (
	"net/http"
	"net/url"
)

// Head is what is read of a request before its body. Nothing in it changes, so
// requests with the same method, path, query and header may share one.
type Head struct {
	path  string // as received, without the play's prefix
	asked string // the query, as received
	call  call   // as far as the head says it

	// As they are recorded: without keys.
	query  string
	header http.Header

	encoding string // of the body
	size     int64  // what is recorded of it, in bytes
}

// ReadHead reads the head of a request. path is the API's own, as received.
func ReadHead(r *http.Request, path string) *Head {
	return readHead(r, path, unescapedPath(path), r.URL.RawQuery)
}

func readHead(r *http.Request, path, unescaped, query string) *Head {
	h := &Head{
		path: path, asked: query, call: route(r.Method, unescaped, query),
		query: redactQuery(query), header: redactHeader(r.Header), encoding: r.Header.Get("Content-Encoding"),
	}
	h.size = int64(len(h.path) + len(h.query))
	for name, values := range h.header {
		h.size += int64(len(name))
		for _, v := range values {
			h.size += int64(len(v))
		}
	}
	return h
}

func unescapedPath(p string) string {
	if u, err := url.PathUnescape(p); err == nil {
		return u
	}
	return p
}
