package live

import (
	"slices"

	"example.com/replaycheck/fakeserver"
)

// retried returns the open conversation whose first request a client sends again
// under the same key because it got an error, nil if there is none.
func (g *group) retried(t arrival) *conversation {
	for _, c := range slices.Backward(g.open) {
		if c.opening == t.opening {
			if c.entered <= maxUnanswered && c.unanswered() {
				return c
			}
			return nil
		}
	}
	return nil
}

// unanswered reports whether every request so far met a fault that stood in the
// place of its reply, or got a scripted error. The journal is locked.
func (c *conversation) unanswered() bool {
	recorded, none := 0, true
	c.play.Each(func(ex *fakeserver.Exchange) bool {
		met := ex.Step == 0 && ex.Fault != ""
		scripted := ex.Step > 0 && ex.Status >= 400
		recorded, none = recorded+1, met || scripted
		return none
	})
	return none && recorded == c.entered
}
