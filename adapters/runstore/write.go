package runstore

import (
	"context"
	"database/sql"

	"example.com/replaycheck/adapters/chat"
)

// Save stores the next state of a run that the caller holds, with its status:
// chat.RunRunning, or chat.RunWaiting, which gives the run out of hand. Records
// of calls of earlier steps go, since their results are in the transcript. The
// error is chat.ErrRunStale if somebody else holds the run, and then nothing
// was written; this holds for all writes.
func (s *Store) Save(ctx context.Context, run chat.Run) error {
	sealed, err := s.seal(run)
	if err != nil {
		return err
	}
	return s.tx(ctx, "save", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `UPDATE agent_run SET status = $1, digest = $2, sealed = $3, updated_at = $4
			WHERE run_id = $5 AND fence = $6 AND status = 'running'`,
			string(run.Status), digest(run), sealed, s.millis(), run.ID, run.Fence)
		if err := one(done, err, chat.ErrRunStale); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM agent_call WHERE run_id = $1 AND step < $2`, run.ID, run.Steps)
		return err
	})
}

// StartCall records that the pending call at this index begins. Run it only
// after this returned nil (STATE-06). The error is chat.ErrRunStale also where
// the call was begun before.
func (s *Store) StartCall(ctx context.Context, run chat.Run, position int) error {
	return s.tx(ctx, "start a call", func(tx *sql.Tx) error {
		if err := s.hold(ctx, tx, run); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `INSERT INTO agent_call (run_id, step, position, fence, started_at)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT (run_id, step, position) DO NOTHING`,
			run.ID, run.Steps, position, run.Fence, s.millis())
		return one(done, err, chat.ErrRunStale)
	})
}

// EndCall records the result of a call that this holder began.
func (s *Store) EndCall(ctx context.Context, run chat.Run, position int, result string) error {
	sealed, err := s.keys.sealResult(run, position, result)
	if err != nil {
		return err
	}
	if len(sealed) > s.maxState {
		return chat.ErrRunTooLarge
	}
	return s.tx(ctx, "end a call", func(tx *sql.Tx) error {
		if err := s.hold(ctx, tx, run); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `UPDATE agent_call SET sealed = $1 WHERE run_id = $2 AND step = $3 AND position = $4 AND fence = $5`,
			sealed, run.ID, run.Steps, position, run.Fence)
		return one(done, err, chat.ErrRunStale)
	})
}

// Finish ends a run: its state and the records of its calls go. What is left is
// that there was one, and whose.
func (s *Store) Finish(ctx context.Context, run chat.Run) error {
	return s.tx(ctx, "finish", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `UPDATE agent_run SET status = 'finished', digest = NULL, sealed = NULL, updated_at = $1
			WHERE run_id = $2 AND fence = $3 AND status = 'running'`, s.millis(), run.ID, run.Fence)
		if err := one(done, err, chat.ErrRunStale); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM agent_call WHERE run_id = $1`, run.ID)
		return err
	})
}

// hold checks that the caller holds the run, and locks the run until the end of
// the transaction: a takeover either sees what this transaction writes or makes
// it fail.
func (s *Store) hold(ctx context.Context, tx *sql.Tx, run chat.Run) error {
	done, err := tx.ExecContext(ctx, `UPDATE agent_run SET updated_at = $1 WHERE run_id = $2 AND fence = $3 AND status = 'running'`,
		s.millis(), run.ID, run.Fence)
	return one(done, err, chat.ErrRunStale)
}
