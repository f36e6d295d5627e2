//go:build replaycheck_lean

package scenario

import (
	"database/sql"
	"errors"
)

// openPostgres fails: this build, which replaycheck mutate makes for faults that no
// agent run is made with, has no engine at all.
func openPostgres(string) (*sql.DB, error) {
	return nil, errors.New("engines are not part of this build (tag replaycheck_lean)")
}
