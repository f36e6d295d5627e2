package main

import (
	"strings"

	"github.com/spf13/cobra"

	"example.com/replaycheck/fixtures"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/specs"
)

// completeRun registers what a shell offers for the flags of run. What can't be
// loaded is not offered; the run itself says why.
func completeRun(cmd *cobra.Command) {
	for name, complete := range map[string]cobra.CompletionFunc{
		"only":     items(requirementNames),
		"scenario": items(scenarioNames),
		"subject": func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var out []cobra.Completion
			for _, k := range knownSubjects() {
				out = append(out, cobra.CompletionWithDesc(k.name, k.title))
			}
			return out, cobra.ShellCompDirectiveDefault // and files: a driver
		},
		"level": cobra.FixedCompletions([]cobra.Completion{
			cobra.CompletionWithDesc(string(result.Provider), "with the tolerances that providers grant"),
			cobra.CompletionWithDesc(string(result.Verbatim), "token by token"),
		}, cobra.ShellCompDirectiveNoFileComp),
		"keep": cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
	} {
		// The only error is a flag that is not there, which every test of run finds.
		if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
			continue
		}
	}
}

func requirementNames() (out []cobra.Completion) {
	all, _ := specs.All()
	for _, s := range all {
		out = append(out, cobra.CompletionWithDesc(s.ID, s.Title))
	}
	return out
}

func scenarioNames() (out []cobra.Completion) {
	all, _ := fixtures.All()
	for _, s := range all {
		out = append(out, cobra.CompletionWithDesc(s.ID, s.Title))
	}
	return out
}

// items completes the last item of a list with commas.
func items(names func() []cobra.Completion) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var out []cobra.Completion
		for _, name := range names() {
			if strings.HasPrefix(before+name, typed) {
				out = append(out, before+name)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}
