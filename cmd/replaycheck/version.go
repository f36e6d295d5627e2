package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// toolVersion is the stamped version, else the one of the build information,
// else "devel".
func toolVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" {
		return "devel"
	}
	return cmp.Or(info.Main.Version, "devel")
}

func versionText() string {
	return fmt.Sprintf("replaycheck %s (%s %s/%s)", toolVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (a app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Args:  noArguments(""),
		RunE: func(*cobra.Command, []string) error {
			if _, err := fmt.Fprintln(a.stdout, versionText()); err != nil {
				return fmt.Errorf("version: %w", err)
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}
