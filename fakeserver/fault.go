package fakeserver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Fault is what goes wrong on the way of a reply: at the provider or in the
// network. Its members add up; the zero Fault does nothing.
type Fault struct {
	// Times is how many requests in a row meet the fault before the reply is
	// given whole: those spend no reply. 0: the reply itself meets it and is
	// spent, as it is by a fault that does it no harm, such as a delay.
	Times int

	Delay time.Duration // before the first byte; it ends early with the run

	// Status answers with the provider's own error instead of the reply: 429,
	// 500, 503 or another from 400 up; 0: no such thing.
	Status     int
	RetryAfter string // the header beside Status: seconds or a date, "" none

	// Reset breaks the connection the hard way (RST) before the reply.
	Reset Reset

	// CutAfter breaks the connection after that many bytes of the body, less
	// than there are: in the middle of the JSON, or of an event. Below 0 the
	// place is one that Seed says; 0: not at all.
	CutAfter int
	// Lose leaves the last events of a stream out, and the closing bracket of a
	// list; the body ends cleanly all the same.
	Lose int
	// Interleave puts comments between the lines of a stream's events and cuts
	// what is flushed in the middle of lines and characters, as is allowed.
	Interleave bool

	Drip  time.Duration // between two pieces of the body, 0: none
	Piece int           // bytes of such a piece; 0: 64

	// ContentType is sent instead of the right one, "" none; where Times is set,
	// with the page of a gateway.
	ContentType string
	Gzip        bool // compresses the body, whatever was asked for

	// Seed chooses what is left open, always the same way.
	Seed uint64
}

// onePiece is how many bytes a piece of a drip has unless it is said.
const onePiece = 64

// Reset is where a connection breaks.
type Reset uint8

// The places.
const (
	NoReset       Reset = iota
	BeforeHeaders       // nothing of the reply is sent
	AfterHeaders        // status and headers are sent, nothing of the body
)

// String names the fault in records, its parts by commas; "" for none.
func (f Fault) String() string {
	var out []string
	add := func(yes bool, format string, args ...any) {
		if yes {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(f.Delay > 0, "delay %v", f.Delay)
	add(f.Status != 0, "status %d", f.Status)
	add(f.RetryAfter != "", "Retry-After %s", f.RetryAfter)
	add(f.Reset == BeforeHeaders, "reset before headers")
	add(f.Reset == AfterHeaders, "reset after headers")
	add(f.CutAfter > 0, "cut after %d bytes", f.CutAfter)
	add(f.CutAfter < 0, "cut somewhere")
	add(f.Lose > 0, "%d events lost", f.Lose)
	add(f.Interleave, "interleaved")
	add(f.Drip > 0, "drip %v", f.Drip)
	add(f.ContentType != "", "content type %s", f.ContentType)
	add(f.Gzip, "gzip")
	return strings.Join(out, ", ")
}

func (f Fault) check() error {
	var errs []error
	bad := func(yes bool, format string, args ...any) {
		if yes {
			errs = append(errs, fmt.Errorf("fault: "+format, args...))
		}
	}
	bad(f.Times < 0, "got %d times, want 0 or more", f.Times)
	bad(f.Delay < 0 || f.Drip < 0, "got a delay of %v and a drip of %v, want none below 0", f.Delay, f.Drip)
	bad(f.Status != 0 && (f.Status < 400 || f.Status > 599), "got status %d, want 0 or 400 to 599", f.Status)
	bad(f.RetryAfter != "" && f.Status == 0, "got Retry-After without a status")
	bad(f.Reset > AfterHeaders, "got reset %d, want one of 0 to %d", f.Reset, AfterHeaders)
	bad(f.Lose < 0 || f.Piece < 0, "got %d lost events and pieces of %d bytes, want none below 0", f.Lose, f.Piece)
	return errors.Join(errs...)
}

// spoil makes of a whole reply what arrives of it. harmed: that is not the reply,
// however patiently it is read.
func (f Fault) spoil(whole *form, c call) (out *form, harmed bool) {
	copied := *whole
	out = &copied
	out.lines = nil
	if f.Status != 0 {
		out = c.failure(f.Status, f.RetryAfter)
	}
	out.fault = &f
	if f.ContentType != "" && f.Times > 0 && f.Status == 0 {
		out.text, out.pieces = gatewayPage, nil
	}
	if f.Lose > 0 && out.pieces != nil {
		out.pieces = out.pieces[:max(0, len(out.pieces)-f.Lose)]
		out.text = strings.Join(out.pieces, "")
	}
	text := out.text
	if f.Interleave && out.pieces != nil {
		out.pieces = interleaved(out.pieces, c.array, rand.New(rand.NewPCG(f.Seed, 1)))
		out.text = strings.Join(out.pieces, "")
	}
	if at := f.CutAfter; at != 0 && len(out.text) > 1 {
		if at < 0 || at >= len(out.text) {
			at = 1 + rand.New(rand.NewPCG(f.Seed, 2)).IntN(len(out.text)-1)
		}
		out.shorten(at)
	}
	if f.ContentType != "" {
		out.kind = f.ContentType
	}
	return out, f.Status != 0 || f.Reset != NoReset || text != whole.text || out.cut && !whole.cut
}

// gatewayPage is what a gateway answers in the place of a provider.
const gatewayPage = "<!DOCTYPE html>\n<html><head><title>Please wait</title></head><body>Please wait.</body></html>\n"

// fits is the fault without what this form of the reply can't have.
func (f Fault) fits(whole *form) Fault {
	if whole.pieces == nil {
		f.Lose, f.Interleave = 0, false
	}
	if len(whole.text) < 2 {
		f.CutAfter = 0
	}
	return f
}

// shorten cuts a reply off after n bytes of its text.
func (f *form) shorten(n int) {
	f.text, f.cut = f.text[:n], true
	if f.pieces == nil {
		return
	}
	var kept []string
	for _, p := range f.pieces {
		if n <= 0 {
			break
		}
		kept = append(kept, p[:min(n, len(p))])
		n -= len(p)
	}
	f.pieces = kept
}

// interleaved puts comments between the lines of events, white space between
// the chunks of a list, and cuts the whole anew at odd places.
func interleaved(pieces []string, array bool, rng *rand.Rand) []string {
	var b strings.Builder
	for i, p := range pieces {
		if array {
			if i > 0 {
				b.WriteString("\r\n \n")
			}
			b.WriteString(p)
			continue
		}
		b.WriteString(": keep-alive\n\n")
		for line := range strings.Lines(p) {
			b.WriteString(line)
			if strings.TrimRight(line, "\r\n") != "" && strings.HasSuffix(line, "\n") {
				b.WriteString(":\n")
			}
		}
	}
	text := b.String()
	var out []string
	for len(text) > 0 {
		n := min(len(text), 1+rng.IntN(97))
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

// failure is the provider's own error of a status.
func (c call) failure(status int, retryAfter string) *form {
	var text string
	code := strconv.Itoa(status)
	switch c.shape {
	case anthropicShape:
		kind, message := "api_error", "Internal server error"
		switch status {
		case http.StatusTooManyRequests:
			kind, message = "rate_limit_error", "This request would exceed your account's rate limit. Please try again later."
		case http.StatusServiceUnavailable, 529:
			kind, message = "overloaded_error", "Overloaded"
		}
		text = `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"}}`
	case openaiShape:
		kind, message, reason := "server_error", "The server had an error while processing your request. Sorry about that!", "null"
		switch status {
		case http.StatusTooManyRequests:
			kind, message, reason = "requests", "Rate limit reached for requests", `"rate_limit_exceeded"`
		case http.StatusServiceUnavailable:
			message = "The server is currently overloaded with other requests. Sorry about that! Please try again later."
		}
		text = `{"error":{"message":"` + message + `","type":"` + kind + `","param":null,"code":` + reason + `}}`
	default:
		name, message := "INTERNAL", "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"
		switch status {
		case http.StatusTooManyRequests:
			name, message = "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."
		case http.StatusServiceUnavailable:
			name, message = "UNAVAILABLE", "The model is overloaded. Please try again later."
		}
		text = `{"error":{"code":` + code + `,"message":"` + message + `","status":"` + name + `"}}`
		if c.shape == googleList {
			text = "[" + text + "]"
		}
	}
	var header http.Header
	if retryAfter != "" {
		header = http.Header{"Retry-After": {retryAfter}}
	}
	return newForm(Reply{Status: status, Header: header}, jsonType, text, nil)
}
