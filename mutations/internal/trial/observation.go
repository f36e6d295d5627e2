package trial

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Observation is what a run showed.
type Observation struct {
	// Text says all that can be observed, in a form that is the same whenever
	// the subject does the same. Equal texts mean that nothing changed.
	Text string
	// Plain returns the text without what no requirement promises, such as white
	// space between tokens; nil: Text is all there is.
	Plain func() string
	// Sum, unless nil, takes the place of both: it returns a hash of what Plain would
	// return, without making it. Exact then returns what Text would be.
	Sum   func() string
	Exact func() string
	// SameAs, unless nil, reports whether Sum would return a sum; it may remember of
	// the run what has that one, and need none to tell.
	SameAs func(sum string) bool
	// Sent is how much reached the provider where something should have.
	Sent int
	// Judge returns how a requirement is violated, in words, "" for not at all.
	// The error is for what cannot be judged.
	Judge func(requirement string) (string, error)
}

// Base is what a run showed without a fault.
type Base struct {
	Sum   string            // of the Observation
	Sent  int               // of Observation
	Took  time.Duration     // wall time
	Slots []int             // guards that were met
	Recs  int64             // panics that the package recovered from
	Red   map[string]string // what is violated without a fault
	Err   string

	met []uint64 // a bit for each of Slots; nil: not known yet
}

// Meets reports whether the run met a guard. It is not for two goroutines at once.
func (b *Base) Meets(slot int) bool {
	if b.met == nil {
		b.met = []uint64{}
		for _, met := range b.Slots {
			for len(b.met) <= met/64 {
				b.met = append(b.met, 0)
			}
			b.met[met/64] |= 1 << (met % 64)
		}
	}
	return slot/64 < len(b.met) && b.met[slot/64]&(1<<(slot%64)) != 0
}

// Note takes in what the run showed.
func (b *Base) Note(o Observation) { b.Sum, b.Sent = o.sum(), o.Sent }

// Same reports whether a run showed the same.
func (b Base) Same(o Observation) bool {
	if o.SameAs != nil {
		return o.SameAs(b.Sum)
	}
	return o.sum() == b.Sum
}

// sum is a hash of what can be observed and some requirement may promise.
func (o Observation) sum() string {
	switch {
	case o.Sum != nil:
		return o.Sum()
	case o.Plain != nil:
		return hash(o.Plain())
	}
	return hash(o.Text)
}

// Judge notes what is violated without a fault.
func (b *Base) Judge(r Run, o Observation) {
	for _, id := range r.Requirements {
		text, err := o.Judge(id)
		if err != nil {
			b.Err = err.Error()
		}
		if text != "" {
			if b.Red == nil {
				b.Red = map[string]string{}
			}
			b.Red[id] = text
		}
	}
}

// hash is that of an observation's text.
func hash(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:16])
}
