// Package runstore keeps the runs of an agent in a real SQL database, SQLite or
// PostgreSQL, sealed with an AEAD: nothing that a run holds can be read there
// but its ID, status, fencing number, digest and times.
//
// Approval is exactly once, and only one process works on a run, because the
// database says so: every change is one conditional statement that carries the
// fencing number of whoever makes it.
package runstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver "sqlite", without cgo
)

//go:embed migrations
var migrations embed.FS

// DefaultMaxState is how large a sealed state may be where Options don't say.
const DefaultMaxState = 64 << 20

// Options are the settings of a store.
type Options struct {
	// Keys seal and open what is stored; required.
	Keys *Keys
	// MaxState bounds one state and one result, in bytes; 0 means
	// DefaultMaxState. What is larger is refused with chat.ErrRunTooLarge.
	MaxState int
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Store keeps runs. It is safe for concurrent use, also by several processes.
type Store struct {
	db       *sql.DB
	keys     *Keys
	maxState int
	now      func() time.Time
}

// Open opens the database and brings its schema up to date. The engine comes
// from the DSN: "sqlite:PATH" (the file is made with mode 0600 where there is
// none) or "postgres://…" as libpq has it. Close the store after use. Errors
// quote neither keys nor passwords.
func Open(ctx context.Context, dsn string, opts Options) (*Store, error) {
	if opts.Keys == nil {
		return nil, errors.New("runstore: open: got no keys, want some")
	}
	s := &Store{keys: opts.Keys, maxState: opts.MaxState, now: opts.Now}
	if s.maxState <= 0 {
		s.maxState = DefaultMaxState
	}
	if s.now == nil {
		s.now = time.Now
	}
	var dialect goose.Dialect
	var err error
	switch {
	case strings.HasPrefix(dsn, "sqlite:"):
		dialect = goose.DialectSQLite3
		s.db, err = openSQLite(strings.TrimPrefix(dsn, "sqlite:"))
	case strings.HasPrefix(dsn, "postgres://"), strings.HasPrefix(dsn, "postgresql://"):
		dialect = goose.DialectPostgres
		s.db, err = openPostgres(dsn)
	default:
		err = errors.New("want sqlite:PATH or postgres://…")
	}
	if err != nil {
		return nil, fmt.Errorf("runstore: open: %w", err)
	}
	if err := migrate(ctx, s.db, dialect); err != nil {
		return nil, errors.Join(fmt.Errorf("runstore: bring the schema up to date: %w", err), s.db.Close())
	}
	return s, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// openSQLite opens a file. A write is on the disk when it returns, also in the
// face of a power cut (synchronous FULL): a call's start must not be forgotten.
func openSQLite(path string) (*sql.DB, error) {
	if path == "" {
		return nil, errors.New("got an empty path, want sqlite:PATH")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// SQLite would make it as the umask has it; its journals take over the mode.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the path is the caller's
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	source := url.URL{Scheme: "file", Path: slashed, RawQuery: url.Values{
		"_txlock": {"immediate"}, // a transaction that reads first would fail instead of waiting
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "secure_delete(ON)", "foreign_keys(ON)", "temp_store(MEMORY)"},
	}.Encode()}
	db, err := sql.Open("sqlite", source.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	return db, nil
}

func openPostgres(dsn string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("not a DSN of PostgreSQL") // the cause quotes it
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(8)
	return db, nil
}

// migrate applies what is missing. Several processes may do so at once: who
// comes second fails on what the first one made, and finds it done when it
// tries again.
func migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect) error {
	folder := "migrations/sqlite"
	if dialect == goose.DialectPostgres {
		folder = "migrations/postgres"
	}
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(dialect, db, files, goose.WithTableName("agent_schema"),
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	const tries = 8
	for range tries {
		if _, err = p.Up(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return err
	}
	got, want, err := p.GetVersions(ctx)
	if err == nil && got > want {
		err = fmt.Errorf("got version %d, want at most %d: the program is older than the database", got, want)
	}
	return err
}
