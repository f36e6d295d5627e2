package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/replaycheck/internal/result"
)

// omitted gathers what was left out, by reason, in the order in which the
// reasons came.
type omitted struct {
	reasons []string
	names   map[string][]string // by reason
}

func (o *omitted) add(name, reason string) {
	if o.names == nil {
		o.names = map[string][]string{}
	}
	if o.names[reason] == nil {
		o.reasons = append(o.reasons, reason)
	}
	o.names[reason] = append(o.names[reason], name)
}

// text is one line: "A, B (why); C (why)", then the lines that name no reason
// of o. "nothing" where nothing was left out.
func (o *omitted) text(short func([]string) string, further []string) string {
	var out []string
	for _, reason := range o.reasons {
		out = append(out, short(o.names[reason])+" ("+reason+")")
	}
	for _, text := range further {
		if o.names[text] == nil { // else said already
			out = append(out, text)
		}
	}
	return cmp.Or(strings.Join(out, "; "), "nothing")
}

// notJudged names the requirements that were not judged, those of one reason
// together, and then the modes and scenarios.
func notJudged(r result.Report) string {
	var o omitted
	for _, q := range r.Requirements {
		if neutral(q.Status) {
			o.add(q.ID, cmp.Or(q.Reason, string(q.Status)))
		}
	}
	return o.text(shortIDs, r.NotJudged)
}

// notTried names the faults that were not tried, as notJudged does.
func notTried(r result.Report) string {
	var o omitted
	for _, f := range r.Faults {
		if f.Verdict == result.NotTried {
			o.add(f.ID, f.Reason)
		}
	}
	return o.text(shortFaults, r.NotJudged)
}

// shortIDs joins IDs of requirements, a family named once and neighbours as a
// range: "REPLAY-09, -10, -13, REFUSE-01 to -09".
func shortIDs(ids []string) string {
	var out []string
	family := ""
	for i := 0; i < len(ids); {
		name, number, _ := strings.Cut(ids[i], "-")
		n := 1
		for i+n < len(ids) && follows(ids[i+n-1], ids[i+n]) {
			n++
		}
		first := ids[i]
		if name == family {
			first = "-" + number
		}
		if family = name; n > 2 {
			_, last, _ := strings.Cut(ids[i+n-1], "-")
			out = append(out, first+" to -"+last)
			i += n
			continue
		}
		out = append(out, first)
		i++
	}
	return strings.Join(out, ", ")
}

// follows reports whether b is the ID after a in the same family.
func follows(a, b string) bool {
	x, m, _ := strings.Cut(a, "-")
	y, n, _ := strings.Cut(b, "-")
	i, err := strconv.Atoi(m)
	j, err2 := strconv.Atoi(n)
	return x == y && err == nil && err2 == nil && j == i+1
}

// shortFaults joins IDs of faults, variants of one fault counted:
// "store-true (2), parallel-split".
func shortFaults(ids []string) string {
	var names []string
	count := map[string]int{}
	for _, id := range ids {
		name, _, _ := strings.Cut(id, ".")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		count[name]++
	}
	for i, name := range names {
		if n := count[name]; n > 1 {
			names[i] = fmt.Sprintf("%s (%d)", name, n)
		}
	}
	return strings.Join(names, ", ")
}
