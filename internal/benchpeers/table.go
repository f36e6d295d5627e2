package benchpeers

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// WriteRows writes the rates and their ratios as a table.
func WriteRows(w io.Writer, rows []Row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "shape\tbody\tserver\trequests/s, median (min–max)\tto bare\tto aimock\tCPU for a request\tbare's to it\taimock's to it\terrors")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%.0f (%.0f–%.0f)\t%s\t%s\t%s\t%s\t%s\t%d of %d\n", r.Shape, sizeText(r.Size), r.Server, r.Rate.Median, r.Rate.Min, r.Rate.Max,
			ratioText(r.Ratio, BareOf), ratioText(r.Ratio, Aimock), cpuText(r.CPU), ratioText(r.CPURatio, BareOf), ratioText(r.CPURatio, Aimock), r.Errors, r.Total)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range rows {
		if r.First != nil {
			fmt.Fprintf(w, "%s, %s, %s: the first error: %v\n", r.Shape, sizeText(r.Size), r.Server, r.First)
		}
	}
	return nil
}

func ratioText(ratios map[string]Spread, to string) string {
	s, ok := ratios[to]
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.Min, s.Max)
}

func cpuText(s Spread) string {
	if s.Median == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f µs", s.Median/1e3)
}

// WriteFirst writes how long the first answers took.
func WriteFirst(w io.Writer, all map[string][]First) {
	for _, name := range sortedKeys(all) {
		took, cpu := FirstOf(all[name])
		fmt.Fprintf(w, "first answer of %s after process start: median %.1f ms (%.1f–%.1f), %.1f ms of CPU, %d starts\n",
			name, took.Median, took.Min, took.Max, cpu.Median, len(all[name]))
	}
}

// FirstOf is what they took, in milliseconds.
func FirstOf(all []First) (took, cpu Spread) {
	var t, c []float64
	for _, f := range all {
		t, c = append(t, f.Took.Seconds()*1e3), append(c, f.CPU.Seconds()*1e3)
	}
	return SpreadOf(t), SpreadOf(c)
}

// WriteKept writes by how much memory grew.
func WriteKept(w io.Writer, kept map[string]float64) {
	for _, name := range sortedKeys(kept) {
		doubt := ""
		if kept[name] < leastKept {
			doubt = ", which can't be all that came"
		}
		fmt.Fprintf(w, "resident memory of %s grows by %.2f bytes for each byte of a body of %s%s\n", name, kept[name], sizeText(keptSize), doubt)
	}
}

// WriteMutants writes what each tool came to.
func WriteMutants(w io.Writer, all []Mutants) {
	for _, m := range all {
		fmt.Fprintf(w, "%s on %s: %d mutants in %.1f s of CPU (%.1f s wall): %.2f for each CPU second; %s\n",
			m.Tool, m.Package, m.Tried, m.CPU.Seconds(), m.Wall.Seconds(), m.Rate(), m.Verdicts)
	}
}

// WriteTargets writes a line for each.
func WriteTargets(w io.Writer, targets []Target) {
	for _, t := range targets {
		fmt.Fprintln(w, t)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
