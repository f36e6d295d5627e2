package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations"
	"example.com/replaycheck/oracles"
	"example.com/replaycheck/specs"
)

// traceItem is one requirement with all that decides and checks it.
type traceItem struct {
	ID        string       `json:"id"`
	Title     string       `json:"title"`
	Spec      string       `json:"spec"`      // file, "" where there is none
	Oracle    string       `json:"oracle"`    // ID, "" where there is none
	Scenarios []string     `json:"scenarios"` // that hold evidence for it
	Faults    []traceFault `json:"faults"`
	Gaps      []string     `json:"gaps"` // what is missing: "spec", "oracle", "scenario", "fault", "fault drop-signature"
}

// traceFault is a fault that must turn the requirement red.
type traceFault struct {
	ID     string   `json:"id"`
	Status string   `json:"status"`
	Kinds  []string `json:"kinds"` // how the catalogue makes it: "wire", "source"
}

// What is known of a fault. Only one that is made closes a requirement.
const (
	faultMade    = "made"    // the spec names it and the catalogue makes it
	faultNamed   = "named"   // the spec names it, and nothing makes it
	faultUnnamed = "unnamed" // the catalogue makes it, and the spec does not name it
)

func (a app) traceCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Each requirement with its spec, oracle, scenarios and faults",
		Long: "trace lists each requirement with its spec, its oracle, the scenarios that hold evidence for it\n" +
			"and the faults that must turn it red. A requirement that lacks one of them is a gap: exit code 1.\n" +
			"A fault comes with how the catalogue makes it, on the wire or in source; one that the spec names\n" +
			"and the catalogue does not make (\"named\") is a gap too.",
		Args: noArguments(""),
		RunE: func(*cobra.Command, []string) error {
			if err := a.trace(asJSON); err != nil {
				return fmt.Errorf("list trace: %w", err)
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON instead of a table")
	return cmd
}

func (a app) trace(asJSON bool) error {
	decided, err := specs.All()
	if err != nil {
		return err
	}
	scenarios, err := fixtures.All()
	if err != nil {
		return err
	}
	showing, err := oracles.Showing(scenarios)
	if err != nil {
		return err
	}
	made, err := catalogued()
	if err != nil {
		return err
	}
	var checked []string
	for _, o := range oracles.All() {
		checked = append(checked, o.ID)
	}
	return a.printTrace(traceOf(decided, checked, showing, made), asJSON)
}

// catalogued are the kinds of the catalogue's faults, by requirement and ID.
func catalogued() (map[string]map[string][]string, error) {
	all, err := mutations.Catalogue()
	out := map[string]map[string][]string{}
	for _, f := range all {
		for _, v := range f.Variants {
			for _, id := range v.Requirements {
				if out[id] == nil {
					out[id] = map[string][]string{}
				}
				for _, kind := range (mutations.Fault{Variants: []mutations.Variant{v}}).Kinds() {
					if !slices.Contains(out[id][f.ID], kind) {
						out[id][f.ID] = append(out[id][f.ID], kind)
					}
				}
			}
		}
	}
	return out, err
}

func (a app) printTrace(items []traceItem, asJSON bool) error {
	var err error
	if asJSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		err = enc.Encode(items)
	} else {
		err = report.Table(a.stdout, []string{"REQUIREMENT", "GAPS", "SPEC", "ORACLE", "SCENARIOS", "FAULTS"}, traceRows(items), a.fancy(a.stdout))
	}
	if err != nil {
		return err
	}
	var gaps []string
	for _, t := range items {
		if len(t.Gaps) > 0 {
			gaps = append(gaps, t.ID+" ("+strings.Join(t.Gaps, ", ")+")")
		}
	}
	if len(gaps) == 0 {
		return nil
	}
	_, _ = fmt.Fprintln(a.stderr, "replaycheck: list trace: missing: "+strings.Join(gaps, "; "))
	return exitError(result.ExitCode(result.Fail))
}

// traceOf joins what is decided, what is checked and what is shown. The harness's
// own requirements have no oracle by design and are left out.
func traceOf(decided []specs.Spec, checked []string, showing map[string][]string, made map[string]map[string][]string) []traceItem {
	var out []traceItem
	for _, s := range decided {
		if s.Family() == "PROOF" {
			continue
		}
		out = append(out, traceItem{ID: s.ID, Title: s.Title, Spec: "specs/" + s.ID + ".md", Faults: faultsOf(s.Faults, made[s.ID])})
	}
	for _, id := range checked {
		i := slices.IndexFunc(out, func(t traceItem) bool { return t.ID == id })
		if i < 0 {
			out = append(out, traceItem{ID: id, Faults: faultsOf(nil, made[id])})
			i = len(out) - 1
		}
		out[i].Oracle = id
	}
	for i := range out {
		t := &out[i]
		t.Scenarios = append([]string{}, showing[t.ID]...)
		t.Gaps = gapsOf(*t)
	}
	return out
}

// faultsOf joins the faults that a spec names, in its order, with those that the
// catalogue makes for the requirement.
func faultsOf(named []string, made map[string][]string) []traceFault {
	out := []traceFault{}
	for _, id := range named {
		f := traceFault{ID: id, Status: faultNamed, Kinds: append([]string{}, made[id]...)}
		if len(f.Kinds) > 0 {
			f.Status = faultMade
		}
		out = append(out, f)
	}
	for _, id := range slices.Sorted(maps.Keys(made)) {
		if !slices.Contains(named, id) {
			out = append(out, traceFault{ID: id, Status: faultUnnamed, Kinds: made[id]})
		}
	}
	return out
}

func gapsOf(t traceItem) []string {
	out := []string{}
	for _, g := range []struct {
		name    string
		missing bool
	}{{"spec", t.Spec == ""}, {"oracle", t.Oracle == ""}, {"scenario", len(t.Scenarios) == 0}, {"fault", len(t.Faults) == 0}} {
		if g.missing {
			out = append(out, g.name)
		}
	}
	for _, f := range t.Faults {
		if f.Status == faultNamed {
			out = append(out, "fault "+f.ID)
		}
	}
	return out
}

// shownScenarios is how many scenarios a table row names; JSON has them all.
const shownScenarios = 2

func traceRows(items []traceItem) [][]string {
	or := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	var rows [][]string
	for _, t := range items {
		var faults []string
		for _, f := range t.Faults {
			how := strings.Join(f.Kinds, ", ")
			if f.Status != faultMade {
				how = strings.TrimPrefix(how+", "+f.Status, ", ")
			}
			faults = append(faults, f.ID+" ("+how+")")
		}
		scenarios := strconv.Itoa(len(t.Scenarios))
		if n := min(len(t.Scenarios), shownScenarios); n > 0 {
			scenarios += ": " + strings.Join(t.Scenarios[:n], ", ")
			if n < len(t.Scenarios) {
				scenarios += ", …"
			}
		}
		rows = append(rows, []string{t.ID, or(strings.Join(t.Gaps, ", ")), or(t.Spec), or(t.Oracle), scenarios, or(strings.Join(faults, ", "))})
	}
	return rows
}
