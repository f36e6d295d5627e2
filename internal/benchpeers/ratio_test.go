package benchpeers_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/internal/benchpeers"
)

func cell(round, size int, server string, rate float64, cpu time.Duration) benchpeers.Cell {
	return benchpeers.Cell{Round: round, Shape: benchpeers.Gemini, Size: size, Server: server, Rate: rate, CPU: cpu, Total: 100}
}

// Ratios are made within a round: the machine was slow in the second.
var cells = []benchpeers.Cell{
	cell(1, 2048, benchpeers.BareOf, 1000, 10), cell(1, 2048, benchpeers.Ours, 900, 20), cell(1, 2048, benchpeers.Aimock, 100, 200),
	cell(2, 2048, benchpeers.BareOf, 100, 10), cell(2, 2048, benchpeers.Ours, 80, 20), cell(2, 2048, benchpeers.Aimock, 20, 200),
	cell(3, 2048, benchpeers.BareOf, 1000, 10), cell(3, 2048, benchpeers.Ours, 700, 20), cell(3, 2048, benchpeers.Aimock, 200, 100),
	cell(1, 65536, benchpeers.BareOf, 500, 0), cell(1, 65536, benchpeers.Ours, 400, 0),
}

func TestRowsGatherRatiosRoundByRound(t *testing.T) {
	rows := benchpeers.Rows(cells)
	if len(rows) != 5 {
		t.Fatalf("got %d rows, want 5", len(rows))
	}
	ours := rows[1]
	want := benchpeers.Row{
		Shape: benchpeers.Gemini, Size: 2048, Server: benchpeers.Ours, Total: 300,
		Rate: benchpeers.Spread{Median: 700, Min: 80, Max: 900}, CPU: benchpeers.Spread{Median: 20, Min: 20, Max: 20},
		Ratio: map[string]benchpeers.Spread{
			benchpeers.BareOf: {Median: 0.8, Min: 0.7, Max: 0.9}, benchpeers.Aimock: {Median: 4, Min: 3.5, Max: 9},
		},
		CPURatio: map[string]benchpeers.Spread{benchpeers.BareOf: {Median: 0.5, Min: 0.5, Max: 0.5}, benchpeers.Aimock: {Median: 10, Min: 5, Max: 10}},
	}
	if d := cmp.Diff(want, ours); d != "" {
		t.Error(d)
	}
	if rows[4].Ratio[benchpeers.BareOf].Median != 0.8 || len(rows[4].CPURatio) != 0 {
		t.Errorf("got %+v, want a ratio of 0.8 and none of CPU", rows[4])
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want benchpeers.Spread
	}{
		{nil, benchpeers.Spread{}},
		{[]float64{3}, benchpeers.Spread{Median: 3, Min: 3, Max: 3}},
		{[]float64{4, 1}, benchpeers.Spread{Median: 2.5, Min: 1, Max: 4}},
		{[]float64{9, 1, 2}, benchpeers.Spread{Median: 2, Min: 1, Max: 9}},
	} {
		if got := benchpeers.SpreadOf(c.in); got != c.want {
			t.Errorf("%v: got %+v, want %+v", c.in, got, c.want)
		}
	}
}

func TestTargets(t *testing.T) {
	var b strings.Builder
	again := append([]benchpeers.Cell(nil), cells...)
	for i := range again {
		again[i].Shape = benchpeers.GeminiAgain
	}
	targets, none := benchpeers.RatioTargets(benchpeers.Rows(again))
	if len(none) > 0 {
		t.Errorf("got %v among the wishes", none)
	}
	benchpeers.WriteTargets(&b, append(targets,
		benchpeers.Target{What: "first answer", Figure: 14.2, Want: 15, AtMost: true, Unit: " ms"},
		benchpeers.KeptTarget(1.02), benchpeers.KeptTarget(1.06), benchpeers.KeptTarget(-0.18)))
	if _, wishes := benchpeers.RatioTargets(benchpeers.Rows(cells)); len(wishes) != len(targets) {
		t.Errorf("got the wishes %v, want one for each of %v", wishes, targets)
	}
	const want = `met     gemini, the same again, 2 KiB: serve's rate to bare's: 0.80 (by CPU for a request 0.50), want ≥ 0.8
missed  gemini, the same again, 64 KiB: serve's rate to bare's: 0.80, want ≥ 1
missed  gemini, the same again, 2 KiB: serve's rate to aimock's: 4.00 (by CPU for a request 10.00), want ≥ 5
met     first answer: 14.20 ms, want ≤ 15 ms
met     bytes that serve keeps for each byte of a body: 1.02, want ≤ 1.05
missed  bytes that serve keeps for each byte of a body: 1.06, want ≤ 1.05
missed  bytes that serve keeps for each byte of a body: -0.18 (which can't be: memory did not grow with what came), want ≤ 1.05
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

func TestTable(t *testing.T) {
	with := append([]benchpeers.Cell(nil), cells[:3]...)
	with[1].Errors, with[1].First = 2, errors.New("status 400: no")
	with[1].CPU = 0
	var b strings.Builder
	if err := benchpeers.WriteRows(&b, benchpeers.Rows(with)); err != nil {
		t.Fatal(err)
	}
	benchpeers.WriteFirst(&b, map[string][]benchpeers.First{benchpeers.Ours: {{12e6, 8e6}, {10e6, 9e6}, {40e6, 7e6}}})
	benchpeers.WriteKept(&b, map[string]float64{benchpeers.Ours: 1.031, benchpeers.BareOf: 0.061})
	benchpeers.WriteMutants(&b, []benchpeers.Mutants{{Tool: "gremlins", Package: "p", Tried: 60, CPU: 40 * time.Second, Wall: 20 * time.Second, Verdicts: "60 killed"}})
	const want = `shape   body   server  requests/s, median (min–max)  to bare              to aimock               CPU for a request  bare's to it  aimock's to it       errors
gemini  2 KiB  bare    1000 (1000–1000)              -                    10.00 (10.00–10.00)     0 µs               -             20.00 (20.00–20.00)  0 of 100
gemini  2 KiB  serve   900 (900–900)                 0.90 (0.90–0.90)     9.00 (9.00–9.00)        -                  -             -                    2 of 100
gemini  2 KiB  aimock  100 (100–100)                 0.10 (0.10–0.10)     -                       0 µs               0.05 (0.05–0.05)  -                0 of 100
`
	lines := strings.SplitAfter(b.String(), "\n")
	if got := squeezed(strings.Join(lines[:4], "")); got != squeezed(want) {
		t.Error(cmp.Diff(squeezed(want), got))
	}
	const rest = `gemini, 2 KiB, serve: the first error: status 400: no
first answer of serve after process start: median 12.0 ms (10.0–40.0), 8.0 ms of CPU, 3 starts
resident memory of bare grows by 0.06 bytes for each byte of a body of 256 KiB, which can't be all that came
resident memory of serve grows by 1.03 bytes for each byte of a body of 256 KiB
gremlins on p: 60 mutants in 40.0 s of CPU (20.0 s wall): 1.50 for each CPU second; 60 killed
`
	if d := cmp.Diff(rest, strings.Join(lines[4:], "")); d != "" {
		t.Error(d)
	}
}

// squeezed is a table without what aligns it.
func squeezed(s string) string {
	var out []string
	for line := range strings.Lines(s) {
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(out, "\n")
}
