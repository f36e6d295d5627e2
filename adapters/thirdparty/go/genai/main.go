// Command genai is the driver of google.golang.org/genai: it plays one task of
// the driver protocol on the released SDK, used the way its documentation shows.
//
//	genai genai-chats     the Chats API, which keeps the history itself
//	genai genai-manual    Models.GenerateContent with a history kept by hand
//
// One line comes in on standard input and one goes out on standard output; the
// SDK's own log goes to standard error.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/replaycheck/oracles"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	var names []string
	for _, w := range []way{chatsAPI(), byHand()} {
		if len(args) == 1 && args[0] == w.name {
			return oracles.Serve(ctx, w, in, out)
		}
		names = append(names, w.name)
	}
	return fmt.Errorf("genai: got arguments %q, want one of %s", args, strings.Join(names, ", "))
}
