package benchpeers

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Load is a closed loop: each connection sends a request, waits for the whole
// answer, and sends the next. Requests are written ready-made, which costs far
// less than net/http's client, so that the server has most of the machine.
type Load struct {
	Address  string // host:port of a loopback address
	Path     string
	Body     []byte // sent with a number of its own each time where it has a place for it, see Body
	From     int64  // the first number
	Conns    int
	Duration time.Duration // when no further request begins; 0: Count alone says it
	Count    int           // requests at most, 0: no bound
}

// Loaded is what a load came to.
type Loaded struct {
	Requests int // answered with 200
	Errors   int // answered otherwise, or not at all
	Elapsed  time.Duration
	First    error // the first of the errors, nil: none
}

// Rate is in requests a second.
func (l Loaded) Rate() float64 { return float64(l.Requests) / l.Elapsed.Seconds() }

// Run loads the server until the time is over, the count is reached or the
// context ends; each connection asks once at least, unless the count is less. The error is about the load itself, not about answers.
func (l Load) Run(ctx context.Context) (Loaded, error) {
	host, _, err := net.SplitHostPort(l.Address)
	if err != nil {
		return Loaded{}, fmt.Errorf("benchpeers: load: %w", err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return Loaded{}, fmt.Errorf("benchpeers: load: got %s, want a loopback address", l.Address)
	}
	if l.Conns < 1 || l.Duration <= 0 && l.Count <= 0 {
		return Loaded{}, errors.New("benchpeers: load: want a connection at least, and a duration or a count")
	}
	request := l.request()
	if l.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.Duration)
		defer cancel()
	}
	var next atomic.Int64
	var mu sync.Mutex
	var out Loaded
	var wg sync.WaitGroup
	begun := time.Now()
	for range l.Conns {
		wg.Go(func() {
			c := connection{address: l.Address, request: bytes.Clone(request), at: places(request)}
			defer c.close()
			done, failed := 0, 0
			var first error
			for once := true; once || ctx.Err() == nil; once = false {
				n := next.Add(1)
				if l.Count > 0 && n > int64(l.Count) {
					break
				}
				if err := c.ask(l.From + n); err != nil {
					if failed++; first == nil {
						first = err
					}
					continue
				}
				done++
			}
			mu.Lock()
			defer mu.Unlock()
			out.Requests += done
			if out.Errors += failed; out.First == nil {
				out.First = first
			}
		})
	}
	wg.Wait()
	out.Elapsed = time.Since(begun)
	return out, nil
}

// request has a key of its own each time too, as many clients have, unless its
// body comes again as it is.
func (l Load) request() []byte {
	key := number
	if !bytes.Contains(l.Body, []byte(number)) {
		key = "test"
	}
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n",
		l.Path, l.Address, key, len(l.Body))
	return append([]byte(head), l.Body...)
}

// places are where the number is: in the key and in the first text.
func places(request []byte) (out []int) {
	for at := 0; ; at++ {
		next := bytes.Index(request[at:], []byte(number))
		if next < 0 {
			return out
		}
		at += next
		out = append(out, at)
	}
}

// patience bounds one exchange, so that a server that hangs is an error.
const patience = 30 * time.Second

// connection is one of a load's. It is opened when it is needed, and anew after
// an error.
type connection struct {
	address string
	request []byte
	at      []int // where the number is
	conn    net.Conn
	in      *bufio.Reader
}

// ask makes one exchange; any status but 200 is an error.
func (c *connection) ask(n int64) error {
	if c.conn == nil {
		conn, err := net.DialTimeout("tcp", c.address, patience)
		if err != nil {
			return err
		}
		c.conn, c.in = conn, bufio.NewReaderSize(conn, 16<<10)
	}
	own := fmt.Sprintf("#%0*d", len(number)-1, n)
	for _, at := range c.at {
		copy(c.request[at:], own)
	}
	err := c.exchange()
	if err != nil {
		c.close()
	}
	return err
}

func (c *connection) exchange() error {
	if err := c.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := c.conn.Write(c.request); err != nil {
		return err
	}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		text, err := io.ReadAll(io.LimitReader(resp.Body, 300))
		return errors.Join(fmt.Errorf("status %d: %s", resp.StatusCode, text), err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.Close {
		return errors.New("the server closed the connection")
	}
	return nil
}

func (c *connection) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}
