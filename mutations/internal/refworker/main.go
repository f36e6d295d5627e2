// Command refworker tries source faults of the reference adapters. It is built
// by replaycheck mutate with the faults compiled in, and does nothing by itself.
package main

import (
	"context"
	"fmt"
	"os"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/mutations"
	"example.com/replaycheck/oracles"
)

func main() {
	suite := mutations.Contract(oracles.Config{
		New:       func() (oracles.Subject, error) { return reference.New(), nil },
		InProcess: true,
	})
	if err := mutations.Worker(context.Background(), suite); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
