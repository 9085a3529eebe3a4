-- The foundation of Intray: roles, tenant tables, row security, the event chain and the functions that answer
-- before an organization is known. Every statement runs as the owner, in one transaction.

-- Roles. They are cluster-wide, so another database of the same cluster may have made them already.
-- intray_app: the web. intray_engine: the engine. intray_gate: owns the functions of schema "gate"; nobody logs in as it.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['intray_app', 'intray_engine', 'intray_gate'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE', name);
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION current_organization() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  -- nullif: the setting is '' on a pooled connection after the transaction that had set it
  AS $$ SELECT nullif(current_setting('app.organization_id', true), '')::uuid $$;

-- Organizations and people ---------------------------------------------------------------------------------------

CREATE TABLE organization (
  id uuid PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text NOT NULL,
  demo boolean NOT NULL DEFAULT false,
  -- Made by /setup, which ends the demonstration for good.
  set_up boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE "user" (
  id uuid PRIMARY KEY,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  name text NOT NULL,
  password_hash text,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE membership (
  organization_id uuid NOT NULL REFERENCES organization (id),
  id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES "user" (id),
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'operator', 'approver', 'viewer')),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, user_id)
);
CREATE INDEX membership_by_user ON membership (user_id);

-- A signed-in browser. The cookie carries a random secret; only its hash is here, so that deleting or revoking the
-- row ends the session at once. Not a tenant table: a session belongs to a person.
CREATE TABLE session (
  secret_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3)
);
CREATE INDEX session_by_user ON session (user_id);

-- A single-use link with which a person sets a password.
CREATE TABLE password_link (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3)
);

-- Counts tries per key (an account, an address) in fixed windows.
CREATE TABLE throttle (
  key text PRIMARY KEY,
  window_started_at timestamptz(3) NOT NULL,
  tries integer NOT NULL
);

CREATE TABLE api_key (
  organization_id uuid NOT NULL REFERENCES organization (id),
  id uuid NOT NULL,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'operator', 'approver', 'viewer')),
  secret_hash bytea NOT NULL UNIQUE,
  -- The member who made it: the key dies with the membership. Null for keys made by the command line.
  created_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);

-- Servers, connections, sessions ---------------------------------------------------------------------------------

CREATE TABLE server (
  organization_id uuid NOT NULL REFERENCES organization (id),
  id uuid NOT NULL,
  name text NOT NULL,
  url text NOT NULL,
  era_setting text NOT NULL CHECK (era_setting IN ('auto', '2025-11-25', '2026-07-28')),
  era text CHECK (era IN ('2025-11-25', '2026-07-28')),
  auth_kind text NOT NULL CHECK (auth_kind IN ('none', 'bearer', 'oauth')),
  capabilities jsonb,
  -- json, not jsonb: forms are laid out in the order of the schema
  tools json,
  tools_checked_at timestamptz(3),
  health_state text NOT NULL DEFAULT 'ok' CHECK (health_state IN ('ok', 'unreachable', 'unauthorized', 'failing')),
  health_message text,
  health_checked_at timestamptz(3),
  -- Made by the demonstration, whose start moves the address with the sample server's port.
  demo boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  removed_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE connection (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  server_id uuid NOT NULL,
  -- Null: the organization's shared connection.
  user_id uuid,
  authorized_by uuid,
  sealed_credentials text,
  -- Raised by every takeover; each write of a watcher carries the value it took over with.
  epoch bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id)
);
CREATE UNIQUE INDEX connection_shared ON connection (organization_id, server_id) WHERE user_id IS NULL;
CREATE UNIQUE INDEX connection_own ON connection (organization_id, server_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX connection_by_id ON connection (id);

-- Tasks ----------------------------------------------------------------------------------------------------------

CREATE TABLE task (
  organization_id uuid NOT NULL REFERENCES organization (id),
  id uuid NOT NULL,
  server_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  tool text NOT NULL,
  -- json, not jsonb: people see fields in the order in which they were sent
  arguments json NOT NULL,
  label text,
  state text NOT NULL CHECK (state IN ('queued', 'starting', 'start_unknown', 'working', 'input_required',
    'completed', 'failed', 'cancelled', 'lost', 'expired')),
  -- An engine has to look at it: every task that has not ended, and one cancelled here of which the server has not
  -- yet said that it ended there (until watch_until).
  watched boolean NOT NULL,
  watch_until timestamptz(3),
  visibility text NOT NULL CHECK (visibility IN ('private', 'organization')),
  requested_by jsonb NOT NULL,
  requester_user_id uuid,
  restart_of uuid,
  idempotency_key text,
  request_digest bytea,
  era text CHECK (era IN ('2025-11-25', '2026-07-28')),
  tool_hints jsonb,
  -- One attempt at the call with side effects; kept until its outcome is known.
  attempt_id uuid,
  attempt_at timestamptz(3),
  attempt_deadline_at timestamptz(3),
  adopted boolean NOT NULL DEFAULT false,
  -- The server's task id, and the protocol session it lives in (2025-11-25). Bearer secrets: sealed.
  sealed_handle text,
  sealed_session text,
  -- Multi round trip: the opaque state to echo with the retry of the call.
  sealed_request_state text,
  status_message text,
  progress jsonb,
  outcome text,
  outcome_is_error boolean NOT NULL DEFAULT false,
  result json,
  error jsonb,
  server_state text,
  requested_ttl_ms bigint,
  ttl_ms bigint,
  expires_at timestamptz(3),
  poll_interval_ms integer,
  cancel_requested_at timestamptz(3),
  cancel_requested_by jsonb,
  cancel_sent_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  -- Last change of state or status message, by our clock; what the server calls lastUpdatedAt proves nothing.
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id),
  FOREIGN KEY (organization_id, connection_id) REFERENCES connection (organization_id, id),
  FOREIGN KEY (organization_id, restart_of) REFERENCES task (organization_id, id),
  CHECK (watched OR state NOT IN ('queued', 'starting', 'working', 'input_required')),
  CHECK ((state IN ('completed', 'failed', 'cancelled', 'lost', 'expired')) = (finished_at IS NOT NULL)),
  CHECK (state <> 'starting' OR attempt_id IS NOT NULL),
  CHECK (state <> 'working' OR sealed_handle IS NOT NULL)
);
CREATE UNIQUE INDEX task_idempotency ON task (organization_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX task_watched ON task (connection_id) WHERE watched;
CREATE INDEX task_newest ON task (organization_id, created_at DESC, id DESC);
CREATE INDEX task_by_state ON task (organization_id, state, created_at DESC, id DESC);

-- What every poll touches, apart from the wide row: written in batches, never indexed.
CREATE TABLE task_watch (
  organization_id uuid NOT NULL,
  task_id uuid NOT NULL,
  last_checked_at timestamptz(3),
  next_check_at timestamptz(3),
  unchanged_polls integer NOT NULL DEFAULT 0,
  -- Somebody looked at the task, or asked for a check: the watcher polls it at once.
  refresh_requested_at timestamptz(3),
  PRIMARY KEY (organization_id, task_id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id)
) WITH (fillfactor = 70);

-- Questions and answers ------------------------------------------------------------------------------------------

CREATE TABLE input_request (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  task_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  -- 2026-07-28: the server's key; 2025-11-25 has none and uses 'elicitation'.
  key text NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'answered', 'settled', 'withdrawn', 'expired', 'undeliverable')),
  mode text NOT NULL CHECK (mode IN ('form', 'url')),
  message text NOT NULL,
  -- json, not jsonb: as received, key order included
  requested_schema json,
  url text,
  form jsonb NOT NULL,
  question_hash text NOT NULL CHECK (question_hash ~ '^[0-9a-f]{64}$'),
  replaces uuid,
  asked_again boolean NOT NULL DEFAULT false,
  ended_reason text,
  assignee_user_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3),
  expires_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id),
  FOREIGN KEY (organization_id, connection_id) REFERENCES connection (organization_id, id),
  FOREIGN KEY (organization_id, replaces) REFERENCES input_request (organization_id, id),
  CHECK ((state IN ('open', 'answered')) = (ended_at IS NULL))
);
CREATE UNIQUE INDEX input_request_live ON input_request (organization_id, task_id, key)
  WHERE state IN ('open', 'answered');
CREATE INDEX input_request_oldest ON input_request (organization_id, state, created_at, id);
CREATE INDEX input_request_task ON input_request (organization_id, task_id);

-- Each time the server put the question: where an answer can go.
CREATE TABLE ask (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  task_id uuid NOT NULL,
  -- 2026-07-28
  key text,
  -- 2025-11-25: a digest of the session it belongs to, and the JSON-RPC id with its type (0 is not "0")
  session_digest bytea,
  rpc_id jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The server accepted an answer to it; the same JSON-RPC id is never posted again.
  accepted_at timestamptz(3),
  retracted_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id),
  CHECK ((key IS NULL) <> (rpc_id IS NULL)),
  CHECK ((rpc_id IS NULL) = (session_digest IS NULL))
);
CREATE UNIQUE INDEX ask_rpc ON ask (organization_id, session_digest, rpc_id) WHERE rpc_id IS NOT NULL;
CREATE INDEX ask_request ON ask (organization_id, input_request_id);

CREATE TABLE answer (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  question_hash text NOT NULL,
  action text NOT NULL CHECK (action IN ('accept', 'decline', 'cancel')),
  content json,
  comment text,
  answered_by jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  withdrawn_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id),
  CHECK (content IS NULL OR action = 'accept')
);
CREATE UNIQUE INDEX answer_live ON answer (organization_id, input_request_id) WHERE withdrawn_at IS NULL;

CREATE TABLE delivery (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  answer_id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  task_id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('held', 'pending', 'sending', 'accepted', 'confirmed', 'undone', 'failed')),
  deliver_after timestamptz(3) NOT NULL,
  not_before timestamptz(3),
  attempts integer NOT NULL DEFAULT 0,
  -- The epoch of the watcher that went to `sending`.
  epoch bigint,
  ask_id uuid,
  sent_at timestamptz(3),
  accepted_at timestamptz(3),
  confirmed_at timestamptz(3),
  -- Polls since it was accepted that still showed the same question; flagged after three.
  polls_since_accepted integer NOT NULL DEFAULT 0,
  -- The server could not be reached since it was accepted: what it took may be gone.
  unreachable_since_accepted boolean NOT NULL DEFAULT false,
  automatic_resends integer NOT NULL DEFAULT 0,
  flagged boolean NOT NULL DEFAULT false,
  error text,
  -- Status and message before sending: on 2025-11-25 a change of these is the only proof.
  status_before text,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, answer_id) REFERENCES answer (organization_id, id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id),
  FOREIGN KEY (organization_id, ask_id) REFERENCES ask (organization_id, id),
  CHECK (state <> 'sending' OR epoch IS NOT NULL),
  CHECK (state <> 'confirmed' OR confirmed_at IS NOT NULL),
  CHECK (state <> 'failed' OR error IS NOT NULL)
);
CREATE UNIQUE INDEX delivery_answer ON delivery (organization_id, answer_id);
CREATE INDEX delivery_due ON delivery (organization_id, task_id) WHERE state IN ('held', 'pending', 'sending', 'accepted');

CREATE TABLE draft (
  organization_id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  user_id uuid NOT NULL,
  content jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, input_request_id, user_id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id)
);

CREATE TABLE claim (
  organization_id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  user_id uuid NOT NULL,
  claimed_at timestamptz(3) NOT NULL DEFAULT now(),
  active_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, input_request_id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id)
);

-- State machines ---------------------------------------------------------------------------------------------------

-- The same moves as in lib/tasks/status.ts, lib/input-requests/status.ts and lib/input-requests/deliveries/status.ts; a test compares.
CREATE FUNCTION refuse_wrong_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT (OLD.state || '>' || NEW.state) = ANY (TG_ARGV) THEN
    RAISE EXCEPTION 'a % may not go from % to %', TG_TABLE_NAME, OLD.state, NEW.state USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER state_machine BEFORE UPDATE OF state ON task FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION refuse_wrong_move('queued>starting', 'queued>cancelled', 'starting>queued', 'starting>working',
    'starting>input_required', 'starting>completed', 'starting>failed', 'starting>cancelled', 'starting>start_unknown',
    'start_unknown>working', 'start_unknown>input_required', 'start_unknown>failed', 'working>input_required',
    'working>completed', 'working>failed', 'working>cancelled', 'working>lost', 'working>expired',
    'input_required>working', 'input_required>starting', 'input_required>completed', 'input_required>failed',
    'input_required>cancelled', 'input_required>lost', 'input_required>expired');
CREATE TRIGGER state_machine BEFORE UPDATE OF state ON input_request FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION refuse_wrong_move('open>answered', 'open>withdrawn', 'open>expired', 'open>undeliverable',
    'answered>settled', 'answered>open', 'answered>withdrawn', 'answered>expired', 'answered>undeliverable',
    'undeliverable>open');
CREATE TRIGGER state_machine BEFORE UPDATE OF state ON delivery FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION refuse_wrong_move('held>pending', 'held>undone', 'held>failed', 'pending>sending', 'pending>failed',
    'sending>accepted', 'sending>pending', 'sending>confirmed', 'sending>failed', 'accepted>confirmed',
    'accepted>pending', 'accepted>failed');

-- History --------------------------------------------------------------------------------------------------------

-- One line a thing that happened. digest covers the payload, hash covers the digest and the line before, so that
-- retention may drop payloads (data := null) and the chain still verifies.
CREATE TABLE event (
  organization_id uuid NOT NULL REFERENCES organization (id),
  seq bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  type text NOT NULL,
  actor jsonb NOT NULL,
  task_id uuid,
  input_request_id uuid,
  data jsonb,
  digest bytea NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (organization_id, seq)
);
CREATE INDEX event_task ON event (organization_id, task_id, seq) WHERE task_id IS NOT NULL;

CREATE TABLE event_head (
  organization_id uuid PRIMARY KEY REFERENCES organization (id),
  seq bigint NOT NULL,
  hash bytea NOT NULL
);

CREATE FUNCTION event_digest(seq bigint, at timestamptz, type text, actor jsonb, task_id uuid, input_request_id uuid, data jsonb)
  RETURNS bytea LANGUAGE sql IMMUTABLE
  AS $$ SELECT sha256(convert_to(jsonb_build_array(seq, (extract(epoch FROM at) * 1000)::bigint, type, actor, task_id,
    input_request_id, data)::text, 'UTF8')) $$;

-- Appends one line. Call it last in a transaction: it takes the lock on the chain's head, held until commit.
CREATE FUNCTION append_event(p_type text, p_actor jsonb, p_task uuid, p_request uuid, p_data jsonb) RETURNS bigint
  LANGUAGE plpgsql AS $$
DECLARE
  head event_head%ROWTYPE;
  line_at timestamptz(3) := clock_timestamp();
  line_digest bytea;
  line_hash bytea;
BEGIN
  INSERT INTO event_head (organization_id, seq, hash) VALUES (current_organization(), 0, '\x') ON CONFLICT DO NOTHING;
  SELECT * INTO STRICT head FROM event_head WHERE organization_id = current_organization() FOR UPDATE;
  line_digest := event_digest(head.seq + 1, line_at, p_type, p_actor, p_task, p_request, p_data);
  line_hash := sha256(head.hash || line_digest);
  INSERT INTO event (organization_id, seq, at, type, actor, task_id, input_request_id, data, digest, hash)
    VALUES (head.organization_id, head.seq + 1, line_at, p_type, p_actor, p_task, p_request, p_data, line_digest, line_hash);
  UPDATE event_head SET seq = head.seq + 1, hash = line_hash WHERE organization_id = head.organization_id;
  RETURN head.seq + 1;
END $$;

-- The first line at which the chain does not hold, or null.
CREATE FUNCTION first_broken_event() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT min(seq) FROM (
    SELECT seq,
      seq <> row_number() OVER lines AS gap,
      hash <> sha256(coalesce(lag(hash) OVER lines, '\x') || digest) AS unlinked,
      data IS NOT NULL AND digest <> event_digest(seq, at, type, actor, task_id, input_request_id, data) AS altered
    FROM event WHERE organization_id = current_organization() WINDOW lines AS (ORDER BY seq)
  ) line WHERE gap OR unlinked OR altered $$;

-- Protocol messages of a task, secrets masked; the newest ones are kept.
CREATE TABLE protocol_message (
  organization_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  task_id uuid NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  direction text NOT NULL CHECK (direction IN ('out', 'in')),
  method text NOT NULL,
  body jsonb,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id)
);
CREATE INDEX protocol_message_task ON protocol_message (organization_id, task_id, id);

-- Outbox of live hints; the engine's pump empties it.
CREATE TABLE change (
  organization_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  topic text NOT NULL,
  entity_id uuid NOT NULL,
  PRIMARY KEY (organization_id, id)
);

-- An engine process that is alive. Not a tenant table.
CREATE TABLE engine (
  id uuid PRIMARY KEY,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  seen_at timestamptz(3) NOT NULL DEFAULT now(),
  leases integer NOT NULL DEFAULT 0
);

-- Row security ---------------------------------------------------------------------------------------------------

DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT table_name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'organization_id' LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO intray_app, intray_engine', name);
  END LOOP;
END $$;
-- History is append-only for everyone who serves requests.
REVOKE UPDATE, DELETE ON event FROM intray_app, intray_engine;
REVOKE DELETE ON event_head FROM intray_app, intray_engine;
REVOKE ALL ON membership, api_key, draft, claim FROM intray_engine;
REVOKE INSERT, UPDATE, DELETE ON protocol_message FROM intray_app;
GRANT SELECT ON membership, claim TO intray_engine;
GRANT DELETE ON claim, draft TO intray_engine;
GRANT SELECT ON draft TO intray_engine;

ALTER TABLE organization ENABLE ROW LEVEL SECURITY;
ALTER TABLE organization FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organization USING (id = current_organization()) WITH CHECK (id = current_organization());
GRANT SELECT, UPDATE ON organization TO intray_app;
GRANT SELECT ON organization TO intray_engine;

-- People are visible only through a membership in the current organization. Not forced: the owner makes users.
ALTER TABLE "user" ENABLE ROW LEVEL SECURITY;
CREATE POLICY member ON "user" FOR SELECT USING (EXISTS (SELECT FROM membership m
  WHERE m.user_id = "user".id AND m.organization_id = current_organization()));
GRANT SELECT (id, email, name, created_at) ON "user" TO intray_app, intray_engine;

ALTER TABLE session ENABLE ROW LEVEL SECURITY;
ALTER TABLE password_link ENABLE ROW LEVEL SECURITY;
ALTER TABLE throttle ENABLE ROW LEVEL SECURITY;

GRANT SELECT, INSERT, UPDATE, DELETE ON engine TO intray_engine;
GRANT SELECT ON engine TO intray_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO intray_app, intray_engine;

-- The gate: what may be asked before an organization is known ------------------------------------------------------

CREATE SCHEMA gate;
GRANT USAGE ON SCHEMA gate TO intray_app, intray_engine, intray_gate;
GRANT USAGE ON SCHEMA public TO intray_app, intray_engine, intray_gate;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['organization', 'user', 'membership', 'session', 'password_link', 'throttle', 'api_key'] LOOP
    EXECUTE format('CREATE POLICY gate ON %I TO intray_gate USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO intray_gate', name);
  END LOOP;
END $$;
CREATE POLICY gate ON connection FOR SELECT TO intray_gate USING (true);
CREATE POLICY gate ON task FOR SELECT TO intray_gate USING (true);
CREATE POLICY gate ON change TO intray_gate USING (true);
GRANT SELECT (organization_id, id) ON connection TO intray_gate;
GRANT SELECT (organization_id, connection_id, watched) ON task TO intray_gate;
GRANT SELECT, DELETE ON change TO intray_gate;

-- Whether /setup was done: there is no demonstration any more.
CREATE FUNCTION gate.setup_done() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM organization WHERE set_up) $$;

-- Whether /setup may be done: nobody has made a real organization yet, by the command line or otherwise.
CREATE FUNCTION gate.setup_possible() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT NOT EXISTS (SELECT FROM organization WHERE NOT demo) $$;

-- Row security binds the owner too, so that the command line finds an organization by its slug only here.
CREATE FUNCTION gate.organization_by_slug(p_slug text) RETURNS TABLE (id uuid, name text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, o.name FROM organization o WHERE o.slug = p_slug $$;

-- Who may be signed in by one click.
CREATE FUNCTION gate.demo_people() RETURNS TABLE (user_id uuid, email text, name text, role text, organization text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT u.id, u.email, u.name, m.role, o.name FROM organization o
    JOIN membership m ON m.organization_id = o.id JOIN "user" u ON u.id = m.user_id
    WHERE o.demo AND NOT gate.setup_done() ORDER BY o.name, m.created_at, u.name $$;

-- Makes the first real organization and its owner, and ends the demonstration for good. False: there is one already.
CREATE FUNCTION gate.set_up(p_organization uuid, p_slug text, p_organization_name text, p_user uuid, p_email text,
    p_name text, p_password_hash text, p_membership uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('intray.set_up'));
  IF NOT gate.setup_possible() THEN RETURN false; END IF;
  INSERT INTO organization (id, slug, name, set_up) VALUES (p_organization, p_slug, p_organization_name, true);
  INSERT INTO "user" (id, email, name, password_hash) VALUES (p_user, p_email, p_name, p_password_hash);
  INSERT INTO membership (organization_id, id, user_id, role) VALUES (p_organization, p_membership, p_user, 'owner');
  UPDATE session SET revoked_at = now() WHERE revoked_at IS NULL AND user_id IN (
    SELECT m.user_id FROM membership m JOIN organization o ON o.id = m.organization_id WHERE o.demo);
  UPDATE api_key SET revoked_at = now() WHERE revoked_at IS NULL AND organization_id IN (
    SELECT id FROM organization WHERE demo);
  RETURN true;
END $$;

CREATE FUNCTION gate.user_by_email(p_email text) RETURNS TABLE (user_id uuid, password_hash text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT id, u.password_hash FROM "user" u WHERE email = lower(p_email) $$;

CREATE FUNCTION gate.create_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ INSERT INTO session (secret_hash, user_id, expires_at)
    VALUES (p_secret_hash, p_user, now() + p_lifetime_ms * interval '1 ms') $$;

CREATE FUNCTION gate.revoke_session(p_secret_hash bytea) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE session SET revoked_at = now() WHERE secret_hash = p_secret_hash AND revoked_at IS NULL $$;

-- The person behind a session secret and the membership in force now; no row: not signed in.
CREATE FUNCTION gate.session(p_secret_hash bytea, p_idle_ms bigint)
  RETURNS TABLE (user_id uuid, email text, name text, organization_id uuid, slug text, organization_name text, role text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE found_user uuid; seen timestamptz;
BEGIN
  SELECT s.user_id, s.last_seen_at INTO found_user, seen FROM session s
    WHERE s.secret_hash = p_secret_hash AND s.revoked_at IS NULL AND s.expires_at > now()
      AND s.last_seen_at > now() - p_idle_ms * interval '1 ms';
  IF found_user IS NULL THEN RETURN; END IF;
  IF seen < now() - interval '1 minute' THEN
    UPDATE session SET last_seen_at = now() WHERE secret_hash = p_secret_hash;
  END IF;
  RETURN QUERY SELECT u.id, u.email, u.name, o.id, o.slug, o.name, m.role FROM "user" u
    JOIN membership m ON m.user_id = u.id JOIN organization o ON o.id = m.organization_id
    WHERE u.id = found_user AND (NOT o.demo OR NOT gate.setup_done())
    ORDER BY m.created_at, o.id LIMIT 1;
END $$;

-- The key behind a secret, if it and its maker's membership are alive.
CREATE FUNCTION gate.api_key(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, slug text, organization_name text, id uuid, name text, role text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE api_key SET last_used_at = now() WHERE secret_hash = p_secret_hash
    AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute');
  RETURN QUERY SELECT k.organization_id, o.slug, o.name, k.id, k.name, k.role FROM api_key k
    JOIN organization o ON o.id = k.organization_id
    WHERE k.secret_hash = p_secret_hash AND k.revoked_at IS NULL AND (k.created_by IS NULL OR EXISTS (
      SELECT FROM membership m WHERE m.organization_id = k.organization_id AND m.user_id = k.created_by));
END $$;

-- Uses up a password link: sets the password and ends the person's sessions. Null: unknown, used or too old.
CREATE FUNCTION gate.set_password(p_token_hash bytea, p_password_hash text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE found_user uuid;
BEGIN
  UPDATE password_link SET used_at = now() WHERE token_hash = p_token_hash AND used_at IS NULL AND expires_at > now()
    RETURNING user_id INTO found_user;
  IF found_user IS NULL THEN RETURN NULL; END IF;
  UPDATE "user" SET password_hash = p_password_hash WHERE id = found_user;
  UPDATE session SET revoked_at = now() WHERE user_id = found_user AND revoked_at IS NULL;
  RETURN found_user;
END $$;

-- Counts one try; false when the window already had p_limit of them.
CREATE FUNCTION gate.throttle(p_key text, p_limit integer, p_window_ms bigint) RETURNS boolean
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ INSERT INTO throttle AS t (key, window_started_at, tries) VALUES (p_key, now(), 1)
    ON CONFLICT (key) DO UPDATE SET
      tries = CASE WHEN t.window_started_at < now() - p_window_ms * interval '1 ms' THEN 1 ELSE t.tries + 1 END,
      window_started_at = CASE WHEN t.window_started_at < now() - p_window_ms * interval '1 ms' THEN now()
        ELSE t.window_started_at END
    RETURNING tries <= p_limit $$;

-- The engine's only reads across organizations.
CREATE FUNCTION gate.connections_with_open_work() RETURNS TABLE (organization_id uuid, connection_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT c.organization_id, c.id FROM connection c WHERE EXISTS (
    SELECT FROM task t WHERE t.connection_id = c.id AND t.organization_id = c.organization_id AND t.watched) $$;

-- Takes hints out of the outbox; each (organization, topic, id) once.
CREATE FUNCTION gate.take_changes(p_limit integer) RETURNS TABLE (organization_id uuid, topic text, entity_id uuid)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ WITH taken AS (DELETE FROM change WHERE (change.organization_id, change.id) IN (
      SELECT c.organization_id, c.id FROM change c LIMIT p_limit FOR UPDATE SKIP LOCKED)
    RETURNING change.organization_id, change.topic, change.entity_id)
    SELECT DISTINCT taken.organization_id, taken.topic, taken.entity_id FROM taken $$;
GRANT UPDATE ON change TO intray_gate;

-- Hand the functions to the role that may look across organizations. The owner must be able to act as it for a
-- moment; it gives that up again, so that row security binds the owner too.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
DO $$
DECLARE
  f regprocedure;
  owner name := current_user;
BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'gate'::regnamespace LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    EXECUTE format('ALTER FUNCTION %s OWNER TO intray_gate', f);
  END LOOP;
  -- As the new owner: a grant that the old one made to itself moves away with the ownership.
  SET LOCAL ROLE intray_gate;
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'gate'::regnamespace LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO intray_app', f);
  END LOOP;
  REVOKE EXECUTE ON FUNCTION gate.connections_with_open_work(), gate.take_changes(integer),
    gate.organization_by_slug(text) FROM intray_app;
  GRANT EXECUTE ON FUNCTION gate.connections_with_open_work(), gate.take_changes(integer) TO intray_engine;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.organization_by_slug(text), gate.setup_done() TO %I', owner);
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- Whether the database fits the version that runs.
GRANT SELECT ON _prisma_migrations TO intray_app;
