package runstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/replaycheck/adapters/chat"
)

// maxName is how long a run ID or an actor may be, in bytes.
const maxName = 256

// Create adds a run, held by the caller or waiting, as its status says; its
// fence becomes 1. The error is chat.ErrRunExists where the ID is taken, a
// *chat.ConfigError for an ID or actor that is empty, too long or no plain text.
func (s *Store) Create(ctx context.Context, run chat.Run) (chat.Run, error) {
	for _, name := range []string{run.ID, run.Actor} {
		if name == "" || len(name) > maxName || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			return run, &chat.ConfigError{Message: "runstore: create: a run ID and an actor are 1 to 256 bytes of text"}
		}
	}
	run.Fence, run.Begun = 1, nil
	sealed, err := s.seal(run)
	if err != nil {
		return run, err
	}
	owner, err := s.keys.sealOwner(run.ID, run.Actor)
	if err != nil {
		return run, err
	}
	return run, s.tx(ctx, "create", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `INSERT INTO agent_run (run_id, status, fence, digest, created_at, updated_at, owner, sealed)
			VALUES ($1, $2, 1, $3, $4, $4, $5, $6) ON CONFLICT (run_id) DO NOTHING`,
			run.ID, string(run.Status), digest(run), s.millis(), owner, sealed)
		return one(done, err, chat.ErrRunExists)
	})
}

// Look returns a run as it stands; nothing changes. Of a finished run only ID,
// actor, status and fence are left. The error is chat.ErrRunNotFound,
// chat.ErrRunActor or chat.ErrRunSealed.
func (s *Store) Look(ctx context.Context, id, actor string) (run chat.Run, err error) {
	err = s.txWith(ctx, "look", &sql.TxOptions{ReadOnly: true}, func(tx *sql.Tx) error {
		run, err = s.read(ctx, tx, id, actor)
		return err
	})
	return run, err
}

// Claim makes the caller the holder of a run, if the run has the status from:
// chat.RunWaiting for a decision, chat.RunRunning to take over from a process
// that died. The fence is raised, so that the former holder's writes fail.
//
// decide sees the run with its begun calls and may change it; the change is
// stored with the claim. If it returns an error, all is as it was, and Claim
// returns that very error. Else the error is chat.ErrRunNotFound,
// chat.ErrRunActor, chat.ErrRunSealed, or the one of the status:
// chat.ErrRunDecided, chat.ErrRunWaiting, chat.ErrRunFinished.
func (s *Store) Claim(ctx context.Context, id, actor string, from chat.RunStatus, decide func(*chat.Run) error) (run chat.Run, err error) {
	var refused error
	err = s.tx(ctx, "claim", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `UPDATE agent_run SET status = 'running', fence = fence + 1, updated_at = $1
			WHERE run_id = $2 AND status = $3`, s.millis(), id, string(from))
		if err := one(done, err, errOtherStatus); err != nil {
			return s.whyNot(ctx, tx, id, actor, from, err)
		}
		if run, err = s.read(ctx, tx, id, actor); err != nil {
			return err
		}
		refused = decide(&run)
		if refused != nil {
			return refused
		}
		sealed, err := s.seal(run)
		if err != nil {
			return err
		}
		done, err = tx.ExecContext(ctx, `UPDATE agent_run SET sealed = $1 WHERE run_id = $2 AND fence = $3`, sealed, id, run.Fence)
		return one(done, err, chat.ErrRunStale)
	})
	if refused != nil {
		err = refused
	}
	if err != nil {
		return chat.Run{}, err
	}
	return run, nil
}

// errOtherStatus says that no row has the status that a claim starts from.
var errOtherStatus = errors.New("another status")

// whyNot says why a claim found no row. Only the run's own actor learns its
// status.
func (s *Store) whyNot(ctx context.Context, tx *sql.Tx, id, actor string, from chat.RunStatus, cause error) error {
	if !errors.Is(cause, errOtherStatus) {
		return cause
	}
	run, err := s.read(ctx, tx, id, actor)
	switch {
	case err != nil:
		return err
	case from == chat.RunWaiting:
		return chat.ErrRunDecided
	case run.Status == chat.RunWaiting:
		return chat.ErrRunWaiting
	}
	return chat.ErrRunFinished
}

// read reads a run and its calls for the actor who asks.
func (s *Store) read(ctx context.Context, tx *sql.Tx, id, asking string) (chat.Run, error) {
	var status string
	var fence int64
	var owner, sealed []byte
	err := tx.QueryRowContext(ctx, `SELECT status, fence, owner, sealed FROM agent_run WHERE run_id = $1`, id).Scan(&status, &fence, &owner, &sealed)
	if errors.Is(err, sql.ErrNoRows) {
		return chat.Run{}, chat.ErrRunNotFound
	}
	if err != nil {
		return chat.Run{}, err
	}
	actor, err := s.keys.owner(owner, id, asking)
	if err != nil {
		return chat.Run{}, err
	}
	var run chat.Run
	if chat.RunStatus(status) != chat.RunFinished {
		if run, err = s.keys.Open(sealed, id, actor); err != nil {
			return chat.Run{}, err
		}
	}
	run.ID, run.Actor = id, actor // as the seal has them
	run.Status, run.Fence = chat.RunStatus(status), fence
	return run, s.readCalls(ctx, tx, &run)
}

// readCalls fills in which of the pending calls were begun.
func (s *Store) readCalls(ctx context.Context, tx *sql.Tx, run *chat.Run) (err error) {
	rows, err := tx.QueryContext(ctx, `SELECT position, sealed FROM agent_call WHERE run_id = $1 AND step = $2`, run.ID, run.Steps)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	run.Begun = map[int]*string{}
	for rows.Next() {
		var position int
		var sealed []byte
		if err := rows.Scan(&position, &sealed); err != nil {
			return err
		}
		run.Begun[position] = nil
		if sealed != nil {
			result, err := s.keys.openResult(sealed, *run, position)
			if err != nil {
				return err
			}
			run.Begun[position] = &result
		}
	}
	return rows.Err()
}

// seal seals a state if it is not too large.
func (s *Store) seal(run chat.Run) ([]byte, error) {
	sealed, err := s.keys.Seal(run)
	if err != nil {
		return nil, err
	}
	if len(sealed) > s.maxState {
		return nil, chat.ErrRunTooLarge
	}
	return sealed, nil
}

func (s *Store) millis() int64 { return s.now().UnixMilli() }

// digest is what the column holds: that of a waiting run, else nothing.
func digest(run chat.Run) sql.NullString {
	if run.Status != chat.RunWaiting {
		return sql.NullString{}
	}
	return sql.NullString{String: run.Digest(), Valid: true}
}

// tx runs f in a transaction. Whatever goes wrong, a refusal too, undoes it.
func (s *Store) tx(ctx context.Context, action string, f func(*sql.Tx) error) error {
	return s.txWith(ctx, action, nil, f)
}

func (s *Store) txWith(ctx context.Context, action string, opts *sql.TxOptions, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, opts)
	if err != nil {
		return fmt.Errorf("runstore: %s: %w", action, err)
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback() // it is undone anyway when the connection goes
		if _, ok := errors.AsType[chat.RunError](err); ok {
			return err
		}
		return fmt.Errorf("runstore: %s: %w", action, err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("runstore: %s: %w", action, err)
	}
	return nil
}

// one returns none when a statement did not change exactly one row.
func one(done sql.Result, err, none error) error {
	if err != nil {
		return err
	}
	n, err := done.RowsAffected()
	if err == nil && n != 1 {
		err = none
	}
	return err
}

// Purge removes the runs, of whatever status, that nobody wrote to for longer
// than age, and says how many they were. A process that still holds one of them
// stops with chat.ErrRunStale at its next write.
func (s *Store) Purge(ctx context.Context, age time.Duration) (n int64, err error) {
	err = s.tx(ctx, "purge", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `DELETE FROM agent_run WHERE updated_at < $1`, s.now().Add(-age).UnixMilli())
		if err != nil {
			return err
		}
		n, err = done.RowsAffected()
		return err
	})
	return n, err
}
