package runstore_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/runstore"
)

// TestMain also plays the processes that tests start: REPLAYCHECK_TEST_STORE
// says what such a process does.
func TestMain(m *testing.M) {
	if role := os.Getenv("REPLAYCHECK_TEST_STORE"); role != "" {
		os.Exit(play(role))
	}
	goleak.VerifyTestMain(m)
}

func keys(t testing.TB, b byte) *runstore.Keys {
	t.Helper()
	k, err := runstore.KeysOf([]byte(strings.Repeat(string(rune(b)), runstore.KeySize)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func open(t testing.TB, dsn string) *runstore.Store {
	t.Helper()
	return openWith(t, dsn, runstore.Options{Keys: keys(t, 'k')})
}

func openWith(t testing.TB, dsn string, opts runstore.Options) *runstore.Store {
	t.Helper()
	s, err := runstore.Open(context.Background(), dsn, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// suspended is a run that waits for a decision on two calls.
func suspended(id, actor string) chat.Run {
	return chat.Run{
		ID: id, Actor: actor, Status: chat.RunWaiting, Steps: 2, Tokens: 99,
		Pending:    []chat.ToolCall{{ID: "call_1", Name: "pay", Arguments: `{"a":"<&>\u2028"}`}, {ID: "call_2", Name: "pay", Arguments: `{}`}},
		Transcript: `{"schema":"nrllm/v1","messages":[]} ` + "\xff <>&\u2028",
	}
}

func accept(*chat.Run) error { return nil }

// play is one of several processes that want the same approval, or open the
// same new database.
func play(role string) int {
	k, err := runstore.KeysOf([]byte(strings.Repeat("k", runstore.KeySize)))
	if err != nil {
		return 3
	}
	// The start signal is the end of standard input.
	if _, err := fmt.Fscanln(os.Stdin, new(string)); err == nil {
		return 3
	}
	s, err := runstore.Open(context.Background(), os.Getenv("REPLAYCHECK_TEST_DSN"), runstore.Options{Keys: k})
	if err != nil {
		fmt.Println("open:", err)
		return 3
	}
	defer s.Close()
	if role == "open" {
		return 0
	}
	run, err := s.Claim(context.Background(), "r1", "user:1", chat.RunWaiting, accept)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("won", run.Fence)
	return 0
}
