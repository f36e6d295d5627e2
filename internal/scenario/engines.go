//go:build !replaycheck_lean

package scenario

import (
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// openPostgres returns connections to a server, none of which is made yet. The
// error does not quote the DSN.
func openPostgres(dsn string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("got no DSN of PostgreSQL")
	}
	return stdlib.OpenDB(*config), nil
}
