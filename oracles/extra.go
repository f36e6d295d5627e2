package oracles

import (
	"fmt"
	"slices"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
)

// unasked are the differences of a request that no part of a turn tells and that
// nobody is known to ask about, on the APIs that are beyond the contract: parts in
// the model's turns that no reply gave and, on Chat Completions, whose calls are
// compared one by one, others in their order.
func (v *View) unasked(r *request, beyond []Finding) []diff {
	if !slices.Contains([]native.API{native.Chat, native.GeminiOpenAI, native.Anthropic}, r.req.API) {
		return nil
	}
	var out []diff
	for _, d := range v.diffs()[r] {
		if !d.Gates(result.Provider) {
			continue
		}
		more := d.aspect == ofPresence && (d.Change == result.Added || d.Change == result.Duplicated)
		order := d.aspect == ofOrder && r.req.API == native.Chat
		if (more || order) && !slices.ContainsFunc(beyond, func(f Finding) bool { return f.Where == d.Where }) {
			out = append(out, d)
		}
	}
	return out
}

// noteUnasked counts them, as many as the request has that has most, and says where
// the first is.
func (v *View) noteUnasked(o *Observation) {
	for _, r := range v.requests {
		list := v.unasked(r, o.Beyond)
		if len(list) > 0 && o.Unasked == 0 {
			what := "a part of the model's turn that no reply gave"
			if list[0].aspect == ofOrder {
				what = "parts of the model's turn in another order"
			}
			o.NotJudged = append(o.NotJudged, fmt.Sprintf("%s: %s; nobody is known to refuse it", list[0].Where, what))
		}
		o.Unasked = max(o.Unasked, len(list))
	}
}
