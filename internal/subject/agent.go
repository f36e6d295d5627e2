package subject

// Agent makes a task a run of an agent, which is kept in a database: it
// suspends where a call needs approval, and another process goes on with it. A
// task without a decision starts the run, or goes on with it where the database
// has it already.
type Agent struct {
	RunID    string    `json:"run_id"`        // "": the subject makes one
	Actor    string    `json:"actor"`         // who asks, and who decides
	Budget   int       `json:"budget"`        // model turns of the whole run, over all its processes; 0: the subject's own limit
	Store    string    `json:"store"`         // DSN of the database: "sqlite:PATH" or "postgres://…"
	Key      string    `json:"key,omitempty"` // base64, tests only: what seals the stored state
	Decision *Decision `json:"decision"`      // nil: none
}

// Decision is what the actor says to the calls of a run that waits.
type Decision struct {
	Kind   string `json:"kind"`   // Approve or Reject
	Digest string `json:"digest"` // of the calls that were decided on, as the waiting run gave it
}

// Kinds of Decision.
const (
	Approve = "approve"
	Reject  = "reject"
)

// AgentState says how an agent run stands after the task.
type AgentState struct {
	RunID  string `json:"run_id"`
	Status string `json:"status"` // RunWaiting, RunFinished or RunFailed
	Digest string `json:"digest"` // of the calls that wait, "" where none do
	Steps  int    `json:"steps"`  // model turns so far, 0 where the subject can't say any more
}

// How an agent run can stand. RunFailed goes with Outcome.Error: the task was
// refused, or the attempt ended; what is stored may still be gone on with.
const (
	RunWaiting  = "waiting"
	RunFinished = "finished"
	RunFailed   = "failed"
)
