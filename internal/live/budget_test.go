package live_test

import (
	"sync"
	"testing"

	"example.com/replaycheck/internal/live"
)

// What is refused has taken nothing meanwhile: others that have room get it.
func TestRefusedTakesNothing(t *testing.T) {
	take, give := live.Budget(10)
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if take(11) {
					t.Error("got 11 of 10 bytes")
				}
			}
		}
	})
	for n := range 100_000 {
		if !take(6) {
			t.Errorf("the %d. has no room for 6 of 10 bytes, of which none are taken", n+1)
			break
		}
		give(6)
	}
	close(done)
	wg.Wait()
}
