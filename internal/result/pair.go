package result

// Pair is what a report of kind "pair" says of a decision and its
// implementation (PROOF-05).
type Pair struct {
	Decision string     `json:"decision"` // commit ID
	Head     string     `json:"head"`     // commit ID
	Added    []string   `json:"added"`    // requirements that the decision adds
	Changed  []string   `json:"changed"`  // those that it changes
	Removed  []string   `json:"removed"`  // those that it takes away
	Items    []PairItem `json:"items"`
	// AtDecision are the added and changed requirements, judged by the head's
	// oracles on the decision commit's adapters. Those of the report itself are
	// judged at the head.
	AtDecision []Requirement `json:"at_decision"`
}

// PairItem is one thing that must hold of a pair.
type PairItem struct {
	Name   string `json:"name"`   // one word, stable
	Title  string `json:"title"`  // what must hold
	Status Status `json:"status"` // Partial: not all of it was shown; Unsupported, Skipped: reason says why
	Reason string `json:"reason"` // one line for people
}
