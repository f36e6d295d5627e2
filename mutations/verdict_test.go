package mutations_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/mutations"
)

const sampleWorker = "./testdata/sample/worker"

// sampleFault is a fault made on purpose, with what must become of it.
type sampleFault struct {
	id           string
	requirements string
	function     string
	find         string
	replace      string
	imports      map[string]string
	verdict      result.Verdict
	cause        result.Cause
	reason       string // a part of it
}

func (f sampleFault) fault() mutations.Fault {
	return mutations.Fault{
		ID: f.id, Requirements: []string{f.requirements}, Level: result.Verbatim, Why: "test",
		Variants: []mutations.Variant{{
			What: "test", Requirements: []string{f.requirements}, Level: result.Verbatim,
			Source: []mutations.Edit{{Package: "testdata/sample", Func: f.function, Find: f.find, Replace: f.replace, Imports: f.imports}},
		}},
	}
}

func verdictRows() []sampleFault {
	const total = "total := first"
	return []sampleFault{
		{id: "seen", requirements: "SAMPLE-02", function: "Sum", find: total, replace: "total := first + 1", verdict: result.Detected},
		{id: "seen-by-another", requirements: "SAMPLE-01", function: "Sum", find: total, replace: "total := first + 2", verdict: result.DetectedElsewhere, reason: "SAMPLE-01 never turned red; SAMPLE-02 did"},
		{id: "seen-by-nobody", requirements: "SAMPLE-03", function: "Table", find: `","`, replace: `";"`, verdict: result.Survived, reason: "nothing turned red in 1 of 1 changed runs"},
		{id: "reached-by-nobody", requirements: "SAMPLE-03", function: "Unused", find: "unused", replace: "used", verdict: result.Survived, cause: result.NotReached},
		{id: "same-bytes", requirements: "SAMPLE-02", function: "Sum", find: total, replace: "total := 0 + first", verdict: result.NoOp, cause: result.SameBytes},
		{id: "same-code", requirements: "SAMPLE-02", function: "Sum", find: total, replace: "total  :=  first // as it was", verdict: result.NoOp, cause: result.SameCode},
		{id: "wrong-type", requirements: "SAMPLE-02", function: "Sum", find: total, replace: `total := "first"`, verdict: result.Invalid, cause: result.DoesNotType, reason: "sample.go:51: invalid operation"},
		{id: "no-syntax", requirements: "SAMPLE-02", function: "Sum", find: total, replace: "total := (first", verdict: result.Invalid, reason: "no longer parses"},
		{id: "two-functions", requirements: "SAMPLE-02", function: "Sum", find: "return total", replace: "return total\n}\n\nfunc more() int {\n\treturn 1", verdict: result.Invalid, reason: "2 declarations"},
		{id: "two-places", requirements: "SAMPLE-02", function: "Sum", find: "total", replace: "sum", verdict: result.Invalid, cause: result.DoesNotFit, reason: "want exactly one"},
		{id: "no-place", requirements: "SAMPLE-02", function: "Sum", find: "nowhere", replace: "sum", verdict: result.Invalid, cause: result.DoesNotFit, reason: "got 0 places"},
		{id: "no-function", requirements: "SAMPLE-02", function: "Sun", find: "total", replace: "sum", verdict: result.Invalid, cause: result.DoesNotFit, reason: "no such function"},
		{id: "panics", requirements: "SAMPLE-02", function: "Sum", find: total, replace: "total := first / (first - first)", verdict: result.Errored, cause: result.Panicked, reason: "divide by zero"},
		{id: "panics-unseen", requirements: "SAMPLE-04", function: "check", find: "if n < 0 {", replace: "if n >= 0 {", verdict: result.Errored, cause: result.Masked, reason: "recovered from it"},
		{id: "deadlock", requirements: "SAMPLE-05", function: "counter.next", find: "defer c.mu.Unlock()", replace: "c.mu.Lock()", verdict: result.TimedOut, cause: result.Deadline, reason: "(at sample.go:"},
		{id: "busy-loop", requirements: "SAMPLE-02", function: "Sum", find: total, replace: "total := first\n\tfor first > 0 {\n\t}", verdict: result.TimedOut, cause: result.Deadline},
		{id: "allocating-loop", requirements: "SAMPLE-02", function: "Sum", find: total, replace: "total := first\n\tvar all [][]byte\n\tfor first > 0 {\n\t\tall = append(all, make([]byte, 1<<20))\n\t}\n\t_ = all", verdict: result.TimedOut, cause: result.Memory},
		{id: "exits", requirements: "SAMPLE-02", function: "Sum", find: total, replace: "total := first\n\tos.Exit(0)", imports: map[string]string{"os": "os"}, verdict: result.Errored, cause: result.Exited, reason: "exit code 0"},
		{id: "ends-its-goroutine", requirements: "SAMPLE-02", function: "Sum", find: total, replace: "total := first\n\truntime.Goexit()", imports: map[string]string{"runtime": "runtime"}, verdict: result.Errored, cause: result.Goexit},
		{id: "crashes-elsewhere", requirements: "SAMPLE-05", function: "counter.next", find: "c.n++", replace: "c.n /= c.n", verdict: result.Errored, cause: result.Crashed, reason: "divide by zero"},
		{id: "full-stack", requirements: "SAMPLE-02", function: "Sum", find: total, replace: "total := Sum(first, more...)", verdict: result.Errored, cause: result.Crashed, reason: "stack"},
		{id: "shortens-what-is-shared", requirements: "SAMPLE-03", function: "Table", find: "return strings", replace: "table = table[:1]\n\treturn strings", verdict: result.Survived, reason: "1 of 1"},
		{id: "after-that-same-bytes", requirements: "SAMPLE-03", function: "Table", find: `","`, replace: `"" + ","`, verdict: result.NoOp, cause: result.SameBytes},
		{id: "at-start", requirements: "SAMPLE-03", function: "begin", find: `"started"`, replace: `"stopped"`, verdict: result.Detected},
		{id: "panics-at-start", requirements: "SAMPLE-03", function: "begin", find: `"started"`, replace: `strings.Repeat("x", -1)`, verdict: result.Errored, cause: result.Crashed, reason: "negative Repeat count"},
		{id: "exits-at-start", requirements: "SAMPLE-03", function: "begin", find: `return "started"`, replace: "os.Exit(0)\n\treturn table[0]", imports: map[string]string{"os": "os"}, verdict: result.Errored, cause: result.Exited, reason: "exit code 0"},
		{id: "hangs-at-start", requirements: "SAMPLE-03", function: "begin", find: `return "started"`, replace: "for {\n\t}", verdict: result.TimedOut, cause: result.Deadline, reason: "as it started"},
		{id: "in-a-variable", requirements: "SAMPLE-04", function: "var greet", find: `"hello "`, replace: `"bye "`, verdict: result.Detected},
		{id: "generic-function", requirements: "SAMPLE-05", function: "Map", find: "for _, v := range in {", replace: "for _, v := range in[1:] {", verdict: result.Detected},
		{id: "generic-method", requirements: "SAMPLE-05", function: "List.Len", find: "len(l.items)", replace: "len(l.items) - 1", verdict: result.Detected},
		{id: "blank-parameters", requirements: "SAMPLE-04", function: "Blank", find: `"blank"`, replace: `"filled"`, verdict: result.Survived},
		{id: "missing-parameters", requirements: "SAMPLE-04", function: "Unnamed", find: `"unnamed"`, replace: `"named"`, verdict: result.Survived},
		{id: "calls-recover", requirements: "SAMPLE-04", function: "rescue", find: `fmt.Sprint("rescued: ", p)`, replace: `fmt.Sprint("lost: ", p == nil)`, verdict: result.Detected},
		{id: "unused-variable", requirements: "SAMPLE-01", function: "Encode", find: "if err != nil {\n\t\treturn err.Error()\n\t}\n", replace: "", verdict: result.NoOp, cause: result.SameBytes},
		{id: "late-crash", requirements: "SAMPLE-02", function: "Sum", find: total, replace: "total := first\n\tgo func() {\n\t\ttime.Sleep(30 * time.Millisecond)\n\t\tpanic(\"late\")\n\t}()", imports: map[string]string{"time": "time"}, verdict: result.Errored, cause: result.Crashed, reason: "late"},
		{id: "last", requirements: "SAMPLE-02", function: "Sum", find: total, replace: "total := first + 3", verdict: result.Detected},
	}
}

// TestEachVerdict: a fault of each kind, made on purpose, all in one build.
// Only those that an assertion of their own requirement sees are detected, and
// none disturbs another.
func TestEachVerdict(t *testing.T) {
	for _, quick := range []bool{false, true} {
		rows := verdictRows()
		if quick { // a hang takes its time in the same way
			rows = slices.DeleteFunc(rows, func(row sampleFault) bool { return row.verdict == result.TimedOut || row.id == "late-crash" })
		}
		var faults []mutations.Fault
		for _, row := range rows {
			faults = append(faults, row.fault())
		}
		rep, err := mutations.Run(t.Context(), mutations.Config{Faults: faults, Worker: sampleWorker, Workers: 1, Quick: quick})
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			f := rep.Faults[i]
			if f.ID != row.id || f.Verdict != row.verdict || row.cause != "" && f.Cause != row.cause || !strings.Contains(f.Reason, row.reason) {
				t.Errorf("quick %t: %s: got %s (%s) %s, want %s (%s) …%s…", quick, f.ID, f.Verdict, f.Cause, f.Reason, row.verdict, row.cause, row.reason)
			}
			if (f.Diff == "") != (f.Verdict == result.Detected) {
				t.Errorf("%s: got diff %q", f.ID, f.Diff)
			}
		}
		if rep.Status != result.Fail || !rep.Mutation.Unchanged || mutations.ExitCode(rep) != 4 || rep.Mutation.Faults != len(faults) {
			t.Errorf("got status %s, %+v", rep.Status, rep.Mutation)
		}
	}
}
