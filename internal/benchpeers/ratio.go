package benchpeers

import (
	"fmt"
	"slices"
	"strings"
)

// Spread is the median of some figures and their ends. The zero Spread is of
// none.
type Spread struct{ Median, Min, Max float64 }

// SpreadOf sorts the figures.
func SpreadOf(figures []float64) Spread {
	if len(figures) == 0 {
		return Spread{}
	}
	s := slices.Sorted(slices.Values(figures))
	n := len(s)
	return Spread{(s[(n-1)/2] + s[n/2]) / 2, s[0], s[n-1]}
}

// Row is what the rounds say of one server under one load.
type Row struct {
	Shape  string
	Size   int
	Server string
	Rate   Spread
	CPU    Spread            // nanoseconds for a request
	Ratio  map[string]Spread // of the rate to that of another server in the same round
	// CPURatio is the other server's CPU for a request to its own.
	CPURatio map[string]Spread
	Errors   int
	Total    int
	First    error // the first error
}

// Rows gathers the cells of each server under each load, in the order in which
// they first came.
func Rows(cells []Cell) []Row {
	type load struct {
		shape string
		size  int
	}
	rounds := map[load]map[int]map[string]Cell{}
	var order []Row
	for _, c := range cells {
		l := load{c.Shape, c.Size}
		if rounds[l] == nil {
			rounds[l] = map[int]map[string]Cell{}
		}
		if rounds[l][c.Round] == nil {
			rounds[l][c.Round] = map[string]Cell{}
		}
		rounds[l][c.Round][c.Server] = c
		if !slices.ContainsFunc(order, func(r Row) bool { return r.Shape == c.Shape && r.Size == c.Size && r.Server == c.Server }) {
			order = append(order, Row{Shape: c.Shape, Size: c.Size, Server: c.Server})
		}
	}
	for i := range order {
		order[i].gather(rounds[load{order[i].Shape, order[i].Size}])
	}
	return order
}

func (r *Row) gather(rounds map[int]map[string]Cell) {
	var rate, cpu []float64
	ratio, spent := map[string][]float64{}, map[string][]float64{}
	for _, round := range rounds {
		own, ok := round[r.Server]
		if !ok {
			continue
		}
		rate, cpu = append(rate, own.Rate), append(cpu, float64(own.CPU))
		r.Errors, r.Total = r.Errors+own.Errors, r.Total+own.Total
		if r.First == nil {
			r.First = own.First
		}
		for name, other := range round {
			if name == r.Server {
				continue
			}
			if other.Rate > 0 {
				ratio[name] = append(ratio[name], own.Rate/other.Rate)
			}
			if own.CPU > 0 && other.CPU > 0 {
				spent[name] = append(spent[name], float64(other.CPU)/float64(own.CPU))
			}
		}
	}
	r.Rate, r.CPU = SpreadOf(rate), SpreadOf(cpu)
	r.Ratio, r.CPURatio = map[string]Spread{}, map[string]Spread{}
	for name := range ratio {
		r.Ratio[name] = SpreadOf(ratio[name])
	}
	for name := range spent {
		r.CPURatio[name] = SpreadOf(spent[name])
	}
}

// Target is what a figure should come to.
type Target struct {
	What   string
	Figure float64
	Want   float64
	AtMost bool    // else at least
	Least  float64 // of AtMost: what it can be
	Unit   string
	Beside string // what else is to be known of the figure, "" nothing
}

// Met reports whether the figure does. One below the least that can be is none.
func (t Target) Met() bool {
	if t.AtMost {
		return t.Least <= t.Figure && t.Figure <= t.Want
	}
	return t.Figure >= t.Want
}

// leastKept is what a server that keeps bodies as they are keeps of each byte at
// least, measured a little carelessly.
const leastKept = 0.95

// KeptTarget is that of the bytes that serve keeps for each byte of a body.
func KeptTarget(figure float64) Target {
	t := Target{What: "bytes that serve keeps for each byte of a body", Figure: figure, Want: 1.05, Least: leastKept, AtMost: true}
	if figure < t.Least {
		t.Beside = "which can't be: memory did not grow with what came"
	}
	return t
}

// String is one line: met or missed, what, the figure and the target.
func (t Target) String() string {
	word, sign := "missed", "≥"
	if t.Met() {
		word = "met"
	}
	if t.AtMost {
		sign = "≤"
	}
	beside := ""
	if t.Beside != "" {
		beside = " (" + t.Beside + ")"
	}
	return fmt.Sprintf("%-6s  %s: %.2f%s, want %s %g%s", word, t.What, t.Figure, t.Unit+beside, sign, t.Want, t.Unit)
}

// RatioTargets are those of serve's rate: to the bare handler by the size of the
// body, and to aimock. They were set for a load generator that sends one request
// again and again. Where each request is another one the same is wished for: there
// serve has to read each of them and to begin a conversation under a new key, which
// the others do not.
func RatioTargets(rows []Row) (targets, wishes []Target) {
	for _, name := range []string{BareOf, Aimock} {
		for _, r := range rows {
			got, ok := r.Ratio[name]
			if !ok || r.Server != Ours {
				continue
			}
			t := Target{What: fmt.Sprintf("%s, %s: serve's rate to %s's", r.Shape, sizeText(r.Size), name), Figure: got.Median, Want: 5}
			if name == BareOf {
				t.Want = bareTarget(r.Size)
			}
			if cpu, ok := r.CPURatio[name]; ok {
				t.Beside = fmt.Sprintf("by CPU for a request %.2f", cpu.Median)
			}
			if strings.HasSuffix(r.Shape, again) {
				targets = append(targets, t)
			} else {
				wishes = append(wishes, t)
			}
		}
	}
	return targets, wishes
}

func bareTarget(size int) float64 {
	if size < 64<<10 {
		return 0.8
	}
	return 1
}

func sizeText(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
