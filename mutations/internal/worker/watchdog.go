package worker

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"

	"example.com/replaycheck/internal/result"
)

// watch is the run that the watchdog watches.
type watch struct {
	spec  Spec // number 0: none of a fault
	run   int
	until time.Time     // zero: nothing is running
	cpu   time.Duration // that the process had used when the watchdog first saw it
	most  time.Duration // of CPU time that the run may use from then on
	count int           // of the runs so far
}

// begin has the watchdog watch a run. What it may use of the CPU does not depend
// on the limit, so that a loop is known as one however busy the machine is. It is
// a little less than the first limit, else that would always be passed before.
func (w *worker) begin(s Spec, run int, limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dog = watch{s, run, time.Now().Add(limit), 0, max(w.limits.Busy, 40*w.bases[run].Took), w.dog.count + 1}
}

func (w *worker) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dog.until = time.Time{}
}

// tick is how often the watchdog looks.
const tick = 10 * time.Millisecond

// watchdog ends the process when a run passes its deadline or the heap its
// limit: nothing less ends a goroutine that does not want to.
func (w *worker) watchdog() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	t := time.NewTicker(tick)
	defer t.Stop()
	beat := time.Now()
	var seen watch // the run that it saw last; most end before it sees them
	for range t.C {
		w.mu.Lock()
		dog := w.dog
		w.mu.Unlock()
		if dog.until.IsZero() {
			continue
		}
		if dog.count != seen.count {
			seen = dog
			seen.cpu = cpuTime()
		}
		dog.cpu = seen.cpu
		metrics.Read(heap)
		switch used := int64(heap[0].Value.Uint64()); {
		case used > w.limits.Heap:
			w.give(dog, result.Memory, fmt.Sprintf("%d MB on the heap, limit %d", used>>20, w.limits.Heap>>20))
		case time.Now().After(dog.until) || cpuTime()-dog.cpu > dog.most:
			w.give(dog, result.Deadline, "it did not end")
		case time.Since(beat) > time.Second/2:
			beat = time.Now()
			_ = w.say(answer{Op: "alive", Number: dog.spec.Number}) // a supervisor that is gone ends us anyway
		}
	}
}

// give gives the verdict of a run that does not end, and ends the process.
func (w *worker) give(dog watch, cause result.Cause, reason string) {
	f := dog.spec.Fault
	f.Verdict, f.Cause = result.TimedOut, cause
	f.Reason = fmt.Sprintf("%s in %s%s", reason, w.runs[dog.run], stuck(dog.spec.Number))
	f.DetectedBy, f.Runs = []string{}, []result.FaultRun{}
	a := answer{Op: "tried", Number: dog.spec.Number, Fault: &f, Reached: true, Dirty: string(cause), CPU: cpuTime() - dog.cpu}
	a.Busy = a.CPU > dog.most
	_ = w.say(a) // the supervisor then sees that the process ended
	os.Exit(3)   //nolint:forbidigo // the one way to end what does not end
}

// stuck says where the copies of a fault are, by the stacks of all goroutines.
func stuck(number int) string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	lines := strings.Split(string(buf), "\n")
	for i, line := range lines {
		if strings.Contains(line, fmt.Sprintf("proofF%d_", number)) && i+1 < len(lines) {
			place, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
			return " (at " + place[strings.LastIndexByte(place, '/')+1:] + ")"
		}
	}
	return ""
}

var copyForm = regexp.MustCompile(`proofF(\d+)_`)
