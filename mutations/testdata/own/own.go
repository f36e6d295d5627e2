// Package own is code whose faults its own tests judge, each in another way.
package own

// Seen is asserted.
func Seen() string { return "seen" }

// At panics with a fault.
func At() int {
	list := []int{1}
	return list[0]
}

// Code is an exit code.
func Code() int { return 0 }

// Once is asserted by a test that fails only the first time.
func Once() int { return 1 }

// Never is asserted by a test that also fails without a fault, the second time.
func Never() int { return 1 }

// Loop ends after a few turns.
func Loop() int {
	n := 0
	for n < 3 {
		n++
	}
	return n
}

// Called is called and not asserted.
func Called() int { return 1 }

// Skipped is asserted by a test that is skipped.
func Skipped() int { return 1 }

// Branch is asserted for one of its branches.
func Branch(b bool) int {
	if b {
		return 1
	}
	return 2
}
