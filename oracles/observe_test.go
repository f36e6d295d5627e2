package oracles_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/replaycheck/fakeserver"
	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
	"example.com/replaycheck/specs"
)

// observed is what a play would have recorded of evidence.
func observed(ev *oracles.Evidence) oracles.Evidence {
	var all []fakeserver.Exchange
	for x := range exchanges(ev) {
		x := *x
		x.Seq = len(all) + 1
		all = append(all, x)
	}
	return scenario.Observed(ev.Scenario.ID, all)
}

// gating are the findings that fail an observed requirement.
func gating(t *testing.T, o oracles.Observation) []string {
	t.Helper()
	all, err := specs.All()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, j := range o.Judged {
		for _, s := range all {
			if s.ID != j.ID || !strings.Contains(fmt.Sprint(s.Levels), "provider") {
				continue
			}
			for _, f := range j.Findings {
				if f.Gates(result.Provider) {
					out = append(out, fmt.Sprintf("%s %s %s: want %s, got %s", j.ID, f.Where, f.Change, f.Want, f.Got))
				}
			}
		}
	}
	return out
}

// Good traffic is good though nobody knows who made it and how it ended.
func TestObserveGoodTraffic(t *testing.T) {
	judged := map[string]int{}
	for _, c := range cells(t) {
		if c.ev.Scenario.Expect == "refused" {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			g := NewWithT(t)
			o, err := oracles.Observe(observed(&c.ev))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(gating(t, o)).To(BeEmpty())
			for _, j := range o.Judged {
				judged[j.ID]++
			}
		})
	}
	for _, id := range []string{
		"REPLAY-01", "REPLAY-02", "REPLAY-03", "REPLAY-04", "REPLAY-05", "REPLAY-06", "REPLAY-07", "REPLAY-11", "REPLAY-14", "REPLAY-15",
		"FOREIGN-01", "FOREIGN-02", "FOREIGN-03", "FOREIGN-06", "FOREIGN-07", "STRUCT-01", "STRUCT-03", "CALLID-02", "OPENAI-03", "OPENAI-04", "STREAM-01",
	} {
		if judged[id] == 0 {
			t.Errorf("%s is judged on no observed traffic", id)
		}
	}
}

// minted is the traffic of a conversation with one signed call, edited on its way
// back.
func minted(edit func(turn string) string) oracles.Evidence {
	const sig = "ErECCq4CAb4+9vtA+GYNX5aCjQd+AP2EzVazGdB4Kwr8DBGy8B9WOO7ra+Cxtd1FGWTMZHEfK3uo7LBe/AfJ3mlhIUIX="
	turn := `{"role":"model","parts":[{"text":"Hm.","thought":true},{"functionCall":{"id":"a","name":"f","args":{}},"thoughtSignature":"` + sig + `"}]}`
	user := `{"role":"user","parts":[{"text":"hi"}]}`
	result := `{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"r":1}}}]}`
	final := `{"role":"model","parts":[{"text":"done"}]}`
	body := func(contents ...string) string { return `{"contents":[` + strings.Join(contents, ",") + `]}` }
	reply := func(turn string) string { return `{"candidates":[{"content":` + turn + `,"finishReason":"STOP"}]}` }
	return scenario.Observed("x", []fakeserver.Exchange{
		{Seq: 1, Endpoint: "gemini", Body: body(user), Step: 1, Status: 200, Reply: reply(turn)},
		{Seq: 2, Endpoint: "gemini", Body: body(user, edit(turn), result), Step: 2, Status: 200, Reply: reply(final)},
		{Seq: 3, Endpoint: "gemini", Body: body(user, edit(turn), result, final, user), Step: 3, Status: 200, Reply: reply(final)},
	})
}

func TestObservedParts(t *testing.T) {
	const sig = "ErECCq4CAb4+9vtA+GYNX5aCjQd+AP2EzVazGdB4Kwr8DBGy8B9WOO7ra+Cxtd1FGWTMZHEfK3uo7LBe/AfJ3mlhIUIX="
	replace := func(old, now string) func(string) string {
		return func(turn string) string { return strings.Replace(turn, old, now, 1) }
	}
	returned := func(fate oracles.Fate, path string, changes ...result.Change) []oracles.Returned {
		return []oracles.Returned{{Request: 2, Path: path, Fate: fate, Changes: changes}, {Request: 3, Path: path, Fate: fate, Changes: changes}}
	}
	for _, c := range []struct {
		name          string
		edit          func(string) string
		thought, call []oracles.Returned
		fails         []string
	}{
		{"untouched", func(turn string) string { return turn }, returned(oracles.Intact, "contents[1].parts[0]"), returned(oracles.Intact, "contents[1].parts[1]"), nil},
		{
			"signature dropped", replace(`,"thoughtSignature":"`+sig+`"`, ""),
			returned(oracles.Intact, "contents[1].parts[0]"), returned(oracles.Lost, "contents[1].parts[1]", result.Absent),
			[]string{"REPLAY-03"},
		},
		{
			"signature cut", replace(sig, sig[:60]),
			returned(oracles.Intact, "contents[1].parts[0]"), returned(oracles.Lost, "contents[1].parts[1]", result.Truncated),
			[]string{"REPLAY-03", "REPLAY-07"},
		},
		{
			"another alphabet", replace(sig, strings.NewReplacer("+", "-", "/", "_").Replace(sig)),
			returned(oracles.Intact, "contents[1].parts[0]"), returned(oracles.Tolerated, "contents[1].parts[1]", result.ReEncoded), nil,
		},
		{
			"thought dropped", replace(`{"text":"Hm.","thought":true},`, ""),
			returned(oracles.Tolerated, "", result.Absent), returned(oracles.Intact, "contents[1].parts[0]"), nil,
		},
		{
			"arguments edited", replace(`"args":{}`, `"args":{"x":1}`),
			returned(oracles.Intact, "contents[1].parts[0]"), returned(oracles.Altered, "contents[1].parts[1]", result.Added),
			[]string{"REPLAY-03"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			o, err := oracles.Observe(minted(c.edit))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(o.Turns).To(HaveLen(3))
			parts := o.Turns[0].Parts
			g.Expect(parts[0].Returns).To(Equal(c.thought))
			g.Expect(parts[1].Returns).To(Equal(c.call))
			g.Expect(parts[1].Signed).To(BeTrue())
			g.Expect(parts[1].Says).To(Equal("f({})"))
			all := strings.Join(gating(t, o), "\n")
			for _, id := range c.fails {
				g.Expect(all).To(ContainSubstring(id))
			}
			if len(c.fails) == 0 {
				g.Expect(all).To(BeEmpty())
			}
		})
	}
}

// A conversation that began elsewhere is judged from where it is on.
func TestObserveWhatBeganElsewhere(t *testing.T) {
	g := NewWithT(t)
	ev := minted(func(turn string) string { return turn })
	x := ev.Runs[0].Exchanges[1:]
	o, err := oracles.Observe(scenario.Observed("x", x))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(gating(t, o)).To(BeEmpty())
	g.Expect(o.Judged).NotTo(BeEmpty())

	x[1].Body = strings.Replace(x[1].Body, "thoughtSignature", "lost", 1)
	o, err = oracles.Observe(scenario.Observed("x", x))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(gating(t, o)).To(ContainElement(ContainSubstring("contents[1].parts[1].thoughtSignature moved")))
}

// An answer with <think> tags may come back without them; the value of another
// one has to be there all the same.
func TestObserveAValueBesideTags(t *testing.T) {
	const (
		tags   = `{"role":"model","parts":[{"text":"<think>Hm.</think>Hi."}]}`
		signed = `{"role":"model","parts":[{"text":"Yes."},{"text":"","thoughtSignature":"ErECCq4CAb4+9vtA+GYNX5aCjQd+AP2EzVazGdB4Kwr8DBGy8B9WOO7ra+Cxtd1FGWTMZHEfK3uo7LBe/AfJ3mlhIUIX="}]}`
		user   = `{"role":"user","parts":[{"text":"hi"}]}`
	)
	for name, back := range map[string]struct {
		tags, signed string
		fails        string
	}{
		"as they came": {tags, signed, ""},
		"without tags": {`{"role":"model","parts":[{"text":"Hi."}]}`, signed, ""},
		"value lost":   {tags, `{"role":"model","parts":[{"text":"Yes."}]}`, "absent"},
		"turn lost":    {`{"role":"model","parts":[{"text":"Hi."}]}`, "", "shrunk"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			reply := func(turn string) string { return `{"candidates":[{"content":` + turn + `,"finishReason":"STOP"}]}` }
			body := func(contents ...string) string {
				contents = slices.DeleteFunc(contents, func(s string) bool { return s == "" })
				return `{"contents":[` + strings.Join(contents, ",") + `]}`
			}
			o, err := oracles.Observe(scenario.Observed("x", []fakeserver.Exchange{
				{Seq: 1, Endpoint: "gemini", Status: 200, Step: 1, Body: body(user), Reply: reply(tags)},
				{Seq: 2, Endpoint: "gemini", Status: 200, Step: 2, Body: body(user, back.tags, user), Reply: reply(signed)},
				{Seq: 3, Endpoint: "gemini", Status: 200, Step: 3, Body: body(user, back.tags, user, back.signed, user), Reply: reply(`{"role":"model","parts":[{"text":"Bye."}]}`)},
			}))
			g.Expect(err).NotTo(HaveOccurred())
			all := strings.Join(gating(t, o), "\n")
			if back.fails == "" {
				g.Expect(all).To(BeEmpty())
			} else {
				g.Expect(all).To(MatchRegexp("REPLAY-02 request 3.* " + back.fails))
			}
		})
	}
}

// One request shows nothing, nor does a client that leaves its history to the
// server.
func TestObserveNothing(t *testing.T) {
	g := NewWithT(t)
	ev := minted(func(turn string) string { return turn })
	o, err := oracles.Observe(scenario.Observed("x", ev.Runs[0].Exchanges[:1]))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Judged).To(BeEmpty())
	g.Expect(o.Turns[0].Parts[1].Returns).To(BeEmpty())
	output := `{"id":"resp_1","status":"completed","output":[{"type":"reasoning","id":"rs_1","encrypted_content":"gAAAA","summary":[]},{"type":"message","id":"msg_1","role":"assistant","content":[]}]}`
	o, err = oracles.Observe(scenario.Observed("x", []fakeserver.Exchange{
		{Seq: 1, Endpoint: "responses", Body: `{"input":"hi"}`, Step: 1, Status: 200, Reply: output},
		{Seq: 2, Endpoint: "responses", Body: `{"input":"and?","previous_response_id":"resp_1"}`, Step: 2, Status: 200, Reply: output},
	}))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Judged).To(BeEmpty())
}

// A member that names no history, or not one of its API, excuses nobody.
func TestObserveNamesOfNoHistory(t *testing.T) {
	output := `{"id":"resp_1","status":"completed","output":[{"type":"reasoning","id":"rs_1","encrypted_content":"gAAAA","summary":[]},{"type":"message","id":"msg_1","role":"assistant","content":[]}]}`
	for _, member := range []string{`"conversation":null`, `"previous_response_id":null`} {
		o, err := oracles.Observe(scenario.Observed("x", []fakeserver.Exchange{
			{Seq: 1, Endpoint: "responses", Body: `{"input":"hi"}`, Step: 1, Status: 200, Reply: output},
			{Seq: 2, Endpoint: "responses", Body: `{"input":"and?",` + member + `}`, Step: 2, Status: 200, Reply: output},
		}))
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(o.Judged).To(ContainElement(HaveField("Findings", Not(BeEmpty()))), member)
	}
	for _, member := range []string{`"conversation":"conv_1"`, `"previous_response_id":"resp_1"`} {
		ev := minted(func(string) string { return `{"role":"model","parts":[{"text":"lost"}]}` })
		for i := range ev.Runs[0].Exchanges {
			x := &ev.Runs[0].Exchanges[i]
			x.Body = strings.Replace(x.Body, "{", "{"+member+",", 1)
		}
		o, err := oracles.Observe(scenario.Observed("x", ev.Runs[0].Exchanges))
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(o.Judged).To(ContainElement(HaveField("Findings", Not(BeEmpty()))), member)
	}
}

func TestNotObservable(t *testing.T) {
	g := NewWithT(t)
	for _, o := range oracles.All() {
		why := oracles.NotObservable(o)
		if o.Needs.Carrier || o.Needs.Reference || strings.HasPrefix(o.ID, "THINK") || strings.HasPrefix(o.ID, "STATE") {
			g.Expect(why).NotTo(BeEmpty(), o.ID)
		}
	}
	found, err := oracles.Scenarios("gemini/parallel*")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(len(found)).To(BeNumerically(">", 3))
	_, err = oracles.Scenarios("gemini/singel-call")
	g.Expect(err).To(MatchError(ContainSubstring(`unknown scenario "gemini/singel-call", nearest: gemini/single-call`)))
}
