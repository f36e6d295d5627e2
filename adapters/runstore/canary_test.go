package runstore_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore/runstoretest"
)

// forms returns the forms in which a secret could show (STATE-02). base64 of it
// depends on where it starts; what the offset does not touch is looked for.
func forms(secret string) map[string][]byte {
	quoted, err := json.Marshal(secret)
	if err != nil {
		return nil
	}
	upper, units := strings.ToUpper(hex.EncodeToString([]byte(secret))), utf16.Encode([]rune(secret))
	out := map[string][]byte{
		"raw": []byte(secret), "JSON": bytes.Trim(quoted, `"`),
		"hex": []byte(strings.ToLower(upper)), "HEX": []byte(upper),
	}
	for name, order := range map[string]binary.AppendByteOrder{"UTF-16LE": binary.LittleEndian, "UTF-16BE": binary.BigEndian} {
		for _, u := range units {
			out[name] = order.AppendUint16(out[name], u)
		}
	}
	for name, enc := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64url": base64.RawURLEncoding} {
		for offset := range 3 {
			text := enc.EncodeToString(append(make([]byte, offset), secret...))
			first := (offset*8 + 5) / 6 // sextets that the bytes before have a part in
			out[fmt.Sprintf("%s at %d", name, offset)] = []byte(text[first : len(text)-1])
		}
	}
	return out
}

func wantAbsent(t *testing.T, where string, text []byte, secrets map[string]string) {
	t.Helper()
	for what, secret := range secrets {
		for form, bytesOf := range forms(secret) {
			if bytes.Contains(text, bytesOf) {
				t.Errorf("%s: the %s is there, as %s", where, what, form)
			}
		}
	}
}

// The search finds what it looks for; else its silence would mean nothing.
func TestTheSearchFindsSecrets(t *testing.T) {
	secret := "kQ7+/xs=<9>é\"w"
	for form, text := range forms(secret) {
		if len(text) < 12 || !bytes.Contains(append([]byte("…"), text...), text) {
			t.Errorf("%s: got %q", form, text)
		}
	}
	for offset := range 3 {
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			text := enc.EncodeToString([]byte(strings.Repeat("x", 30+offset) + secret + "yyyy"))
			found := false
			for _, form := range forms(secret) {
				found = found || strings.Contains(text, string(form))
			}
			if !found {
				t.Errorf("offset %d: not found in %s", offset, text)
			}
		}
	}
}

func TestNothingIsReadable(t *testing.T) {
	secrets := map[string]string{
		"signature": "EqMDCqADAb4+9vtAQ7zK/Hf3xWm5cR0pT2uYd6LsJ8eNgBo1iVaXkZtCwPrSyUhMlDnFjGqE==",
		"thought":   "thought-Zx93hQm2LpVt7RkWd0Bs-é<&>",
		"argument":  "argument-u8Yc4NfXe61GjKo5TaPw",
		"result":    "result-b2Hs9IvMq7DzEl3OxUyA",
		"actor":     "actor-J5nFr0CwZg8TkVb1SmXd",
		"key":       strings.Repeat("k", 32),
	}
	for engine, fresh := range runstoretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			dsn := fresh(t)
			ctx := t.Context()
			s := open(t, dsn)
			run := suspended("control-Wc6Lp1RnYt", secrets["actor"])
			run.Pending[0].Arguments = `{"a":"` + secrets["argument"] + `"}`
			run.Transcript = secrets["signature"] + secrets["thought"] + secrets["argument"]
			check := func(when string) {
				t.Helper()
				files := runstoretest.Files(t, dsn)
				seen := len(files) == 0 // a server whose files can't be read: the rows are all there is
				for name, text := range files {
					seen = seen || bytes.Contains(text, []byte(run.ID)) // readable, so what is searched are the right files
					wantAbsent(t, when+": "+name[strings.LastIndexByte(name, '/')+1:], text, secrets)
				}
				if !seen {
					t.Errorf("%s: the run ID is in none of %d files", when, len(files))
				}
				for _, row := range rows(t, dsn) {
					wantAbsent(t, when+": rows", []byte(row), secrets)
				}
			}
			_, err := s.Create(ctx, run)
			must(t, err)
			check("waiting")
			run, err = s.Claim(ctx, run.ID, run.Actor, chat.RunWaiting, accept)
			must(t, err)
			must(t, s.StartCall(ctx, run, 0))
			must(t, s.EndCall(ctx, run, 0, secrets["result"]))
			check("running")
			must(t, s.Save(ctx, run))
			must(t, s.Finish(ctx, run))
			check("finished")
			_, err = s.Look(ctx, run.ID, "user:2")
			wantErr(t, err, chat.ErrRunActor)
			wantAbsent(t, "error", []byte(err.Error()), secrets)
			wantAbsent(t, "keys", fmt.Appendf(nil, "%v %+v %#v %s", keys(t, 'k'), keys(t, 'k'), keys(t, 'k'), keys(t, 'k')), secrets)
		})
	}
}
