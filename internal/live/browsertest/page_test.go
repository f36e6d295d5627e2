package browsertest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/replaycheck/internal/live"
	"example.com/replaycheck/internal/report"
)

// A signature that is lost is on the open page within a moment, in words, with
// an icon and in colour, where the eye is first; nothing of what came runs.
func TestLostSignatureStrikesTheEye(t *testing.T) {
	_, base, _ := serve(t)
	b := open(t)
	b.do(chromedp.Navigate(base + live.Root))
	b.until(`document.querySelector(".verdict.wait") !== null`)
	b.shoot("waiting")
	post(t, base+"/c/alice"+model, `{"contents":[`+user+`]}`)
	b.until(`document.querySelector("a.name")?.textContent === "alice"`)
	lostAt := time.Now()
	post(t, base+"/c/alice"+model, `{"contents":[`+user+`,`+lost+`,`+result+`]}`)
	b.until(`document.querySelector(".verdict.bad strong")?.textContent === "1 SIGNATURE LOST"`)
	if took := time.Since(lostAt); took > 2*time.Second {
		t.Errorf("the page showed the lost signature after %v, want at most 2s", took)
	} else {
		t.Logf("the open page showed the lost signature after %v", took)
	}
	if title := b.text(`document.title`); !strings.HasPrefix(title, "1 SIGNATURE LOST") {
		t.Errorf("title %q, want the loss in it: the page may be in another tab", title)
	}
	for _, dark := range []bool{false, true} {
		b.dark(dark)
		for _, selector := range []string{".verdict.bad strong", "tr.lost .chip.bad"} {
			if c := b.number(contrast + fmt.Sprintf("(%q)", selector)); c < 4.5 {
				t.Errorf("%s has a contrast of %.1f (dark: %t), want 4.5 at least", selector, c, dark)
			}
		}
		b.shoot(fmt.Sprintf("overview-dark-%t", dark))
	}
	if top := b.number(`document.querySelector(".verdict.bad").getBoundingClientRect().top`); top > 200 {
		t.Errorf("the verdict begins %v pixels down, want it at the top", top)
	}
	if n := b.number(`document.querySelectorAll(".verdict.bad svg.icon, tr.lost .chip.bad svg.icon").length`); n != 2 {
		t.Errorf("%v icons, want one with the verdict and one in the row", n)
	}

	b.do(chromedp.Click(chromedp.CSS(`a.name`)), chromedp.WaitVisible(chromedp.CSS(`.part.lost .chip.bad`)))
	if text := b.text(`document.querySelector(".part.lost .chip.bad").innerText`); !strings.HasPrefix(text, "SIGNATURE LOST") || !strings.Contains(text, "request 2, contents[1].parts[1]") {
		t.Errorf("the part says %q, want the loss, the request and the place", text)
	}
	for _, dark := range []bool{true, false} {
		b.dark(dark)
		for _, selector := range []string{".part.lost .chip.bad", ".finding.lost .word", ".finding .requirement", ".chip.ok", ".part .signature span"} {
			if c := b.number(contrast + fmt.Sprintf("(%q)", selector)); c < 4.5 {
				t.Errorf("%s has a contrast of %.1f (dark: %t), want 4.5 at least", selector, c, dark)
			}
		}
		b.shoot(fmt.Sprintf("conversation-dark-%t", dark))
	}
	if text := b.text(`document.querySelector("main").innerText`); !strings.Contains(text, "<script>window.run=1</script>") {
		t.Error("the part with a script in it is not shown")
	}
	if b.text(`String(window.run)`) != "undefined" {
		t.Error("something that came was run")
	}
	b.clean(base)
}

// What a person has opened stays open while the page changes, and the page says
// when its server is gone.
func TestPageFollows(t *testing.T) {
	_, base, stop := serve(t)
	post(t, base+"/c/alice"+model, `{"contents":[`+user+`]}`)
	b := open(t)
	b.do(chromedp.Navigate(base+live.Root+"c/c1"), chromedp.WaitVisible(chromedp.CSS(`#r1`)), chromedp.Click(chromedp.CSS(`#r1 summary`)), chromedp.WaitVisible(chromedp.CSS(`#r1 pre`)))
	post(t, base+"/c/alice"+model, `{"contents":[`+user+`,`+lost+`,`+result+`]}`)
	b.until(`document.querySelector("#r2") !== null`)
	if b.text(`String(document.querySelector("#r1").open)`) != "true" {
		t.Error("the request that was open is closed")
	}
	if y := b.number(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); y > 0 {
		t.Errorf("the page is %v pixels wider than the window", y)
	}
	b.clean(base)
	stop()
	b.until(`document.body.classList.contains("offline") && getComputedStyle(document.querySelector(".stale")).display !== "none"`)
}

// The page works while a hundred conversations run.
func TestHundredConversations(t *testing.T) {
	_, base, _ := serve(t)
	b := open(t)
	b.do(chromedp.Navigate(base + live.Root))
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			at := fmt.Sprintf("%s/c/n%d%s", base, i, model)
			post(t, at, `{"contents":[`+user+`]}`)
			if i%10 == 0 {
				post(t, at, `{"contents":[`+user+`,`+lost+`,`+result+`]}`)
			}
		})
	}
	wg.Wait()
	b.until(`document.querySelectorAll("tbody tr a.name").length === 100 && document.querySelector(".verdict.bad strong")?.textContent === "10 SIGNATURES LOST"`)
	first := b.number(`[...document.querySelectorAll("tbody tr")].findIndex((r) => !r.classList.contains("lost"))`)
	if first != 10 {
		t.Errorf("the first row without a loss is %v, want the 10 with one before it", first)
	}
	took := b.number(`(async () => { const t = performance.now(); const a = await fetch("` + live.Root + `?part"); const text = await a.text(); document.querySelector("main").innerHTML = text; document.body.getBoundingClientRect(); return performance.now() - t; })()`)
	t.Logf("a hundred conversations are fetched and laid out in %.0f ms", took)
	b.shoot("hundred")
	b.clean(base)
}

// The report as a file looks as it should: its policy admits its own style.
func TestReportFile(t *testing.T) {
	s, base, stop := serve(t)
	post(t, base+"/c/alice"+model, `{"contents":[`+user+`]}`)
	post(t, base+"/c/alice"+model, `{"contents":[`+user+`,`+lost+`,`+result+`]}`)
	stop()
	file := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.HTML(f, s.Report()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	b := open(t)
	b.do(chromedp.Navigate("file://"+file), chromedp.WaitVisible(chromedp.CSS(`.finding.lost .word`)))
	for _, dark := range []bool{true, false} {
		b.dark(dark)
		for _, selector := range []string{".verdict.bad strong", ".finding.lost .word"} {
			if c := b.number(contrast + fmt.Sprintf("(%q)", selector)); c < 4.5 {
				t.Errorf("%s has a contrast of %.1f (dark: %t), want 4.5 at least", selector, c, dark)
			}
		}
		b.shoot(fmt.Sprintf("report-dark-%t", dark))
	}
	if got := b.text(`document.querySelector(".finding.lost .word").innerText`); got != "SIGNATURE LOST" {
		t.Errorf("the first finding is %q, want the loss", got)
	}
	b.clean("file://" + file)
}
