// Package node has the providers' Node SDKs talk to the fake provider, as the
// package above does with those of Go. It holds tests only; they are written in
// JavaScript and run by node --test, against plays that a Go test makes for
// them. Where node or the packages can't be had, they are skipped by name.
package node
