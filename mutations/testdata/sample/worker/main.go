// Command worker judges package sample with checks of its own.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/onsi/gomega"

	"example.com/replaycheck/mutations"
	"example.com/replaycheck/mutations/testdata/sample"
)

func main() {
	suite := mutations.Checks(
		mutations.Check{ID: "SAMPLE-01", Run: func(g gomega.Gomega) string {
			got := sample.Encode([]string{"b", "a"})
			g.Expect(got).To(gomega.Equal(`["a","b"]`))
			return got
		}},
		mutations.Check{ID: "SAMPLE-02", Run: func(g gomega.Gomega) string {
			got := sample.Sum(1, 2, 3)
			g.Expect(got).To(gomega.Equal(6))
			return fmt.Sprint(got)
		}},
		mutations.Check{ID: "SAMPLE-03", Run: func(g gomega.Gomega) string {
			got := sample.Table() + sample.Started()
			g.Expect(got).To(gomega.HaveSuffix("started"))
			return got
		}},
		mutations.Check{ID: "SAMPLE-04", Run: func(g gomega.Gomega) string {
			got := sample.Greet("you") + sample.Blank(1, "x") + sample.Rescued() + sample.Unnamed(1, "x") + sample.Shout("no") + sample.Check(1)
			g.Expect(got).To(gomega.And(gomega.HavePrefix("hello"), gomega.ContainSubstring("help")))
			return got
		}},
		mutations.Check{ID: "SAMPLE-05", Run: func(g gomega.Gomega) string {
			var l sample.List[string]
			for _, s := range sample.Map([]int{1, 2}, func(n int) string { return strings.Repeat("x", n) }) {
				l.Add(s)
			}
			g.Expect(l.Len()).To(gomega.Equal(2))
			n := sample.Count(3)
			g.Expect(n).To(gomega.Equal(3))
			return fmt.Sprint(l.Len(), n)
		}},
	)
	if err := mutations.Worker(context.Background(), suite); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
