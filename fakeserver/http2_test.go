package fakeserver_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"testing"

	"example.com/replaycheck/fakeserver"
)

// HTTP/2, in the clear and over TLS: the same replies, the same faults.
func TestHTTP2(t *testing.T) {
	for name, encrypted := range map[string]bool{"in the clear": false, "TLS": true} {
		t.Run(name, func(t *testing.T) {
			s, err := fakeserver.Start(fakeserver.Options{TLS: encrypted, H2C: !encrypted})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			transport := &http.Transport{Protocols: &http.Protocols{}}
			transport.Protocols.SetHTTP2(encrypted)
			transport.Protocols.SetUnencryptedHTTP2(!encrypted)
			if encrypted {
				pool := x509.NewCertPool()
				pool.AddCert(s.Certificate())
				transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
			} else if s.Certificate() != nil {
				t.Error("got a certificate without TLS")
			}
			c := &http.Client{Transport: transport}
			defer c.CloseIdleConnections()
			p := s.Play(script(
				gemini, withFault(gemini, fakeserver.Fault{CutAfter: 20}), withFault(gemini, fakeserver.Fault{Reset: fakeserver.AfterHeaders}), withFault(gemini, fakeserver.Fault{Status: 503, Times: 1}),
			))
			if got := post(t, c, p.URL()+streamed, `{}`); got.body != geminiStream || got.err != nil {
				t.Errorf("got %+v", got)
			}
			for range 2 {
				if got, err := try(t, c, p.URL()+generate, `{}`); err == nil && got.err == nil {
					t.Errorf("got %+v, want a broken reply", got)
				}
			}
			if got := post(t, c, p.URL()+generate, `{}`); got.status != 503 {
				t.Errorf("got %+v", got)
			}
			if got := post(t, c, p.URL()+generate, `{}`); got.body != geminiPlain {
				t.Errorf("got %+v", got)
			}
			rec := p.Close()
			for _, x := range rec.Exchanges {
				if x.Proto != "HTTP/2.0" {
					t.Errorf("got %s, want HTTP/2.0", x.Proto)
				}
			}
			if rec.Err != nil || len(rec.Exchanges) != 5 || rec.Leftover != 0 || s.Strays() != 0 {
				t.Errorf("got %d exchanges, %d left over, %d strays, %v", len(rec.Exchanges), rec.Leftover, s.Strays(), rec.Err)
			}
		})
	}
}
