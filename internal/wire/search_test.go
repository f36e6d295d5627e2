package wire_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/wire"
)

func TestInnerContains(t *testing.T) {
	for _, c := range []struct {
		name, inner, needle string
		found, sure         bool
	}{
		{"plain", `say anchor-hello now`, "anchor-hello", true, true},
		{"plain and not there", `say hello`, "anchor-hello", false, true},
		{"nothing is in everything", ``, "", true, true},
		{"between escapes", `a \"quote\" and a line\n. well, anchor-hello \"x\"`, "anchor-hello", true, true},
		{"escapes, and not there", `a \"quote\" and a line\n. hello`, "anchor-hello", false, true},
		{"begins with the letter of an escape", `a\nchor`, "nchor", false, false},
		{"begins in a code point", `\u0041bc`, "41bc", false, false},
		{"begins after a backslash that is one", `\\nchor`, "nchor", false, false},
		{"shortly after an escape", `\n anchor`, "anchor", false, false},
		{"written in code points", `\u0061nchor`, "anchor", false, false},
		{"a needle with a quote", `a \"quote\"`, `"quote"`, false, false},
		{"a needle with a slash", `a\/b`, "a/b", false, false},
		{"a needle with a line", `a\nb`, "a\nb", false, false},
		{"other letters, near an escape", `\n für`, "ü", false, false},
		{"other letters, far from escapes", `\n 123456 für`, "ü", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, sure := wire.InnerContains(c.inner, c.needle)
			NewWithT(t).Expect([]bool{found, sure}).To(Equal([]bool{c.found, c.sure}))
		})
	}
}

// What it is sure of is what the resolved text says, for texts of all short
// sequences of what may be in a string.
func TestInnerContainsIsSureOfNothingWrong(t *testing.T) {
	words := []string{`a`, `n`, `u`, `0`, `61`, `\n`, `\\`, `\"`, `\/`, `\u0061`, `\u00fc`, `\ud83d`, `\ude00`, `ü`, ` `, `123456`}
	needles := []string{"a", "n", "na", "aa", "0061", "u0061", "/", "\\", "\n", `"`, "ü", "61", "n a", "\U0001F600"}
	sure := 0
	for i := range len(words) * len(words) * len(words) * len(words) {
		inner := words[i%16] + words[i/16%16] + words[i/256%16] + words[i/4096]
		v, err := wire.Parse(`"` + inner + `"`)
		if err != nil {
			t.Fatal(inner, err)
		}
		text := v.Text()
		for _, needle := range needles {
			found, known := wire.InnerContains(v.Inner(), needle)
			if known {
				sure++
			}
			if known && found != strings.Contains(text, needle) {
				t.Fatalf("%q in %q: got %v", needle, inner, found)
			}
		}
	}
	NewWithT(t).Expect(sure).To(BeNumerically(">", 100_000))
}

// What it finds in texts without escapes is what is there, wherever the rarest
// letter of the needle stands and however often.
func TestInnerContainsInPlainTexts(t *testing.T) {
	texts := []string{
		"", "a", "anchor-hello", "anchor-hell", "nchor-hello", "-anchor-hello", "an-chor-hello anchor-hello", strings.Repeat("-", 100) + "anchor-hello", strings.Repeat("anchor-hell ", 40),
		strings.Repeat("z", 50) + "zap", "zap" + strings.Repeat("z", 50), strings.Repeat("za", 50), strings.Repeat("q za", 50) + "zap", "the quick brown fox", "für", "   ",
	}
	for _, text := range texts {
		for _, needle := range []string{"anchor-hello", "-", "o-h", "zap", "zz", " ", "   ", "quick brown", "x", "ü", "fox", "a", "the quick brown fox", "the quick brown fox!"} {
			if found, sure := wire.InnerContains(text, needle); !sure || found != strings.Contains(text, needle) {
				t.Errorf("%q in %q: got %v, %v", needle, text, found, sure)
			}
		}
	}
}

func BenchmarkInnerContains(b *testing.B) {
	text := strings.Repeat(`Some ordinary words with a \"quote\" and a line\n. `, 8)
	for b.Loop() {
		if found, _ := wire.InnerContains(text, "anchor-hello"); found {
			b.Fatal("found")
		}
	}
}
