package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/mutations"
	"example.com/replaycheck/oracles"
)

// mutateFlags are the flags of mutate as they were given.
type mutateFlags struct {
	subject     string
	only, kind  []string
	scenario    []string
	faults      string
	pkg, worker string
	operators   bool
	exhaustive  bool
	quick       bool
	shard       string
	timeout     time.Duration
	json, junit string
	noTimes     bool
}

func (a app) mutateCommand() *cobra.Command {
	var f mutateFlags
	cmd := &cobra.Command{
		Use:   "mutate",
		Short: "Prove the oracles: every selected fault must fail an assertion",
		Long: "mutate makes faults that real adapters had, on the wire between subject and fake provider and,\n" +
			"inside a checkout, in the reference adapters' source, and says of each whether the requirement that\n" +
			"it violates turned red. No source file is written (docs/mutations.md).\n\n" +
			"Exit codes: 0 every fault that was tried is detected, 4 one is not, 2 none was tried, or the subject\n" +
			"fails without a fault.",
		Example: "  replaycheck mutate\n" +
			"  replaycheck mutate --only REPLAY-04,results-swapped --kind wire\n" +
			"  replaycheck mutate --subject ./my-driver --junit faults.xml\n" +
			"  replaycheck mutate --package ./codec --worker ./codec/proof --faults ./codec/faults",
		Args: noArguments("; a subject goes after --subject, in quotes if it has arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.mutate(cmd, f); err != nil {
				if _, ok := errors.AsType[exitError](err); ok {
					return err
				}
				return fmt.Errorf("mutate: %w", err)
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.subject, "subject", reference.Name, "`name or command line` of what the faults are made in")
	flags.StringArrayVar(&f.only, "only", nil, "try only these: `IDs` of faults or requirements, or patterns such as 'signature-*', with commas or repeated")
	flags.StringArrayVar(&f.kind, "kind", nil, "try only faults of this kind: `wire or source`")
	flags.StringArrayVar(&f.scenario, "scenario", nil, "make only these runs: scenario `IDs` or patterns such as 'gemini/*', with commas or repeated")
	flags.StringVar(&f.faults, "faults", "", "take the faults from the *.yaml files in this `folder` instead of the catalogue")
	flags.StringVar(&f.pkg, "package", "", "try only source faults of this Go `package`")
	flags.StringVar(&f.worker, "worker", "", "main `package` that judges source faults (default that of the reference adapters)")
	flags.BoolVar(&f.operators, "operators", false, "try faults generated from the syntax of --package instead")
	flags.BoolVar(&f.exhaustive, "exhaustive", false, "try each fault in every run that it can change, also where another says the same")
	flags.BoolVar(&f.quick, "quick", false, "end each fault once every requirement that it violates has turned red; in other runs nothing is shown then")
	flags.StringVar(&f.shard, "shard", "", "try only shard i of n, as `i/n`")
	flags.DurationVar(&f.timeout, "timeout", 0, "how long one run with a source fault may take at least (default 250ms)")
	flags.StringVar(&f.json, "json", "", "write the report as JSON to this `file`; - is standard output")
	flags.StringVar(&f.junit, "junit", "", "write the report as JUnit XML to this `file`; - is standard output")
	flags.BoolVar(&f.noTimes, "no-times", false, "leave times out of the reports, so that equal runs give equal bytes")
	completeMutate(cmd)
	return cmd
}

func completeMutate(cmd *cobra.Command) {
	names := func() (out []cobra.Completion) {
		all, _ := mutations.Catalogue()
		for _, f := range all {
			out = append(out, cobra.CompletionWithDesc(f.ID, f.Why))
		}
		return append(out, requirementNames()...)
	}
	for name, complete := range map[string]cobra.CompletionFunc{
		"only":     items(names),
		"scenario": items(scenarioNames),
		"kind":     cobra.FixedCompletions([]cobra.Completion{mutations.Wire, mutations.Source}, cobra.ShellCompDirectiveNoFileComp),
		"faults":   cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
	} {
		if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
			continue // a flag that is not there: every test of mutate finds that
		}
	}
}

// mutate tries the faults, writes the reports and returns the verdict as exit
// code. On an interrupt it writes nothing.
func (a app) mutate(cmd *cobra.Command, f mutateFlags) error {
	cfg, notes, err := a.mutateConfig(cmd, f)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	debug.SetGCPercent(400) // much is allocated and little kept
	started := time.Now()
	progress := a.progress()
	cfg.Progress = progress.Step
	r, err := mutations.Run(ctx, cfg)
	progress.Clear()
	if ctx.Err() != nil {
		return errors.New("interrupted, no report was written")
	}
	if unknown, ok := errors.AsType[*oracles.UnknownError](err); ok {
		flag := map[string]string{"scenario": "scenario"}[unknown.What]
		return fmt.Errorf("--%s: %w; see replaycheck list %ss", cmp.Or(flag, "only"), unknown, unknown.What)
	}
	if err != nil {
		return err
	}
	r.NotJudged = append(notes, r.NotJudged...)
	r.Tool = result.Tool{Name: "replaycheck", Version: toolVersion()}
	r.Started, r.DurationMS = started.UTC().Format(time.RFC3339), time.Since(started).Milliseconds()
	if f.noTimes {
		r.Started, r.DurationMS = "", 0
	}
	if err := a.write(r, f.reports(), report.MutationText); err != nil {
		return err
	}
	if code := mutations.ExitCode(r); code != 0 {
		return exitError(code)
	}
	return nil
}

// mutateConfig checks the flags. notes say what is left out without having been
// asked for.
func (a app) mutateConfig(cmd *cobra.Command, f mutateFlags) (cfg mutations.Config, notes []string, err error) {
	for _, name := range []string{"subject", "faults", "package", "worker", "shard", "json", "junit"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && strings.TrimSpace(flag.Value.String()) == "" {
			return cfg, nil, fmt.Errorf("--%s is empty; give it a value or leave it out", name)
		}
	}
	if cfg.Only, err = split("only", f.only); err != nil {
		return cfg, nil, err
	}
	if cfg.Kinds, err = split("kind", f.kind); err != nil {
		return cfg, nil, err
	}
	scenarios, err := split("scenario", f.scenario)
	if err != nil {
		return cfg, nil, err
	}
	if len(scenarios) > 0 {
		notes = append(notes, "scenarios other than "+strings.Join(scenarios, ", ")+": not chosen")
	}
	if f.timeout < 0 || f.timeout > 0 && f.timeout < 10*time.Millisecond {
		return cfg, nil, fmt.Errorf("--timeout: got %v, want at least 10ms", f.timeout)
	}
	switch {
	case f.quick && f.exhaustive:
		return cfg, nil, errors.New("--quick and --exhaustive are opposites; give one of them")
	case f.quick && f.operators:
		return cfg, nil, errors.New("--quick: generated faults end at the first red anyway; leave it out with --operators")
	}
	if cfg.Shard, cfg.Shards, err = shardOf(f.shard); err != nil {
		return cfg, nil, err
	}
	if f.faults != "" {
		if cfg.Faults, err = mutations.LoadFaults(os.DirFS(f.faults)); err != nil {
			return cfg, nil, fmt.Errorf("--faults: %w", err)
		}
	}
	command, level, err := resolve(f.subject, "")
	if err != nil {
		return cfg, nil, err
	}
	cfg.Timeout, cfg.Package, cfg.Operators, cfg.Worker = f.timeout, f.pkg, f.operators, f.worker
	cfg.Exhaustive, cfg.Quick, cfg.Subject = f.exhaustive, f.quick, oracles.Config{Level: level, Scenarios: scenarios}
	if command != nil {
		cfg.Subject.New = func() (oracles.Subject, error) { return subject.Process(command, subject.ProcessOptions{}), nil }
	} else {
		cfg.Subject.New = func() (oracles.Subject, error) { return reference.New(), nil }
		cfg.Subject.InProcess, cfg.Strict = true, true
		if f.worker == "" {
			var note []string
			cfg.Worker, note = referenceWorker(cfg.Kinds)
			notes = append(notes, note...)
		}
	}
	if f.faults != "" && f.worker != "" && !cmd.Flags().Lookup("subject").Changed {
		cfg.Subject.New = nil // the worker has a subject of its own
	}
	return cfg, notes, checkPlaces(f.reports())
}

// referenceWorker is the worker of the reference adapters where their source is
// at hand. Where kinds do not ask for source faults, that they can't be made is
// a note.
func referenceWorker(kinds []string) (worker string, notes []string) {
	if slices.Contains(kinds, mutations.Source) || inCheckout() {
		return mutations.ReferenceWorker, nil
	}
	return "", []string{"source faults: this folder is no checkout of replaycheck"}
}

// inCheckout reports whether the working folder belongs to the module whose
// source faults are in the catalogue.
func inCheckout() bool {
	module, _, _ := strings.Cut(mutations.ReferenceWorker, "/mutations/")
	dir, err := os.Getwd()
	if err != nil {
		return false
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			return slices.Contains(strings.Split(string(text), "\n"), "module "+module)
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return false
	}
}

// shardOf reads "i/n"; 0 and 0 are all.
func shardOf(s string) (shard, shards int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	i, n, ok := strings.Cut(s, "/")
	shard, err = strconv.Atoi(i)
	if err == nil {
		shards, err = strconv.Atoi(n)
	}
	if !ok || err != nil || shard < 1 || shards < shard {
		return 0, 0, fmt.Errorf("--shard: got %q, want i/n with i from 1 to n, such as 1/3", s)
	}
	return shard, shards, nil
}

func (f mutateFlags) reports() []output {
	return []output{{"json", f.json, report.JSON}, {"junit", f.junit, report.MutationJUnit}}
}

type faultItem struct {
	ID           string        `json:"id"`
	Requirements []string      `json:"requirements"`
	Level        string        `json:"level"`
	Kinds        []string      `json:"kinds"`
	Reports      int           `json:"reports,omitempty"` // public reports that showed it
	Why          string        `json:"why"`
	Variants     []variantItem `json:"variants"`
}

type variantItem struct {
	ID           string   `json:"id"`
	What         string   `json:"what"`
	Requirements []string `json:"requirements"`
	Level        string   `json:"level"`
	Kinds        []string `json:"kinds"`
}

func listFaults() ([][]string, any, error) {
	all, err := mutations.Catalogue()
	var rows [][]string
	var out []faultItem
	for _, f := range all {
		item := faultItem{ID: f.ID, Requirements: f.Requirements, Level: string(f.Level), Kinds: f.Kinds(), Reports: f.Reports, Why: f.Why}
		for _, v := range f.Variants {
			kinds := mutations.Fault{Variants: []mutations.Variant{v}}.Kinds()
			item.Variants = append(item.Variants, variantItem{f.FullID(v), v.What, v.Requirements, string(v.Level), kinds})
			rows = append(rows, []string{f.FullID(v), strings.Join(kinds, ", "), string(v.Level), strings.Join(v.Requirements, ", "), v.What})
		}
		out = append(out, item)
	}
	return rows, out, err
}

func faultListing() listing {
	return listing{"faults", "The selected faults, each in every form", []string{"FAULT", "KINDS", "LEVEL", "REQUIREMENTS", "CHANGE"}, listFaults}
}
