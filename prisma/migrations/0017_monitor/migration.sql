-- What the task monitor needs: lists by server and by their end, what makes a task stand still, and work on many tasks.

CREATE INDEX task_by_server ON task (organization_id, server_id, state, created_at DESC, id DESC);
-- The finished ones by their end; "failed today" reads no more than today.
CREATE INDEX task_ended ON task (organization_id, state, finished_at DESC, id DESC) WHERE finished_at IS NOT NULL;
-- The open ones by how long they have left; those without an end are not here.
CREATE INDEX task_expiring ON task (organization_id, state, expires_at, id)
  WHERE expires_at IS NOT NULL AND finished_at IS NULL;
-- Few at any time: answers that the server took and asks for again, and requests whose answer went nowhere.
CREATE INDEX delivery_flagged ON delivery (organization_id, task_id) WHERE flagged AND state = 'accepted';
CREATE INDEX input_request_undeliverable ON input_request (organization_id, task_id) WHERE state = 'undeliverable';

-- One action on many tasks, as chosen at one moment: the list is frozen before anybody confirms it.
CREATE TABLE bulk_operation (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  action text NOT NULL CHECK (action IN ('cancel', 'refresh', 'restart')),
  -- prepared: nobody confirmed it yet. stopped: what was left was not done.
  state text NOT NULL DEFAULT 'prepared' CHECK (state IN ('prepared', 'running', 'done', 'stopped')),
  -- Who asked, and in whose name each item is done: their role is looked up again at every item.
  actor jsonb NOT NULL,
  user_id uuid,
  items integer NOT NULL CHECK (items >= 0),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  begun_at timestamptz(3),
  ended_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CHECK ((state IN ('done', 'stopped')) = (ended_at IS NOT NULL)),
  CHECK (state = 'prepared' OR begun_at IS NOT NULL OR state = 'stopped')
);
CREATE INDEX bulk_operation_newest ON bulk_operation (organization_id, created_at DESC, id DESC);
CREATE INDEX bulk_operation_running ON bulk_operation (organization_id, begun_at) WHERE state = 'running';

-- What became of each task. It names the task without a foreign key, so that it outlives the task's retention.
CREATE TABLE bulk_item (
  organization_id uuid NOT NULL,
  operation_id uuid NOT NULL,
  position integer NOT NULL,
  task_id uuid NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'refused', 'skipped')),
  -- Of a refusal: its stable code, and its words.
  code text,
  message text,
  -- Of a restart: the id that its task gets, chosen with the list, so that there can never be two.
  new_task_id uuid,
  -- Not before then, where it has to wait.
  not_before timestamptz(3),
  done_at timestamptz(3),
  PRIMARY KEY (organization_id, operation_id, position),
  UNIQUE (organization_id, operation_id, task_id),
  FOREIGN KEY (organization_id, operation_id) REFERENCES bulk_operation (organization_id, id) ON DELETE CASCADE,
  CHECK ((state = 'waiting') = (done_at IS NULL)),
  CHECK ((state = 'refused') = (code IS NOT NULL))
);
CREATE INDEX bulk_item_waiting ON bulk_item (organization_id, operation_id, position) WHERE state = 'waiting';

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['bulk_operation', 'bulk_item'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO intray_app', name);
    EXECUTE format('GRANT SELECT, UPDATE, DELETE ON %I TO intray_engine', name);
  END LOOP;
END $$;

-- The engine starts tasks again in somebody's name: it has to know what they may, and how much.
GRANT SELECT (organization_id, id, role, created_by, revoked_at) ON api_key TO intray_engine;
GRANT SELECT ON quota TO intray_engine;

-- Operations under way or left behind, one row an organization: few at any time.
CREATE POLICY gate ON bulk_operation FOR SELECT TO intray_gate USING (true);
GRANT SELECT (organization_id, state, created_at) ON bulk_operation TO intray_gate;
CREATE INDEX bulk_operation_open ON bulk_operation (organization_id) WHERE state IN ('prepared', 'running');

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

CREATE FUNCTION gate.organizations_with_bulk_work() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT b.organization_id FROM bulk_operation b WHERE b.state = 'running' $$;

REVOKE ALL ON FUNCTION gate.organizations_with_bulk_work() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_bulk_work() TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
