package report_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/report"
)

func write(text string, err error) func(io.Writer) error {
	return func(w io.Writer) error {
		_, writeErr := io.WriteString(w, text)
		return errors.Join(writeErr, err)
	}
}

func names(g Gomega, dir string) []string {
	entries, err := os.ReadDir(dir)
	g.Expect(err).NotTo(HaveOccurred())
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestWriteFile(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")

	g.Expect(report.WriteFile(path, write("one", nil))).To(Succeed())
	g.Expect(report.WriteFile(path, write("two", nil))).To(Succeed())
	g.Expect(os.ReadFile(path)).To(BeEquivalentTo("two"))

	err := report.WriteFile(path, write("half", errors.New("stopped")))
	g.Expect(err).To(MatchError("report: write " + path + ": stopped"))
	g.Expect(os.ReadFile(path)).To(BeEquivalentTo("two"), "a report that failed took the place of one that did not")
	g.Expect(names(g, dir)).To(Equal([]string{"r.json"}), "something was left behind")

	missing := filepath.Join(dir, "no", "r.json")
	g.Expect(report.WriteFile(missing, write("", nil))).To(MatchError("report: write " + missing + ": no such file or directory"))
}

func TestWriteFileKeepsPermissions(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "r.json")
	g.Expect(os.WriteFile(path, nil, 0o640)).To(Succeed())
	g.Expect(report.WriteFile(path, write("x", nil))).To(Succeed())
	info, err := os.Stat(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o640)))
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "no", "r.json")
	for _, c := range []struct {
		name  string
		check func(string) error
		path  string
		want  string // "" means no error
	}{
		{"new file", report.CheckFile, filepath.Join(dir, "new"), ""},
		{"file to replace", report.CheckFile, file, ""},
		{"a folder", report.CheckFile, dir, "report: write " + dir + ": it is a folder, want a file name"},
		{"a device", report.CheckFile, os.DevNull, "report: write " + os.DevNull + ": it is no regular file; use - for standard output"},
		{"no folder", report.CheckFile, missing, "report: write " + missing + ": folder " + filepath.Dir(missing) + ": no such file or directory"},
		{"folder", report.CheckFolder, dir, ""},
		{"new folders", report.CheckFolder, filepath.Join(dir, "a", "b"), ""},
		{"below a file", report.CheckFolder, filepath.Join(file, "a"), "report: write below " + file + "/a: stat " + file + "/a: not a directory"},
		{"folder that is a file", report.CheckFolder, file, "report: write below " + file + ": " + file + " is a file, want a folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			err := c.check(c.path)
			if c.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(c.want))
			}
			g.Expect(names(g, dir)).To(Equal([]string{"file"}), "the check left something behind")
		})
	}
}
