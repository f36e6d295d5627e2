package front

import "net/http"

// Memo is room for what a handler finds out from a request's head and needs again
// with the next request that has the same. Of a head of more than 1 KiB it is room for
// one request only.
type Memo struct{ What any }

type memoKey struct{}

// MemoOf returns the memo of a request's head. Requests of one connection that come
// one after another with the same head, byte for byte, have the same, and it belongs
// to the handler that is answering. nil: net/http has read the request, or somebody
// made it.
func MemoOf(r *http.Request) *Memo {
	m, _ := r.Context().Value(memoKey{}).(*Memo)
	return m
}
