package oracles_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/tidwall/gjson"

	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

func rawOf(body, path string) string { return gjson.Get(body, path).Raw }

// Each canary is planted in each form, written here by other means than the
// oracle's, in the middle of noise: each is found, and named.
func TestEveryFormOfACanaryIsFound(t *testing.T) {
	var d driven
	for _, c := range agentCells(t) {
		if c.scenario == "agent/approve" && c.mode == plainStored {
			d = c
			break
		}
	}
	parts := items(d.ev.Runs[0].Exchanges[0].Reply, "candidates.0.content.parts")
	texts := map[string]string{
		"a thought":   text(parts[0], "text"),
		"a signature": text(parts[1], "thoughtSignature"),
		"an argument": text(parts[1], "functionCall.args.account"),
	}
	wide := func(order binary.AppendByteOrder) func(string) string {
		return func(s string) string {
			var b []byte
			for _, u := range utf16.Encode([]rune(s)) {
				b = order.AppendUint16(b, u)
			}
			return string(b)
		}
	}
	forms := map[string]func(string) string{
		"raw":      func(s string) string { return s },
		"JSON":     func(s string) string { b, _ := json.Marshal(s); return string(b) },
		"hex":      func(s string) string { return hex.EncodeToString([]byte(s)) },
		"HEX":      func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		"UTF-16LE": wide(binary.LittleEndian),
		"UTF-16BE": wide(binary.BigEndian),
	}
	for offset := range 3 {
		pad := strings.Repeat("x", offset)
		forms[fmt.Sprint("base64 at ", offset)] = func(s string) string { return base64.StdEncoding.EncodeToString([]byte(pad + s + "tail")) }
		forms[fmt.Sprint("base64url at ", offset)] = func(s string) string { return base64.URLEncoding.EncodeToString([]byte(pad + s + "tail")) }
	}
	for kind, canary := range texts {
		for form, write := range forms {
			// Cut where a page ends: what is left is enough.
			for cut, planted := range map[string]string{"whole": write(canary), "cut in two": write(canary)[:len(write(canary))*4/5]} {
				ev := agentCopy(d.ev)
				ev.Artifacts = append(ev.Artifacts, oracles.Artifact{Name: "planted", Kind: scenario.JournalFile, Bytes: "\x00\xffnoise" + planted + "\x00"})
				findings := oracle(t, "STATE-02").Check(view(t, ev))
				if !slices.ContainsFunc(findings, func(f oracles.Finding) bool {
					return f.Where == "journal planted" && strings.HasPrefix(f.Got, kind)
				}) {
					t.Errorf("%s as %s, %s: not found", kind, form, cut)
				}
				for _, f := range findings {
					if strings.Contains(show(f), canary) {
						t.Errorf("%s as %s: the finding quotes it", kind, form)
					}
				}
			}
		}
	}
}

// What was searched: the file, its journal and the rows of each engine, and a
// control in which all three kinds are.
func TestArtifactsOfEachEngine(t *testing.T) {
	for _, d := range agentCells(t) {
		size := map[string]int{}
		for _, a := range d.ev.Artifacts {
			size[a.Kind] += len(a.Bytes)
		}
		engine, _, _ := strings.Cut(d.variant, "/")
		want := []string{scenario.RowsOf, scenario.ControlFile}
		if engine == scenario.SQLite {
			want = append(want, scenario.DatabaseFile, scenario.JournalFile)
		}
		for _, kind := range want {
			if size[kind] == 0 {
				t.Errorf("%s: got nothing of kind %s", d.cell, kind)
			}
		}
		if total := size[scenario.DatabaseFile] + size[scenario.JournalFile]; total > 8<<20 {
			t.Errorf("%s: got %d bytes of files, want less", d.cell, total)
		}
	}
}
