-- The same call on several servers at once, of which the first success counts; and failures that are tried again.

CREATE TABLE race (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'won', 'failed')),
  -- No foreign key: retention may have dropped the task.
  winner_task_id uuid,
  -- When the others were told to stop; null: an engine has still to do it.
  settled_at timestamptz(3),
  requested_by jsonb NOT NULL,
  idempotency_key text,
  request_digest bytea,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CHECK ((state = 'won') = (winner_task_id IS NOT NULL)),
  CHECK ((state = 'running') = (finished_at IS NULL)),
  CHECK (settled_at IS NULL OR state <> 'running')
);
CREATE UNIQUE INDEX race_idempotency ON race (organization_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX race_to_settle ON race (organization_id) WHERE state <> 'running' AND settled_at IS NULL;

ALTER TABLE task
  ADD COLUMN race_id uuid,
  -- Which try of a call this is, of how many at most; the one before it, without a foreign key for retention's sake.
  ADD COLUMN attempt smallint NOT NULL DEFAULT 1,
  ADD COLUMN attempts smallint NOT NULL DEFAULT 1,
  ADD COLUMN retry_of uuid,
  ADD COLUMN retry_backoff_ms integer,
  -- A result that is an error by the server's own account counts as a failure too.
  ADD COLUMN retry_errors boolean NOT NULL DEFAULT false,
  -- Not started before this.
  ADD COLUMN start_after timestamptz(3),
  ADD FOREIGN KEY (organization_id, race_id) REFERENCES race (organization_id, id),
  ADD CONSTRAINT task_attempts CHECK (attempt BETWEEN 1 AND attempts AND attempts <= 10),
  ADD CONSTRAINT task_retries CHECK ((attempts > 1) = (retry_backoff_ms IS NOT NULL)),
  ADD CONSTRAINT task_is_retry CHECK ((attempt > 1) = (retry_of IS NOT NULL));
CREATE INDEX task_race ON task (organization_id, race_id) WHERE race_id IS NOT NULL;
-- A failure is tried again once.
CREATE UNIQUE INDEX task_retry ON task (organization_id, retry_of) WHERE retry_of IS NOT NULL;
-- What somebody called a tool with lately.
CREATE INDEX task_recent_arguments ON task (organization_id, requester_user_id, server_id, tool, created_at DESC)
  WHERE requester_user_id IS NOT NULL;

ALTER TABLE race ENABLE ROW LEVEL SECURITY;
ALTER TABLE race FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON race USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON race FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON race TO intray_app, intray_engine;
GRANT SELECT (organization_id, state, settled_at) ON race TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Organizations with races that are decided, and whose other tasks were not told yet.
CREATE FUNCTION gate.organizations_with_decided_races() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT organization_id FROM race WHERE state <> 'running' AND settled_at IS NULL $$;

REVOKE ALL ON FUNCTION gate.organizations_with_decided_races() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_decided_races() TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
