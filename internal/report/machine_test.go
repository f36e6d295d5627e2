package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/internal/report"
	"example.com/replaycheck/internal/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// expectGolden compares got with testdata/name, byte by byte.
func expectGolden(g Gomega, name, got string) {
	path := filepath.Join("testdata", name)
	if *update {
		g.Expect(os.WriteFile(path, []byte(got), 0o600)).To(Succeed())
	}
	want, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal(string(want)))
}

func TestJSON(t *testing.T) {
	g := NewWithT(t)
	var out, again bytes.Buffer
	g.Expect(report.JSON(&out, sample())).To(Succeed())
	expectGolden(g, "sample.json", out.String())
	g.Expect(report.JSON(&again, sample())).To(Succeed())
	g.Expect(again.String()).To(Equal(out.String()), "the same report, other bytes")

	var back result.Report
	g.Expect(json.Unmarshal(out.Bytes(), &back)).To(Succeed())
	g.Expect(back.Requirements[1].Runs[0].Findings).To(Equal(sample().Requirements[1].Runs[0].Findings))
}

func TestJSONHasNoNullLists(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	r := result.Report{Requirements: []result.Requirement{{Runs: []result.Run{{}}}}}
	g.Expect(report.JSON(&out, r)).To(Succeed())
	var doc map[string]any
	g.Expect(json.Unmarshal(out.Bytes(), &doc)).To(Succeed())
	g.Expect(doc).To(HaveKeyWithValue("not_judged", BeEmpty()))
	g.Expect(out.String()).To(ContainSubstring(`"findings": []`))
	g.Expect(r.Requirements[0].Runs[0].Findings).To(BeNil(), "the caller's report was written to")
	g.Expect(bytes.Count(out.Bytes(), []byte("null"))).To(Equal(2), "only the two levels may be null: %s", out.String())
}

func TestJUnit(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(report.JUnit(&out, sample())).To(Succeed())
	expectGolden(g, "sample.xml", out.String())
}

// The counters agree with the cases, and no two cases of a suite have one name:
// readers of JUnit files add up and match by them.
func TestJUnitAddsUp(t *testing.T) {
	type testCase struct {
		Class   string    `xml:"classname,attr"`
		Name    string    `xml:"name,attr"`
		Failure *struct{} `xml:"failure"`
		Error   *struct{} `xml:"error"`
		Skipped *struct{} `xml:"skipped"`
	}
	var doc struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Suites   []struct {
			Tests    int        `xml:"tests,attr"`
			Failures int        `xml:"failures,attr"`
			Errors   int        `xml:"errors,attr"`
			Skipped  int        `xml:"skipped,attr"`
			Cases    []testCase `xml:"testcase"`
		} `xml:"testsuite"`
	}
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(report.JUnit(&out, sample())).To(Succeed())
	g.Expect(xml.Unmarshal(out.Bytes(), &doc)).To(Succeed())
	var total [3]int
	for _, s := range doc.Suites {
		var count [4]int
		names := map[string]bool{}
		for _, c := range s.Cases {
			count[0]++
			for i, p := range []*struct{}{c.Failure, c.Error, c.Skipped} {
				if p != nil {
					count[i+1]++
				}
			}
			names[c.Class+" "+c.Name] = true
		}
		g.Expect(count).To(Equal([4]int{s.Tests, s.Failures, s.Errors, s.Skipped}))
		g.Expect(names).To(HaveLen(s.Tests))
		total = [3]int{total[0] + count[0], total[1] + count[1], total[2] + count[2]}
	}
	g.Expect(total).To(Equal([3]int{doc.Tests, doc.Failures, doc.Errors}))
	g.Expect(total).To(Equal([3]int{11, 3, 2}))
}

// What a subject says may hold anything; the file stays XML.
func TestJUnitHostileText(t *testing.T) {
	g := NewWithT(t)
	r := result.Report{Subject: result.Subject{Name: "a\x00\xff<&\"]]>"}, Requirements: []result.Requirement{{
		ID: "REPLAY-03", Title: "]]>", Status: result.Fail, Runs: []result.Run{
			{Scenario: "s", Mode: "plain/memory", Status: result.Fail, Findings: []result.Finding{
				{Where: "\x1b", Got: "]]>\x00\xed\xa0\x80", Level: result.Provider},
			}},
			{Scenario: "s", Mode: "plain/stored", Status: result.Error, Reason: "\x00\xff"},
			{Scenario: "s", Mode: "stream/stored", Status: "no such status"},
		},
	}}}
	var out bytes.Buffer
	g.Expect(report.JUnit(&out, r)).To(Succeed())
	var doc struct {
		Name   string `xml:"name,attr"`
		Errors int    `xml:"errors,attr"`
	}
	g.Expect(xml.Unmarshal(out.Bytes(), &doc)).To(Succeed())
	g.Expect(doc.Name).To(Equal("replaycheck a\\u0000\uFFFD<&\"]]>"))
	g.Expect(doc.Errors).To(Equal(2), "an unknown status is an error")
}
