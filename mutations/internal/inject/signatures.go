package inject

import (
	"encoding/base64"
	"slices"
	"strings"
)

// decoded returns the bytes of a value in either alphabet.
func decoded(sig string) []byte {
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(sig), "="))
	if err != nil {
		return []byte(sig)
	}
	return b
}

// resigned replaces the value of every signed part by what e makes of it.
func resigned(e func(string) string) edit {
	return eachPart(isSigned, func(p string) string {
		if s := e(sigOf(p)); s != sigOf(p) {
			return setSig(p, s)
		}
		return p
	})
}

func signatures() map[string]edit {
	return map[string]edit{
		"drop-signature": firstPart(both(isCall, isSigned), dropSig),
		"drop-signature-second-step": entries(func(all []string) []string {
			out := slices.Clone(all)
			if s := steps(all); len(s) > 1 {
				out[s[1]] = onCall(all[s[1]], dropSig)
			}
			return out
		}),
		"drop-signature-on-text": firstPart(both(isText, isSigned), dropSig),
		"trailing-empty-part-dropped": turns(func(parts []string) []string {
			if n := len(parts); n > 1 && isSignedEmpty(parts[n-1]) {
				return parts[:n-1]
			}
			return parts
		}),
		"signature-moved.neighbour": turns(toNeighbour),
		"signature-moved.into-call": firstPart(both(isCall, isSigned), func(p string) string {
			return dropSig(setText(p, callAt(p, sigName(p)), sigOf(p)))
		}),
		"signature-copied-to-siblings": turns(copyToSiblings),
		"signature-swapped": entries(func(all []string) []string {
			s := steps(all)
			if len(s) < 2 {
				return all
			}
			a, b := sigOf(firstCall(all[s[0]])), sigOf(firstCall(all[s[1]]))
			out := slices.Clone(all)
			out[s[0]] = onCall(all[s[0]], func(p string) string { return setSig(p, b) })
			out[s[1]] = onCall(all[s[1]], func(p string) string { return setSig(p, a) })
			return out
		}),
		"signature-truncated.at-255":   resigned(func(s string) string { return s[:min(255, len(s))] }),
		"signature-truncated.last":     resigned(withoutLast),
		"signature-truncated.ellipsis": resigned(func(s string) string { return s[:min(64, len(s))] + "…" }),
		"signature-reencoded.url-safe": resigned(func(s string) string { return strings.NewReplacer("+", "-", "/", "_").Replace(s) }),
		"signature-reencoded.unpadded": resigned(func(s string) string { return strings.TrimRight(s, "=") }),
		"signature-decoded.replaced": resigned(func(s string) string {
			return strings.ToValidUTF8(string(decoded(s)), "\uFFFD")
		}),
		"signature-decoded.latin1": resigned(func(s string) string {
			var r []rune
			for _, c := range decoded(s) {
				r = append(r, rune(c))
			}
			return string(r)
		}),
		"signature-concatenated": entries(glued),
	}
}

// toNeighbour moves the first value that has a bare part beside it there.
func toNeighbour(parts []string) []string {
	for i, p := range parts {
		for _, n := range []int{i - 1, i + 1} {
			if isSigned(p) && n >= 0 && n < len(parts) && isBare(parts[n]) {
				out := slices.Clone(parts)
				out[i], out[n] = dropSig(p), setText(parts[n], sigName(p), sigOf(p))
				return out
			}
		}
	}
	return parts
}

func copyToSiblings(parts []string) []string {
	out := slices.Clone(parts)
	first := ""
	for i, p := range out {
		switch {
		case isCall(p) && first != "":
			out[i] = setText(p, sigName(first), sigOf(first))
		case isCall(p) && isSigned(p):
			first = p
		}
	}
	return out
}

// withoutLast cuts the last character before the padding.
func withoutLast(s string) string {
	bare := strings.TrimRight(s, "=")
	if bare == "" {
		return s
	}
	return bare[:len(bare)-1] + s[len(bare):]
}

// glued makes one value of the conversation's first two.
func glued(all []string) []string {
	var values []string
	for _, entry := range all {
		for _, p := range list(entry, "parts") {
			if isSigned(p) {
				values = append(values, sigOf(p))
			}
		}
	}
	if len(values) < 2 {
		return all
	}
	out := slices.Clone(all)
	for i, entry := range out {
		if parts := list(entry, "parts"); slices.ContainsFunc(parts, isSigned) {
			out[i] = onList(entry, "parts", onItem(isSigned, func(p string) []string {
				return []string{setSig(p, values[0]+values[1])}
			}))
			return out
		}
	}
	return out
}

const sentinel = "skip_thought_signature_validator"

func inventions() map[string]edit {
	out := map[string]edit{}
	for name, value := range map[string]string{
		"sentinel": sentinel,
		"second":   "context_engineering_is_the_way_to_go",
		"base64":   base64.StdEncoding.EncodeToString([]byte(sentinel)),
		"constant": "RmlsbGVkIGluIGJ5IHRoZSBjbGllbnQsIG5vdCB0aGUgbW9kZWw=",
	} {
		stand := func(p string) string { return setSig(p, value) }
		out["signature-invented.none-"+name] = eachPart(both(isCall, isBare), stand)
		out["signature-invented.instead-"+name] = firstPart(isSigned, stand)
	}
	return out
}
