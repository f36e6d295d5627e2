//go:build !unix

package worker

import "time"

func cpuTime() time.Duration { return 0 }
