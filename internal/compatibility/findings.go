package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/replaycheck/internal/result"
)

// row is one kind of change in one scenario, whichever requirements it breaks.
type row struct {
	scenario, change, where string
	modes, requirements     []string
}

// findings are three tables: what fails level provider, what is contested, and
// what only level verbatim minds.
func findings(b *strings.Builder, r result.Report) {
	table(b, "What fails: "+r.Subject.Name, rows(r, func(f result.Finding) bool { return f.Gates(result.Provider) }))
	table(b, "Contested: "+r.Subject.Name, rows(r, func(f result.Finding) bool {
		return f.Level == result.Provider && f.Basis == result.Contested
	}))
	verbatimOnly(b, r)
}

// rows gathers the findings that are chosen, sorted, so that the order in which
// they come shows nowhere. A requirement that is not asked at level provider
// breaks nothing there.
func rows(r result.Report, chosen func(result.Finding) bool) []*row {
	var out []*row
	for _, q := range r.Requirements {
		if q.Levels.Provider == nil {
			continue
		}
		for _, run := range q.Runs {
			for _, f := range run.Findings {
				if !chosen(f) {
					continue
				}
				i := slices.IndexFunc(out, func(o *row) bool { return o.scenario == run.Scenario && o.change == string(f.Change) })
				if i < 0 {
					i, out = len(out), append(out, &row{scenario: run.Scenario, change: string(f.Change), where: f.Where})
				}
				if earlier(f.Where, out[i].where) {
					out[i].where = f.Where
				}
				out[i].modes = append(out[i].modes, run.Mode)
				out[i].requirements = append(out[i].requirements, q.ID)
			}
		}
	}
	slices.SortFunc(out, func(a, b *row) int {
		return cmp.Or(strings.Compare(a.scenario, b.scenario), strings.Compare(a.change, b.change))
	})
	return out
}

var number = regexp.MustCompile(`\d+`)

// earlier compares two places by their first number, the request's, and then
// as text.
func earlier(a, b string) bool {
	n, _ := strconv.Atoi(number.FindString(a))
	m, _ := strconv.Atoi(number.FindString(b))
	return cmp.Or(cmp.Compare(n, m), strings.Compare(a, b)) < 0
}

func table(b *strings.Builder, title string, all []*row) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n| scenario | change | first seen at | modes | requirements |\n|---|---|---|---|---|\n", title)
	for _, o := range all {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", o.scenario, o.change, o.where,
			strings.Join(sorted(o.modes), ", "), strings.Join(sorted(o.requirements), ", "))
	}
}

// place is where a finding is, without what differs from request to request.
var place = regexp.MustCompile(`^request \d+(, )?|\[\d+\]`)

// verbatimOnly lists what a provider is held to understand all the same.
func verbatimOnly(b *strings.Builder, r result.Report) {
	type kind struct{ change, where string }
	var order []kind
	scenarios := map[kind][]string{}
	for _, q := range r.Requirements {
		for _, run := range q.Runs {
			for _, f := range run.Findings {
				if f.Level != result.Verbatim {
					continue
				}
				k := kind{string(f.Change), place.ReplaceAllString(f.Where, "")}
				if scenarios[k] == nil {
					order = append(order, k)
				}
				scenarios[k] = append(scenarios[k], run.Scenario)
			}
		}
	}
	if len(order) == 0 {
		return
	}
	slices.SortFunc(order, func(a, b kind) int {
		return cmp.Or(strings.Compare(a.change, b.change), strings.Compare(a.where, b.where))
	})
	fmt.Fprintf(b, "\n### At level verbatim only: %s\n\n| change | at | scenarios |\n|---|---|---|\n", r.Subject.Name)
	for _, k := range order {
		fmt.Fprintf(b, "| %s | %s | %s |\n", k.change, k.where, some(sorted(scenarios[k])))
	}
}

// some names up to three.
func some(names []string) string {
	const most = 3
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "`" + n + "`"
	}
	if len(quoted) <= most {
		return strings.Join(quoted, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(quoted[:most], ", "), len(quoted)-most)
}
