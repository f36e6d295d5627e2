package fakeserver_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	geminirules "example.com/replaycheck/fakeserver/gemini"
	openairules "example.com/replaycheck/fakeserver/openai"
	"example.com/replaycheck/fakeserver/rule"
	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// sigOf is a signature of its own for step n.
func sigOf(n, size int) string {
	return base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("%08d", n) + strings.Repeat("\xb5\x17", size/2)))
}

// geminiHistory is a conversation of one turn and many steps, of about a size:
// per step a signed call, with its signature of sigSize bytes, and its result.
func geminiHistory(size, sigSize int, urlSafely bool) (string, *geminirules.Minted) {
	var b strings.Builder
	m := &geminirules.Minted{}
	b.WriteString(`{"contents":[` + u)
	for n := 0; b.Len() < size; n++ {
		sig := sigOf(n, sigSize)
		part := `{"functionCall":{"name":"f","args":{"n":` + fmt.Sprint(n) + `}},"thoughtSignature":"` + sig + `"}`
		reply, _ := native.ParseReply(native.Gemini, `{"candidates":[{"content":{"parts":[`+part+`]}}]}`)
		m.Add(reply.Parts)
		if urlSafely {
			part = strings.Replace(part, sig, urlSafe(sig), 1)
		}
		b.WriteString(`,{"role":"model","parts":[` + part + `]},` + fr)
	}
	b.WriteString(`]}`)
	return b.String(), m
}

func responsesHistory(size, cipherSize int) (string, *openairules.Minted) {
	var b strings.Builder
	m := &openairules.Minted{}
	b.WriteString(`{"model":"gpt-6-sol","store":false,"input":[` + asking)
	for n := 0; b.Len() < size; n++ {
		own := strings.NewReplacer("_1", fmt.Sprintf("_%d", n), cipherA, sigOf(n, cipherSize))
		items := own.Replace(rsItem + "," + fcItem)
		reply, _ := native.ParseReply(native.Responses, `{"output":[`+items+`]}`)
		m.Add(reply.Parts)
		b.WriteString("," + items + "," + own.Replace(out1))
	}
	b.WriteString(`]}`)
	return b.String(), m
}

func BenchmarkValidate(b *testing.B) {
	const mib = 1 << 20
	three := rule.Setting{}.For(rule.Google, "gemini-3.8-flash")
	six := rule.Setting{}.For(rule.OpenAI, "gpt-6-sol")
	bench := func(name, body string, check func(wire.Value) (*rule.Refusal, []string)) {
		root, err := wire.Parse(body)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/parse", func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				_, _ = wire.Parse(body)
			}
		})
		b.Run(name+"/rules", func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if r, _ := check(root); r != nil {
					b.Fatal(r)
				}
			}
		})
	}
	for _, size := range []int{60, 1500, 6000} {
		for _, urlSafely := range []bool{false, true} {
			body, m := geminiHistory(mib, size, urlSafely)
			name := fmt.Sprintf("gemini/signatures of %d bytes", size)
			if urlSafely {
				name += ", other alphabet"
			}
			bench(name, body, func(root wire.Value) (*rule.Refusal, []string) {
				return geminirules.Check(geminirules.Read(root), geminirules.AIStudio, geminirules.Plain, three, m)
			})
		}
	}
	bench("gemini/one text", requestBody(mib), func(root wire.Value) (*rule.Refusal, []string) {
		return geminirules.Check(geminirules.Read(root), geminirules.AIStudio, geminirules.Plain, three, &geminirules.Minted{})
	})
	for _, size := range []int{60, 1500} {
		body, m := responsesHistory(mib, size)
		bench(fmt.Sprintf("responses/ciphers of %d bytes", size), body, func(root wire.Value) (*rule.Refusal, []string) {
			return openairules.CheckResponses(openairules.ReadResponses(root), six, m)
		})
	}
}
