package runstore_test

import (
	"fmt"
	"testing"

	"example.com/replaycheck/adapters/runstore/runstoretest"
)

// rows returns all that the tables hold, times apart.
func rows(t *testing.T, dsn string) []string {
	t.Helper()
	db := runstoretest.DB(t, dsn)
	defer db.Close()
	var out []string
	for _, query := range []string{
		`SELECT 'run', run_id, status, fence, coalesce(digest, 'none'), owner, sealed FROM agent_run ORDER BY run_id`,
		`SELECT 'call', run_id, step, fence, position, sealed, sealed FROM agent_call ORDER BY run_id, step, position`,
	} {
		found, err := db.QueryContext(t.Context(), query)
		must(t, err)
		for found.Next() {
			values := make([]any, 7)
			into := make([]any, 7)
			for i := range values {
				into[i] = &values[i]
			}
			must(t, found.Scan(into...))
			out = append(out, fmt.Sprintf("%s", values))
		}
		must(t, found.Err())
		must(t, found.Close())
	}
	return out
}
