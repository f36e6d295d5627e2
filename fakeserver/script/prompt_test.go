package script_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
)

// The user's text is searched as it is meant, however it is written.
func TestPrompts(t *testing.T) {
	const said = `{"role":"user","parts":[{"text":"%s"}]}`
	before := fmt.Sprintf(said, "anchor") + `,{"role":"model","parts":[{"text":"anchor"}]},`
	for _, c := range []struct {
		name, needle, contents string
		fits                   bool
	}{
		{"plain", "anchor", fmt.Sprintf(said, "an anchor here"), true},
		{"beside escapes", "anchor", fmt.Sprintf(said, `a \"quote\" and a line\n. An anchor \"here\"`), true},
		{"in code points", "anchor", fmt.Sprintf(said, `\u0061nchor`), true},
		{"with an escape in it", `an "anchor"`, fmt.Sprintf(said, `an \"anchor\"`), true},
		{"over two parts", `one\ntwo`, `{"role":"user","parts":[{"text":"x one"},{"text":"two x"}]}`, true},
		{"over two entries", `one\ntwo`, fmt.Sprintf(said, "one") + "," + fmt.Sprintf(said, "two"), true},
		{"after an escape", "chor", fmt.Sprintf(said, `a\nchor`), true},
		{"only the letter of an escape", "narrow", fmt.Sprintf(said, `a\narrow`), false},
		{"before the last turn of the model", "anchor", before + fmt.Sprintf(said, "hello"), false},
		{"after it", "anchor", before + fmt.Sprintf(said, "anchor"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := parse(t, fmt.Sprintf("replies:\n- when: {prompt: \"%s\"}\n  text: found it\n- text: \"no\"\n", escaped(c.needle)))
			_, got := ask(t, fakeserver.NewPlay(fakeserver.Options{}, s.Play()), geminiPath, `{"contents":[`+c.contents+`]}`)
			NewWithT(t).Expect(got).To(Or(ContainSubstring("found it"), ContainSubstring(`"no"`), ContainSubstring("were given")))
			if c.fits {
				NewWithT(t).Expect(got).To(ContainSubstring("found it"))
			} else {
				NewWithT(t).Expect(got).NotTo(ContainSubstring("found it"))
			}
		})
	}
}

// escaped is a needle inside the quotes of YAML; \n stays a line's end.
func escaped(needle string) string {
	out := ""
	for _, c := range needle {
		if c == '"' {
			out += `\`
		}
		out += string(c)
	}
	return out
}
