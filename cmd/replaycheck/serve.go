package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/fakeserver/script"
	"example.com/replaycheck/internal/live"
	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// serveFlags are the flags of serve as they were given.
type serveFlags struct {
	addr       string
	scenario   []string
	profile    string
	with       []string
	enforce    bool
	faults     faultFlags
	http2      bool
	idle       time.Duration
	host       []string
	maxBody    int64
	maxJournal int64
	maxCount   int
	outputs    runFlags // its files, keep and noTimes only
}

func (a app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Put a fake provider in front of your own app and watch what comes back",
		Long: "serve listens as the providers do, plays a scenario to whoever asks and judges each conversation\n" +
			"as it goes; a page shows it. Give your app the base URL that it prints. What the provider would\n" +
			"refuse is refused. It never talks to anyone. docs/serve.md has the language of scenarios of your own.\n\n" +
			"Ctrl-C ends it and prints the report. Exit code 2 also when nothing came that could be judged.",
		Example: "  replaycheck serve --scenario gemini/single-call\n" +
			"  replaycheck serve --scenario gemini/single-call --fault 503=1 --fault cut --chaos 0.3 --seed 7\n" +
			"  replaycheck serve --addr 127.0.0.1:4100 --scenario weather.yaml --profile gemini-3 --html report.html\n" +
			"  replaycheck serve --scenario 'gemini/parallel*' --scenario weather.yaml",
		Args: noArguments("; a scenario goes after --scenario"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.serve(cmd.Context(), cmd, f); err != nil {
				if _, done := errors.AsType[exitError](err); done {
					return err
				}
				return fmt.Errorf("serve: %w", err)
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:0", "`address` to listen on; port 0 takes a free one")
	flags.StringArrayVar(&f.scenario, "scenario", nil, "what is played: `ID, pattern or file` of a script; repeated, the first is for the bare base URL")
	flags.StringVar(&f.profile, "profile", "", "the `profile` whose rules hold, such as gemini-3 or record-only (default: by the model's name)")
	flags.StringArrayVar(&f.with, "with", nil, "optional `rules` that hold too, with commas or repeated")
	flags.BoolVar(&f.enforce, "enforce", true, "refuse what the provider would refuse; --enforce=false plays on and only reports it")
	f.faults.register(cmd)
	flags.BoolVar(&f.http2, "http2", false, "speak HTTP/2 in the clear, too, to clients that begin with it")
	flags.DurationVar(&f.idle, "idle", 10*time.Minute, "a conversation ends when nothing came for this long")
	flags.StringArrayVar(&f.host, "host", nil, "another host `name` that the page may be asked by")
	flags.Int64Var(&f.maxBody, "max-body", 64<<20, "`bytes` that one request body may have")
	flags.Int64Var(&f.maxJournal, "max-journal", 256<<20, "`bytes` that are kept of all conversations; those that are over leave first")
	flags.IntVar(&f.maxCount, "max-conversations", 1000, "how `many` conversations are kept; those that are over leave first")
	flags.StringVar(&f.outputs.keep, "keep", "", "write each exchange as files below this new or empty `folder` when its conversation leaves the journal, or at the end")
	flags.StringVar(&f.outputs.json, "json", "", "write the report as JSON to this `file`; - is standard output")
	flags.StringVar(&f.outputs.junit, "junit", "", "write the report as JUnit XML to this `file`; - is standard output")
	flags.StringVar(&f.outputs.html, "html", "", "write the report as a web page to this `file`; - is standard output")
	flags.BoolVar(&f.outputs.noTimes, "no-times", false, "leave times out of the reports")
	completeServe(cmd)
	return cmd
}

// completeServe registers what a shell offers for the flags of serve.
func completeServe(cmd *cobra.Command) {
	for name, complete := range map[string]cobra.CompletionFunc{
		"scenario": func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return scenarioNames(), cobra.ShellCompDirectiveDefault // and files: a script
		},
		"profile": func(*cobra.Command, []string, string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
			for _, p := range fakeserver.Profiles() {
				out = append(out, cobra.CompletionWithDesc(p.Name, p.About))
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	} {
		// The only error is a flag that is not there, which the tests find.
		if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
			continue
		}
	}
}

// serve listens until the context ends or an interrupt comes, and reports.
func (a app) serve(ctx context.Context, cmd *cobra.Command, f serveFlags) error {
	opts, err := serveOptions(cmd, f)
	if err != nil {
		return err
	}
	server, err := live.New(opts)
	if err != nil {
		return err
	}
	defer server.Close()
	defer live.LimitMemory(opts.MaxBytes)()
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.addr)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	a.announce(ln.Addr(), opts, f)
	if err := server.Serve(ctx, ln); err != nil {
		return err
	}
	server.Close()
	r := server.Report()
	if f.outputs.noTimes {
		r.Started, r.DurationMS = "", 0
	}
	if err := a.write(r, f.outputs.reports(), report.Text); err != nil {
		return err
	}
	if err := server.Kept(); err != nil {
		return fmt.Errorf("--keep: %w", err)
	}
	if code := result.ExitCode(r.Status); code != 0 {
		return exitError(code)
	}
	return nil
}

// announce says where it listens. On standard error where a report takes
// standard output.
func (a app) announce(addr net.Addr, o live.Options, f serveFlags) {
	out := a.stdout
	if slices.Contains([]string{f.outputs.json, f.outputs.junit, f.outputs.html}, "-") {
		out = a.stderr
	}
	host := addr.String()
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = fmt.Sprintf("127.0.0.1:%d", tcp.Port)
	}
	for i, sc := range o.Scenarios {
		at := "/s/" + sc.ID
		if i == 0 {
			at = ""
		}
		fmt.Fprintf(out, "base URL  http://%s%s   (%s)\n", host, at, sc.ID)
	}
	fmt.Fprintf(out, "page      http://%s%s\n", host, live.Root)
	if tcp, ok := addr.(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		fmt.Fprintf(a.stderr, "replaycheck: serve: warning: %s can be reached from other machines, and whoever reaches it can read every conversation\n", addr)
	}
	fmt.Fprintln(out, "Ctrl-C ends it and prints the report.")
}

// serveOptions checks all flags before anything listens.
func serveOptions(cmd *cobra.Command, f serveFlags) (live.Options, error) {
	o := live.Options{
		Profile: f.profile, Observe: !f.enforce, HTTP2: f.http2, Keep: f.outputs.keep, MaxBody: f.maxBody, MaxBytes: f.maxJournal, MaxConversations: f.maxCount, Idle: f.idle, Version: toolVersion(),
	}
	for _, name := range []string{"addr", "profile", "keep", "json", "junit", "html"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && strings.TrimSpace(flag.Value.String()) == "" {
			return o, fmt.Errorf("--%s is empty; give it a value or leave it out", name)
		}
	}
	switch {
	case len(f.scenario) == 0:
		return o, errors.New("--scenario is missing: want an ID of replaycheck list scenarios, or a script (docs/serve.md)")
	case f.idle < 100*time.Millisecond:
		return o, fmt.Errorf("--idle: got %v, want at least 100ms, such as 10m", f.idle)
	case f.maxBody < 1:
		return o, fmt.Errorf("--max-body: got %d, want at least 1", f.maxBody)
	case f.maxCount < 1:
		return o, fmt.Errorf("--max-conversations: got %d, want at least 1", f.maxCount)
	case f.maxJournal < f.maxBody:
		return o, fmt.Errorf("--max-journal: got %d, want at least --max-body, %d", f.maxJournal, f.maxBody)
	}
	var err error
	if o.With, err = split("with", f.with); err != nil {
		return o, err
	}
	if err := (fakeserver.Script{Profile: f.profile, With: o.With}).CheckRules(); err != nil {
		return o, err
	}
	if o.Chaos, err = f.faults.chaos(cmd); err != nil {
		return o, err
	}
	for _, h := range f.host {
		if h = strings.ToLower(strings.TrimSpace(h)); h == "" || strings.ContainsAny(h, "/: *") {
			return o, fmt.Errorf("--host: got %q, want a host name without port", h)
		}
		o.Hosts = append(o.Hosts, h)
	}
	if o.Scenarios, err = serveScenarios(f.scenario); err != nil {
		return o, err
	}
	if err := checkEmpty(f.outputs.keep); err != nil {
		return o, err
	}
	return o, checkOutputs(f.outputs)
}

// checkEmpty refuses a folder that holds something: files of an earlier run
// would be taken for those of this one.
func checkEmpty(folder string) error {
	if folder == "" {
		return nil
	}
	if list, err := os.ReadDir(folder); err == nil && len(list) > 0 {
		return fmt.Errorf("--keep: %s holds something already, want a new or an empty folder", filepath.Clean(folder))
	}
	return nil
}

// serveScenarios finds what is to be played. A name of the product's comes first,
// then a file.
func serveScenarios(names []string) ([]live.Scenario, error) {
	var out []live.Scenario
	for _, name := range names {
		found, err := oracles.Scenarios(name)
		switch unknown, is := errors.AsType[*oracles.UnknownError](err); {
		case is && isFile(name):
			s, err := script.Load(name)
			if err != nil {
				return nil, err
			}
			out = append(out, live.Scenario{ID: s.Name, Title: s.Title, Play: s.Play, Left: s.Left})
			continue
		case is && (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")):
			return nil, fmt.Errorf("--scenario: %q: no such file", name)
		case is:
			return nil, fmt.Errorf("--scenario: %w, and there is no such file; see replaycheck list scenarios", unknown)
		case err != nil:
			return nil, fmt.Errorf("--scenario: %w", err)
		}
		for _, sc := range found {
			out = append(out, live.Scenario{
				ID: sc.ID, Title: sc.Title,
				Play: func() fakeserver.Script { return fakeserver.FromScenario(sc, "") },
				Left: func(n int) int { return max(0, len(sc.Replies)-n) },
			})
		}
	}
	for i, sc := range out {
		if slices.ContainsFunc(out[:i], func(other live.Scenario) bool { return other.ID == sc.ID }) {
			return nil, fmt.Errorf("--scenario: two are named %q", sc.ID)
		}
	}
	return out, nil
}

// isFile reports whether something is there by that name.
func isFile(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
