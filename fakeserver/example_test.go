package fakeserver_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"example.com/replaycheck/fakeserver"
)

// ask stands for the code under test: any client that takes a base URL.
func ask(baseURL, question string) (string, error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Post(baseURL+"/v1/chat/completions", "application/json", strings.NewReader(question))
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	return string(answer), err
}

// In a test three lines are enough. The test fails by itself where the code
// sends a request too many, one too few, or one to another endpoint.
func ExampleNew() {
	t := &fakeTB{} // in your test, its *testing.T

	play := fakeserver.New(t, fakeserver.Script{Replies: []fakeserver.Reply{{Endpoint: fakeserver.Chat, Plain: `{"choices":[]}`}}})
	answer, err := ask(play.URL(), `{"model":"gpt-4.1-mini","messages":[]}`)
	fmt.Println(answer, err, play.Record().Exchanges[0].Body)

	t.end()
	fmt.Println("failures:", t.failures)
	// Output:
	// {"choices":[]} <nil> {"model":"gpt-4.1-mini","messages":[]}
	// failures: []
}

// A program that runs many conversations starts one server and plays each of
// them below a base URL of its own.
func ExampleServer_Play() {
	server, err := fakeserver.Start(fakeserver.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	play := server.Play(fakeserver.Script{Replies: []fakeserver.Reply{
		{Endpoint: fakeserver.Chat, Plain: `{"choices":[]}`},
		{Endpoint: fakeserver.Chat, Plain: `{"choices":[]}`},
	}})
	if _, err := ask(play.URL(), `{"messages":[]}`); err != nil {
		fmt.Println(err)
	}

	record := play.Close()
	for _, ex := range record.Exchanges {
		fmt.Println(ex.Seq, ex.Method, ex.Path, ex.Body, "→", ex.Status, ex.Reply)
	}
	fmt.Println("leftover:", record.Leftover, "error:", record.Err)
	// Output:
	// 1 POST /v1/chat/completions {"messages":[]} → 200 {"choices":[]}
	// leftover: 1 error: <nil>
}

// With Enforce the fake refuses what the provider refuses, in its own words.
// Without, it plays on, and the record says what the refusal would have been.
func ExampleScript_enforce() {
	t := &fakeTB{} // in your test, its *testing.T

	play := fakeserver.New(t, fakeserver.Script{Enforce: true})
	answer, err := ask(play.URL(), `{"model":"deepseek-chat","messages":[{"role":"user","content":"?"},{"role":"tool","tool_call_id":"call_1","content":"7"}]}`)
	refusal := play.Record().Exchanges[0].Refusal
	fmt.Println(answer, err)
	fmt.Println(refusal.Rule, "of", refusal.Profile+",", refusal.Mark)

	t.end()
	// Output:
	// {"error":{"message":"Messages with role 'tool' must be a response to a preceding message with 'tool_calls'","type":"invalid_request_error","param":null,"code":"invalid_request_error"}} <nil>
	// deepseek/tool-message-order of deepseek, confirmed
}

// The first request meets a fault; a client that tries again gets the reply.
func ExampleFault() {
	t := &fakeTB{} // in your test, its *testing.T

	play := fakeserver.New(t, fakeserver.Script{Replies: []fakeserver.Reply{{
		Endpoint: fakeserver.Chat, Plain: `{"choices":[]}`,
		Fault: &fakeserver.Fault{Times: 1, Status: http.StatusTooManyRequests, RetryAfter: "1"},
	}}})
	for range 2 {
		answer, err := ask(play.URL(), `{"messages":[]}`)
		fmt.Println(answer, err)
	}

	t.end()
	// Output:
	// {"error":{"message":"Rate limit reached for requests","type":"requests","param":null,"code":"rate_limit_exceeded"}} <nil>
	// {"choices":[]} <nil>
}
