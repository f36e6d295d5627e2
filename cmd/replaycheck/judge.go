package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/subject"
	"example.com/replaycheck/oracles"
)

// judge opens the door of the oracles for a plan.
func (a app) judge(ctx context.Context, p plan) (result.Report, error) {
	cfg := oracles.Config{
		Only:      p.only,
		Scenarios: p.scenario,
		Level:     p.level,
		Keep:      p.keep,
		Enforce:   p.enforce,
		Faults:    p.chaos,
		Deadline:  p.timeout,
		Postgres:  a.getenv(postgresVariable),
	}
	process := func(command []string) func() (oracles.Subject, error) {
		opts := subject.ProcessOptions{Deadline: p.timeout, Pass: p.env}
		return func() (oracles.Subject, error) { return subject.Process(command, opts), nil }
	}
	if p.command != nil {
		cfg.New = process(p.command)
	} else {
		self, err := os.Executable()
		if err != nil {
			return result.Report{}, fmt.Errorf("find this program, to start it as a fresh process: %w", err)
		}
		cfg.New = func() (oracles.Subject, error) { return reference.New(), nil }
		cfg.Fresh = process([]string{self, driverName})
		cfg.InProcess = true
	}
	progress := a.progress()
	cfg.Progress = progress.Step
	defer progress.Clear()
	return oracles.Judge(ctx, cfg)
}

// postgresVariable names a PostgreSQL server on which agent runs are judged too,
// "postgres://…". Each conversation makes a schema there and drops it.
const postgresVariable = "REPLAYCHECK_POSTGRES"

// progress is nil where standard error is no terminal for it.
func (a app) progress() *report.Progress {
	if !a.fancy(a.stderr) {
		return nil
	}
	width := 0
	if f, ok := a.stderr.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			width = w
		}
	}
	return report.NewProgress(a.stderr, width)
}

// driverName is the hidden command that serves the reference adapters as a
// driver: what a stored run continues in a process of its own.
const driverName = "driver"

func (a app) driverCommand() *cobra.Command {
	return &cobra.Command{
		Use:    driverName,
		Short:  "Serve the reference adapters as a driver (docs/driver-protocol.md)",
		Hidden: true,
		Args:   noArguments(""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := crashAt(a.getenv(crashVariable))
			if err != nil {
				return fmt.Errorf("driver: %w", err)
			}
			if err := subject.Serve(cmd.Context(), reference.Subject{At: at}, a.stdin, a.stdout); err != nil {
				return fmt.Errorf("driver: %w", err)
			}
			return nil
		},
	}
}
