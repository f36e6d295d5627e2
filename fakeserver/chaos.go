package fakeserver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Chaos gives some replies a fault, the same ones for the same seed.
type Chaos struct {
	Seed  uint64
	Share float64 // how many of the replies, 0 to 1
	// Faults are those that it chooses from; none: one of each kind.
	Faults []ChaosFault
}

// ChaosFault is a fault with the reply that it is for.
type ChaosFault struct {
	Reply int // the reply that always meets it, from 1; 0: some do
	Fault Fault
}

// fault is what chaos does to a step, nil if nothing. Each lasts for one
// request, so that a client that tries again gets the reply.
func (c *Chaos) fault(step int) *Fault {
	if c == nil {
		return nil
	}
	rng := rand.New(rand.NewPCG(c.Seed, uint64(step)))
	var from []Fault
	for _, f := range c.Faults {
		if f.Reply == step {
			from = append(from, f.Fault)
		}
	}
	if len(from) == 0 && rng.Float64() >= c.Share {
		return nil
	}
	if len(from) == 0 {
		for _, f := range c.Faults {
			if f.Reply == 0 {
				from = append(from, f.Fault)
			}
		}
		if len(c.Faults) == 0 {
			from = everyFault()
		}
	}
	if len(from) == 0 {
		return nil
	}
	f := from[rng.IntN(len(from))]
	f.Seed, f.Times = rng.Uint64(), 1
	return &f
}

func everyFault() []Fault {
	return []Fault{
		{Delay: 50 * time.Millisecond},
		{Status: http.StatusTooManyRequests, RetryAfter: "1"},
		{Status: http.StatusInternalServerError},
		{Status: http.StatusServiceUnavailable, RetryAfter: "1"},
		{Reset: BeforeHeaders},
		{Reset: AfterHeaders},
		{CutAfter: -1},
		{Lose: 1},
		{Interleave: true},
		{Drip: time.Millisecond, Piece: onePiece},
		{ContentType: "text/html"},
		{Gzip: true},
	}
}

// faultForms are how faults are written, by name; the status is a name of its
// own.
var faultForms = []struct {
	name, value, about string
	make               func(value string) (Fault, error)
}{
	{"delay", "TIME", "the answer comes late (50ms)", func(v string) (Fault, error) {
		d, err := timeOr(v, 50*time.Millisecond)
		return Fault{Delay: d}, err
	}},
	{"reset-before-headers", "", "the connection is reset before the answer", noValue(Fault{Reset: BeforeHeaders})},
	{"reset-after-headers", "", "the connection is reset after status and headers", noValue(Fault{Reset: AfterHeaders})},
	{"cut", "BYTES", "the body breaks off after so many bytes (anywhere)", func(v string) (Fault, error) {
		n, err := wholeOr(v, -1)
		return Fault{CutAfter: n}, err
	}},
	{"truncate", "EVENTS", "a stream lacks its last events (1), and ends as if it were whole", func(v string) (Fault, error) {
		n, err := wholeOr(v, 1)
		return Fault{Lose: n}, err
	}},
	{"interleave", "", "comments between the lines of a stream, cut at odd places", noValue(Fault{Interleave: true})},
	{"drip", "TIME", "the body comes in pieces of 64 bytes, so long apart (1ms)", func(v string) (Fault, error) {
		d, err := timeOr(v, time.Millisecond)
		return Fault{Drip: d, Piece: onePiece}, err
	}},
	{"content-type", "TYPE", "a page of a gateway of this content type (text/html)", func(v string) (Fault, error) {
		if v == "" {
			v = "text/html"
		}
		if _, _, err := mime.ParseMediaType(v); err != nil || !strings.Contains(v, "/") {
			return Fault{}, errors.New("want a media type such as text/plain")
		}
		return Fault{ContentType: v}, nil
	}},
	{"gzip", "", "the body is compressed, whatever was asked for", noValue(Fault{Gzip: true})},
}

func noValue(f Fault) func(string) (Fault, error) {
	return func(v string) (Fault, error) {
		if v != "" {
			return f, errors.New("want no value")
		}
		return f, nil
	}
}

func timeOr(v string, otherwise time.Duration) (time.Duration, error) {
	if v == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 || d > 10*time.Minute {
		return 0, errors.New("want a time such as 200ms or 2s, 10m at most")
	}
	return d, nil
}

func wholeOr(v string, otherwise int) (int, error) {
	if v == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > 1<<30 {
		return 0, errors.New("want a whole number from 1")
	}
	return n, nil
}

// FaultNames lists what ParseFault reads, each with what it does.
func FaultNames() []string {
	out := []string{"STATUS[=RETRY-AFTER]\tthe provider's own error, 400 to 599, such as 503=2"}
	for _, f := range faultForms {
		name := f.name
		if f.value != "" {
			name += "[=" + f.value + "]"
		}
		out = append(out, name+"\t"+f.about)
	}
	return out
}

// ParseFault reads a fault as command lines have it: NAME, NAME=VALUE, and
// either with @REPLY, the number of the reply that always meets it. The error
// says what was expected.
func ParseFault(text string) (ChaosFault, error) {
	var out ChaosFault
	wrong := func(format string, args ...any) (ChaosFault, error) {
		return ChaosFault{}, fmt.Errorf("got %q, "+format, append([]any{text}, args...)...)
	}
	rest, reply, numbered := strings.Cut(text, "@")
	if numbered {
		n, err := strconv.Atoi(reply)
		if err != nil || n < 1 || n > 1<<16 {
			return wrong("want the number of a reply after @, from 1")
		}
		out.Reply = n
	}
	name, value, given := strings.Cut(rest, "=")
	if given && value == "" {
		return wrong("want a value after =")
	}
	if status, err := strconv.Atoi(name); err == nil {
		if status < 400 || status > 599 {
			return wrong("want a status from 400 to 599")
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
			return wrong("want seconds or a date after =")
		}
		out.Fault = Fault{Status: status, RetryAfter: value}
		return out, nil
	}
	var names []string
	for _, f := range faultForms {
		if f.name != name {
			names = append(names, f.name)
			continue
		}
		var err error
		if out.Fault, err = f.make(value); err != nil {
			return wrong("%w", err)
		}
		return out, nil
	}
	return wrong("want a status such as 503 or one of %s", strings.Join(slices.Sorted(slices.Values(names)), ", "))
}
