package scenario

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The engines that agent runs are kept in; a variant begins with one of them.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// The tables of a run store, as the driver protocol has them.
const (
	runTable  = "agent_run"
	callTable = "agent_call"
)

// maxArtifacts bounds what is kept of one drive.
const maxArtifacts = 64 << 20

// database is where the runs of one drive are kept. The harness looks at it, and
// spoils it, with no code of the subject's.
type database struct {
	engine string
	dsn    string // for the subject
	path   string // of SQLite's file
	schema string // of PostgreSQL's
	admin  string // DSN without the schema
	lsn    string // where the write-ahead log stood
	db     *sql.DB
}

func openDatabase(ctx context.Context, engine, folder, server string) (*database, error) {
	switch engine {
	case SQLite:
		path := filepath.Join(folder, "runs.db")
		u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(10000)"}}.Encode()}
		db, err := sql.Open("sqlite", u.String())
		if err != nil {
			return nil, err
		}
		return &database{engine: engine, dsn: "sqlite:" + path, path: path, db: db}, nil
	case Postgres:
		return openSchema(ctx, server)
	}
	return nil, fmt.Errorf("got engine %q, want %s or %s", engine, SQLite, Postgres)
}

func openSchema(ctx context.Context, server string) (*database, error) {
	u, err := url.Parse(server)
	if server == "" || err != nil {
		return nil, errors.New("got no DSN of the form postgres://… for PostgreSQL") // the cause quotes it
	}
	d := &database{engine: Postgres, admin: server, schema: "replaycheck_" + strings.ToLower(rand.Text())}
	q := u.Query()
	q.Set("search_path", d.schema)
	u.RawQuery = q.Encode()
	d.dsn = u.String()
	if d.db, err = openPostgres(d.dsn); err != nil {
		return nil, err
	}
	if _, err := d.db.ExecContext(ctx, "CREATE SCHEMA "+d.schema); err != nil {
		return nil, errors.Join(fmt.Errorf("make a schema: %w", err), d.db.Close())
	}
	// Only for the log's files; who may not ask has none.
	_ = d.db.QueryRowContext(ctx, "SELECT pg_current_wal_insert_lsn()").Scan(&d.lsn)
	return d, nil
}

func (d *database) close() error {
	var err error
	if d.schema != "" {
		// Also after an interrupt: the server is not ours.
		_, err = d.db.ExecContext(context.WithoutCancel(context.Background()), "DROP SCHEMA "+d.schema+" CASCADE")
	}
	return errors.Join(err, d.db.Close())
}

// tables names the tables there are, in order.
func (d *database) tables(ctx context.Context) ([]string, error) {
	query := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`
	if d.engine == Postgres {
		query = `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename`
	} else if _, err := os.Stat(d.path); err != nil {
		return nil, nil //nolint:nilerr // nobody made it yet
	}
	return strings1(d.db.QueryContext(ctx, query)) //nolint:rowserrcheck,sqlclosecheck // strings1 does both
}

// strings1 reads the only column of a query.
func strings1(rows *sql.Rows, err error) (out []string, _ error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// rows reads all that is stored.
func (d *database) rows(ctx context.Context) ([]Row, error) {
	tables, err := d.tables(ctx)
	if err != nil {
		return nil, err
	}
	var out []Row
	for _, table := range tables {
		rows, err := d.db.QueryContext(ctx, `SELECT * FROM "`+table+`"`) //nolint:gosec // a name that the database gave
		if err != nil {
			return nil, err
		}
		read, err := readRows(table, rows)
		if err := errors.Join(err, rows.Close()); err != nil {
			return nil, err
		}
		out = append(out, read...)
	}
	return out, nil
}

func readRows(table string, rows *sql.Rows) ([]Row, error) {
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []Row
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := Row{Table: table, Columns: map[string]string{}}
		for i, name := range names {
			switch v := values[i].(type) {
			case nil:
			case []byte:
				row.Columns[name] = string(v)
			case int64:
				row.Columns[name] = strconv.FormatInt(v, 10)
			default:
				row.Columns[name] = fmt.Sprint(v)
			}
		}
		out = append(out, row)
	}
	slices.SortFunc(out, func(a, b Row) int { return cmp.Compare(rowKey(a), rowKey(b)) })
	return out, rows.Err()
}

func rowKey(r Row) string {
	return strings.Join([]string{r.Columns["run_id"], r.Columns["step"], r.Columns["position"]}, "\x00")
}

// set writes columns of a run's row.
func (d *database) set(ctx context.Context, runID string, columns map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		done, err := d.db.ExecContext(ctx, `UPDATE `+runTable+` SET "`+name+`" = $1 WHERE run_id = $2`, []byte(columns[name]), runID) //nolint:gosec // our own names
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n != 1 {
			return errors.Join(fmt.Errorf("got %d rows of the run, want 1", n), err)
		}
	}
	return nil
}

// begun counts the calls of a run that are recorded, NotCounted where that can't
// be read.
func (d *database) begun(ctx context.Context, runID string) int {
	n := NotCounted
	if err := d.db.QueryRowContext(ctx, `SELECT count(*) FROM `+callTable+` WHERE run_id = $1`, runID).Scan(&n); err != nil {
		return NotCounted
	}
	return n
}

// findRow returns the row of a run.
func findRow(rows []Row, runID string) (Row, bool) {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Table == runTable && r.Columns["run_id"] == runID })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}
