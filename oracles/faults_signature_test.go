package oracles_test

import (
	"encoding/base64"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
)

const sig = "thoughtSignature"

// onFirst edits the first part that is as asked.
func onFirst(is func(string) bool, e func(part string) string) change {
	return onNth(0, is, e)
}

// onNth edits the nth part (from 0) that is as asked.
func onNth(n int, is func(string) bool, e func(part string) string) change {
	return gemini(func(body string) string {
		if found := places(body, is); len(found) > n {
			return setRaw(body, found[n].path(), e(found[n].raw))
		}
		return body
	})
}

// onEach edits every part that is as asked.
func onEach(is func(string) bool, e func(part string) string) change {
	return gemini(func(body string) string {
		for _, p := range places(body, is) {
			if part := e(p.raw); part != p.raw {
				body = setRaw(body, p.path(), part)
			}
		}
		return body
	})
}

func dropSig(part string) string { return remove(part, sig) }

// resigned replaces a signature by what e makes of it.
func resigned(e func(string) string) func(string) string {
	return func(part string) string {
		if s := e(text(part, sig)); s != text(part, sig) {
			return setText(part, sig, s)
		}
		return part
	}
}

func constant(s string) func(string) string { return func(string) string { return s } }

func decodedSig(s string) []byte {
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(s), "="))
	if err != nil {
		return []byte(s)
	}
	return b
}

func latin1(b []byte) string {
	var r []rune
	for _, c := range b {
		r = append(r, rune(c))
	}
	return string(r)
}

func signatureFaults() []fault {
	signedCall, signedText := both(isCall, isSigned), both(isText, isSigned)
	return append([]fault{
		{"drop-signature", "", []string{"REPLAY-03", "REPLAY-04"}, result.Provider, onFirst(signedCall, dropSig)},
		{"drop-signature-second-step", "", []string{"REPLAY-05"}, result.Provider, gemini(func(body string) string {
			calls := places(body, signedCall)
			if i := slices.IndexFunc(calls, func(p place) bool { return p.entry != calls[0].entry }); i > 0 {
				return remove(body, calls[i].path()+"."+sig)
			}
			return body
		})},
		{"drop-signature-on-text", "", []string{"REPLAY-02", "REPLAY-06"}, result.Provider, onFirst(signedText, dropSig)},
		{"signature-moved", "to the neighbour", []string{"REPLAY-06"}, result.Provider, gemini(func(body string) string {
			return model(body, func(parts []string) []string {
				for i, p := range parts {
					for _, n := range []int{i - 1, i + 1} {
						if isSigned(p) && n >= 0 && n < len(parts) && !has(parts[n], sig) {
							parts[i], parts[n] = dropSig(p), setText(parts[n], sig, text(p, sig))
							return parts
						}
					}
				}
				return parts
			})
		})},
		{"signature-moved", "the nth value to the nth call", []string{"REPLAY-04"}, result.Provider, nthToNth},
		{"signature-moved", "into functionCall", []string{"REPLAY-06"}, result.Provider, onFirst(signedCall, func(part string) string {
			return dropSig(setText(part, "functionCall."+sig, text(part, sig)))
		})},
		{"signature-copied-to-siblings", "", []string{"REPLAY-04"}, result.Provider, gemini(func(body string) string {
			return model(body, func(parts []string) []string {
				first := ""
				for i, p := range parts {
					if isCall(p) && first != "" {
						parts[i] = setText(p, sig, first)
					} else if isCall(p) {
						first = text(p, sig)
					}
				}
				return parts
			})
		})},
		{"signature-swapped", "", []string{"REPLAY-05"}, result.Provider, gemini(func(body string) string {
			calls := places(body, signedCall)
			for _, other := range calls {
				if other.entry != calls[0].entry {
					body = setText(body, calls[0].path()+"."+sig, text(other.raw, sig))
					return setText(body, other.path()+"."+sig, text(calls[0].raw, sig))
				}
			}
			return body
		})},
		{"signature-reencoded", "URL-safe, padding stripped", []string{"REPLAY-07"}, result.Verbatim, onEach(isSigned, resigned(func(s string) string {
			return base64.RawURLEncoding.EncodeToString(decodedSig(s))
		}))},
		{"signature-reencoded", "unused bits cleared", []string{"REPLAY-07"}, result.Verbatim, onEach(isSigned, resigned(func(s string) string {
			return base64.StdEncoding.EncodeToString(decodedSig(s))
		}))},
		{"signature-decoded", "invalid bytes replaced", []string{"REPLAY-07"}, result.Provider, onEach(isSigned, resigned(func(s string) string {
			return strings.ToValidUTF8(string(decodedSig(s)), "\uFFFD")
		}))},
		{"signature-decoded", "each byte a character", []string{"REPLAY-07"}, result.Provider, onEach(isSigned, resigned(func(s string) string { return latin1(decodedSig(s)) }))},
		{"signature-decoded", "encoded twice", []string{"REPLAY-07"}, result.Provider, onEach(isSigned, resigned(func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }))},
		{"signature-concatenated", "the next one appended", []string{"REPLAY-07"}, result.Provider, gemini(glue(false))},
		{"signature-concatenated", "and the next one gone", []string{"REPLAY-07"}, result.Provider, gemini(glue(true))},
		{"signature-truncated", "at 255 characters", []string{"REPLAY-07"}, result.Provider, onEach(isSigned, resigned(func(s string) string { return s[:min(255, len(s))] }))},
		{"signature-truncated", "the last character before the padding", []string{"REPLAY-07"}, result.Provider, onEach(isSigned, resigned(func(s string) string {
			bare := strings.TrimRight(s, "=")
			return bare[:len(bare)-1] + s[len(bare):]
		}))},
		{"signature-truncated", "tail replaced", []string{"REPLAY-07"}, result.Provider, onEach(isSigned, resigned(func(s string) string { return s[:min(64, len(s))] + "…" }))},
	}, inventedFaults()...)
}

// glue makes two values of one body into one.
func glue(drop bool) edit {
	return func(body string) string {
		signed := places(body, isSigned)
		if len(signed) < 2 {
			return body
		}
		a, b := signed[0], signed[1]
		body = setText(body, a.path()+"."+sig, text(a.raw, sig)+text(b.raw, sig))
		if drop {
			body = remove(body, b.path()+"."+sig)
		}
		return body
	}
}

func inventedFaults() []fault {
	const sentinel = "skip_thought_signature_validator"
	var out []fault
	for _, v := range []struct{ name, value string }{
		{"a sentinel", sentinel},
		{"the other sentinel", "context_engineering_is_the_way_to_go"},
		{"a sentinel in base64", base64.StdEncoding.EncodeToString([]byte(sentinel))},
		{"a constant of the client", "RmlsbGVkIGluIGJ5IHRoZSBjbGllbnQsIG5vdCB0aGUgbW9kZWw="},
		{"a short constant", "AA=="},
	} {
		where := gemini(func(body string) string {
			return model(body, func(parts []string) []string {
				for i, p := range parts {
					if isCall(p) && !has(p, sig) {
						parts[i] = setText(p, sig, v.value)
					}
				}
				return parts
			})
		})
		out = append(out,
			fault{"signature-invented", v.name + " where there was none", []string{"REPLAY-07", "FOREIGN-07"}, result.Provider, where},
			fault{"signature-invented", v.name + " in place of the real one", []string{"REPLAY-07"}, result.Provider, onFirst(isSigned, resigned(constant(v.value)))})
	}
	return append(out, fault{"signature-invented", "a sentinel on a text", []string{"REPLAY-07", "FOREIGN-07"}, result.Provider, gemini(func(body string) string {
		return model(body, func(parts []string) []string {
			for i, p := range parts {
				if isText(p) && !has(p, sig) {
					parts[i] = setText(p, sig, sentinel)
				}
			}
			return parts
		})
	})})
}
