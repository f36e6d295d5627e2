// Package rule says what a row of the tables of provider rules is: when a
// request breaks it and what the provider answers then.
package rule

import (
	"slices"
	"strings"
)

// Mark says how well a rule is known.
type Mark string

// The marks.
const (
	Confirmed    Mark = "confirmed"     // the text is from a recorded exchange or quoted in a public thread
	Documented   Mark = "documented"    // the provider's pages or those of a third party say so
	NotConfirmed Mark = "not confirmed" // the rule's note says what is not known
)

// weaker returns the weaker of two marks; "" is the strongest.
func weaker(a, b Mark) Mark {
	order := []Mark{"", Confirmed, Documented, NotConfirmed}
	if slices.Index(order, a) > slices.Index(order, b) {
		return a
	}
	return b
}

// Info is what a table says of one rule. Nothing in it may be written to.
type Info struct {
	ID     string // stable, such as gemini/missing-signature
	Breaks string // what breaks it, as the rest of "refused: …"
	// Profiles are the names of the profiles that have it.
	Profiles []string
	// Routes are the ways to the API that have it; none: all.
	Routes []string
	// Optional rules hold only where they are named: those that are contested,
	// or true of some routes that no request tells apart.
	Optional bool
	Status   int // of HTTP
	// Message is the text as the provider writes it, with {name} where it
	// fills something in. Where several places break the rule at once and
	// Lines is set, it is written once per place, a line each.
	Message string
	Lines   bool
	// Param and Code are those members of OpenAI's errors; "" is null. {name}
	// is filled in.
	Param, Code string
	// Details says that the error of Google has a list of the bad fields.
	Details bool
	Mark    Mark
	Note    string // what is not known or not obvious, "" if nothing
	Sources []string
}

// Rule is one row of a table: what it says, and the condition over a request
// of type R.
type Rule[R any] struct {
	Info
	// Broken returns the places that break the rule; none: it holds.
	Broken func(*R) []Hit
}

// Hit is one place that breaks a rule.
type Hit struct {
	Fill  []string // pairs of {name} and value for the rule's texts
	Field string   // for Details: the field
	Why   string   // as Refusal.Why
}

// Refusal is what a provider's profile answers a request that breaks a rule.
type Refusal struct {
	Rule    string // the rule's ID
	Profile string // the profile that has it
	Status  int
	Message string // the provider's sentence
	Body    string // the whole body
	Mark    Mark   // how well that is known of this profile
	// Why says for people what the fake knows of the first place that breaks the
	// rule, which the provider doesn't say: what became of an opaque value or an
	// id. "" where the message says it all.
	Why string
}

// Table holds rules in the order in which they are looked at. It may be used
// from several goroutines.
type Table[R any] struct {
	rows []Rule[R]
	// plain are the rules by profile and route, where no optional one is named.
	plain map[[2]string][]Rule[R]
}

// NewTable makes a table of rows; routes are all routes that a request may have
// come by.
func NewTable[R any](rows []Rule[R], routes ...string) *Table[R] {
	t := &Table[R]{rows: rows, plain: map[[2]string][]Rule[R]{}}
	for _, p := range profiles {
		for _, route := range routes {
			t.plain[[2]string{p.Name, route}] = t.holding(Choice{Profile: p}, route)
		}
	}
	return t
}

func (t *Table[R]) holding(c Choice, route string) []Rule[R] {
	var out []Rule[R]
	for _, row := range t.rows {
		if c.has(row.Info, route) {
			out = append(out, row)
		}
	}
	return out
}

// First returns the first rule that the request breaks, nil if none. body makes
// the provider's error of a message.
func (t *Table[R]) First(c Choice, route string, r *R, body func(i Info, message string, hits []Hit) string) *Refusal {
	rows, known := t.plain[[2]string{c.Profile.Name, route}]
	if len(c.With) > 0 || !known {
		rows = t.holding(c, route)
	}
	for i := range rows {
		row := &rows[i]
		hits := row.Broken(r)
		if len(hits) == 0 {
			continue
		}
		if !row.Lines {
			hits = hits[:1]
		}
		return &Refusal{
			Rule: row.ID, Profile: c.Profile.Name, Status: row.Status, Message: Fill(row.Message, hits...),
			Body: body(row.Info, Fill(row.Message, hits...), hits), Mark: weaker(row.Mark, c.Profile.Most), Why: hits[0].Why,
		}
	}
	return nil
}

// Fill writes text once per hit, a line each.
func Fill(text string, hits ...Hit) string {
	lines := make([]string, len(hits))
	for i, h := range hits {
		lines[i] = strings.NewReplacer(h.Fill...).Replace(text)
	}
	return strings.Join(lines, "\n")
}

// Infos returns what the table says, without the conditions.
func (t *Table[R]) Infos() []Info {
	out := make([]Info, len(t.rows))
	for i, row := range t.rows {
		out[i] = row.Info
	}
	return out
}
