// Package benchpeers holds "replaycheck serve" and "replaycheck mutate" against
// their peers, side by side in one run: a bare net/http handler and the npm
// package aimock for the first, gremlins for the second. Its command is in run;
// "make bench-peers" calls it. All traffic stays on the loopback interface.
package benchpeers
