package result_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/result"
)

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []result.Status
		want result.Status
	}{
		{"nothing ran", nil, result.Error},
		{"all pass", []result.Status{result.Pass, result.Pass}, result.Pass},
		{"a skip is not hidden by a pass", []result.Status{result.Pass, result.Partial}, result.Partial},
		{"fail over partial", []result.Status{result.Partial, result.Fail, result.Pass}, result.Fail},
		{"error over fail", []result.Status{result.Fail, result.Error}, result.Error},
		{"unsupported is neutral", []result.Status{result.Unsupported, result.Pass}, result.Pass},
		{"only unsupported is no pass", []result.Status{result.Unsupported, result.Unsupported}, result.Unsupported},
	} {
		t.Run(c.name, func(t *testing.T) { NewWithT(t).Expect(result.Worst(c.in...)).To(Equal(c.want)) })
	}
}

func TestExitCode(t *testing.T) {
	for status, want := range map[result.Status]int{
		result.Pass: 0, result.Fail: 1, result.Error: 2, result.Partial: 3,
		result.Unsupported: 2, result.Skipped: 2, "": 2, "no such status": 2,
	} {
		t.Run(string(status), func(t *testing.T) { NewWithT(t).Expect(result.ExitCode(status)).To(Equal(want)) })
	}
}

func TestGates(t *testing.T) {
	for _, c := range []struct {
		name    string
		finding result.Finding
		at      result.Level
		want    bool
	}{
		{"provider finding at provider", result.Finding{Level: result.Provider, Basis: result.Documented}, result.Provider, true},
		{"provider finding at verbatim", result.Finding{Level: result.Provider, Basis: result.Documented}, result.Verbatim, true},
		{"tolerated at provider", result.Finding{Level: result.Verbatim, Basis: result.Documented}, result.Provider, false},
		{"verbatim at verbatim", result.Finding{Level: result.Verbatim, Basis: result.Documented}, result.Verbatim, true},
		{"contested at provider", result.Finding{Level: result.Provider, Basis: result.Contested}, result.Provider, false},
		{"contested at verbatim", result.Finding{Level: result.Provider, Basis: result.Contested}, result.Verbatim, true},
	} {
		t.Run(c.name, func(t *testing.T) { NewWithT(t).Expect(c.finding.Gates(c.at)).To(Equal(c.want)) })
	}
}
