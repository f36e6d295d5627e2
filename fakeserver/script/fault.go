package script

import (
	"time"

	"example.com/replaycheck/fakeserver"
)

// fault reads what goes wrong on the way of a reply.
func (r *reader) fault(f field) *fakeserver.Fault {
	out := &fakeserver.Fault{}
	known := []string{
		"times", "delay", "status", "retry_after", "reset", "cut_after", "lose", "interleave", "drip", "piece", "content_type", "gzip", "seed",
	}
	fields := r.fields(f.value, "fault", known...)
	for _, f := range fields {
		switch f.name {
		case "times":
			out.Times = r.number(f.value, f.name, 1, maxReplies)
		case "delay":
			out.Delay = r.duration(f)
		case "status":
			out.Status = r.number(f.value, f.name, 400, 599)
		case "retry_after":
			out.RetryAfter = r.text(f.value, f.name)
		case "reset":
			switch got := r.text(f.value, f.name); got {
			case "before-headers":
				out.Reset = fakeserver.BeforeHeaders
			case "after-headers":
				out.Reset = fakeserver.AfterHeaders
			default:
				r.bad(f.at, "reset: got %q, want before-headers or after-headers", shortened(got))
			}
		case "cut_after":
			out.CutAfter = r.number(f.value, f.name, -1, maxFile)
		case "lose":
			out.Lose = r.number(f.value, f.name, 1, maxReplies)
		case "interleave":
			out.Interleave = r.flag(f.value, f.name)
		case "drip":
			out.Drip = r.duration(f)
		case "piece":
			out.Piece = r.number(f.value, f.name, 1, maxFile)
		case "content_type":
			out.ContentType = r.text(f.value, f.name)
		case "gzip":
			out.Gzip = r.flag(f.value, f.name)
		case "seed":
			out.Seed = uint64(r.number(f.value, f.name, 0, 1<<53))
		}
	}
	switch {
	case len(fields) == 0:
		r.bad(f.at, "fault: says nothing, want one of %v", known)
	case out.RetryAfter != "" && out.Status == 0:
		r.bad(f.at, "fault: retry_after wants a status beside it")
	}
	return out
}

// longest is how long a fault may keep a client waiting.
const longest = 10 * time.Minute

func (r *reader) duration(f field) time.Duration {
	text := r.text(f.value, f.name)
	d, err := time.ParseDuration(text)
	if text != "" && (err != nil || d <= 0 || d > longest) {
		r.bad(f.at, "%s: got %q, want a time such as 200ms or 2s, %v at most", f.name, shortened(text), longest)
		return 0
	}
	return d
}
