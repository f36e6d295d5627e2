// Package sample is code to make faults in: a little of everything that a
// package may hold.
package sample

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"sync"
)

var table = []string{"one", "two", "three"}

var shout = strings.NewReplacer("o", "0")

var greet = func(name string) string {
	return "hello " + name
}

var started = begin()

func begin() string {
	return "started"
}

// List is a generic list.
type List[T any] struct{ items []T }

// Add appends an item.
func (l *List[T]) Add(v T) { l.items = append(l.items, v) }

// Len counts.
func (l *List[T]) Len() int {
	return len(l.items)
}

// Map makes one list of another.
func Map[A, B any](in []A, f func(A) B) []B {
	out := make([]B, 0, len(in))
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}

// Sum adds up.
func Sum(first int, more ...int) int {
	total := first
	for _, n := range more {
		total += n
	}
	return total
}

// Blank has parameters without names.
func Blank(_ int, _ string) string {
	return "blank"
}

// Greet greets.
func Greet(name string) string { return greet(name) }

// Table joins the table.
func Table() string {
	return strings.Join(table, ",")
}

// Started says what was made when the package was initialised.
func Started() string { return started }

// Guarded recovers from what it calls.
func Guarded(f func()) (msg string) {
	defer func() {
		if p := recover(); p != nil {
			msg = fmt.Sprint("recovered: ", p)
		}
	}()
	f()
	return "fine"
}

func check(n int) {
	if n < 0 {
		panic("negative")
	}
}

// Check checks.
func Check(n int) string { return Guarded(func() { check(n) }) }

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

// Count counts to n with helpers.
func Count(n int) int {
	var c counter
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { c.next() })
	}
	wg.Wait()
	return c.n
}

// Encode writes a list of names, sorted.
func Encode(names []string) string {
	names = append([]string{}, names...)
	sort.Strings(names)
	text, err := json.Marshal(names)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Shout shouts.
func Shout(s string) string { return shout.Replace(s) }

// Unnamed has no names at all.
func Unnamed(int, string) string {
	return "unnamed"
}

// Unused is called by nobody.
func Unused() string {
	return "unused"
}

func rescue(msg *string) {
	if p := recover(); p != nil {
		*msg = fmt.Sprint("rescued: ", p)
	}
}

// Rescued is rescued.
func Rescued() (msg string) {
	defer rescue(&msg)
	panic("help")
}
