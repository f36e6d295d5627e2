package fakeserver

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/replaycheck/fakeserver/rule"
)

// Shared is what the plays of one script have in common: what the script gives
// out is read once for all of them. The zero Shared is ready to be used by many
// plays at once.
type Shared struct {
	once  sync.Once
	basis *basis
	mu    sync.Mutex
	known map[[3]string]func() *minted // by endpoint, model and host
}

// maxShared is for how many endpoints and models the replies are kept: the names
// of models are the client's to choose.
const maxShared = 64

// basis is what is made of a script's replies before the first request.
type basis struct {
	replies []*Ready
	seed    string
	given   []Reply // whatever is asked for: those of the past, and replies
	ask     func(Asked) []Reply
	minted  func() *minted
	rules   rule.Setting
	last    atomic.Pointer[chosen] // what was chosen by it last
	err     error
}

func newBasis(script Script) *basis {
	replies, err := readyAll(script.Replies)
	given := slices.Concat(script.Before, script.Replies)
	return &basis{
		replies: replies, seed: script.Seed, given: given, ask: script.Known, minted: mint(script.Seed, given),
		rules: script.setting(), err: errors.Join(err, script.checkNames()),
	}
}

// basis returns what is common to plays of a script, or its own where nothing
// is shared.
func (s Script) basis() *basis {
	if s.Shared == nil {
		return newBasis(s)
	}
	s.Shared.once.Do(func() { s.Shared.basis = newBasis(s) })
	return s.Shared.basis
}

// minted returns what plays know that were asked for one endpoint and model only,
// nil where there are too many. first makes it.
func (s *Shared) minted(key [3]string, first func() func() *minted) func() *minted {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.known[key]; m != nil || len(s.known) >= maxShared {
		return m
	}
	if s.known == nil {
		s.known = map[[3]string]func() *minted{}
	}
	s.known[key] = first()
	return s.known[key]
}
