// Package result is the status tree: findings, runs, requirements and the one
// versioned report type that every subcommand writes.
package result

// Schema names the version of the report. Field names only grow within it.
const Schema = "replaycheck/report/v1"

// Claims is the fixed sentence about what a report shows (PROOF-04).
const Claims = "Controlled HTTP contract: judged on the requests that a fake provider recorded. No live acceptance by any provider is claimed."

// Status is how a run, a requirement or a report went. A parent takes the worst
// of its children, in the order pass, partial, fail, error.
type Status string

// The statuses. Unsupported is neutral: listed by name, never a pass.
const (
	Pass        Status = "pass"
	Partial     Status = "partial" // the user skipped something
	Fail        Status = "fail"
	Error       Status = "error" // the harness or the configuration, not the subject
	Unsupported Status = "unsupported"
	Skipped     Status = "skipped"
)

// Level is how strictly bytes are compared; see "Levels" in the design.
type Level string

// The levels. What fails at Provider fails at Verbatim too.
const (
	Provider Level = "provider"
	Verbatim Level = "verbatim"
)

// Basis says how well known it is that a provider minds.
type Basis string

// The bases. A Contested finding gates nothing at level provider.
const (
	Confirmed   Basis = "confirmed"
	Documented  Basis = "documented"
	Unconfirmed Basis = "unconfirmed"
	Contested   Basis = "contested"
)

// Change is what happened to a value, one word of a closed list.
type Change string

// The changes.
const (
	Absent     Change = "absent"
	Null       Change = "null"
	Empty      Change = "empty"
	Changed    Change = "changed"
	ReEncoded  Change = "re-encoded"
	Moved      Change = "moved"
	Copied     Change = "copied"
	Merged     Change = "merged"
	Split      Change = "split"
	Reordered  Change = "reordered"
	Duplicated Change = "duplicated"
	Swapped    Change = "swapped"
	Truncated  Change = "truncated"
	StandIn    Change = "stand-in"
	Foreign    Change = "foreign" // a value of another provider, or one this server never minted
	Wrapper    Change = "wrapper"
	Reduced    Change = "reduced" // a part lost its other members
	Shrunk     Change = "shrunk"  // the history, or the conversation, is shorter than it was
	Unanswered Change = "unanswered"
	Added      Change = "added"
	Leaked     Change = "leaked"   // thought text as ordinary text
	Accepted   Change = "accepted" // a refusal that was due and missing
	Refused    Change = "refused"  // a refusal that was not due
)

// Finding is one thing that is not as the requirement says. Its Level is the
// lenient one at which it fails: a finding of level provider fails both levels.
type Finding struct {
	Where  string `json:"where"` // "request 2, contents[1].parts[1].thoughtSignature"
	Change Change `json:"change"`
	Level  Level  `json:"level"`
	Basis  Basis  `json:"basis"`
	Want   string `json:"want"` // quoted and shortened, with length and short hash; or words
	Got    string `json:"got"`
	Means  string `json:"means"` // whether the provider's profile refuses it, and how that is known
	Raw    string `json:"raw"`   // file with the recorded request, "" without --keep
}

// Gates reports whether the finding fails a requirement at the level.
func (f Finding) Gates(at Level) bool {
	if at == Verbatim {
		return true
	}
	return f.Level == Provider && f.Basis != Contested
}

// Run is one requirement judged on one scenario in one mode.
type Run struct {
	Scenario string    `json:"scenario"`
	Mode     string    `json:"mode"`             // "plain/memory", "plain/stored", "stream/memory", "stream/stored"
	Variant  string    `json:"variant"`          // "" or what else sets the run apart, such as "same process"
	Status   Status    `json:"status"`           // at the gating level
	Reason   string    `json:"reason,omitempty"` // why it is error, unsupported or skipped
	Findings []Finding `json:"findings"`
}

// Levels holds a status per level; nil where the level is not asked of the
// requirement.
type Levels struct {
	Provider *Status `json:"provider"`
	Verbatim *Status `json:"verbatim"`
}

// Requirement is one requirement with all its runs.
type Requirement struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Strength string `json:"strength"`         // MUST, SHOULD or MAY
	Status   Status `json:"status"`           // at the gating level
	Reason   string `json:"reason,omitempty"` // why it is unsupported, skipped or error
	Levels   Levels `json:"levels"`
	Runs     []Run  `json:"runs"`
}

// Subject is who was judged.
type Subject struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	SDK          []SDK             `json:"sdk"`
	Capabilities []string          `json:"capabilities"`
	State        string            `json:"state"`
	Modes        []string          `json:"modes"`
	Unsupported  map[string]string `json:"unsupported,omitempty"`
}

// SDK is a library that the subject exercises.
type SDK struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Tool is what wrote the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Summary counts the requirements by status.
type Summary struct {
	Pass        int `json:"pass"`
	Fail        int `json:"fail"`
	Unsupported int `json:"unsupported"`
	Skipped     int `json:"skipped"`
	Error       int `json:"error"`
}

// Report is what a subcommand found.
type Report struct {
	Schema       string        `json:"schema"`
	Kind         string        `json:"kind"` // the subcommand: "run", "mutate" or "pair"
	Tool         Tool          `json:"tool"`
	Subject      Subject       `json:"subject"`
	Level        Level         `json:"level"` // the gating level
	Status       Status        `json:"status"`
	Summary      Summary       `json:"summary"`
	NotJudged    []string      `json:"not_judged"` // "plain/stored: subject keeps no state", one line each
	Requirements []Requirement `json:"requirements"`
	// Literal is the comparison of the reference adapters with the literal
	// expected requests (PROOF-03); nil for other subjects.
	Literal *Literal `json:"literal,omitempty"`
	// Mutation and Faults are of kind "mutate" only.
	Mutation *Mutation `json:"mutation,omitempty"`
	Faults   []Fault   `json:"faults,omitempty"`
	// Pair is of kind "pair" only.
	Pair       *Pair  `json:"pair,omitempty"`
	Claims     string `json:"claims"`
	Started    string `json:"started,omitempty"`     // RFC 3339, absent with --no-times
	DurationMS int64  `json:"duration_ms,omitempty"` // absent with --no-times
}

// Literal is how the recorded requests compare with the literal expected ones.
type Literal struct {
	Status   Status           `json:"status"`
	Compared int              `json:"compared"` // requests that have a literal file
	Findings []LiteralFinding `json:"findings"`
}

// LiteralFinding is the first difference of one request from its file.
type LiteralFinding struct {
	Scenario string `json:"scenario"`
	Mode     string `json:"mode"`
	Variant  string `json:"variant"`
	Finding
}

var rank = map[Status]int{Pass: 1, Unsupported: 0, Skipped: 0, Partial: 2, Fail: 3, Error: 4}

// Worst returns the worst of the statuses. Unsupported and skipped count only
// when there is nothing else; of no status at all it is Error, since nothing
// that did not run may be green.
func Worst(all ...Status) Status {
	if len(all) == 0 {
		return Error
	}
	worst := all[0]
	for _, s := range all[1:] {
		if rank[s] > rank[worst] {
			worst = s
		}
	}
	return worst
}

// ExitCode is the process exit code of a status: 0 pass, 1 fail, 2 error, 3
// partial. A status that is none of these is 2.
func ExitCode(s Status) int {
	switch s {
	case Pass:
		return 0
	case Fail:
		return 1
	case Partial:
		return 3
	}
	return 2
}
