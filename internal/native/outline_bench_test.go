package native_test

import (
	"strings"
	"testing"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// BenchmarkOutline reads the outline of a MiB of short turns.
func BenchmarkOutline(b *testing.B) {
	said := strings.Repeat(`Some ordinary words with a \"quote\" and a line\n. `, 8)
	for api, form := range map[native.API][2]string{
		native.Gemini:    {`{"contents":[`, `{"role":"ROLE","parts":[{"text":"` + said + `"}]}`},
		native.Responses: {`{"input":[`, `{"role":"ROLE","content":"` + said + `"}`},
	} {
		user, model := strings.Replace(form[1], "ROLE", "user", 1), strings.Replace(form[1], "ROLE", "assistant", 1)
		if api == native.Gemini {
			model = strings.Replace(form[1], "ROLE", "model", 1)
		}
		body := form[0] + strings.Repeat(user+","+model+",", 1200) + user + "]}"
		root, err := wire.Parse(body)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(string(api), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if native.ReadOutline(api, root).Turn != 1201 {
					b.Fatal("turns were missed")
				}
			}
		})
	}
}
