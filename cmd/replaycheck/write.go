package main

import (
	"errors"
	"io"

	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/internal/result"
)

// output is a report that goes to a file.
type output struct {
	flag, path string // "" no file, - standard output
	write      func(io.Writer, result.Report) error
}

// write writes the files first, so that a reader of standard output who leaves
// early costs nobody a report. Where a report takes standard output, the text
// for people goes to standard error. One that can't be written costs none of the
// others, nor the text.
func (a app) write(r result.Report, outputs []output, text func(w io.Writer, r result.Report, fancy bool) error) error {
	people := a.stdout
	var failed []error
	for _, out := range outputs {
		write := func(w io.Writer) error { return out.write(w, r) }
		var err error
		switch out.path {
		case "":
		case "-":
			people = a.stderr
			err = write(a.stdout)
		default:
			err = report.WriteFile(out.path, write)
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(append(failed, text(people, r, a.fancy(people)))...)
}
