package openai_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"example.com/replaycheck/adapters/chat"
	"example.com/replaycheck/adapters/openai"
)

func TestErrorAnswers(t *testing.T) {
	rows := []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{
			"known wording", 400, `{"error":{"message":"Item 'rs_c2VjcmV0' of type 'reasoning' was provided without its required following item.","type":"invalid_request_error","param":"input","code":null}}`,
			"openai: response 400 (invalid_request_error): a reasoning item came without the item that followed it, body {error{message,type,param,code}}",
		},
		{
			"code before type", 400, `{"error":{"message":"The encrypted content gAAA could not be verified.","type":"invalid_request_error","code":"invalid_encrypted_content"}}`,
			"openai: response 400 (invalid_encrypted_content): encrypted content was not accepted, body {error{message,type,code}}",
		},
		{"in a list", 401, `[{"error":{"code":"no_key"}}]`, "openai: response 401 (no_key), body [{error{code}}]"},
		{"code that is content", 400, `{"error":{"code":"c2VjcmV0 and more"}}`, "openai: response 400, body {error{code}}"},
		{"text", 502, "c2VjcmV0", "openai: response 502, body text"},
		{"nothing", 500, "", "openai: response 500, body empty"},
		{"a choice of addresses", 300, "", "openai: response 300: the reply is a redirect, and those are not followed, body empty"},
		{"redirect", 307, "", "openai: response 307: the reply is a redirect, and those are not followed, body empty"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(row.status)
				_, _ = io.WriteString(w, row.body)
			})
			for _, stream := range []bool{false, true} {
				c := s.client(t, nil)
				var err error
				if !stream {
					_, err = c.Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{})
				} else {
					_, _, err = drain(t, c.Stream(context.Background(), []chat.Message{user("Hi")}, nil, chat.Options{}))
				}
				if got, ok := errors.AsType[*chat.ResponseError](err); !ok || got.Status != row.status || said(err) != row.want {
					t.Errorf("stream %v: got %v, want %q", stream, err, row.want)
				}
			}
			if n := len(s.requests()); n != 2 {
				t.Errorf("got %d requests, want 2: none is repeated", n)
			}
		})
	}
}

// TestKnownWordings: what the provider says is told in words of our own. The
// sentences are the provider's, with IDs made up.
func TestKnownWordings(t *testing.T) {
	for _, row := range []struct{ says, want string }{
		{"Item 'rs_1' of type 'reasoning' was provided without its required following item.", "a reasoning item came without the item that followed it"},
		{"Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.", "an item came without its reasoning item"},
		{"No tool output found for function call call_1.", "a call has no output"},
		{"No tool call found for function call output with call_id call_1.", "an output has no call"},
		{"The encrypted content gAAA...gn== could not be verified.", "encrypted content was not accepted"},
		{"Duplicate item found with id rs_1. Remove duplicate items from your input and try again.", "an item was sent twice"},
		{"Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", "an item was named that the provider does not keep"},
		{"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", "a tool result has no call"}, //nolint:misspell // the provider's spelling
		{"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.", "a call has no tool result"},
	} {
		t.Run(row.want, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":{"message":`+strconv.Quote(row.says)+`}}`)
			})
			_, err := s.client(t, nil).Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{})
			if want := "openai: response 400: " + row.want + ", body {error{message}}"; said(err) != want {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

func TestConnectionErrorsQuoteNothing(t *testing.T) {
	t.Run("nobody listens", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := l.Addr().String()
		_ = l.Close()
		c, err := openai.New(openai.Config{BaseURL: "http://" + addr, APIKey: "k-1", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = c.Chat(context.Background(), []chat.Message{user("c2VjcmV0")}, chat.Options{})
		wantConnection(t, err, nil)
		if strings.Contains(said(err), "k-1") || strings.Contains(said(err), "c2VjcmV0") {
			t.Errorf("the error quotes the request: %v", err)
		}
	})
	t.Run("the answer is no HTTP", func(t *testing.T) {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, "c2VjcmV0\r\n\r\n")
			_ = conn.Close()
		})
		_, err := s.client(t, nil).Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{})
		wantConnection(t, err, nil)
		if strings.Contains(said(err), "c2VjcmV0") {
			t.Errorf("the error quotes the answer: %v", err)
		}
	})
}

// TestConnectionErrorsNameTheCause: as far as its text holds nothing of the
// exchange.
func TestConnectionErrorsNameTheCause(t *testing.T) {
	rows := []struct {
		cause error
		want  string
	}{
		{fmt.Errorf("c2VjcmV0: %w", io.ErrUnexpectedEOF), "unexpected EOF"},
		{fmt.Errorf("c2VjcmV0: %w", io.EOF), "EOF"},
		{fmt.Errorf("c2VjcmV0: %w", context.Canceled), "context canceled"},
		{fmt.Errorf("c2VjcmV0: %w", context.DeadlineExceeded), "context deadline exceeded"},
		{&net.DNSError{Err: "no such host", Name: "openai.invalid"}, "lookup openai.invalid: no such host"},
		{&tls.CertificateVerificationError{Err: errors.New("signed by nobody")}, "tls: failed to verify certificate: signed by nobody"},
		{errors.New("c2VjcmV0"), "broken exchange (*errors.errorString)"},
	}
	for _, row := range rows {
		t.Run(row.want, func(t *testing.T) {
			_, err := answering{fails: row.cause}.client(t).Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{})
			if wantConnection(t, err, nil); said(err) != "openai: send request: "+row.want {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
	t.Run("reply cut short", func(t *testing.T) {
		_, err := answering{body: `{"choices"`, end: io.ErrUnexpectedEOF}.client(t).Chat(context.Background(), []chat.Message{user("Hi")}, chat.Options{})
		if wantConnection(t, err, io.ErrUnexpectedEOF); said(err) != "openai: read reply: unexpected EOF" {
			t.Errorf("got %v, want that the reply was cut", err)
		}
	})
}
