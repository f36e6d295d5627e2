-- +goose Up
CREATE TABLE agent_run (
  run_id     TEXT   NOT NULL PRIMARY KEY,
  status     TEXT   NOT NULL CHECK (status IN ('waiting', 'running', 'finished')),
  fence      BIGINT NOT NULL,
  digest     TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  owner      BYTEA  NOT NULL,
  sealed     BYTEA
);

CREATE INDEX agent_run_updated_at ON agent_run (updated_at);

CREATE TABLE agent_call (
  run_id     TEXT    NOT NULL REFERENCES agent_run (run_id) ON DELETE CASCADE,
  step       INTEGER NOT NULL,
  position   INTEGER NOT NULL,
  fence      BIGINT  NOT NULL,
  started_at BIGINT  NOT NULL,
  sealed     BYTEA,
  PRIMARY KEY (run_id, step, position)
);

-- +goose Down
DROP TABLE agent_call;
DROP TABLE agent_run;
