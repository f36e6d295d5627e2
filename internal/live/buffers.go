package live

import (
	"strings"
	"sync"
	"unsafe"
)

// buffers are memory that bodies are read into. Most bodies stay in the one that
// they were read into; a body that is known already gives it back.
type buffers struct{ pool sync.Pool }

// take returns room for n bytes, n above 0.
func (b *buffers) take(n int64) []byte {
	if free, ok := b.pool.Get().(*[]byte); ok && int64(cap(*free)) == n {
		return (*free)[:0]
	}
	return memory(n)
}

// give takes back a buffer that nobody looks at any more.
func (b *buffers) give(buf []byte) { b.pool.Put(&buf) }

// memory is room for n bytes, n above 0, that is not set to zero first as make
// does: all of it is written before it is read. What a strings.Builder has room
// for beyond its text nobody else looks at.
func memory(n int64) []byte {
	var b strings.Builder
	b.Grow(int(n))
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), n)[:0]
}

// frozen is buf as a string without a copy. It is sound as long as nobody writes
// to the buffer: one that is given back holds no text that somebody kept.
func frozen(buf []byte) string { return unsafe.String(unsafe.SliceData(buf), len(buf)) }
