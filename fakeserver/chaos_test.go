package fakeserver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/replaycheck/fakeserver"
)

func TestParseFault(t *testing.T) {
	for text, want := range map[string]fakeserver.ChaosFault{
		"503":                       {Fault: fakeserver.Fault{Status: 503}},
		"429=7@2":                   {Reply: 2, Fault: fakeserver.Fault{Status: 429, RetryAfter: "7"}},
		"delay":                     {Fault: fakeserver.Fault{Delay: 50 * time.Millisecond}},
		"delay=2s":                  {Fault: fakeserver.Fault{Delay: 2 * time.Second}},
		"reset-before-headers@1":    {Reply: 1, Fault: fakeserver.Fault{Reset: fakeserver.BeforeHeaders}},
		"reset-after-headers":       {Fault: fakeserver.Fault{Reset: fakeserver.AfterHeaders}},
		"cut":                       {Fault: fakeserver.Fault{CutAfter: -1}},
		"cut=100":                   {Fault: fakeserver.Fault{CutAfter: 100}},
		"truncate":                  {Fault: fakeserver.Fault{Lose: 1}},
		"truncate=3":                {Fault: fakeserver.Fault{Lose: 3}},
		"interleave":                {Fault: fakeserver.Fault{Interleave: true}},
		"drip=5ms":                  {Fault: fakeserver.Fault{Drip: 5 * time.Millisecond, Piece: 64}},
		"content-type":              {Fault: fakeserver.Fault{ContentType: "text/html"}},
		"content-type=text/plain@9": {Reply: 9, Fault: fakeserver.Fault{ContentType: "text/plain"}},
		"gzip":                      {Fault: fakeserver.Fault{Gzip: true}},
	} {
		if got, err := fakeserver.ParseFault(text); err != nil || got != want {
			t.Errorf("%s: got %v\n%s", text, err, cmp.Diff(want, got))
		}
	}
	for text, want := range map[string]string{
		"":               `got "", want a status such as 503 or one of content-type, cut, delay, drip, gzip, interleave, reset-after-headers, reset-before-headers, truncate`,
		"resett":         `got "resett", want a status`,
		"200":            `got "200", want a status from 400 to 599`,
		"503=":           `got "503=", want a value after =`,
		"503@0":          `got "503@0", want the number of a reply after @, from 1`,
		"503@x":          `got "503@x", want the number of a reply`,
		"503=a\nb":       `want seconds or a date after =`,
		"delay=fast":     `got "delay=fast", want a time such as 200ms or 2s, 10m at most`,
		"drip=11m":       `want a time`,
		"cut=-1":         `got "cut=-1", want a whole number from 1`,
		"truncate=many":  `want a whole number from 1`,
		"content-type=x": `got "content-type=x", want a media type such as text/plain`,
		"gzip=9":         `got "gzip=9", want no value`,
	} {
		if _, err := fakeserver.ParseFault(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	for _, line := range fakeserver.FaultNames() {
		name, about, found := strings.Cut(line, "\t")
		name, _, _ = strings.Cut(name, "[")
		if name = strings.Replace(name, "STATUS", "503", 1); !found || about == "" {
			t.Errorf("got %q", line)
		}
		if _, err := fakeserver.ParseFault(name); err != nil {
			t.Error(err)
		}
	}
}

func TestChosenFaults(t *testing.T) {
	s, c := start(t, fakeserver.Options{})
	play := func(share float64, faults ...fakeserver.ChaosFault) string {
		p := s.Play(fakeserver.Script{Replies: []fakeserver.Reply{gemini, gemini, gemini, gemini}, Chaos: &fakeserver.Chaos{Seed: 3, Share: share, Faults: faults}})
		for range 8 {
			if p.Record().Leftover > 0 {
				_, _ = try(t, c, p.URL()+generate, `{}`)
			}
		}
		var out []string
		for _, x := range p.Close().Exchanges {
			out = append(out, x.Fault)
		}
		return strings.Join(out, ";")
	}
	busy, gone := fakeserver.ChaosFault{Fault: fakeserver.Fault{Status: 503}}, fakeserver.ChaosFault{Reply: 3, Fault: fakeserver.Fault{CutAfter: 5}}
	for _, row := range []struct {
		name   string
		share  float64
		faults []fakeserver.ChaosFault
		want   string
	}{
		{"each", 1, []fakeserver.ChaosFault{busy}, "status 503;;status 503;;status 503;;status 503;"},
		{"one of them", 0, []fakeserver.ChaosFault{gone}, ";;cut after 5 bytes;;"},
		{"one of its own", 1, []fakeserver.ChaosFault{busy, gone}, "status 503;;status 503;;cut after 5 bytes;;status 503;"},
		{"none for the others", 1, []fakeserver.ChaosFault{gone}, ";;cut after 5 bytes;;"},
		{"none", 0, []fakeserver.ChaosFault{busy}, ";;;"},
	} {
		if got := play(row.share, row.faults...); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}
