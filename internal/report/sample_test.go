package report_test

import "example.com/replaycheck/internal/result"

// sample has one requirement of each status, and findings of each kind.
func sample() result.Report {
	moved := func(where, raw string) result.Finding {
		return result.Finding{
			Where: where, Change: result.Copied, Level: result.Provider, Basis: result.Documented,
			Want: "absent", Got: `"Zmlyc3Q<+&L3BhcmFsbGVsPT0=" (24 bytes, sha256 5d1c…): the signature of parts[0], copied`,
			Means: "accepted by gemini-3, as far as is documented", Raw: raw,
		}
	}
	reduced := result.Finding{
		Where: "request 2, contents[1].parts[0]", Change: result.Reduced, Level: result.Provider, Basis: result.Contested,
		Want: `{"text":"","thoughtSignature":…}`, Got: `{"thoughtSignature":…}`,
	}
	absentArgs := result.Finding{
		Where: "request 2, contents[1].parts[0].functionCall.args", Change: result.Absent, Level: result.Verbatim, Basis: result.Documented,
		Want: "{}", Got: "absent", Means: "accepted",
	}
	return result.Report{
		Schema: result.Schema, Kind: "run", Tool: result.Tool{Name: "replaycheck", Version: "v0.1.0"},
		Subject: result.Subject{
			Name: "genai-chats", Version: "1", SDK: []result.SDK{{Name: "google.golang.org/genai", Version: "v1.77.0"}},
			State: "json", Modes: []string{"plain", "stream"}, Capabilities: []string{"tools"},
		},
		Level: result.Provider, Status: result.Error,
		Summary:   result.Summary{Pass: 1, Fail: 1, Unsupported: 2, Skipped: 1, Error: 1},
		NotJudged: []string{"stream/stored: the subject declares no stop"},
		Requirements: []result.Requirement{
			{
				ID: "REPLAY-03", Title: "A single call keeps its signature", Strength: "MUST", Status: result.Pass,
				Levels: result.Levels{Provider: new(result.Pass), Verbatim: new(result.Fail)},
				Runs: []result.Run{
					{Scenario: "gemini/single-call", Mode: "plain/memory", Status: result.Pass},
					{Scenario: "gemini/empty-args", Mode: "plain/memory", Status: result.Pass, Findings: []result.Finding{absentArgs}},
					{Scenario: "gemini/signed-empty-tail", Mode: "stream/memory", Status: result.Pass, Findings: []result.Finding{reduced}},
				},
			},
			{
				ID: "REPLAY-04", Title: "Parallel calls keep one model entry, signature on its own part", Strength: "MUST", Status: result.Fail,
				Levels: result.Levels{Provider: new(result.Fail), Verbatim: new(result.Fail)},
				Runs: []result.Run{
					{Scenario: "gemini/parallel", Mode: "stream/stored", Status: result.Fail, Findings: []result.Finding{
						moved("request 2, contents[1].parts[1].thoughtSignature", "out/gemini/parallel/stream/stored/request-2.json"),
					}},
					{Scenario: "gemini/parallel-different", Mode: "plain/memory", Status: result.Fail, Findings: []result.Finding{
						moved("request 2, contents[1].parts[1].thoughtSignature", ""), moved("request 3, contents[1].parts[1].thoughtSignature", ""),
					}},
					{Scenario: "gemini/parallel-different", Mode: "plain/stored", Variant: "same process", Status: result.Fail, Findings: []result.Finding{
						moved("request 2, contents[1].parts[1].thoughtSignature", ""),
					}},
				},
			},
			{ID: "REPLAY-05", Title: "Sequential calls keep each signature", Strength: "MUST", Status: result.Unsupported, Reason: "sequential: not declared"},
			{ID: "REPLAY-06", Title: "Text keeps its part boundaries", Strength: "MUST", Status: result.Skipped, Reason: "not asked for (--only)"},
			{
				ID: "STREAM-01", Title: "Chunks are one turn", Strength: "MUST", Status: result.Error, Runs: []result.Run{
					{Scenario: "gemini/parallel-chunks", Mode: "stream/memory", Status: result.Error, Reason: "subject: run: got no line\n\x1b[31m, want one"},
					{Scenario: "gemini/parallel-chunks", Mode: "stream/stored", Status: result.Error, Reason: "subject: run: got no line\n\x1b[31m, want one"},
				},
			},
			{ID: "STREAM-02", Title: "A broken stream yields an error", Strength: "MUST", Status: result.Unsupported, Reason: "sequential: not declared"},
		},
		Claims: result.Claims, Started: "2026-11-30T10:00:00Z", DurationMS: 1234,
	}
}
