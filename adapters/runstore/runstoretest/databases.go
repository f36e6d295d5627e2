// Package runstoretest hands out databases to tests: every engine that the run
// store knows, each test with one of its own.
package runstoretest

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver of the store
)

// PostgresVariable names the environment variable with the DSN of a PostgreSQL
// server that tests may use. Each test makes a schema of its own there and
// drops it.
const PostgresVariable = "REPLAYCHECK_POSTGRES"

// Engines yields the name of each engine with a function that makes an empty
// database there and returns its DSN. Without a server, that of "postgres"
// skips its test, by name.
func Engines() iter.Seq2[string, func(testing.TB) string] {
	return func(yield func(string, func(testing.TB) string) bool) {
		_ = yield("sqlite", SQLite) && yield("postgres", Postgres)
	}
}

// SQLite returns the DSN of a new file in a folder of its own.
func SQLite(tb testing.TB) string {
	tb.Helper()
	return "sqlite:" + filepath.Join(tb.TempDir(), "runs.db")
}

// Postgres returns the DSN of a new schema; it skips the test where there is no
// server.
func Postgres(tb testing.TB) string {
	tb.Helper()
	server := os.Getenv(PostgresVariable)
	if server == "" {
		tb.Skip("not run: " + PostgresVariable + " names no PostgreSQL server")
	}
	schema := "t_" + strings.ToLower(rand.Text())
	execute(tb, server, "CREATE SCHEMA "+schema)
	tb.Cleanup(func() { execute(tb, server, "DROP SCHEMA "+schema+" CASCADE") })
	u, err := url.Parse(server)
	if err != nil {
		tb.Fatal(PostgresVariable + " is no DSN of the form postgres://…")
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

// DB opens the database behind a DSN without the store, to look at its rows or
// to spoil them.
func DB(tb testing.TB, dsn string) *sql.DB {
	tb.Helper()
	path, isFile := strings.CutPrefix(dsn, "sqlite:")
	if isFile {
		db, err := sql.Open("sqlite", path)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { _ = db.Close() })
		return db
	}
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		tb.Fatal("not a DSN of PostgreSQL")
	}
	db := stdlib.OpenDB(*config)
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

func execute(tb testing.TB, dsn, statement string) {
	tb.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		tb.Fatal("not a DSN of PostgreSQL")
	}
	db := stdlib.OpenDB(*config)
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(tb.Context(), statement); err != nil {
		// The context of a test has ended when its cleanups run.
		if _, err = db.Exec(statement); err != nil { //nolint:noctx // see above
			tb.Fatal(err)
		}
	}
}

// Files returns all that the database behind a DSN has on disk, name by name:
// the file of SQLite with its journals, or the files of the schema's tables and
// the current segment of the write-ahead log of a PostgreSQL server, if they can
// be read from here (else none).
func Files(tb testing.TB, dsn string) map[string][]byte {
	tb.Helper()
	files := map[string][]byte{}
	path, isFile := strings.CutPrefix(dsn, "sqlite:")
	if isFile {
		names, err := filepath.Glob(path + "*")
		if err != nil {
			tb.Fatal(err)
		}
		for _, name := range names {
			if files[name], err = os.ReadFile(name); err != nil {
				tb.Fatal(err)
			}
		}
		return files
	}
	db := DB(tb, dsn)
	defer func() { _ = db.Close() }()
	var folder string
	if err := db.QueryRowContext(tb.Context(), "SHOW data_directory").Scan(&folder); err != nil {
		return files // only a superuser may know
	}
	if _, err := db.ExecContext(tb.Context(), "CHECKPOINT"); err != nil {
		return files
	}
	rows, err := db.QueryContext(tb.Context(), `SELECT pg_relation_filepath(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'i', 't') AND (n.nspname = current_schema()
			OR c.oid IN (SELECT reltoastrelid FROM pg_class t JOIN pg_namespace m ON m.oid = t.relnamespace WHERE m.nspname = current_schema()))
		UNION SELECT 'pg_wal/' || pg_walfile_name(pg_current_wal_lsn())`)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			tb.Fatal(err)
		}
		// A server elsewhere, or of another user, keeps its files to itself.
		if text, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
			files[name] = bytes.TrimRight(text, "\x00")
		}
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return files
}
