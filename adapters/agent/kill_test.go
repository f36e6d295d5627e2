package agent_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/replaycheck/adapters/agent"
	"example.com/replaycheck/adapters/runstore/runstoretest"
)

// TestKilledAtEachPoint kills a process with SIGKILL at each point of the run,
// as often as the run comes there, and lets another one go on.
func TestKilledAtEachPoint(t *testing.T) {
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			for _, point := range agent.Points() {
				t.Run(point, func(t *testing.T) {
					t.Parallel()
					for nth := 1; ; nth++ {
						if testing.Short() && nth > 1 {
							return
						}
						r := newRun(t, fresh(t))
						if !r.process(fmt.Sprintf("%s:%d", point, nth)) {
							if nth == 1 {
								t.Errorf("no run ever comes to %s", point)
							}
							r.verify()
							return
						}
						r.process("")
						r.verify()
					}
				})
			}
		})
	}
}

// TestKilledAgainAndAgain kills the processes of a run one after another, at
// points drawn by lot. REPLAYCHECK_SOAK says how many kills there are in all;
// a dozen where it says nothing.
func TestKilledAgainAndAgain(t *testing.T) {
	kills, err := strconv.Atoi(os.Getenv("REPLAYCHECK_SOAK"))
	if err != nil {
		kills = 12
	}
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			lot := rand.New(rand.NewPCG(seed, 0))
			for done := 0; done < kills; {
				r := newRun(t, fresh(t))
				for range 1 + lot.IntN(6) {
					points := agent.Points()
					if !r.process(fmt.Sprintf("%s:%d", points[lot.IntN(len(points))], 1+lot.IntN(2))) {
						break
					}
					done++
				}
				r.process("")
				r.verify()
			}
		})
	}
}

// killedRun is one run with all its processes.
type killedRun struct {
	t         *testing.T
	dsn, log  string
	last      string // what the last process printed
	crashes   []string
	processes int
}

func newRun(t *testing.T, dsn string) *killedRun {
	t.Helper()
	return &killedRun{t: t, dsn: dsn, log: filepath.Join(t.TempDir(), "effects")}
}

// process starts the next process and says whether it was killed.
func (r *killedRun) process(crash string) bool {
	r.t.Helper()
	text, killed := start(r.t, r.dsn, r.log, crash)
	r.last = text
	r.processes++
	if killed {
		r.crashes = append(r.crashes, crash)
	}
	return killed
}

// verify holds the finished run against STATE-05 and STATE-06.
func (r *killedRun) verify() {
	t := r.t
	t.Helper()
	text, err := os.ReadFile(r.log)
	must(t, err)
	effects := strings.Fields(strings.ReplaceAll(string(text), "ran ", "ran:"))
	count := func(line string) (n int) {
		for _, e := range effects {
			if e == line {
				n++
			}
		}
		return n
	}
	status, told, _ := strings.Cut(r.last, " ")
	if status != "finished" {
		t.Errorf("crashes %q: got %q, want a finished run", r.crashes, r.last)
	}
	// A process that finds the run finished has no conversation to show.
	results := map[string]string{}
	for pair := range strings.FieldsSeq(told) {
		id, result, _ := strings.Cut(pair, "=")
		results[id] = result
	}
	// Killed while calls are at work: one of them may have begun and not ended.
	maybe := slices.ContainsFunc(r.crashes, func(c string) bool { return strings.Contains(c, "-call") })
	for _, id := range []string{"a1", "a2", "b1", "b2", "c1"} {
		ran, result := count("ran:"+id), results[id]
		switch {
		case ran > 1:
			t.Errorf("crashes %q: %s ran %d times", r.crashes, id, ran)
		case told == "" && ran == 1:
		case result == "ok" && ran == 1:
		case (result == `{"error":"interrupted"}` || told == "") && maybe:
		default:
			t.Errorf("crashes %q: %s ran %d times and the model was told %q", r.crashes, id, ran, result)
		}
	}
	if first, b := slices.Index(effects, "approved"), slices.Index(effects, "ran:b1"); b >= 0 && (first < 0 || first > b) {
		t.Errorf("crashes %q: ran before it was approved: %q", r.crashes, effects)
	}
	if n, most := count("asked"), len(script())+len(r.crashes); n < len(script()) || n > most {
		t.Errorf("crashes %q: got %d requests, want %d to %d", r.crashes, n, len(script()), most)
	}
	db := runstoretest.DB(t, r.dsn)
	defer db.Close()
	var left, calls int
	must(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM agent_run WHERE status <> 'finished' OR sealed IS NOT NULL`).Scan(&left))
	must(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM agent_call`).Scan(&calls))
	if left != 0 || calls != 0 {
		t.Errorf("crashes %q: got %d states and %d calls left, want none", r.crashes, left, calls)
	}
	for name, file := range runstoretest.Files(t, r.dsn) {
		if strings.Contains(string(file), secret) {
			t.Errorf("crashes %q: a signature is in %s", r.crashes, name)
		}
	}
}
