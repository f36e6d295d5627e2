package subject

import (
	"bytes"
	"io"
)

// Bounds on what a driver may write besides its one line.
const (
	maxStray  = 1 << 20  // bytes on standard output after it is clear that there is no one line
	maxStderr = 16 << 20 // bytes on standard error in all
	keptTail  = 64 << 10 // bytes of standard error that are kept
)

// answer collects standard output: one line up to MaxLine. Once there is more
// than a line, or something that can't be one, it keeps nothing more.
type answer struct {
	text  []byte // up to the end of the first line that is not blank
	ended bool   // that line has ended
	stray int    // bytes after it, or of a line that is no object, blanks apart
	lines int    // lines that are not blank, seen to begin
}

// Write takes the next bytes. It returns false when the driver is to be ended.
func (a *answer) write(p []byte) bool {
	for len(p) > 0 {
		if a.ended || len(a.text) == 0 {
			// Between lines: blanks count for nothing.
			rest := bytes.TrimLeft(p, " \t\r\n")
			if len(rest) == 0 {
				return true
			}
			p = rest
			if a.lines == 0 {
				a.lines = 1
			}
			if a.ended {
				a.lines = 2
				a.stray += len(p)
				return a.stray <= maxStray
			}
		}
		line, rest, found := bytes.Cut(p, []byte("\n"))
		a.text = append(a.text, line...)
		a.ended, p = found, rest
		switch {
		case len(a.text) > MaxLine:
			return false
		case a.text[0] != '{':
			if a.stray = len(a.text); a.stray > maxStray {
				return false
			}
		}
	}
	return true
}

// tail collects standard error: the last keptTail bytes of at most maxStderr.
type tail struct {
	kept  []byte
	total int
}

func (t *tail) write(p []byte) bool {
	t.total += len(p)
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*keptTail {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-keptTail:]...)
	}
	return t.total <= maxStderr
}

// String returns what was kept.
func (t *tail) String() string {
	return string(t.kept[max(0, len(t.kept)-keptTail):])
}

// drain reads r to its end into write; when that says no, stop is called once
// and the rest is thrown away.
func drain(r io.Reader, write func([]byte) bool, stop func()) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 && !write(buf[:n]) {
			stop()
			_, _ = io.Copy(io.Discard, r)
			return
		}
		if err != nil {
			return
		}
	}
}
