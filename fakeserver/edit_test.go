package fakeserver_test

import (
	"strings"
	"testing"

	"example.com/replaycheck/fakeserver"
)

func TestAnEditComesBeforeRecordAndAnswer(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	sc := script(gemini, chat)
	var earlier []int
	sc.Edit = func(in fakeserver.Incoming) fakeserver.Incoming {
		earlier = append(earlier, len(in.Earlier))
		if len(in.Earlier) == 1 {
			in.Path, in.Query, in.Body = "/v1/chat/completions", "", `{"stream":true}`
		} else {
			in.Body = strings.Replace(in.Body, `"a"`, `"b"`, 1)
		}
		return in
	}
	p := s.Play(sc)
	if got := post(t, c, p.URL()+generate, `{"x":"a"}`); got.body != geminiPlain {
		t.Errorf("got %+v", got)
	}
	if got := post(t, c, p.URL()+generate, `{"x":"a"}`); got.body != chatStream {
		t.Errorf("got %+v, want the answer that the edited request asks for", got)
	}
	rec := p.Close()
	if len(earlier) != 2 || earlier[0] != 0 || earlier[1] != 1 {
		t.Errorf("got %v earlier exchanges, want 0 and 1", earlier)
	}
	if a, b := rec.Exchanges[0], rec.Exchanges[1]; a.Body != `{"x":"b"}` || b.Path != "/v1/chat/completions" || b.Step != 2 || b.Endpoint != "chat" {
		t.Errorf("got %+v, %+v", a, b)
	}
}
