// Package page is how things look in a browser: one style and one way to show a
// finding, for the live page and for the report as a file. It decides nothing.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io/fs"
	"strings"

	"example.com/replaycheck/internal/result"
)

//go:embed style.css parts.html
var files embed.FS

// Style returns the style sheet.
func Style() string {
	b, err := fs.ReadFile(files, "style.css")
	if err != nil {
		return "" // it is embedded
	}
	return string(b)
}

// StyleHash is the source expression that lets a content security policy admit
// the style sheet inside a page.
func StyleHash() string {
	sum := sha256.Sum256([]byte(Style()))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// New returns the templates that pages share: "icon" (of a string: ok, bad,
// warn, wait, key), "finding" (of a Finding), with the functions that they use.
func New() (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"upper": strings.ToUpper,
		"style": func() template.CSS { return template.CSS(Style()) }, //nolint:gosec // our own file
		"tone":  Tone,
	}).ParseFS(files, "parts.html")
}

// Finding is one finding as it is shown.
type Finding struct {
	ID, Title, Strength string
	result.Finding
	Gates bool   // it fails the requirement
	In    string // where else it was found: scenario and modes, or conversation; ""
	Also  string // further places of the same and requirements that say it too, "" for none
	Spec  bool   // the requirement has a file in specs/
}

// Lost reports whether the finding is about an opaque value that did not come
// back as it was.
func (f Finding) Lost() bool {
	if !f.Gates {
		return false
	}
	// A value that is gone with its part is told by what is wanted.
	value := strings.HasPrefix(f.Want, `"`) && strings.Contains(f.Want, " bytes, sha256 ")
	return value || strings.HasSuffix(f.Where, "ignature") || strings.HasSuffix(f.Where, "encrypted_content")
}

// Word is the change as a headline.
func (f Finding) Word() string {
	if !f.Lost() {
		return string(f.Change)
	}
	what, became := "signature ", string(f.Change)
	if strings.Contains(f.Where, "input[") {
		what = "cipher "
	}
	switch f.Change {
	case result.Absent, result.Null, result.Empty:
		became = "lost"
	}
	return what + became
}

// Tone is the icon and colour of a status.
func Tone(s result.Status) string {
	switch s {
	case result.Pass:
		return "ok"
	case result.Fail:
		return "bad"
	case result.Error, result.Partial:
		return "warn"
	}
	return "wait"
}
