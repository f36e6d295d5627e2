package trial

import (
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
)

// Close gives the verdict that the runs add up to: in every run that the fault
// changed some requirement is red, and each named one is red in at least one.
func (b *Book) Close() result.Fault {
	if b.ended {
		return b.Fault
	}
	var missing []string
	named := false
	for _, id := range b.Fault.Requirements {
		if !b.judged[id] || b.Foreign && !b.asked[id] {
			continue
		}
		if b.red[id] {
			named = true
		} else {
			missing = append(missing, id)
		}
	}
	for id := range b.red {
		b.Fault.DetectedBy = append(b.Fault.DetectedBy, id)
	}
	slices.Sort(b.Fault.DetectedBy)
	f := &b.Fault
	switch {
	case b.Foreign && !b.Reached:
		b.End(result.NotTried, result.NoPlace, "nothing that the subject sends has a place for it")
	case b.Foreign && len(b.asked) == 0 && len(b.green) == 0:
		b.End(result.NotTried, result.NoPlace, "no run that the subject passes and that has a place for it judges one of its requirements")
	case !b.Reached && f.Kind == "wire":
		b.End(result.NoOp, result.NoPlace, "its place was found in no request of any run")
	case !b.Reached:
		b.End(result.Survived, result.NotReached, "no run reaches the code")
	case len(f.Runs) == 0 && len(b.setUp) > 0:
		b.End(result.Errored, result.SetUp, fmt.Sprintf("nothing was sent in %d runs: the subject failed before it began: %s", len(b.setUp), some(b.setUp)))
	case len(f.Runs) == 0:
		b.End(result.NoOp, result.SameBytes, "nothing that can be observed changed in any run")
	case len(b.green) > 0:
		b.End(result.Survived, "", fmt.Sprintf("nothing turned red in %d of %d changed runs: %s", len(b.green), len(f.Runs), some(b.green)))
	case len(f.Requirements) > 0 && len(missing) > 0:
		reason := fmt.Sprintf("%s never turned red", strings.Join(missing, ", "))
		if !named {
			reason += "; " + strings.Join(f.DetectedBy, ", ") + " did"
		}
		b.End(result.DetectedElsewhere, "", reason)
	default:
		b.End(result.Detected, "", "")
	}
	return b.Fault
}

func some(list []string) string {
	if len(list) > 4 {
		return strings.Join(list[:4], "; ") + " …"
	}
	return strings.Join(list, "; ")
}
