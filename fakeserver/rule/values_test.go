package rule_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver/mint"
	"example.com/replaycheck/fakeserver/rule"
)

// A value that says nothing of itself, as recorded ones are.
const recorded = "EqMSCqASAb4+9vtQYmFzZTY0IG9mIHNvbWUgYnl0ZXMsIGFzIGxvbmcgYXMgdGhleSBhcmUgb3BhcXVlLg=="

func TestWhyOfRecordedValues(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"cut", recorded[:40], "cut off, 40 of 84 characters: the call f"},
		{"cut, with dots", recorded[:40] + "...", "cut off, 40 of 84 characters: the call f"},
		{"its beginning gone", recorded[12:], "its beginning cut off, 72 of 84 characters: the call f"},
		{"longer", recorded + "AAAA", "edited, 4 characters longer: the call f"},
		{"edited", recorded[:50] + "!!" + recorded[52:], "edited from character 51 of 84 on: the call f"},
		{"in lower case", strings.ToLower(recorded), "the case of its letters was changed: the call f"},
		{"encoded again", base64.StdEncoding.EncodeToString([]byte(recorded)), "encoded in base64 once more: the call f"},
		{"escaped", url.QueryEscape(recorded), "escaped for an address: the call f"},
		{"quoted", `"` + recorded + `"`, "with white space or quotes around it: the call f"},
		{"with a word before it", "signature:" + recorded, "with a word and a colon before it: the call f"},
		{"twice", recorded + recorded, "two values glued together, 84 and 84 characters, the first of them: the call f"},
		{"with an invented one", recorded + strings.Repeat("A", 16), "two values glued together, 84 and 16 characters, the first of them: the call f"},
		{"an invented one first", "aW52ZW50ZWQ=" + recorded, "edited from character 1 of 84 on: the call f"},
		{"on another part", recorded, "genuine, but not for this: the call f"},
		{"OpenAI's", "gAAAAABpKt3vQm9yZ2VzIGFuZCBvdGhlcnM=", "looks like an encrypted_content of OpenAI: another provider's"},
		{"short", "EqMS", "nothing like it was given out here: the signature was invented, or is of another server, model or provider"},
		{"invented", "aW52ZW50ZWQgYnkgc29tZWJvZHkgZWxzZQ==", "nothing like it was given out here: the signature was invented, or is of another server, model or provider"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v rule.Values
			v.Add("", "nothing")
			v.Add(recorded, "the call f")
			v.Add(recorded, "another call")
			NewWithT(t).Expect(v.Why(mint.Gemini, "signature", c.value, "gemini-3.8-flash")).To(Equal(c.want))
		})
	}
}

func TestWhyOfGluedValues(t *testing.T) {
	g := NewWithT(t)
	value, err := mint.Value("7", mint.Stamp{Kind: mint.Gemini, Model: "m", Step: 1, Part: 2}, 100)
	g.Expect(err).NotTo(HaveOccurred())
	v := rule.Values{Seed: "7"}
	g.Expect(v.Why(mint.Gemini, "signature", value+value, "m")).To(Equal("two values glued together, 100 and 100 characters, the first of them: part 2 of reply 1, minted for m (gemini)"))
	g.Expect(v.Why(mint.Gemini, "signature", value[:50]+value, "m")).To(HavePrefix("edited from byte "))
}

func TestWhyWithoutSeed(t *testing.T) {
	g := NewWithT(t)
	value, err := mint.Value("", mint.Stamp{Kind: mint.Gemini, Model: "m", Step: 1, Part: 1}, 100)
	g.Expect(err).NotTo(HaveOccurred())
	var v rule.Values
	_, genuine := v.Genuine(mint.Gemini, value)
	g.Expect(genuine).To(BeFalse(), "no seed is not the empty one")
	g.Expect(v.Why(mint.Gemini, "signature", value, "m")).To(Equal("foreign, of a server or script with another seed: part 1 of reply 1, minted for m (gemini)"))
	g.Expect(v.WhyID("call_1")).To(BeEmpty())
}

func TestWhyID(t *testing.T) {
	id, err := mint.ID("1", "call_", 2, 1, 24)
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	v := rule.Values{Seed: "1"}
	for value, want := range map[string]string{
		id:             "genuine, the id of part 1 of reply 2: what it belongs to is not there",
		id[:20]:        "cut off, 15 of 24 digits: the id of part 1 of reply 2",
		id + "0":       "edited: 25 digits instead of 24: the id of part 1 of reply 2",
		"fc_" + id[5:]: "foreign, of a server or script with another seed, or edited: it says it is the id of part 1 of reply 2",
		"call_xyz":     "",
	} {
		g.Expect(v.WhyID(value)).To(Equal(want))
	}
}
