package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/replaycheck/fakeserver"
)

// faultFlags are the flags for what goes wrong on the way, as they were given.
type faultFlags struct {
	faults []string
	share  float64
	seed   uint64
}

// register adds the flags to a command.
func (f *faultFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.faults, "fault", nil, "a `fault` that replies meet once before they are given, repeated to choose from: 503, 429=SECONDS, cut, …; 503@2 is for reply 2 alone (docs/serve.md)")
	flags.Float64Var(&f.share, "chaos", 0, "the `share` of the replies that meet a fault: 0.2 is one in five; 1 if only --fault is given. Without --fault the faults are of any kind")
	flags.Uint64Var(&f.seed, "seed", 1, "the same `number` chooses the same faults at the same places")
	// The only error is a flag that is not there, which the tests find.
	_ = cmd.RegisterFlagCompletionFunc("fault", func(*cobra.Command, []string, string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		for _, line := range fakeserver.FaultNames() {
			name, about, _ := strings.Cut(line, "\t")
			name, _, _ = strings.Cut(name, "[")
			out = append(out, cobra.CompletionWithDesc(strings.Replace(name, "STATUS", "503", 1), about))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	})
}

// chaos is what the flags ask for, nil for nothing.
func (f *faultFlags) chaos(cmd *cobra.Command) (*fakeserver.Chaos, error) {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	c := &fakeserver.Chaos{Seed: f.seed, Share: f.share}
	everywhere := len(f.faults) == 0
	for _, text := range f.faults {
		one, err := fakeserver.ParseFault(text)
		if err != nil {
			return nil, fmt.Errorf("--fault: %w", err)
		}
		everywhere = everywhere || one.Reply == 0
		c.Faults = append(c.Faults, one)
	}
	switch {
	case !(f.share >= 0 && f.share <= 1):
		return nil, fmt.Errorf("--chaos: got %v, want 0 to 1", f.share)
	case given("chaos") && !everywhere:
		return nil, errors.New("--chaos: each --fault names its reply, so that there is nothing to choose; leave it out")
	case given("seed") && len(f.faults) == 0 && !given("chaos"):
		return nil, errors.New("--seed: is for --fault and --chaos, and neither is there")
	case !given("chaos") && len(f.faults) > 0 && everywhere:
		c.Share = 1
	}
	if c.Share == 0 && (len(c.Faults) == 0 || everywhere) {
		return nil, nil
	}
	return c, nil
}
