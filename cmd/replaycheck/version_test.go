package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// The version that a release is stamped with is the one that it says.
func TestVersionIsStamped(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	g := NewWithT(t)
	bin := filepath.Join(t.TempDir(), "replaycheck")
	out, err := exec.Command("go", "build", "-ldflags", "-X main.version=v1.2.3-test", "-o", bin, ".").CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(out))
	for _, ask := range []string{"version", "--version"} {
		out, err := exec.Command(bin, ask).Output()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(out)).To(HavePrefix("replaycheck v1.2.3-test ("))
	}
}
