package oracles

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/internal/wire"
)

// pieceLength is how much of a canary is looked for at once. A text that is
// stored as it is may be cut anywhere (a database has pages), so three pieces of
// a long one are looked for.
const pieceLength = 24

// Kinds of canaries.
const (
	canarySignature = "a signature"
	canaryThought   = "a thought"
	canaryArgument  = "an argument"
)

// canary is a piece of what must not be readable, in one form.
type canary struct {
	kind, form string
	step       *step
	text       string
}

// canaries returns the signatures, thoughts and arguments of the script in every
// form that STATE-02 names.
func (v *View) canaries() []canary {
	var out []canary
	add := func(s *step, kind, text string) {
		runes := []rune(text)
		if len(runes) < pieceLength {
			return
		}
		for _, from := range []int{0, (len(runes) - pieceLength) / 2, len(runes) - pieceLength} {
			for form, is := range formsOf(string(runes[from : from+pieceLength])) {
				out = append(out, canary{kind, form, s, is})
			}
		}
	}
	for _, s := range v.script {
		for _, p := range s.parts {
			add(s, canarySignature, p.Sig.Text())
			if raw, err := base64.StdEncoding.DecodeString(p.Sig.Text()); err == nil && len(raw) >= pieceLength {
				out = append(out, canary{canarySignature, "decoded", s, string(raw[len(raw)-pieceLength:])})
			}
			if p.Kind == native.Thought {
				add(s, canaryThought, p.Text)
			}
			if args, err := wire.Parse(p.Args); err == nil {
				for val := range args.All() {
					add(s, canaryArgument, val.Text())
				}
			}
		}
	}
	return out
}

// formsOf returns a text as it may be found, by the name of the form.
func formsOf(text string) map[string]string {
	units := utf16.Encode([]rune(text))
	little, big := make([]byte, 0, 2*len(units)), make([]byte, 0, 2*len(units))
	for _, u := range units {
		little, big = binary.LittleEndian.AppendUint16(little, u), binary.BigEndian.AppendUint16(big, u)
	}
	html, _ := json.Marshal(text) // a string always has a form
	ascii := &strings.Builder{}
	for _, r := range text {
		if r < 0x80 {
			ascii.WriteString(strings.Trim(wire.Quote(string(r)), `"`))
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(ascii, `\u%04x`, u)
		}
	}
	out := map[string]string{
		"raw": text, "JSON, escaped": strings.Trim(string(html), `"`), "JSON, ASCII": ascii.String(), "JSON, slashes escaped": strings.ReplaceAll(text, "/", `\/`),
		"hex": hex.EncodeToString([]byte(text)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(text))),
		"UTF-16LE": string(little), "UTF-16BE": string(big),
	}
	for offset := range 3 {
		out[fmt.Sprintf("base64 at offset %d", offset)] = shifted(base64.RawStdEncoding, text, offset)
		out[fmt.Sprintf("base64url at offset %d", offset)] = shifted(base64.RawURLEncoding, text, offset)
	}
	return out
}

// shifted returns the characters of a longer base64 text that hold nothing but
// bits of text, where it begins offset bytes into a group of three.
func shifted(e *base64.Encoding, text string, offset int) string {
	out := e.EncodeToString([]byte(strings.Repeat("\x00", offset) + text))
	if (offset+len(text))%3 != 0 {
		out = out[:len(out)-1]
	}
	return out[[3]int{0, 2, 3}[offset]:]
}

// search finds canaries in texts in one pass: by the first eight bytes.
type search struct {
	maybe [1 << 16]bool
	by    map[uint64][]canary
}

func newSearch(all []canary) *search {
	s := &search{by: map[uint64][]canary{}}
	for _, c := range all {
		if len(c.text) < 8 {
			continue
		}
		k := binary.LittleEndian.Uint64([]byte(c.text))
		s.maybe[slot(k)] = true
		s.by[k] = append(s.by[k], c)
	}
	return s
}

func slot(k uint64) uint16 { return uint16((k * 0x9E3779B97F4A7C15) >> 48) }

// in returns the canaries that a text holds, the first of each kind and form.
func (s *search) in(text string) []canary {
	var out []canary
	for i := 0; i+8 <= len(text); i++ {
		k := uint64(text[i]) | uint64(text[i+1])<<8 | uint64(text[i+2])<<16 | uint64(text[i+3])<<24 |
			uint64(text[i+4])<<32 | uint64(text[i+5])<<40 | uint64(text[i+6])<<48 | uint64(text[i+7])<<56
		if !s.maybe[slot(k)] {
			continue
		}
		for _, c := range s.by[k] {
			if strings.HasPrefix(text[i:], c.text) && !slices.ContainsFunc(out, func(o canary) bool { return o.kind == c.kind && o.form == c.form }) {
				out = append(out, c)
			}
		}
	}
	return out
}

// checkSecrets looks for the canaries in all that is on disk and in every error
// and log, and first in the harness's own control file, where they must be
// (STATE-02).
func checkSecrets(v *View) []Finding {
	const means = "who can read the disk or the logs reads the conversation"
	out := attemptsMissing(v)
	s := newSearch(v.canaries())
	kinds := map[string]bool{}
	have := map[string]int{}
	for _, a := range v.Artifacts {
		have[a.Kind] += len(a.Bytes)
		found := s.in(a.Bytes)
		if a.Kind == scenario.ControlFile {
			for _, c := range found {
				kinds[c.kind] = kinds[c.kind] || c.form == "raw" || strings.HasPrefix(c.form, "JSON")
			}
			continue
		}
		for _, c := range found {
			out = append(out, agentFinding(a.Kind+" "+a.Name, result.Leaked, "nothing that can be read", fmt.Sprintf("%s of %s (%s)", c.kind, c.step.label(), c.form), means))
		}
	}
	for _, kind := range []string{canarySignature, canaryThought, canaryArgument} {
		if !kinds[kind] {
			out = append(out, agentFinding("control file", result.Shrunk, kind+", where the harness stored the transcript as it is", "not found", "the search is blind, so finding nothing shows nothing"))
		}
	}
	want := []string{scenario.RowsOf}
	if strings.HasPrefix(v.Variant, scenario.SQLite) {
		want = append(want, scenario.DatabaseFile, scenario.JournalFile)
	}
	for _, kind := range want {
		if have[kind] == 0 {
			out = append(out, agentFinding("artifacts", result.Shrunk, "something of kind "+kind, "nothing", "what is not there could not be searched"))
		}
	}
	if !v.everSealed() {
		out = append(out, agentFinding("agent_run.sealed", result.Shrunk, "a state at some time", "none", "nothing was stored, so nothing could be searched"))
	}
	for _, a := range v.attempts() {
		texts := map[string]string{"standard error": a.run.Stderr}
		if e := a.run.Outcome.Error; e != nil {
			texts["error message"] = e.Message
		}
		for where, text := range texts {
			for _, c := range s.in(text) {
				out = append(out, agentFinding(a.where()+", "+where, result.Leaked, "nothing that can be read", fmt.Sprintf("%s of %s (%s)", c.kind, c.step.label(), c.form), means))
			}
		}
	}
	return sortFindings(out)
}

func (v *View) everSealed() bool {
	for _, a := range v.attempts() {
		if row, ok := a.row(a.at.After); ok && len(row.Columns["sealed"]) >= pieceLength {
			return true
		}
	}
	return false
}
