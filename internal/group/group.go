// Package group runs a command as the leader of a process group of its own, so
// that all it starts, such as compilers, can be ended with it.
package group
