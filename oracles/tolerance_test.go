package oracles_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/oracles"
)

// tolerance is one edit of recorded evidence and how it is to be taken.
type tolerance struct {
	name   string // begins with the tolerance that it is about
	cell   cell
	change change
	// takenBy: at provider no requirement is red; else one is. At verbatim one
	// is red either way.
	tolerated bool
	contested bool // what is reported is contested
}

func at(id string) cell                { return cell{id, plainMemory, ""} }
func streamed(id string) cell          { return cell{id, streamMemory, ""} }
func replaced(old, with string) change { return gemini(literally(old, with)) }
func literally(old, with string) edit {
	return func(b string) string { return strings.ReplaceAll(b, old, with) }
}
func onFirstPart(e func(string) string) change { return each(onIndex(0, e)) }
func onIndex(i int, e func(string) string) func([]string) []string {
	return func(parts []string) []string {
		out := slices.Clone(parts)
		if i < len(out) {
			out[i] = e(out[i])
		}
		return out
	}
}

// isCallOrResult and dropID are for T9.
func isCallOrResult(p string) bool { return isCall(p) || isResult(p) }

func setID(id string) func(string) string {
	return func(p string) string {
		for _, name := range []string{"functionCall", "functionResponse"} {
			switch {
			case has(p, name) && id == "":
				p = remove(p, name+".id")
			case has(p, name):
				p = setText(p, name+".id", id)
			}
		}
		return p
	}
}

func tolerances() []tolerance {
	const ok, red = true, false
	urlSafe := func(s string) string { return strings.NewReplacer("+", "-", "/", "_").Replace(s) }
	unpadded := func(s string) string { return strings.TrimRight(s, "=") }
	return slices.Concat([]tolerance{
		{"T1 member order", at("gemini/single-call"), replaced(`"id": "x7Kq2mPd","name": "weather"`, `"name": "weather","id": "x7Kq2mPd"`), ok, false},
		{"T1 member order in the arguments", at("gemini/text-and-call"), replaced(`"query": "descale","limit": 3`, `"limit": 3,"query": "descale"`), ok, false},
		{"T1 escapes", at("gemini/single-call"), replaced(`"city": "Leipzig"`, `"city": "\u004ceipzig"`), ok, false},
		{"T1 an escaped signature", at("gemini/single-call"), onEach(isSigned, func(p string) string { return strings.ReplaceAll(p, "/", `\/`) }), ok, false},
		{"T1 the same double", at("gemini/big-numbers"), replaced(`9007199254740993,"max"`, `9007199254740992,"max"`), ok, false},
		{"T1 another literal", at("gemini/big-numbers"), replaced(`"exp": 1e3`, `"exp": 1000.0`), ok, false},
		{"T1 near: another double", at("gemini/big-numbers"), replaced(`9007199254740993,"max"`, `9007199254740994,"max"`), red, false},
		{"T1 near: zero without its sign", at("gemini/big-numbers"), replaced(`-0.0`, `0.0`), red, false},
		{"T1 near: a number as text", at("gemini/text-and-call"), replaced(`"limit": 3}`, `"limit": "3"}`), red, false},
		{"T1 near: list order", at("gemini/big-numbers"), replaced(`[9007199254740991, 9007199254740992`, `[9007199254740992, 9007199254740991`), red, false},
		{"T1 near: another code point", at("gemini/escapes"), replaced(`\ud800"`, `\ufffd"`), red, false},
		{"T1 near: a repeated member once", at("gemini/duplicate-keys"), replaced(`"plant": "fern","ml": 100,"plant": "ferns"`, `"ml": 100,"plant": "ferns"`), red, false},

		{"T2 alphabet", at("gemini/single-call"), onEach(isSigned, resigned(urlSafe)), ok, false},
		{"T2 padding", at("gemini/single-call"), onEach(isSigned, resigned(unpadded)), ok, false},
		{"T2 unused bits", at("gemini/noncanonical-base64"), onEach(isSigned, resigned(func(s string) string { return base64.StdEncoding.EncodeToString(decodedSig(s)) })), ok, false},
		{"T2 near: alphabet and truncated", at("gemini/single-call"), onEach(isSigned, resigned(func(s string) string { return unpadded(urlSafe(s))[:64] })), red, false},
		{"T2 near: one byte less", at("gemini/single-call"), onEach(isSigned, resigned(func(s string) string {
			b := decodedSig(s)
			return base64.StdEncoding.EncodeToString(b[:len(b)-1])
		})), red, false},
		{"T2 near: white space", at("gemini/single-call"), onEach(isSigned, resigned(func(s string) string { return s[:76] + "\n" + s[76:] })), red, false},
		{"T2 near: another case", at("gemini/single-call"), onEach(isSigned, resigned(strings.ToLower)), red, false},

		{"T3 args {} absent", at("gemini/empty-args"), onEach(isCall, func(p string) string {
			if text(p, "functionCall.args") == "{}" {
				return remove(p, "functionCall.args")
			}
			return p
		}), ok, false},
		{"T3 near: args {} as []", at("gemini/empty-args"), onEach(isCall, func(p string) string {
			if text(p, "functionCall.args") == "{}" {
				return setRaw(p, "functionCall.args", "[]")
			}
			return p
		}), red, false},
		{"T3 near: args {} as null", at("gemini/empty-args"), onEach(isCall, func(p string) string {
			if text(p, "functionCall.args") == "{}" {
				return setRaw(p, "functionCall.args", "null")
			}
			return p
		}), red, false},
		{"T3 near: other args absent", at("gemini/single-call"), onEach(isCall, func(p string) string { return remove(p, "functionCall.args") }), red, false},
		{"T3 near: other args emptied", at("gemini/single-call"), onEach(isCall, func(p string) string { return setRaw(p, "functionCall.args", "{}") }), red, false},

		{"T4 unknown member dropped", at("gemini/unknown-members"), onEach(isText, func(p string) string { return remove(p, "x_span") }), ok, false},
		{"T4 unknown member of a call dropped", at("gemini/unknown-members"), onEach(isCall, func(p string) string { return remove(p, "functionCall.x_call") }), ok, false},
		{"T4 null added", at("gemini/single-call"), onEach(isCall, func(p string) string { return setRaw(p, "videoMetadata", "null") }), ok, false},
		{"T4 null added to a call", at("gemini/single-call"), onEach(isCall, func(p string) string { return setRaw(p, "functionCall.partialArgs", "null") }), ok, false},
		{"T4 near: unknown member changed", at("gemini/unknown-members"), onEach(isText, func(p string) string { return setRaw(p, "x_span.from", "1") }), red, false},
		{"T4 near: unknown member of a call changed", at("gemini/unknown-members"), onEach(isCall, func(p string) string { return setRaw(p, "functionCall.x_call.weights", "[0.5]") }), red, false},
		{"T4 near: null for a listed member", at("gemini/single-call"), onEach(isCall, func(p string) string { return setRaw(p, "thought", "null") }), red, false},
		{"T4 near: null for a listed member of a call", at("gemini/text-and-call"), onEach(isCall, func(p string) string { return setRaw(p, "functionCall.id", "null") }), red, false},
		{"T4 near: a member added", at("gemini/single-call"), onEach(isCall, func(p string) string { return setRaw(p, "videoMetadata", "{}") }), red, false},
		{"T4 near: thought:false added", at("gemini/text-and-call"), onEach(isText, func(p string) string { return setRaw(p, "thought", "false") }), red, false},
		{"T4 near: the name dropped", at("gemini/single-call"), onEach(isCall, func(p string) string { return remove(p, "functionCall.name") }), red, false},

		{"T5 an unsigned empty text dropped", at("gemini/call-then-unsigned-empty"), each(func(parts []string) []string {
			return filter(parts, func(p string) bool { return !isText(p) || text(p, "text") != "" })
		}), ok, false},
		{"T5 {} dropped", at("gemini/odd-parts"), each(func(parts []string) []string { return filter(parts, func(p string) bool { return p != "{}" }) }), ok, false},
		{"T5 an empty text added", at("gemini/single-call"), each(func(parts []string) []string { return append([]string{`{"text":""}`}, parts...) }), ok, false},
		{"T5 near: a signed empty text dropped", at("gemini/call-then-signed-empty-tail"), each(func(parts []string) []string { return filter(parts, not(isText)) }), red, false},
		{"T5 near: {} added", at("gemini/single-call"), each(func(parts []string) []string { return append(slices.Clone(parts), `{}`) }), red, false},
		{"T5 near: a text added", at("gemini/single-call"), each(func(parts []string) []string { return append([]string{`{"text":" "}`}, parts...) }), red, false},
		{"T5 near: a signed empty text added", at("gemini/single-call"), each(func(parts []string) []string {
			return append(slices.Clone(parts), `{"text":"","thoughtSignature":"AA=="}`)
		}), red, false},
		{"T5 near: an empty text with more in it added", at("gemini/single-call"), each(func(parts []string) []string { return append(slices.Clone(parts), `{"text":"","x":1}`) }), red, false},

		{"T6 an unsigned thought dropped", at("gemini/thoughts-then-call"), each(func(parts []string) []string {
			return filter(parts, func(p string) bool { return !isThought(p) || isSigned(p) })
		}), ok, false},
		{"T6 near: a signed thought dropped", at("gemini/thoughts-then-call"), each(func(parts []string) []string {
			return filter(parts, func(p string) bool { return !isThought(p) || !isSigned(p) })
		}), red, false},
		{"T6 near: as ordinary text", at("gemini/thoughts-then-call"), onFirstPart(func(p string) string { return remove(p, "thought") }), red, false},
		{"T6 near: edited", at("gemini/thoughts-then-call"), onFirstPart(func(p string) string { return setText(p, "text", "**Planning**") }), red, false},

		{"T7 unsigned texts joined", streamed("gemini/text-and-call"), each(joinedTexts), ok, false},
		{"T7 near: signed and unsigned joined", streamed("gemini/signed-text"), each(merge(func(a, b string) string { return setText(b, "text", text(a, "text")+text(b, "text")) })), red, false},
		{"T7 near: a text divided", at("gemini/text-and-call"), each(func(parts []string) []string {
			s := text(parts[0], "text")
			return append([]string{setText(`{}`, "text", s[:9]), setText(`{}`, "text", s[9:])}, parts[1:]...)
		}), red, false},
		{"T7 near: joined with a space", streamed("gemini/text-and-call"), each(func(parts []string) []string { return joinedWith(parts, " ") }), red, false},
	}, toleratedResults())
}

func joinedTexts(parts []string) []string { return joinedWith(parts, "") }

// joinedWith makes one part of neighbouring unsigned texts.
func joinedWith(parts []string, sep string) []string {
	var out []string
	for _, p := range parts {
		if n := len(out); n > 0 && isText(p) && isText(out[n-1]) && !isSigned(p) && !isSigned(out[n-1]) {
			out[n-1] = setText(out[n-1], "text", text(out[n-1], "text")+sep+text(p, "text"))
			continue
		}
		out = append(out, p)
	}
	return out
}

func TestTolerances(t *testing.T) {
	asked := askedAt(t)
	for _, row := range tolerances() {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for i, d := range cells(t) {
				if d.cell != row.cell {
					continue
				}
				ev := copyOf(d.ev)
				row.change(&ev)
				if same(ev, d.ev) {
					t.Fatal("the edit changes nothing")
				}
				v := view(t, ev)
				var provider, verbatim []oracles.Finding
				for _, o := range scopesOf(t)[i] {
					for _, f := range o.Check(v) {
						if asked[result.Provider][o.ID] && f.Gates(result.Provider) {
							provider = append(provider, f)
						}
						if asked[result.Verbatim][o.ID] {
							verbatim = append(verbatim, f)
						}
					}
				}
				if got := len(provider) == 0; got != row.tolerated {
					t.Errorf("tolerated at provider: got %t, want %t\n%s", got, row.tolerated, showAll(provider))
				}
				if len(verbatim) == 0 {
					t.Error("at verbatim: got no finding")
				}
				contested := slices.ContainsFunc(verbatim, func(f oracles.Finding) bool { return f.Basis == result.Contested })
				if contested != row.contested {
					t.Errorf("contested: got %t, want %t\n%s", contested, row.contested, showAll(verbatim))
				}
				return
			}
			t.Fatalf("got no cell %s", row.cell)
		})
	}
}
