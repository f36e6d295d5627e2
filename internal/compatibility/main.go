// Command compatibility turns reports about released SDKs into
// docs/compatibility.md. `make golden` runs it.
//
//	compatibility -date 2026-11-30 REPORT.json…
//
// writes the page to standard output, one section per report, in the order given.
// The date is the day of the measurement: a page that is only checked has its own.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"example.com/replaycheck/internal/result"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// run writes the page only when every report could be read: half a page would
// look like a whole one.
func run(args []string, w io.Writer) error {
	flags := flag.NewFlagSet("compatibility", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	date := flags.String("date", "", "the day of the measurement, such as 2026-11-30")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("compatibility: %w", err)
	}
	if _, err := time.Parse(time.DateOnly, *date); err != nil {
		return fmt.Errorf("compatibility: -date: got %q, want a day such as 2026-11-30", *date)
	}
	paths := flags.Args()
	if len(paths) == 0 {
		return errors.New("compatibility: got no report, want the files that replaycheck run --json wrote")
	}
	var reports []result.Report
	var errs []error
	for _, path := range paths {
		r, err := load(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("compatibility: %s: %w", path, err))
			continue
		}
		reports = append(reports, r)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	_, err := io.WriteString(w, page(*date, reports))
	return err
}

func load(path string) (result.Report, error) {
	var r result.Report
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, err
	}
	switch {
	case r.Schema != result.Schema:
		return r, fmt.Errorf("schema: got %q, want %q", r.Schema, result.Schema)
	case r.Status == result.Error:
		return r, fmt.Errorf("status: got %q, want a run that came to its end", r.Status)
	case len(r.Requirements) == 0:
		return r, errors.New("it judges no requirement")
	}
	return r, nil
}
