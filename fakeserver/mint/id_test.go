package mint_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver/mint"
)

func id(t *testing.T, seed, prefix string, step, part, digits int) string {
	t.Helper()
	v, err := mint.ID(seed, prefix, step, part, digits)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestReadID(t *testing.T) {
	v := id(t, "1", "call_", 3, 2, 24)
	of := mint.Stamp{Step: 3, Part: 2}
	for _, c := range []struct {
		name, id string
		err      error
		stamp    mint.Stamp
	}{
		{"whole", v, nil, of},
		{"the longest", id(t, "1", "rs_", 3, 2, 64), nil, of},
		{"a reply's own", id(t, "1", "", 3, 0, 20), nil, mint.Stamp{Step: 3}},
		{"a prefix with a hyphen", id(t, "1", "chatcmpl-", 3, 2, 28), nil, of},
		{"cut", v[:len(v)-1], mint.ErrTruncated, of},
		{"cut in its head", v[:16], mint.ErrNotMinted, mint.Stamp{}},
		{"longer", v + "00", mint.ErrEdited, of},
		{"one digit edited", v[:len(v)-1] + flip(v[len(v)-1]), mint.ErrSeed, of},
		{"another prefix", "fc_" + v[5:], mint.ErrSeed, of},
		{"another seed", id(t, "2", "call_", 3, 2, 24), mint.ErrSeed, of},
		{"in capitals", "call_C5" + v[7:], mint.ErrSeed, of},
		{"somebody else's", "call_9hQ2bX7dL0sVtY1mZ4nKcRwE", mint.ErrNotMinted, mint.Stamp{}},
		{"other digits", "call_0f" + v[7:], mint.ErrNotMinted, mint.Stamp{}},
		{"of no reply", "call_c5180000" + v[13:], mint.ErrNotMinted, mint.Stamp{}},
		{"empty", "", mint.ErrNotMinted, mint.Stamp{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			got, err := mint.ReadID("1", c.id)
			g.Expect(errors.Is(err, c.err)).To(BeTrue(), "%v", err)
			g.Expect(got).To(Equal(c.stamp))
		})
	}
	NewWithT(t).Expect(of.String()).To(Equal("part 2 of reply 3"))
	NewWithT(t).Expect(mint.Stamp{Step: 3}.String()).To(Equal("reply 3"))
}

func TestBadIDs(t *testing.T) {
	for _, c := range []struct {
		name               string
		step, part, digits int
		want               string
	}{
		{"too short", 1, 1, 18, "got 18 digits, want an even number from 20 to 64"},
		{"too long", 1, 1, 66, "got 66 digits"},
		{"odd", 1, 1, 21, "got 21 digits"},
		{"no step", 0, 1, 24, "got step 0 and part 1"},
		{"too many parts", 1, 1 << 16, 24, "part 65536"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := mint.ID("1", "x_", c.step, c.part, c.digits)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(c.want)))
		})
	}
}
