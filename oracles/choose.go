package oracles

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/internal/wire"
)

// UnknownError names something that does not exist, with what is nearest.
type UnknownError struct {
	What    string // "requirement" or "scenario"
	Name    string
	Nearest []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown %s %q, nearest: %s", e.What, e.Name, strings.Join(e.Nearest, ", "))
}

// choose returns the requirements that the patterns leave out.
func (j *judge) choose(only []string) (map[string]bool, error) {
	var ids []string
	for _, o := range j.oracles {
		ids = append(ids, o.ID)
	}
	keep, err := match("requirement", ids, only)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = !slices.Contains(keep, id)
	}
	return out, nil
}

func chooseScenarios(all []*fixtures.Scenario, only []string) ([]*fixtures.Scenario, error) {
	var ids []string
	for _, s := range all {
		ids = append(ids, s.ID)
	}
	keep, err := match("scenario", ids, only)
	if err != nil {
		return nil, err
	}
	var out []*fixtures.Scenario
	for _, s := range all {
		if slices.Contains(keep, s.ID) {
			out = append(out, s)
		}
	}
	return out, nil
}

// match returns the names that fit a pattern; with no pattern, all of them. A
// pattern that fits nothing is an error.
func match(what string, names, patterns []string) ([]string, error) {
	if len(patterns) == 0 {
		return names, nil
	}
	var out []string
	for _, p := range patterns {
		found := false
		for _, n := range names {
			ok, err := path.Match(strings.ToLower(strings.ReplaceAll(p, "/", "\x00")), strings.ToLower(strings.ReplaceAll(n, "/", "\x00")))
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", p, err)
			}
			if ok {
				found = true
				out = append(out, n)
			}
		}
		if !found {
			return nil, &UnknownError{What: what, Name: p, Nearest: nearest(p, names)}
		}
	}
	return out, nil
}

// nearest returns the three names with the fewest edits to name.
func nearest(name string, names []string) []string {
	out := slices.Clone(names)
	slices.SortStableFunc(out, func(a, b string) int { return edits(name, a) - edits(name, b) })
	return out[:min(3, len(out))]
}

// edits is the Levenshtein distance without regard to case.
func edits(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for k := range len(b) {
			cost := diagonal
			if a[i] != b[k] {
				cost++
			}
			diagonal = row[k+1]
			row[k+1] = min(cost, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(b)]
}

func parseTask(text string) (Task, error) {
	var t Task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return t, fmt.Errorf("oracles: read task: %w", err)
	}
	return t, nil
}

// aboutMode begins a reason that is about the mode and not the scenario.
const aboutMode = "mode "

// cannotDrive says why a subject cannot be driven through a scenario in a mode,
// "" when it can. A reason about the mode begins with aboutMode.
func cannotDrive(sc *fixtures.Scenario, m Mode, d Description, known *memo) string {
	if m.Stream && !slices.Contains(d.Modes, "stream") || !m.Stream && !slices.Contains(d.Modes, "plain") {
		return fmt.Sprintf(aboutMode+"the subject declares %s only", strings.Join(d.Modes, ", "))
	}
	if m.Stored && d.State == "none" {
		return aboutMode + "the subject keeps no state"
	}
	if m.Stored && !slices.Contains(d.Stops, subject.StopAtToolCalls) {
		return aboutMode + "the subject cannot stop at tool_calls"
	}
	if sc.Carrier && d.Carrier != subject.Carrier {
		return fmt.Sprintf("the subject carries no %q state", subject.Carrier)
	}
	for _, need := range sc.Needs {
		if need == subject.Tools { // cannot be opted out of
			continue
		}
		if why := lacks(d, need); why != "" {
			return why
		}
	}
	for _, text := range sc.Tasks {
		task, err := known.task(text)
		if err != nil {
			return err.Error()
		}
		if why := fixedModes(text, d); why != "" {
			return why
		}
		for _, leg := range task.Legs {
			p, ok := d.Providers[leg.Provider]
			if !ok {
				return fmt.Sprintf("provider %s: not declared", leg.Provider)
			}
			if len(p.Models) > 0 && !slices.Contains(p.Models, leg.Model) {
				return fmt.Sprintf("provider %s: model %s not declared", leg.Provider, leg.Model)
			}
		}
	}
	return ""
}

// fixedModes says why a task whose legs say themselves whether to stream is
// beyond a subject, "" when it is not.
func fixedModes(text string, d Description) string {
	root, err := wire.Parse(text)
	if err != nil {
		return err.Error()
	}
	for leg := range root.Get("legs").Items() {
		mode := map[string]string{"true": "stream", "false": "plain"}[leg.Get("stream").Raw()]
		if mode != "" && !slices.Contains(d.Modes, mode) {
			return fmt.Sprintf("both modes in one conversation: the subject declares %s only", strings.Join(d.Modes, ", "))
		}
	}
	return ""
}

// lacks says why a subject does not have a capability, "" when it does.
func lacks(d Description, capability string) string {
	if slices.Contains(d.Capabilities, capability) {
		return ""
	}
	why := d.Unsupported[capability]
	if why == "" {
		why = "not declared"
	}
	return fmt.Sprintf("capability %s: %s", capability, why)
}

// notAsked says why a requirement is not asked of a subject, "" when it is.
func notAsked(o Oracle, d Description) string {
	switch {
	case o.Needs.Reference && d.Name != referenceName:
		return "asked of the reference adapters only"
	case o.Needs.Carrier && d.Carrier != subject.Carrier:
		return fmt.Sprintf("the subject carries no %q state", subject.Carrier)
	case o.Needs.Capability != "" && !o.Needs.Forced:
		return lacks(d, o.Needs.Capability)
	}
	return ""
}

// asked reports whether a requirement has a level.
func asked(levels []string, l result.Level) bool { return slices.Contains(levels, string(l)) }
