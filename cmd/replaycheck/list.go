package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/specs"
)

// listing is a kind of thing that can be listed: as rows for people, as items
// for programs.
type listing struct {
	name, short string
	header      []string
	load        func() (rows [][]string, items any, err error)
}

func listings() []listing {
	return []listing{
		{"requirements", "The requirements of the contract", []string{"REQUIREMENT", "STRENGTH", "LEVELS", "NEEDS", "TITLE"}, listRequirements},
		{"scenarios", "The scripted conversations", []string{"SCENARIO", "MODES", "NEEDS", "ORIGIN", "TITLE"}, listScenarios},
		{"subjects", "The subjects that can be named", []string{"SUBJECT", "LEVEL", "TITLE"}, listSubjects},
		faultListing(),
	}
}

func (a app) listCommand() *cobra.Command {
	list := &cobra.Command{
		Use:   "list",
		Short: "List requirements, scenarios, faults, subjects or the trace between them",
		Args:  cobra.ArbitraryArgs,
		RunE:  needsCommand,
	}
	for _, l := range listings() {
		list.AddCommand(a.listKind(l))
	}
	list.AddCommand(a.traceCommand())
	return list
}

func (a app) listKind(l listing) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   l.name,
		Short: l.short,
		Args:  noArguments(""),
		RunE: func(*cobra.Command, []string) error {
			if err := a.list(l, asJSON); err != nil {
				return fmt.Errorf("list %s: %w", l.name, err)
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON instead of a table")
	return cmd
}

func (a app) list(l listing, asJSON bool) error {
	rows, items, err := l.load()
	switch {
	case err != nil:
		return err
	case len(rows) == 0:
		return errors.New("there are none in this build")
	case !asJSON:
		return report.Table(a.stdout, l.header, rows, a.fancy(a.stdout))
	}
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(items)
}

type requirementItem struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Strength string   `json:"strength"`
	Levels   []string `json:"levels"`
	Needs    string   `json:"needs"`
	Source   string   `json:"source"`
	Read     string   `json:"read"`
	Oracle   string   `json:"oracle"`
	Faults   []string `json:"faults"`
}

func listRequirements() ([][]string, any, error) {
	all, err := specs.All()
	var rows [][]string
	var items []requirementItem
	for _, s := range all {
		rows = append(rows, []string{s.ID, s.Strength, strings.Join(s.Levels, ", "), s.Needs, s.Title})
		items = append(items, requirementItem{s.ID, s.Title, s.Strength, s.Levels, s.Needs, s.Source, s.Read, s.Oracle, append([]string{}, s.Faults...)})
	}
	return rows, items, err
}

type scenarioItem struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Modes    []string `json:"modes"` // as in reports
	Needs    []string `json:"needs"`
	Carrier  bool     `json:"carrier"`
	Variants []string `json:"variants"`
	Origin   string   `json:"origin"`
	Source   string   `json:"source"`
	Date     string   `json:"date"`
}

func listScenarios() ([][]string, any, error) {
	all, err := fixtures.All()
	var rows [][]string
	var items []scenarioItem
	for _, s := range all {
		modes := modesOf(s)
		needs := append([]string{}, s.Needs...)
		shown := needs
		if s.Carrier {
			shown = append(append([]string{}, needs...), "carrier")
		}
		rows = append(rows, []string{s.ID, strings.Join(modes, ", "), strings.Join(shown, ", "), s.Origin, s.Title})
		items = append(items, scenarioItem{s.ID, s.Title, modes, needs, s.Carrier, append([]string{}, s.Variants...), s.Origin, s.Source, s.Date})
	}
	return rows, items, err
}

// modesOf are the modes in which a scenario is driven, in the words of reports.
func modesOf(s *fixtures.Scenario) []string {
	var out []string
	for _, stream := range []bool{false, true} {
		how := map[bool]string{false: "plain", true: "stream"}[stream]
		if !s.HasMode(stream) {
			continue
		}
		if len(s.Tasks) == 1 {
			out = append(out, how+"/memory")
		}
		if !s.MemoryOnly {
			out = append(out, how+"/stored")
		}
	}
	return out
}
