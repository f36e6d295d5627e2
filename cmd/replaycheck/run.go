package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/oracles"
)

// runFlags are the flags of run as they were given.
type runFlags struct {
	subject        string
	only, scenario []string
	env            []string
	level          string
	keep           string
	json, junit    string
	html           string
	enforce        bool
	noTimes        bool
	timeout        time.Duration
	faults         faultFlags
}

func (a app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Judge a subject against the contract",
		Long: "run plays the scripted conversations with a subject and judges the requests that it sent.\n" +
			"Without --subject it judges the reference adapters. A subject is a name of \"list subjects\"\n" +
			"or the command line of a driver (docs/driver-protocol.md).\n\n" +
			"What --only or --scenario leaves out makes a run that passes partial: exit code 3.",
		Example: "  replaycheck run\n" +
			"  replaycheck run --subject ./my-driver --keep out --junit report.xml\n" +
			"  replaycheck run --subject 'node driver.mjs' --only REPLAY-03,REPLAY-07",
		Args: noArguments("; a subject goes after --subject, in quotes if it has arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := a.plan(cmd, f)
			if err != nil {
				return fmt.Errorf("run: %w", err)
			}
			return a.run(cmd.Context(), plan)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.subject, "subject", reference.Name, "`name or command line` of what is judged")
	flags.StringArrayVar(&f.env, "env", nil, "hand this `variable` on to the driver: NAME, or NAME=value; repeat it for more")
	flags.StringArrayVar(&f.only, "only", nil, "judge only these requirements: `IDs` or patterns such as 'REPLAY-*', with commas or repeated")
	flags.StringArrayVar(&f.scenario, "scenario", nil, "play only these scenarios: `IDs` or patterns such as 'gemini/*', with commas or repeated")
	flags.StringVar(&f.level, "level", "", "what gates: `provider or verbatim` (default verbatim for the reference adapters, else provider)")
	flags.BoolVar(&f.enforce, "enforce", false, "let the fake provider refuse what the real one refuses, instead of playing on")
	f.faults.register(cmd)
	flags.StringVar(&f.keep, "keep", "", "write the recorded requests below this `folder`")
	flags.StringVar(&f.json, "json", "", "write the report as JSON to this `file`; - is standard output")
	flags.StringVar(&f.junit, "junit", "", "write the report as JUnit XML to this `file`; - is standard output")
	flags.StringVar(&f.html, "html", "", "write the report as a web page to this `file`; - is standard output")
	flags.BoolVar(&f.noTimes, "no-times", false, "leave times out of the reports, so that equal runs give equal bytes")
	flags.DurationVar(&f.timeout, "timeout", subject.DefaultDeadline, "how long the subject may take for one conversation")
	completeRun(cmd)
	return cmd
}

// plan is a run whose flags have been checked.
type plan struct {
	runFlags
	command []string // nil: the reference adapters
	level   result.Level
	chaos   *fakeserver.Chaos // nil: nothing goes wrong
}

// plan checks all that can be known before anything is played or written.
func (a app) plan(cmd *cobra.Command, f runFlags) (plan, error) {
	p := plan{runFlags: f}
	var err error
	if p.only, err = split("only", f.only); err != nil {
		return p, err
	}
	if p.scenario, err = split("scenario", f.scenario); err != nil {
		return p, err
	}
	for _, name := range []string{"subject", "level", "keep", "json", "junit", "html"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && strings.TrimSpace(flag.Value.String()) == "" {
			return p, fmt.Errorf("--%s is empty; give it a value or leave it out", name)
		}
	}
	if f.timeout < time.Millisecond || f.timeout > 24*time.Hour {
		return p, fmt.Errorf("--timeout: got %v, want 1ms to 24h, such as 30s", f.timeout)
	}
	if p.command, p.level, err = resolve(f.subject, f.level); err != nil {
		return p, err
	}
	if len(f.env) > 0 && p.command == nil {
		return p, errors.New("--env is for a driver (--subject with a command line); the reference adapters take no variables")
	}
	for _, v := range f.env {
		if name, _, _ := strings.Cut(v, "="); strings.TrimSpace(name) == "" {
			return p, fmt.Errorf("--env: got %q, want NAME or NAME=value", v)
		}
	}
	if p.chaos, err = p.faults.chaos(cmd); err != nil {
		return p, err
	}
	return p, checkOutputs(f)
}

// resolve turns --subject and --level into a command line, nil for the reference
// adapters, and the level that gates.
func resolve(subject, level string) ([]string, result.Level, error) {
	var command []string
	gate := result.Provider
	if known, ok := lookUp(subject); ok {
		gate = known.level
	} else {
		args, err := driverArgs(subject)
		if err != nil {
			return nil, "", fmt.Errorf("--subject %q: %w", subject, err)
		}
		if args == nil {
			return nil, "", unknownSubject(subject)
		}
		command = args
	}
	switch l := result.Level(level); l {
	case "":
	case result.Provider, result.Verbatim:
		gate = l
	default:
		return nil, "", fmt.Errorf("--level: got %q, want %s or %s", level, result.Provider, result.Verbatim)
	}
	return command, gate, nil
}

// split takes the commas out of a list flag. A value that names nothing would
// select nothing, or everything: it is an error.
func split(name string, values []string) ([]string, error) {
	var out []string
	for _, v := range values {
		for item := range strings.SplitSeq(v, ",") {
			item = strings.TrimSpace(item)
			if item == "" {
				return nil, fmt.Errorf("--%s: got an empty item in %q, want IDs or patterns separated by commas", name, v)
			}
			out = append(out, item)
		}
	}
	return out, nil
}

// checkOutputs finds what could not be written before anything is played.
func checkOutputs(f runFlags) error {
	if err := checkPlaces(f.reports()); err != nil {
		return err
	}
	if f.keep != "" {
		if err := report.CheckFolder(f.keep); err != nil {
			return fmt.Errorf("--keep: %w", err)
		}
		for _, out := range f.reports() {
			if out.path != "" && out.path != "-" && filepath.Clean(out.path) == filepath.Clean(f.keep) {
				return fmt.Errorf("--keep and --%s both write to %s, want two places", out.flag, filepath.Clean(f.keep))
			}
		}
	}
	return nil
}

// checkPlaces finds reports that could not be written, and two in one place.
func checkPlaces(outputs []output) error {
	seen := map[string]string{}
	for _, out := range outputs {
		if out.path == "" {
			continue
		}
		place := out.path
		if abs, err := filepath.Abs(place); err == nil && place != "-" {
			place = abs
		}
		if other, taken := seen[place]; taken {
			return fmt.Errorf("--%s and --%s both write to %s, want two places", other, out.flag, filepath.Clean(out.path))
		}
		seen[place] = out.flag
		if out.path == "-" {
			continue
		}
		if err := report.CheckFile(out.path); err != nil {
			return fmt.Errorf("--%s: %w", out.flag, err)
		}
	}
	return nil
}

// run judges, writes the reports and returns the verdict as exit code. On an
// interrupt it writes nothing; a second one ends the process at once.
func (a app) run(ctx context.Context, p plan) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	started := time.Now()
	r, err := a.judge(ctx, p)
	if ctx.Err() != nil {
		return errors.New("run: interrupted, no report was written")
	}
	if unknown, ok := errors.AsType[*oracles.UnknownError](err); ok {
		flag := map[string]string{"requirement": "only"}[unknown.What]
		return fmt.Errorf("run: --%s: %w; see replaycheck list %ss", cmp.Or(flag, unknown.What), err, unknown.What)
	}
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if len(p.scenario) > 0 {
		r.NotJudged = append(r.NotJudged, "scenarios other than "+strings.Join(p.scenario, ", ")+": not chosen")
	}
	r.Tool = result.Tool{Name: "replaycheck", Version: toolVersion()}
	r.Started, r.DurationMS = started.UTC().Format(time.RFC3339), time.Since(started).Milliseconds()
	if p.noTimes {
		r.Started, r.DurationMS = "", 0
	}
	if err := a.write(r, p.reports(), report.Text); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if code := result.ExitCode(r.Status); code != 0 {
		return exitError(code)
	}
	return nil
}

func (f runFlags) reports() []output {
	return []output{{"json", f.json, report.JSON}, {"junit", f.junit, report.JUnit}, {"html", f.html, report.HTML}}
}
