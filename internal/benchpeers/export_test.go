package benchpeers

import "context"

// For tests.
var (
	ReadUsage        = readUsage
	OurVerdicts      = ourVerdicts
	GremlinsVerdicts = gremlinsVerdicts
	CopyFiles        = copyFiles
	FaultIDs         = faultIDs
)

// Read is for tests.
func (m *Mutants) Read(file string, verdicts func([]byte) ([]string, error)) error {
	return m.read(file, verdicts)
}

// CopyPackage is for tests.
func (m Mutation) CopyPackage(ctx context.Context, to string) error {
	return m.copyPackage(ctx, to)
}

// LeftOut is for tests.
func (m Mutation) LeftOut() ([]string, error) { return m.leftOut() }
