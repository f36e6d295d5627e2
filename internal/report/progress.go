package report

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// Progress is one line that is written over again. Use it only on a terminal; a
// nil *Progress does nothing. It is not safe for concurrent use.
type Progress struct {
	w     io.Writer
	width int
}

// NewProgress writes to w, at most width columns wide; 0 means 80.
func NewProgress(w io.Writer, width int) *Progress {
	if width <= 0 {
		width = 80
	}
	return &Progress{w: w, width: width}
}

// Step shows that done of total steps are over and label is next. What cannot be
// written is lost: a progress line is no result.
func (p *Progress) Step(done, total int, label string) {
	if p == nil {
		return
	}
	line := clean(fmt.Sprintf("%d/%d %s", done, total, label))
	if utf8.RuneCountInString(line) >= p.width {
		line = string([]rune(line)[:p.width-1])
	}
	_, _ = fmt.Fprint(p.w, "\r\x1b[K"+line)
}

// Clear takes the line away.
func (p *Progress) Clear() {
	if p != nil {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
	}
}
