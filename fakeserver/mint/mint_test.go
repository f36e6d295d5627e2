package mint_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver/mint"
)

func value(t *testing.T, seed string, s mint.Stamp, length int) string {
	t.Helper()
	v, err := mint.Value(seed, s, length)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestValues(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range []mint.Kind{mint.Gemini, mint.Responses, mint.Anthropic} {
		for _, length := range []int{mint.Shortest, 76, 256, 4100, 6200, mint.Longest} {
			for _, model := range []string{"", "gemini-3.8-flash", strings.Repeat("m", 200)} {
				g := NewWithT(t)
				s := mint.Stamp{Kind: kind, Model: model, Step: 3, Part: 2, Form: 1}
				v := value(t, "1", s, length)
				g.Expect(v).To(HaveLen(length))
				g.Expect(v).To(HaveSuffix("="))
				g.Expect(v).To(Equal(value(t, "1", s, length)), "same seed, same value")
				g.Expect(seen[v]).To(BeFalse(), "distinct")
				seen[v] = true
				enc, plus, slash := base64.StdEncoding, "+", "/"
				if kind == mint.Responses {
					enc, plus, slash = base64.URLEncoding, "-", "_"
					g.Expect(v).To(HavePrefix("gAAAA"))
				}
				g.Expect(v).To(And(ContainSubstring(plus), ContainSubstring(slash)))
				b, err := enc.Strict().DecodeString(v)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(utf8.Valid(b)).To(BeFalse())
				got, err := mint.Read("1", v)
				g.Expect(err).NotTo(HaveOccurred())
				s.Model = model[:min(len(model), 16)]
				g.Expect(got).To(Equal(s))
			}
		}
	}
}

func TestRead(t *testing.T) {
	s := mint.Stamp{Kind: mint.Gemini, Model: "gemini-3.8-flash", Step: 2, Part: 1}
	v := value(t, "1", s, 616)
	fixture := "ErECCq4CAb4+9vtA+GYNX5aCjQd+AP2EzVazGdB4Kwr8DBGy8B9WOO7ra+Cxtd1FGWTMZHEfK3uo7LBe"
	for _, c := range []struct {
		name, value string
		err         error
		stamp       mint.Stamp
	}{
		{"whole", v, nil, s},
		{"URL-safe alphabet", strings.NewReplacer("+", "-", "/", "_").Replace(v), nil, s},
		{"without padding", strings.TrimRight(v, "="), nil, s},
		{"cut to 255 characters", v[:255], mint.ErrTruncated, s},
		{"cut by one group", v[:len(v)-4], mint.ErrTruncated, s},
		{"cut, with dots", v[:100] + "...", mint.ErrTruncated, s},
		{"one character edited at the end", v[:600] + flip(v[600]) + v[601:], mint.ErrEdited, s},
		{"broken into lines", v[:76] + "\r\n" + v[76:], mint.ErrEdited, s},
		{"with dots", strings.TrimRight(v, "=") + "...", mint.ErrEdited, s},
		{"longer", v[:len(v)-4] + "AAAA" + v[len(v)-4:], mint.ErrEdited, s},
		{"another seed", value(t, "2", s, 616), mint.ErrSeed, s},
		{"a fixture's", fixture, mint.ErrNotMinted, mint.Stamp{}},
		{"cut within the header", v[:20], mint.ErrNotMinted, mint.Stamp{}},
		{"empty", "", mint.ErrNotMinted, mint.Stamp{}},
		{"no base64", "skip_thought_signature_validator!", mint.ErrNotMinted, mint.Stamp{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			got, err := mint.Read("1", c.value)
			g.Expect(errors.Is(err, c.err)).To(BeTrue(), "%v", err)
			g.Expect(got).To(Equal(c.stamp))
		})
	}
	NewWithT(t).Expect(mint.Model("google/gemini-3.8-flash-lite")).To(Equal("gemini-3.8-flash"))
	NewWithT(t).Expect(s.String()).To(Equal("part 1 of reply 2, minted for gemini-3.8-flash (gemini)"))
}

func flip(c byte) string {
	if c == 'A' {
		return "B"
	}
	return "A"
}

func TestBadRequests(t *testing.T) {
	good := mint.Stamp{Kind: mint.Gemini, Step: 1, Part: 1}
	for _, c := range []struct {
		name   string
		stamp  mint.Stamp
		length int
		want   string
	}{
		{"no kind", mint.Stamp{Step: 1, Part: 1}, 100, "got kind 0"},
		{"too short", good, 68, "got length 68"},
		{"not a multiple", good, 101, "got length 101"},
		{"too long", good, mint.Longest + 4, "from 72 to 1048576"},
		{"no step", mint.Stamp{Kind: mint.Gemini, Part: 1}, 100, "got step 0"},
		{"a part too many", mint.Stamp{Kind: mint.Gemini, Step: 1, Part: 1 << 16}, 100, "part 65536"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := mint.Value("1", c.stamp, c.length)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(c.want)))
		})
	}
}
