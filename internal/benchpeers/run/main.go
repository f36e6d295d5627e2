// Command run prints how "replaycheck serve" and "replaycheck mutate" stand
// beside their peers, measured in one run. What it can't run is named. It is
// called by "make bench-peers" in the root of the checkout, after "make build".
//
// Exit code 0: measured, whatever the figures; 2: nothing was, or an answer was
// none.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"example.com/replaycheck/internal/benchpeers"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "bare" {
		fmt.Fprintln(os.Stderr, serveBare(os.Args[2]))
		os.Exit(2)
	}
	if err := interruptible(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench-peers:", err)
		os.Exit(2)
	}
}

// interruptible runs until Ctrl-C at most; what it started ends with it.
func interruptible(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return run(ctx, args, os.Stdout, os.Stderr)
}

// serveBare is the peer's process.
func serveBare(address string) error {
	ln, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp4", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: benchpeers.Bare(), ReadHeaderTimeout: time.Minute}
	return server.Serve(ln)
}

type settings struct {
	replaycheck, dir, packages string
	servers, mutants, quick    bool
	rounds                     int
	duration                   time.Duration
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("bench-peers", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.StringVar(&s.replaycheck, "replaycheck", "bin/replaycheck", "the built command")
	flags.StringVar(&s.dir, "dir", "out/bench-peers", "folder for peers and copies")
	flags.StringVar(&s.packages, "packages", "adapters/replay,adapters/gemini=reply.go+stream.go+turn.go",
		"packages whose mutants are tried, with commas; =FILE+FILE limits gremlins, which takes minutes, to files")
	flags.BoolVar(&s.servers, "servers", true, "measure the servers")
	flags.BoolVar(&s.mutants, "mutants", true, "measure the mutation runners")
	flags.BoolVar(&s.quick, "quick", false, "one short round, to see that it works; its figures say little")
	flags.IntVar(&s.rounds, "rounds", 3, "rounds of the servers")
	flags.DurationVar(&s.duration, "duration", 3*time.Second, "of each cell")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !s.servers && !s.mutants {
		return errors.New("nothing to measure; leave -servers or -mutants on")
	}
	if err := os.MkdirAll(s.dir, 0o750); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, %d CPUs, load %s at the start\n", runtime.Version(), runtime.NumCPU(), load())
	if busy() {
		fmt.Fprintln(out, "other programs are busy: rates say little, CPU times more")
	}
	if s.servers {
		if err := servers(ctx, s, out, progress); err != nil {
			return err
		}
	}
	if s.mutants {
		if err := mutants(ctx, s, out); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "load %s at the end\n", load())
	return nil
}

// load is the machine's, as far as the system tells.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// busy reports whether others use more than a CPU.
func busy() bool {
	one, _, _ := strings.Cut(load(), " ")
	n, err := strconv.ParseFloat(one, 64)
	return err == nil && n > 1
}

func servers(ctx context.Context, s settings, out, progress io.Writer) error {
	plan := benchpeers.Plan{
		Shapes: []string{benchpeers.GeminiAgain, benchpeers.ResponsesAgain, benchpeers.Gemini, benchpeers.Responses, benchpeers.GeminiText, benchpeers.ResponsesText}, Sizes: []int{2 << 10, 64 << 10, 1 << 20}, Conns: 32,
		Rounds: s.rounds, Duration: s.duration, Warm: s.duration / 6, Starts: 15, Kept: 900, Settle: time.Second, Progress: progress,
	}
	if s.quick {
		plan.Rounds, plan.Duration, plan.Warm, plan.Starts, plan.Kept = 1, 300*time.Millisecond, 0, 1, 90
	}
	skipped, err := gather(ctx, s, &plan)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nServers: %d rounds, %v for each cell, %d connections, a fresh process for each; the same request again and again, or each with a key and a text of its own, in a history of many turns or alone\n",
		plan.Rounds, plan.Duration, plan.Conns)
	fmt.Fprint(out, skipped)
	cells, err := plan.Throughput(ctx)
	if err != nil {
		return err
	}
	rows := benchpeers.Rows(cells)
	if err := benchpeers.WriteRows(out, rows); err != nil {
		return err
	}
	first, err := plan.FirstAnswers(ctx)
	if err != nil {
		return err
	}
	benchpeers.WriteFirst(out, first)
	took, cpu := benchpeers.FirstOf(first[benchpeers.Ours])
	targets, wishes := benchpeers.RatioTargets(rows)
	targets = append(targets, benchpeers.Target{
		What: "first answer of serve", Figure: took.Median, Want: 15, AtMost: true, Unit: " ms", Beside: fmt.Sprintf("%.1f ms of CPU", cpu.Median),
	})
	switch kept, err := plan.KeptPerByte(ctx); {
	case errors.Is(err, benchpeers.ErrNoUsage):
		fmt.Fprintf(out, "memory: not measured: %v\n", err)
	case err != nil:
		return err
	default:
		benchpeers.WriteKept(out, kept)
		targets = append(targets, benchpeers.KeptTarget(kept[benchpeers.Ours]))
	}
	benchpeers.WriteTargets(out, targets)
	fmt.Fprintln(out, "The same where each request is another one, with a key and a text of its own:")
	benchpeers.WriteTargets(out, wishes)
	for _, r := range rows {
		if r.Errors > 0 && r.Server != benchpeers.Aimock {
			return fmt.Errorf("%s did not answer %d of %d requests: its figures are none", r.Server, r.Errors, r.Total)
		}
	}
	return nil
}

// gather finds the servers; what can't be had is said in skipped.
func gather(ctx context.Context, s settings, plan *benchpeers.Plan) (skipped string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	replaycheck, err := filepath.Abs(s.replaycheck)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(replaycheck); err != nil {
		return "", fmt.Errorf("-replaycheck: %w; make build builds it", err)
	}
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return "", err
	}
	ours, err := benchpeers.OurServer(replaycheck, dir)
	if err != nil {
		return "", err
	}
	plan.Servers = []benchpeers.Server{benchpeers.BareServer(self), ours}
	aimock, err := benchpeers.AimockServer(ctx, dir)
	if n, ok := errors.AsType[*benchpeers.NotRunError](err); ok {
		return n.Error() + "\n", nil
	}
	plan.Servers = append(plan.Servers, aimock)
	return "", err
}

func mutants(ctx context.Context, s settings, out io.Writer) error {
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nMutants: each tool's own, in a copy of its own, builds included; what runs without a mutant is built before\n")
	for _, more := range [][]string{{"--quick"}, nil} {
		faults, err := benchpeers.Mutation{Root: ".", Dir: dir}.SelectedFaults(ctx, more...)
		if err != nil {
			return err
		}
		benchpeers.WriteMutants(out, []benchpeers.Mutants{faults})
		benchpeers.WriteTargets(out, []benchpeers.Target{faults.HundredTarget()})
	}
	for name := range strings.SplitSeq(s.packages, ",") {
		m := benchpeers.Mutation{Root: ".", Dir: dir}
		if m.Package, m.Files, err = benchpeers.Chosen(name); err != nil {
			return err
		}
		ours, err := m.Ours(ctx)
		if err != nil {
			return err
		}
		benchpeers.WriteMutants(out, []benchpeers.Mutants{ours})
		if s.quick {
			fmt.Fprintln(out, "gremlins: not run: -quick")
			continue
		}
		theirs, err := m.Theirs(ctx)
		if n, ok := errors.AsType[*benchpeers.NotRunError](err); ok {
			fmt.Fprintln(out, n)
			continue
		}
		if err != nil {
			return err
		}
		if len(m.Files) > 0 {
			fmt.Fprintf(out, "gremlins tried those in %s only, replaycheck all of the package\n", strings.Join(m.Files, ", "))
		}
		benchpeers.WriteMutants(out, []benchpeers.Mutants{theirs})
		benchpeers.WriteTargets(out, []benchpeers.Target{{
			What: "mutants for each CPU second on " + m.Package + ": mutate to gremlins", Figure: ours.Rate() / theirs.Rate(), Want: 40,
		}})
	}
	return nil
}
