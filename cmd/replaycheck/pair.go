package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/replaycheck/internal/pair"
	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/internal/result"
)

// pairFlags are the flags of pair as they were given.
type pairFlags struct {
	repo, decision, head string
	requireSignature     bool
	json, markdown       string
	noTimes              bool
}

func (a app) pairCommand() *cobra.Command {
	var f pairFlags
	cmd := &cobra.Command{
		Use:   "pair",
		Short: "Hold a decision commit against its implementation",
		Long: "pair checks that a decision and its implementation are two changes: the decision commit is signed\n" +
			"and changes specs/ only, the implementation starts exactly there and leaves it as it is, and its\n" +
			"oracles fail by assertion on the decision commit's adapters and pass at the head (docs/pair.md).\n\n" +
			"It builds and runs the head's code in temporary folders; the work tree is neither read nor written.\n\n" +
			"Exit codes: 0 every item passes, 1 one fails, 2 one could not be checked, or a bad commit or\n" +
			"repository, 3 not all of an item was shown.",
		Example: "  replaycheck pair --decision 3f2a91c --head my-branch --require-signature\n" +
			"  replaycheck pair --decision decided/REPLAY-16 --head HEAD --markdown comment.md",
		Args:              noArguments("; commits go after --decision and --head"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.pair(cmd, f) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.decision, "decision", "", "the decision `commit`")
	flags.StringVar(&f.head, "head", "", "the implementation's last `commit`")
	flags.BoolVar(&f.requireSignature, "require-signature", false, "fail when the decision commit is not signed")
	flags.StringVar(&f.repo, "repo", ".", "a `folder` of the repository")
	flags.StringVar(&f.json, "json", "", "write the report as JSON to this `file`; - is standard output")
	flags.StringVar(&f.markdown, "markdown", "", "write the report as Markdown to this `file`; - is standard output")
	flags.BoolVar(&f.noTimes, "no-times", false, "leave times out of the reports")
	if err := cmd.RegisterFlagCompletionFunc("repo", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)); err != nil {
		return cmd // a flag that is not there: every test of pair finds that
	}
	return cmd
}

// pair checks the pair, writes the reports and returns the verdict as exit code.
// On an interrupt it writes nothing.
func (a app) pair(cmd *cobra.Command, f pairFlags) error {
	for _, name := range []string{"decision", "head", "repo", "json", "markdown"} {
		flag := cmd.Flags().Lookup(name)
		switch {
		case strings.TrimSpace(flag.Value.String()) != "":
		case flag.Changed:
			return fmt.Errorf("pair: --%s is empty; give it a value or leave it out", name)
		case name == "decision" || name == "head":
			return fmt.Errorf("pair: --%s is missing, want the commit; see replaycheck pair --help", name)
		}
	}
	if err := checkPlaces(f.reports()); err != nil {
		return fmt.Errorf("pair: %w", err)
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	started := time.Now()
	progress := a.progress()
	r, err := pair.Check(ctx, pair.Options{
		Dir: f.repo, Decision: f.decision, Head: f.head, RequireSignature: f.requireSignature, Progress: progress.Step,
	})
	progress.Clear()
	if ctx.Err() != nil {
		return errors.New("pair: interrupted, no report was written")
	}
	if err != nil {
		return err
	}
	r.Tool = result.Tool{Name: "replaycheck", Version: toolVersion()}
	r.Started, r.DurationMS = started.UTC().Format(time.RFC3339), time.Since(started).Milliseconds()
	if f.noTimes {
		r.Started, r.DurationMS = "", 0
	}
	if err := a.write(r, f.reports(), report.PairText); err != nil {
		return err
	}
	if code := result.ExitCode(r.Status); code != 0 {
		return exitError(code)
	}
	return nil
}

func (f pairFlags) reports() []output {
	return []output{{"json", f.json, report.JSON}, {"markdown", f.markdown, report.PairMarkdown}}
}
