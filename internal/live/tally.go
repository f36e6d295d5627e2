package live

import (
	"example.com/replaycheck/internal/result"
)

// tally is what is left of conversations that left the journal.
type tally struct {
	Conversations int
	failed        int
	unlike        int // parts of those that passed which did not come back as they were
	requests      int
	passed        map[string]int // by requirement
	runs          map[string][]result.Run
	more          map[string]int // failed runs beyond those kept
	notJudged     int
}

// maxGone is how many failed runs of a requirement outlive their conversation.
const maxGone = 50

func (t *tally) init() {
	t.passed, t.runs, t.more = map[string]int{}, map[string][]result.Run{}, map[string]int{}
}

func (t *tally) add(c *conversation, runsOf func(*conversation, *verdict) map[string]result.Run) {
	v := c.seen()
	t.Conversations++
	t.requests += c.entered
	switch v.status() {
	case result.Fail:
		t.failed++
	case result.Pass:
		t.unlike += v.unlike
	}
	if len(v.judged) == 0 {
		t.notJudged++
	}
	if v.ruled && len(v.rules) == 0 {
		t.passed[rulesID]++
	}
	var judged []judgedRequirement
	for _, j := range v.judged {
		if len(j.findings) == 0 && !j.fails {
			t.passed[j.id]++
		} else {
			judged = append(judged, j)
		}
	}
	if len(v.rules) == 0 && len(judged) == 0 { // as with most
		return
	}
	for id, run := range runsOf(c, &verdict{stream: v.stream, rules: v.rules, ruled: len(v.rules) > 0, judged: judged}) {
		switch {
		case len(t.runs[id]) < maxGone:
			t.runs[id] = append(t.runs[id], run)
		case run.Status == result.Fail:
			t.more[id]++
		default:
			t.passed[id]++
		}
	}
}
