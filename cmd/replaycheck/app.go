package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Exit codes besides those of result.ExitCode.
const exitUsage = 2 // the harness or the configuration, or nothing ran

// app is the command with all that it reads and writes.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

// execute runs the command line and returns the exit code. Whatever goes wrong
// is one line on standard error.
func (a app) execute(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if v, ok := errors.AsType[exitError](err); ok {
		return int(v)
	}
	// A standard error that is closed leaves nobody to tell.
	_, _ = fmt.Fprintln(a.stderr, "replaycheck: "+oneLine(err.Error()))
	return exitUsage
}

// exitError is the exit code of a run that came to its end, and is said already.
type exitError int

func (v exitError) Error() string { return fmt.Sprintf("exit code %d", int(v)) }

// oneLine joins the lines of joined errors, and keeps text of a subject from
// steering the terminal.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// fancy reports whether w is a terminal whose user takes colour, tables and a
// progress line.
func (a app) fancy(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

func (a app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "replaycheck",
		Short: "Contract tests for LLM provider adapters",
		Long: "replaycheck plays scripted conversations with a fake provider and judges, on the bytes of the\n" +
			"requests that an adapter sends, whether it keeps the provider's replay state.\n\n" +
			"Exit codes: 0 pass, 1 a requirement failed, 2 harness or configuration error (also when\n" +
			"nothing ran), 3 partial (something was left out on request).",
		Version:       versionText(),
		Args:          cobra.ArbitraryArgs,
		RunE:          needsCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%s%w%s; see %s --help", place(cmd), err, nearFlags(cmd, err), cmd.CommandPath())
	})
	root.AddCommand(a.runCommand(), a.mutateCommand(), a.pairCommand(), a.serveCommand(), a.listCommand(), a.versionCommand(), a.driverCommand())
	root.SetHelpCommand(helpCommand())
	root.InitDefaultCompletionCmd("completion")
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = cobra.ArbitraryArgs, needsCommand
		}
	}
	return root
}

// needsCommand is what a command does that is nothing without a subcommand:
// doing nothing must not look like success.
func needsCommand(cmd *cobra.Command, args []string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			names = append(names, c.Name())
		}
	}
	where := place(cmd)
	if len(args) == 0 {
		return fmt.Errorf("%sno command given, want %s; see %s --help", where, orList(names), cmd.CommandPath())
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("%sunknown command %q, did you mean %s? see %s --help", where, args[0], orList(near), cmd.CommandPath())
	}
	return fmt.Errorf("%sunknown command %q, want %s; see %s --help", where, args[0], orList(names), cmd.CommandPath())
}

// nearFlags suggests flags for one that is not there. Cobra knows what is near,
// but for commands only.
func nearFlags(cmd *cobra.Command, err error) string {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return ""
	}
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: "--" + f.Name, Run: func(*cobra.Command, []string) {}})
	})
	near := names.SuggestionsFor("--" + unknown.GetSpecifiedName())
	if len(near) == 0 {
		return ""
	}
	return ", did you mean " + orList(near)
}

// place names the command in front of an error, the root excepted.
func place(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return ""
	}
	return cmd.Name() + ": "
}

// helpCommand is cobra's, but fails on a command that is not there.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Show the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return needsCommand(found, rest)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var out []cobra.Completion
			if found, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, c := range found.Commands() {
					if c.IsAvailableCommand() {
						out = append(out, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// noArguments fails on arguments, and says what they may have been meant as.
func noArguments(hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return fmt.Errorf("%sunexpected argument %q%s; see %s --help", place(cmd), args[0], hint, cmd.CommandPath())
	}
}

// orList is "a", "a or b", "a, b or c".
func orList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
