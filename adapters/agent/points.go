package agent

// The points of a run: one between every two effects, where a process may die.
// BeforeCallStart to AfterCallEnd come once for each call of a turn, the others
// once for each step or decision.
const (
	BeforeCreate    = "before-create"
	AfterCreate     = "after-create"
	BeforeRequest   = "before-request"
	AfterReply      = "after-reply" // nothing of the reply is stored
	BeforeSave      = "before-save"
	AfterSave       = "after-save"
	BeforeSuspend   = "before-suspend"
	AfterSuspend    = "after-suspend"
	BeforeClaim     = "before-claim"
	InClaim         = "in-claim" // decided, not yet committed
	AfterClaim      = "after-claim"
	BeforeCallStart = "before-call-start"
	AfterCallStart  = "after-call-start" // recorded, not yet running
	AfterCall       = "after-call"       // done, result not recorded
	AfterCallEnd    = "after-call-end"
	BeforeFinish    = "before-finish"
	AfterFinish     = "after-finish"
)

// Points returns all points in the order of a run.
func Points() []string {
	return []string{
		BeforeCreate, AfterCreate, BeforeRequest, AfterReply, BeforeSave, AfterSave, BeforeSuspend, AfterSuspend,
		BeforeClaim, InClaim, AfterClaim, BeforeCallStart, AfterCallStart, AfterCall, AfterCallEnd, BeforeFinish, AfterFinish,
	}
}
