package scenario

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// artifacts gathers what is on disk, equal things once.
type artifacts struct {
	list []Artifact
	size int
}

func (a *artifacts) add(kind, name string, content string) error {
	for i, have := range a.list {
		if have.Kind != kind || have.Name != name {
			continue
		}
		if have.Bytes == content {
			return nil
		}
		if kind == JournalFile && strings.HasPrefix(content, have.Bytes) { // it has grown
			a.size += len(content) - len(have.Bytes)
			a.list[i].Bytes = content
			return a.check()
		}
	}
	a.size += len(content)
	a.list = append(a.list, Artifact{name, kind, content})
	return a.check()
}

func (a *artifacts) check() error {
	if a.size > maxArtifacts {
		return fmt.Errorf("the database left more than %d MiB, want less", maxArtifacts>>20)
	}
	return nil
}

// rows adds all columns of all rows.
func (a *artifacts) rows(rows []Row) error {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(row.Table)
		for _, name := range slices.Sorted(maps.Keys(row.Columns)) {
			b.WriteString("\n" + name + "=" + row.Columns[name])
		}
		b.WriteString("\n")
	}
	return a.add(RowsOf, "rows", b.String())
}

// files adds the files of SQLite as they are now. Others may be writing: what a
// file held at some moment is what is looked for.
func (a *artifacts) files(d *database) error {
	if d.engine != SQLite {
		return nil
	}
	for suffix, kind := range map[string]string{"": DatabaseFile, "-wal": JournalFile, "-journal": JournalFile} {
		text, err := os.ReadFile(d.path + suffix)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		if err := a.add(kind, filepath.Base(d.path)+suffix, string(text)); err != nil {
			return err
		}
	}
	return nil
}

// pages adds what PostgreSQL has on disk of the schema, and what it wrote ahead
// since the drive began, where its files can be read from here: a server
// elsewhere, or of another user, keeps them to itself.
func (a *artifacts) pages(ctx context.Context, d *database) error {
	if d.engine != Postgres {
		return nil
	}
	folder := d.folder(ctx)
	if folder == "" {
		return nil
	}
	names, err := strings1(d.db.QueryContext(ctx, `SELECT pg_relation_filepath(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'i', 't') AND (n.nspname = current_schema()
			OR c.oid IN (SELECT reltoastrelid FROM pg_class t JOIN pg_namespace m ON m.oid = t.relnamespace WHERE m.nspname = current_schema()))`)) //nolint:rowserrcheck,sqlclosecheck // strings1 does both
	if err != nil {
		return err
	}
	for _, name := range names {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err == nil && len(text) > 0 {
			if err := a.add(DatabaseFile, name, string(text)); err != nil {
				return err
			}
		}
	}
	return a.log(ctx, d, folder)
}

// folder returns where PostgreSQL has its files, with all that it holds written
// to them; "" for one who may not ask.
func (d *database) folder(ctx context.Context) (folder string) {
	if d.lsn == "" {
		return ""
	}
	err := d.db.QueryRowContext(ctx, "SHOW data_directory").Scan(&folder)
	if err == nil {
		_, err = d.db.ExecContext(ctx, "CHECKPOINT")
	}
	if err != nil {
		return ""
	}
	return folder
}

// log adds the part of the write-ahead log since the drive began: of the segment
// it is in now, from where it stood if that was in the same one.
func (a *artifacts) log(ctx context.Context, d *database, folder string) error {
	var name string
	var from, to int64
	err := d.db.QueryRowContext(ctx, `SELECT n.file_name, CASE WHEN pg_walfile_name($1::text::pg_lsn) = n.file_name THEN (pg_walfile_name_offset($1::text::pg_lsn)).file_offset ELSE 0 END, n.file_offset
		FROM pg_walfile_name_offset(pg_current_wal_flush_lsn()) n`, d.lsn).Scan(&name, &from, &to)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(folder, "pg_wal", name))
	if err != nil || from > to || to > int64(len(text)) {
		return nil //nolint:nilerr // not readable from here, or recycled meanwhile
	}
	return a.add(JournalFile, name, string(text[from:to]))
}

// control stores a text as it is in a database file of the harness's own: who
// searches the artifacts must find in it what may not be in them.
func (a *artifacts) control(ctx context.Context, folder, text string) error {
	path := filepath.Join(folder, "control.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(ctx, `CREATE TABLE plain (text TEXT)`); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `INSERT INTO plain VALUES ($1)`, text); err != nil {
		return err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return a.add(ControlFile, "control.db", string(raw))
}
