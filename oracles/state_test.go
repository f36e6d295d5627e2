package oracles_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/replaycheck/internal/result"
	"example.com/replaycheck/internal/scenario"
	"example.com/replaycheck/oracles"
)

func stateIDs() []string {
	return []string{"STATE-01", "STATE-02", "STATE-03", "STATE-04", "STATE-05", "STATE-06", "STATE-07"}
}

func TestStateOraclesPassOnGood(t *testing.T) {
	for _, d := range agentCells(t) {
		for _, id := range d.ev.Scenario.Shows {
			if got := showAll(oracle(t, id).Check(view(t, d.ev))); got != "" {
				t.Errorf("%s: %s finds\n%s", d.cell, id, got)
			}
		}
	}
}

// stateFault is what a fault of the design leaves behind, made in the evidence
// of a good run. The edits in source are package mutations'.
type stateFault struct {
	id, scenario string
	red          string
	change       func(t *testing.T, ev *oracles.Evidence)
	want         string // in the findings
}

func stateFaults() []stateFault {
	return []stateFault{
		{"state-plain", "agent/approve", "STATE-02", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			ev.Artifacts = append(ev.Artifacts, oracles.Artifact{Name: "runs.db", Kind: scenario.DatabaseFile, Bytes: *ev.Runs[0].Outcome.State})
		}, "leaked: database runs.db\nwant nothing that can be read\ngot  a signature of reply 1 (raw)"},
		{"state-stripped", "agent/approve", "STATE-01", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			editBody(t, ev, 2, func(body string) string {
				return model(body, func(parts []string) []string {
					var out []string
					for _, p := range parts {
						if !isThought(p) {
							out = append(out, remove(p, "thoughtSignature"))
						}
					}
					return out
				})
			})
		}, "absent: request 2, contents[1].parts[0].thoughtSignature"},
		{"state-column-255", "agent/approve", "STATE-01", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			refuse(&ev.Runs[1], "agent run: the stored state cannot be opened")
		}, "refused: process 2 (approve)\nwant finished"},
		{"state-unbound", "agent/spoilt", "STATE-03", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			accept(ev, 4) // swapped
		}, "accepted: process 5 (approve)\nwant refused"},
		{"digest-ignored", "agent/refused", "STATE-04", func(t *testing.T, ev *oracles.Evidence) { t.Helper(); accept(ev, 2) }, "accepted: process 3 (approve)\nwant refused"},
		{"actor-ignored", "agent/refused", "STATE-04", func(t *testing.T, ev *oracles.Evidence) { t.Helper(); accept(ev, 1) }, "accepted: process 2 (approve)\nwant refused"},
		{"budget-reset", "agent/refused", "STATE-04", func(t *testing.T, ev *oracles.Evidence) { t.Helper(); accept(ev, 4) }, "accepted: process 5 (approve)\nwant refused"},
		{"approve-twice", "agent/once", "STATE-05", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			last := len(ev.Runs) - 1
			accept(ev, last)
			ev.Runs[last].Agent.Calls = slices.Clone(ev.Runs[2].Agent.Calls)
		}, "accepted: process 4 (approve)\nwant refused"},
		{"approve-twice, in a race", "agent/once", "STATE-05", func(t *testing.T, ev *oracles.Evidence) { t.Helper(); accept(ev, 1) }, "accepted: race\nwant one of two approvals taken\ngot  2 of 2"},
		{"state-cleared-before-request", "agent/killed after-call-start-3", "STATE-06", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			refuse(&ev.Runs[len(ev.Runs)-1], "agent run: not found")
		}, "want finished\ngot  refused"},
		{"rejection-drops-carrier", "agent/reject", "STATE-07", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			editBody(t, ev, 2, func(body string) string { return strings.ReplaceAll(body, `"thoughtSignature":`, `"x":`) })
		}, "moved: request 2, contents[1].parts[1].thoughtSignature"},
		// What else the oracles are there for.
		{"digest with the carrier in it", "agent/approve", "STATE-04", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			ev.Runs[0].Outcome.Agent.Digest = "sha256:00"
		}, "changed: process 1 (start), outcome.agent.digest"},
		{"retention changed by a refusal", "agent/refused", "STATE-04", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			ev.Runs[1].Agent.After[0].Columns["updated_at"] = "0"
		}, "changed: process 2 (approve), rows,"},
		{"sent in spite of the refusal", "agent/spoilt", "STATE-03", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			ev.Runs[3].Exchanges = ev.Runs[0].Exchanges
		}, "added: process 4 (approve)\nwant nothing sent\ngot  1 request"},
		{"fence not raised", "agent/claimed", "STATE-05", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			for i := range ev.Runs[2].Agent.After {
				ev.Runs[2].Agent.After[i].Columns["fence"] = "1"
			}
		}, "agent_run.fence"},
		{"overtaken and not stopped", "agent/overtaken", "STATE-05", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			accept(ev, 2)
			ev.Runs[2].Exchanges = ev.Runs[1].Exchanges[1:]
		}, "accepted: process 3 (overtake), overtaken"},
		{"finished with a state", "agent/approve", "STATE-05", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			for i := range ev.Runs[1].Agent.After {
				ev.Runs[1].Agent.After[i].Columns["sealed"] = "left over"
			}
		}, "a finished row without state"},
		{"interrupted call run again", "agent/killed after-call-start-3", "STATE-06", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			last := ev.Runs[len(ev.Runs)-1].Agent
			last.Calls = append(last.Calls, ev.Runs[0].Agent.Calls[0])
		}, "duplicated: process"},
		{"recorded too late", "agent/killed after-reply-2", "STATE-06", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			ev.Runs[0].Agent.Calls[0].Recorded = 0
		}, "absent: process 1 (finish), agent_call"},
		{"interrupted without reason", "agent/killed in-claim-1", "STATE-06", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			editBody(t, ev, 2, func(body string) string {
				return setRaw(body, "contents.2.parts.0.functionResponse.response", `{"error":"interrupted"}`)
			})
		}, "interrupted, though no process was lost in it"},
		{"rejected call run all the same", "agent/reject", "STATE-07", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			arguments := rawOf(ev.Runs[1].Exchanges[0].Body, "contents.1.parts.1.functionCall.args")
			at := ev.Runs[1].Agent
			at.Calls = append(at.Calls, oracles.ToolCall{ToolRun: oracles.ToolRun{Name: "transfer", Arguments: arguments}})
		}, "no run of a rejected call"},
		{"rejection not told", "agent/reject", "STATE-07", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			editBody(t, ev, 2, func(body string) string { return strings.ReplaceAll(body, `"rejected"`, `"done"`) })
		}, "a result that says rejected"},
		{"canary in an error", "agent/refused", "STATE-02", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			ev.Runs[1].Outcome.Error.Message += text(items(ev.Runs[0].Exchanges[0].Reply, "candidates.0.content.parts")[0], "text")
		}, "leaked: process 2 (approve), error message"},
		{"canary in a log", "agent/refused", "STATE-02", func(t *testing.T, ev *oracles.Evidence) {
			t.Helper()
			ev.Runs[1].Stderr = ev.Runs[0].Exchanges[0].Reply
		}, "leaked: process 2 (approve), standard error"},
	}
}

// accept makes an attempt that was refused one that went through.
func accept(ev *oracles.Evidence, i int) {
	r := &ev.Runs[i]
	r.Outcome.Error = nil
	r.Outcome.Agent = &oracles.AgentState{RunID: r.Agent.RunID, Status: "finished"}
}

func refuse(r *oracles.Run, message string) {
	r.Outcome.Error = &oracles.SubjectError{Kind: "refused", Message: message}
	r.Outcome.Agent = &oracles.AgentState{Status: "failed"}
}

func TestStateFaultsTurnTheirRequirementsRed(t *testing.T) {
	for _, f := range stateFaults() {
		t.Run(f.id, func(t *testing.T) {
			found := 0
			for _, d := range agentCells(t) {
				id, variant, _ := strings.Cut(f.scenario, " ")
				if d.scenario != id || !strings.HasSuffix(d.variant, variant) {
					continue
				}
				found++
				ev := agentCopy(d.ev)
				f.change(t, &ev)
				findings := oracle(t, f.red).Check(view(t, ev))
				if got := showAll(findings); !strings.Contains(got, f.want) || !gates(findings, result.Verbatim) {
					t.Errorf("%s: %s finds\n%s\nwant %q in it", d.cell, f.red, got, f.want)
				}
			}
			if found == 0 {
				t.Error("got no such scenario")
			}
		})
	}
}

// No evidence is never a pass.
func TestStateWithoutEvidence(t *testing.T) {
	for name, row := range map[string]struct {
		ids    []string
		change func(*oracles.Evidence)
	}{
		"no process":     {stateIDs(), func(ev *oracles.Evidence) { ev.Runs = nil }},
		"the first only": {[]string{"STATE-01", "STATE-03", "STATE-05", "STATE-06", "STATE-07"}, func(ev *oracles.Evidence) { ev.Runs = ev.Runs[:1] }},
		"nothing but runs": {stateIDs(), func(ev *oracles.Evidence) {
			ev.Artifacts = nil
			for i := range ev.Runs {
				ev.Runs[i] = oracles.Run{Task: ev.Runs[i].Task, Outcome: ev.Runs[i].Outcome}
			}
		}},
		"no artifacts": {[]string{"STATE-02"}, func(ev *oracles.Evidence) { ev.Artifacts = nil }},
		"no control": {[]string{"STATE-02"}, func(ev *oracles.Evidence) {
			ev.Artifacts = slices.DeleteFunc(ev.Artifacts, func(a oracles.Artifact) bool { return a.Kind == scenario.ControlFile })
		}},
		"no rows": {[]string{"STATE-01", "STATE-02", "STATE-03", "STATE-05", "STATE-06"}, func(ev *oracles.Evidence) {
			for i := range ev.Runs {
				ev.Runs[i].Agent.Before, ev.Runs[i].Agent.After = nil, nil
			}
		}},
		"no requests": {[]string{"STATE-01", "STATE-06", "STATE-07"}, func(ev *oracles.Evidence) {
			for i := range ev.Runs {
				ev.Runs[i].Exchanges = nil
			}
		}},
		"no tool runs": {[]string{"STATE-01", "STATE-06"}, func(ev *oracles.Evidence) {
			for i := range ev.Runs {
				ev.Runs[i].Agent.Calls = nil
			}
		}},
		"nobody died": {[]string{"STATE-06"}, func(ev *oracles.Evidence) {
			for i := range ev.Runs {
				ev.Runs[i].Agent.Died = false
			}
		}},
		"no state": {[]string{"STATE-04"}, func(ev *oracles.Evidence) {
			for i := range ev.Runs {
				ev.Runs[i].Outcome.State = nil
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, d := range agentCells(t) {
				for _, id := range row.ids {
					if !slices.Contains(d.ev.Scenario.Shows, id) || d.scenario == "agent/overtaken" && name == "nobody died" {
						continue
					}
					ev := agentCopy(d.ev)
					row.change(&ev)
					if !gates(oracle(t, id).Check(view(t, ev)), result.Verbatim) {
						t.Errorf("%s: %s passes", d.cell, id)
					}
				}
			}
		})
	}
}

// Agent runs are judged in processes only, and on the engines that there are;
// the rest is named.
func TestAgentRunsThatAreNotJudged(t *testing.T) {
	rep, err := oracles.Judge(t.Context(), oracles.Config{New: newReference, InProcess: true, Only: []string{"STATE-*", "REPLAY-03"}, Scenarios: []string{"agent/*", "gemini/single-call"}})
	if err != nil {
		t.Fatal(err)
	}
	const why = "agent runs are judged in processes of their own, and there is no way to start one"
	if !slices.Contains(rep.NotJudged, why) {
		t.Errorf("got not judged %q, want %q in it", rep.NotJudged, why)
	}
	for _, r := range rep.Requirements {
		if strings.HasPrefix(r.ID, "STATE") && (r.Status != result.Unsupported || r.Reason != why) {
			t.Errorf("%s: got %s (%s), want unsupported and the reason", r.ID, r.Status, r.Reason)
		}
	}
	rep, err = oracles.Judge(t.Context(), oracles.Config{New: newProcess, Only: []string{"STATE-07"}, Scenarios: []string{"agent/reject"}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(rep.NotJudged, "postgres: no REPLAYCHECK_POSTGRES") {
		t.Errorf("got not judged %q, want postgres in it", rep.NotJudged)
	}
	for _, r := range rep.Requirements {
		if r.ID == "STATE-07" && (r.Status != result.Pass || len(r.Runs) != 1 || r.Runs[0].Variant != "sqlite") {
			t.Errorf("got %+v, want one run that passes, its variant sqlite", r)
		}
	}
}
