package benchpeers

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Kept is how many bytes of bodies the servers keep at most: what serve keeps
// unless told otherwise.
const Kept = 256 << 20

// bare reads each body with io.ReadAll, keeps a copy and answers 600 bytes: what
// anybody would write who wants to see requests later. It knows nothing.
type bare struct {
	reply  []byte
	length string

	mu     sync.Mutex
	bodies [][]byte
	bytes  int
	oldest int
}

// Bare is that handler. Beyond Kept bytes a new body takes the place of the
// oldest.
func Bare() http.Handler {
	reply := `{"candidates":[{"content":{"role":"model","parts":[{"text":"` + strings.Repeat("a", 600-67) + `"}]}}]}`
	return &bare{reply: []byte(reply), length: strconv.Itoa(len(reply))}
}

// ServeHTTP keeps the body and answers.
func (b *bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b.keep(bytes.Clone(body))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", b.length)
	_, _ = w.Write(b.reply) // the client is gone
}

func (b *bare) keep(body []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes += len(body)
	if b.bytes <= Kept || len(b.bodies) == 0 {
		b.bodies = append(b.bodies, body)
		return
	}
	b.oldest %= len(b.bodies)
	b.bytes -= len(b.bodies[b.oldest])
	b.bodies[b.oldest] = body
	b.oldest++
}
