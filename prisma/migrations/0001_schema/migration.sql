-- Roles, tables, their keys, indexes and checks. What a column means stands above it, if its name does not say it. Functions and policies are in 0002. Every statement
-- runs as the owner, in one transaction.

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

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE SCHEMA gate;
GRANT USAGE ON SCHEMA public, gate TO intray_app, intray_engine, intray_gate;

-- A sealed form stands with a keyed digest of itself, so that equal ones of a server can be found.
CREATE FUNCTION request_alike(server_id uuid, mode text, form jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN mode = 'form' AND form ? 'sealed' THEN
      encode(sha256(convert_to(server_id::text || (form ->> 'alike'), 'UTF8')), 'hex')
    WHEN mode = 'form' AND form ->> 'kind' = 'supported'
      THEN encode(sha256(convert_to(server_id::text || form::text, 'UTF8')), 'hex') END $$;

-- The server "Intray", made with its first task. It has no address and is never called. Its id follows from the
-- organization's, so that there is at most one (a UUID of version 8).
CREATE FUNCTION builtin_server_id(p_organization uuid) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT overlay(overlay(md5('intray ' || p_organization::text) placing '8' from 13) placing 'a' from 17)::uuid $$;

CREATE TABLE organization (
  id uuid PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text NOT NULL,
  demo boolean NOT NULL DEFAULT false,
  -- Made by /setup, which ends the demonstration for good.
  set_up boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  decline_reasons text[] NOT NULL DEFAULT ARRAY['Wrong amount'::text, 'Not ours'::text, 'Duplicate'::text, 'Needs a purchase order'::text] CHECK (cardinality(decline_reasons) <= 20 AND array_position(decline_reasons, NULL) IS NULL),
  undo_window_ms integer NOT NULL DEFAULT 5000 CHECK (undo_window_ms BETWEEN 0 AND 60000),
  -- Who asked for a task may not accept what it asks.
  four_eyes boolean NOT NULL DEFAULT false,
  -- When all of it was last taken out by an owner, to the end. Deleting it asks for that.
  exported_at timestamptz(3),
  keep_messages_days integer DEFAULT 30 CHECK (keep_messages_days BETWEEN 1 AND 36500),
  -- Of history's lines; the lines themselves stay.
  keep_payloads_days integer CHECK (keep_payloads_days BETWEEN 1 AND 36500),
  -- With their arguments, results, requests and answers.
  keep_tasks_days integer CHECK (keep_tasks_days BETWEEN 1 AND 36500),
  -- Which of the first steps an organization's admins have put aside. What was done is read from what there is.
  onboarding_skipped text[] NOT NULL DEFAULT '{}',
  -- When the rule of a second person ended last. Tasks that were asked for before it ended stay under it.
  four_eyes_until timestamptz(3),
  -- An organization ends three days after an owner asked for it, unless an owner takes that back; and nothing of it is
  -- swept or deleted while a legal hold stands.
  deletion_requested_at timestamptz(3),
  deletion_requested_by jsonb,
  hold_at timestamptz(3),
  hold_by jsonb,
  hold_reason text CHECK (length(hold_reason) BETWEEN 1 AND 500),
  -- Whether new keys may have no end.
  keys_without_end boolean NOT NULL DEFAULT false,
  -- CIDR, or single addresses; empty: any.
  networks text[] NOT NULL DEFAULT '{}',
  -- Counts the changes: who saves names the one that they saw, so that of two at once one is told of the other.
  networks_version integer NOT NULL DEFAULT 0,
  -- The ids of its keys, oldest first, the current one with a plus; null where an organization never had one. Written by the
  -- trigger note_content_keys, and read with the organization of each transaction.
  content_keys text,
  -- Changes of the policy need a second admin (docs/governance.md): one proposes, another one, who does not count as one person with
  -- the first (same_maker), approves. Ending this rule is such a change too.
  two_person_policy boolean NOT NULL DEFAULT false,
  CONSTRAINT organization_onboarding_skipped CHECK (onboarding_skipped <@ ARRAY['server', 'task', 'invitation']),
  CONSTRAINT organization_deletion_whole CHECK ((deletion_requested_at IS NULL) = (deletion_requested_by IS NULL)),
  CONSTRAINT organization_hold_whole CHECK ((hold_at IS NULL) = (hold_by IS NULL) AND (hold_at IS NULL) = (hold_reason IS NULL))
);

CREATE TABLE "user" (
  id uuid PRIMARY KEY,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  name text NOT NULL,
  password_hash text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- An account is its person's once somebody has proved its address (docs/decisions/034-unproven-accounts.md). Processes of
  -- before write neither column, so that what they make counts as unproven and as not mailed. Accounts that exist are taken
  -- as proven.
  proven_at timestamptz(3),
  -- Raised when the account is replaced: a sign-in that was checked before opens no session after.
  credentials_epoch integer NOT NULL DEFAULT 0
);

CREATE TABLE membership (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'operator', 'approver', 'viewer')),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  single_keys boolean NOT NULL DEFAULT true,
  tour_seen boolean NOT NULL DEFAULT false,
  -- The sign-in provider whose groups gave it; null: people did. Only such a membership ends with the group.
  granted_by text,
  -- How close the rows of a member's inbox stand.
  density text NOT NULL DEFAULT 'comfortable' CHECK (density IN ('comfortable', 'compact')),
  -- How dates, times and numbers are written for a member; NULL: as their browser asks.
  locale text CHECK (locale ~ '^[a-z]{2,3}-[A-Z]{2}$'),
  -- It was the account's already when somebody proved the address, who may know nothing of the organization: signing in
  -- leads there last.
  inherited boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, user_id),
  FOREIGN KEY (user_id) REFERENCES "user" (id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);
CREATE INDEX membership_by_user ON membership (user_id);

-- A signed-in browser. The cookie carries a random secret; only its hash is here, so that deleting or revoking the
-- row ends the session at once. Not a tenant table: a session belongs to a person.
CREATE TABLE session (
  secret_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  -- How people and the API name it; the secret's hash stays here.
  id uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
  -- Where it works; null, or no member there any more: the one that the person joined first. Not called
  -- organization_id: a session is a person's, not a tenant's.
  chosen_organization uuid,
  -- How it was opened.
  method text NOT NULL DEFAULT 'password' CHECK (method IN ('password', 'passkey', 'oidc', 'saml', 'demo')),
  user_agent text,
  address text,
  -- A session of an admin may look at lists as a member of its organization would (docs/decisions/032). It stands in the
  -- session's own row, so that it ends with the session, and every request reads it together with the admin's role.
  viewed_membership uuid,
  viewing_until timestamptz(3),
  -- When the person behind a session last showed that it is them. A session of an earlier version has to show it anew; one that a web
  -- process of an earlier version opens has just done so.
  factor_at timestamptz(3) DEFAULT now(),
  -- The provider's id in the sign-in settings, or `saml:` and the id of an organization's own.
  provider text,
  -- Whom and which of its sessions the provider means when it ends one.
  provider_subject text,
  provider_session text,
  -- When the person proved to the provider who they are.
  authenticated_at timestamptz(3),
  -- By what, in the provider's words.
  acr text,
  amr text[],
  -- A session that an organization's provider vouches for reaches that organization alone. Null: what its person reaches.
  -- Nothing but the trigger confine_session sets it, whatever process opens the session.
  only_organization uuid,
  -- Organizations that the session reaches no more. A web process of an earlier version opens sessions that none has ended.
  ended_in uuid[] NOT NULL DEFAULT '{}',
  -- Set: the session is no browser's. It keeps how the member had signed in when they let this agent in, has a secret that
  -- nobody knows, and ends wherever the member's sessions are ended. Web processes of earlier versions end it, too.
  agent_id uuid,
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE,
  FOREIGN KEY (only_organization) REFERENCES organization (id) ON DELETE CASCADE,
  CONSTRAINT session_view_whole CHECK ((viewed_membership IS NULL) = (viewing_until IS NULL)),
  CONSTRAINT session_proof_whole CHECK ((provider IS NULL) = (provider_subject IS NULL)),
  CONSTRAINT session_confined CHECK (only_organization IS NOT NULL OR provider IS NULL OR provider NOT LIKE 'saml:%')
);
CREATE INDEX session_by_user ON session (user_id);
-- A provider ends sessions by whom it means, in its words.
CREATE INDEX session_by_provider ON session (provider, provider_subject)
  WHERE provider IS NOT NULL;

-- A single-use link with which a person sets a password.
CREATE TABLE password_link (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  -- Processes of earlier versions make the operator's alone.
  source text NOT NULL DEFAULT 'operator' CHECK (source IN ('operator', 'mail', 'admin')),
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Of an admin's: for which organization, and who made it. Without foreign keys: the link is over when either is gone.
  for_organization uuid,
  made_by uuid,
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE,
  CONSTRAINT password_link_of_admin CHECK ((source = 'admin') = (for_organization IS NOT NULL AND made_by IS NOT NULL))
);
-- A person's links to a password, of which earlier ones end.
CREATE INDEX password_link_by_user ON password_link (user_id);

-- Counts tries per key (an account, an address) in fixed windows.
CREATE TABLE throttle (
  key text PRIMARY KEY,
  window_started_at timestamptz(3) NOT NULL,
  tries integer NOT NULL
);
CREATE INDEX throttle_by_window ON throttle (window_started_at);

CREATE TABLE api_key (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'operator', 'approver', 'viewer')),
  secret_hash bytea NOT NULL UNIQUE,
  -- The member who made it: the key dies with the membership. Null for keys made by the command line.
  created_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  -- Null: without an end, as keys of earlier versions have none.
  expires_at timestamptz(3) DEFAULT (now() + '90 days'::interval),
  -- Of 14, 3 and 0 days before the end: the last of which people were told. Null: none yet.
  warned_days smallint CHECK (warned_days IN (14, 3, 0)),
  -- The secret before the last rotation, which works until then.
  previous_secret_hash bytea,
  previous_until timestamptz(3),
  rotated_at timestamptz(3),
  -- The digest of the last rotation's Idempotency-Key.
  rotation_hash bytea,
  -- The networks that it may come from (CIDR); empty: any.
  networks text[] NOT NULL DEFAULT '{}',
  -- The actions (permissions) that it is limited to; null: all of its role's.
  permissions text[],
  -- The servers, and single tools as `<server>/<name>`, that it is limited to; both empty: all.
  servers uuid[] NOT NULL DEFAULT '{}',
  tools text[] NOT NULL DEFAULT '{}',
  last_used_network text,
  last_used_agent text,
  -- Null: the key is its maker's own. `created_by` is the maker of either.
  service_account_id uuid,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((previous_secret_hash IS NULL) = (previous_until IS NULL)),
  CHECK (expires_at IS NOT NULL OR warned_days IS NULL)
);
-- A rotated key is found by its secret of before, which is one key's alone.
CREATE UNIQUE INDEX api_key_previous_secret ON api_key (previous_secret_hash)
  WHERE previous_secret_hash IS NOT NULL;
-- Keys that are about to end are looked for again and again, to warn of them.
CREATE INDEX api_key_expiring ON api_key (expires_at)
  WHERE revoked_at IS NULL AND expires_at IS NOT NULL;

CREATE TABLE server (
  organization_id uuid NOT NULL,
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
  -- What a server has been seen to do; lib/servers/traits.ts reads it.
  traits jsonb NOT NULL DEFAULT '{}',
  -- Defined in the operator's file, under this name. Its address, command and secrets stay there.
  operator_entry text,
  -- What an admin asks for instead of what the server names; null: what the server names.
  oauth_scope text,
  -- While it is paused nothing is sent to it.
  paused_at timestamptz(3),
  paused_by jsonb,
  pause_reason text,
  -- Raised by each pause and each end of one: engines tell by it which of two looks is the later one.
  pauses integer NOT NULL DEFAULT 0,
  -- {code, message}, in our own words, of the last call that the engine saw fail.
  last_error jsonb,
  last_error_at timestamptz(3),
  -- Ours to trace: only such a server is told which trace a call belongs to.
  trace boolean NOT NULL DEFAULT false,
  -- The endpoints that an admin allowed at others' hosts, bound to the issuer; null: none.
  oauth_hosts jsonb,
  builtin boolean NOT NULL DEFAULT false,
  -- What the names of a server's tools begin with for agents: stored when it is first given out, and nobody else's from then on,
  -- whatever the servers are called later.
  tool_prefix text CHECK (length(tool_prefix) BETWEEN 1 AND 64),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CONSTRAINT server_pause CHECK ((paused_at IS NULL) = (paused_by IS NULL)
      AND (pause_reason IS NULL OR paused_at IS NOT NULL)),
  CONSTRAINT server_last_error CHECK ((last_error IS NULL) = (last_error_at IS NULL)),
  CONSTRAINT server_builtin_is_one CHECK (NOT builtin OR id = builtin_server_id(organization_id))
);
CREATE UNIQUE INDEX server_operator_entry ON server (organization_id, operator_entry)
  WHERE operator_entry IS NOT NULL AND removed_at IS NULL;
-- Who gives a prefix out takes a lock for it (lib/agents/grants.ts); this is what holds whoever does not.
CREATE UNIQUE INDEX server_by_tool_prefix ON server (organization_id, tool_prefix)
  WHERE tool_prefix IS NOT NULL;

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
  -- The last lines that the child process of a command server wrote to its stderr.
  log_tail text,
  log_tail_at timestamptz(3),
  -- A server in trouble is left alone for a while: how often in a row it failed, and until when nobody tries.
  circuit_failures integer NOT NULL DEFAULT 0,
  circuit_open_until timestamptz(3),
  -- Which engine watches a connection: an organization is told of its own connections alone.
  watched_by uuid,
  -- A server that takes its time, so that tasks are looked at more rarely than they should be: how often they are, instead
  -- of how often, and how long an answer takes. Together, or not at all. Engines of earlier versions leave them empty.
  late_every_ms integer,
  late_instead_of_ms integer,
  late_answer_ms integer,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CONSTRAINT connection_late CHECK (num_nonnulls(late_every_ms, late_instead_of_ms, late_answer_ms) IN (0, 3))
);
CREATE UNIQUE INDEX connection_shared ON connection (organization_id, server_id) WHERE user_id IS NULL;
CREATE UNIQUE INDEX connection_own ON connection (organization_id, server_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX connection_by_id ON connection (id);

CREATE TABLE task (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  server_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  tool text NOT NULL,
  -- json, not jsonb: people see fields in the order in which they were sent
  arguments json NOT NULL,
  label text,
  state text NOT NULL,
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
  -- False: no task at the server but an open call, which ends with its connection.
  durable boolean NOT NULL DEFAULT true,
  -- The server's task id as a keyed digest, for telling which tasks of a server are ours.
  handle_digest bytea,
  race_id uuid,
  -- Which try of a call this is, of how many at most; the one before it, without a foreign key for retention's sake.
  attempt smallint NOT NULL DEFAULT 1,
  attempts smallint NOT NULL DEFAULT 1,
  retry_of uuid,
  retry_backoff_ms integer,
  -- A result that is an error by the server's own account counts as a failure too.
  retry_errors boolean NOT NULL DEFAULT false,
  -- Not started before this.
  start_after timestamptz(3),
  -- The call that began it: the id that its answer bears and our log lines name, and its trace (W3C Trace Context).
  request_id uuid,
  traceparent text CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$'),
  -- The agent that started it, which sees it, and no task else. Processes of earlier versions start none for agents.
  agent_id uuid,
  -- A task of the built-in server: no engine watches it.
  builtin boolean NOT NULL DEFAULT false,
  -- An approval in front of the call. Until it is approved no engine watches the task, and nothing calls its tool. Once it
  -- is not approved the task has ended: failed (declined, expired) or cancelled (withdrawn).
  gate text CHECK (gate IN ('waiting', 'approved', 'declined', 'expired', 'withdrawn')),
  -- Why it was asked for: {name, version, before} of the rule, null for a gate without one.
  gate_rule jsonb,
  -- Of server, tool and arguments as they were shown. Keyed where the organization seals content.
  gate_digest bytea,
  gate_expires_at timestamptz(3),
  -- The tool as its server listed it when the approval was asked for: one that has changed since is not called.
  gate_tool_digest text,
  -- The version of the recipe of the name `tool` that the task was started with; null: the tool is the server's.
  recipe_version integer,
  -- Since when the server reports what Intray does not know: a status of no version of MCP, a state that the task's recipe does
  -- not name, or a reply that it can't be applied to; null: it is known. The engine writes it.
  unknown_since timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id),
  FOREIGN KEY (organization_id, connection_id) REFERENCES connection (organization_id, id),
  FOREIGN KEY (organization_id, restart_of) REFERENCES task (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK (state IN ('queued', 'starting', 'start_unknown', 'working', 'input_required',
      'completed', 'failed', 'cancelled', 'lost', 'expired')),
  CONSTRAINT task_check1 CHECK ((state IN ('completed', 'failed', 'cancelled', 'lost', 'expired')) = (finished_at IS NOT NULL)),
  CONSTRAINT task_check2 CHECK (state <> 'starting' OR attempt_id IS NOT NULL),
  CONSTRAINT task_has_handle CHECK (state <> 'working' OR sealed_handle IS NOT NULL OR NOT durable),
  CONSTRAINT task_attempts CHECK (attempt BETWEEN 1 AND attempts AND attempts <= 10),
  CONSTRAINT task_retries CHECK ((attempts > 1) = (retry_backoff_ms IS NOT NULL)),
  CONSTRAINT task_is_retry CHECK ((attempt > 1) = (retry_of IS NOT NULL)),
  CONSTRAINT task_is_watched CHECK (watched OR state NOT IN ('queued', 'starting', 'working', 'input_required')
      OR (state = 'queued' AND gate IS NOT NULL AND gate <> 'approved') OR (state = 'input_required' AND builtin)),
  CONSTRAINT task_gate_holds CHECK (gate IS NULL OR gate = 'approved' OR state IN ('queued', 'failed', 'cancelled')),
  CONSTRAINT task_gate_is_bound CHECK ((gate IS NULL) = (gate_digest IS NULL))
) WITH (fillfactor=85);
CREATE INDEX task_watched ON task (connection_id) WHERE watched;
CREATE INDEX task_newest ON task (organization_id, created_at DESC, id DESC);
CREATE INDEX task_by_state ON task (organization_id, state, created_at DESC, id DESC);
CREATE INDEX task_handle ON task (organization_id, handle_digest) WHERE handle_digest IS NOT NULL;
CREATE INDEX task_label ON task (organization_id, server_id, label, created_at DESC) WHERE label IS NOT NULL;
-- Foreign keys look here when a task or a request is deleted; without them each deleted row reads the whole table.
CREATE INDEX task_restart_of ON task (organization_id, restart_of) WHERE restart_of IS NOT NULL;
CREATE INDEX task_by_server ON task (organization_id, server_id, state, created_at DESC, id DESC);
-- The finished ones by their end; "failed today" reads no more than today.
CREATE INDEX task_ended ON task (organization_id, state, finished_at DESC, id DESC) WHERE finished_at IS NOT NULL;
-- The open ones by how long they have left; those without an end are not here.
CREATE INDEX task_expiring ON task (organization_id, state, expires_at, id)
  WHERE expires_at IS NOT NULL AND finished_at IS NULL;
CREATE INDEX task_race ON task (organization_id, race_id) WHERE race_id IS NOT NULL;
-- A failure is tried again once.
CREATE UNIQUE INDEX task_retry ON task (organization_id, retry_of) WHERE retry_of IS NOT NULL;
-- What somebody called a tool with lately.
CREATE INDEX task_recent_arguments ON task (organization_id, requester_user_id, server_id, tool, created_at DESC)
  WHERE requester_user_id IS NOT NULL;
-- Open tasks are counted from this alone, whatever there is of ended ones.
CREATE INDEX task_open ON task (organization_id, server_id, state)
  WHERE state IN ('queued', 'starting', 'start_unknown', 'working', 'input_required');
CREATE INDEX task_finished ON task (organization_id, finished_at) WHERE finished_at IS NOT NULL AND NOT watched;
-- An Idempotency-Key is its caller's own, a member's or an API key's: nobody learns of another's task by guessing one.
CREATE UNIQUE INDEX task_idempotency_by_caller ON task (organization_id, idempotency_key,
  (requested_by ->> 'kind'), (coalesce(requested_by ->> 'id', ''))) WHERE idempotency_key IS NOT NULL;
-- An agent's tasks, newest first, and those of them that are open. Nothing is in it when it is built.
CREATE INDEX task_of_agent ON task (organization_id, agent_id, created_at DESC, id DESC)
  INCLUDE (state) WHERE agent_id IS NOT NULL;
-- The tasks whose state is unknown, which are few: what needs attention is counted often.
CREATE INDEX task_unknown ON task (organization_id, id) WHERE unknown_since IS NOT NULL;

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
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor=70);

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
  -- Copies of what a request's task never changes, so that lists, counts and searches read one table. Where the text of
  -- the arguments is long, only its beginning is searched.
  server_id uuid NOT NULL,
  tool text NOT NULL,
  visibility text NOT NULL,
  requester_user_id uuid,
  search text NOT NULL,
  -- What it is about in money, as lib/text/amount.ts reads it out of the arguments when the question is captured.
  amount float8,
  currency text,
  alike text GENERATED ALWAYS AS (request_alike(server_id, mode, form)) STORED,
  -- A question whose text the server changes again and again is one request: when the text that is shown was read, and the
  -- hashes of the texts before it, newest last. Null: the text stands.
  reworded_at timestamptz(3),
  earlier_hashes text[] NOT NULL DEFAULT '{}',
  -- What a person should see before accepting is judged when a question is captured: lists show it, and cannot read the arguments
  -- of every row. Something due becomes overdue with time, so its date is kept. The warnings are those of the wording with
  -- judged_hash: of questions captured, or reworded, by an engine of an earlier version, nobody knows any.
  warnings text[] NOT NULL DEFAULT '{}' CHECK (warnings <@ ARRAY ['destructive', 'sum_differs', 'currency_differs']),
  judged_hash text,
  due_at timestamptz(3),
  -- Who gave a request to its assignee, when, and what they wrote beside it. `assigned_by` names the assignee too (`to`): an
  -- assignment by an earlier version sets assignee_user_id alone, and the note beside it was for somebody else.
  assigned_by jsonb,
  assigned_at timestamptz(3),
  assignment_note text CHECK (length(assignment_note) BETWEEN 1 AND 4000),
  -- Amount and currency of a sealed question, sealed; `amount` and `currency` are null then.
  private_amount text,
  -- Whose question it is: a server's, which gets the answer, or Intray's own.
  origin text NOT NULL DEFAULT 'server' CHECK (origin IN ('server', 'intray')),
  -- Who has to agree, by the rule and the version of the policy under which the request was asked; null: any one approver. `open`
  -- is the stage that is open: who may vote in it and who has.
  approval jsonb,
  -- {by, of, at}: who asked whom for what is missing, and when. Null: nothing is missing.
  needs_info jsonb,
  -- By when people should have decided on a request: `dueAt` of what it keeps of its rule, as a column, since lists are sorted by it.
  -- Row security would not let an index over the JSON find a place in it .
  decide_by timestamptz(3),
  -- What lists ask of the rule that a request keeps, as columns: reading it out of the JSON of a hundred thousand open requests takes a
  -- second. Requests with the same ballot ask the same people, of whom the same have voted, so that lists look at one of each.
  ballot uuid,
  -- The member, key or agent that asked for the task, where the rule keeps them out.
  kept_out uuid,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id),
  FOREIGN KEY (organization_id, connection_id) REFERENCES connection (organization_id, id),
  FOREIGN KEY (organization_id, replaces) REFERENCES input_request (organization_id, id),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((state IN ('open', 'answered')) = (ended_at IS NULL)),
  CHECK (currency IS NULL OR amount IS NOT NULL)
);
CREATE UNIQUE INDEX input_request_live ON input_request (organization_id, task_id, key)
  WHERE state IN ('open', 'answered');
CREATE INDEX input_request_oldest ON input_request (organization_id, state, created_at, id);
CREATE INDEX input_request_task ON input_request (organization_id, task_id);
-- Tasks that somebody sees for a question that was assigned.
CREATE INDEX input_request_assignee_private ON input_request (organization_id, assignee_user_id, task_id)
  WHERE assignee_user_id IS NOT NULL AND visibility = 'private';
-- What was decided before on requests like one: the last settled ones of a server and tool, and tasks of the same label.
CREATE INDEX input_request_settled ON input_request (organization_id, server_id, tool, created_at DESC, id DESC)
  WHERE state = 'settled';
CREATE INDEX input_request_expiring ON input_request
  (organization_id, state, (CASE WHEN expires_at IS NULL THEN 'infinity' ELSE expires_at END), id);
CREATE INDEX input_request_amount ON input_request
  (organization_id, state, (CASE WHEN amount IS NULL THEN '-infinity' ELSE amount END), id);
CREATE INDEX input_request_assignee ON input_request (organization_id, assignee_user_id, state) INCLUDE (id)
  WHERE assignee_user_id IS NOT NULL;
CREATE INDEX input_request_replaces ON input_request (organization_id, replaces) WHERE replaces IS NOT NULL;
CREATE INDEX input_request_undeliverable ON input_request (organization_id, task_id) WHERE state = 'undeliverable';
CREATE INDEX input_request_search ON input_request USING gin (organization_id, search gin_trgm_ops)
  WHERE state NOT IN ('open', 'answered');
-- The open requests that ask somebody to visit a site, to leave out those of other people's connections when counting
-- what waits for a member.
CREATE INDEX input_request_open_url ON input_request (organization_id, connection_id)
  INCLUDE (id) WHERE state = 'open' AND mode = 'url';
-- Questions of Intray's own that wait, by their end: no engine watches them.
CREATE INDEX input_request_own ON input_request (state, expires_at)
  WHERE origin = 'intray' AND state IN ('open', 'answered');
-- The open requests that wait for their requesters, which are few.
CREATE INDEX input_request_needs_info ON input_request (organization_id, id)
  WHERE needs_info IS NOT NULL;
-- Lists by when people should have decided. CASE, not coalesce: the planner knows the index by it.
CREATE INDEX input_request_due ON input_request
  (organization_id, state, (CASE WHEN decide_by IS NULL THEN 'infinity' ELSE decide_by END), id);
-- The ballots of the open requests, each found once, and the requests on which people vote.
CREATE INDEX input_request_ballots ON input_request (organization_id, ballot, id)
  WHERE state = 'open' AND ballot IS NOT NULL;
-- Counts read this alone: input_request_open, with what tells for whom a request waits.
CREATE INDEX input_request_counted ON input_request (organization_id, id)
  INCLUDE (task_id, server_id, tool, visibility, requester_user_id, assignee_user_id, created_at, expires_at, amount, ballot, kept_out)
  WHERE state = 'open';

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
  -- How this ask came: as the first one, put again on the same session, or on a new one.
  came text NOT NULL DEFAULT 'first' CHECK (came IN ('first', 'asked_again', 'new_session')),
  elicitation_task_id uuid,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((key IS NULL) <> (rpc_id IS NULL)),
  CHECK ((rpc_id IS NULL) = (session_digest IS NULL))
);
CREATE INDEX ask_request ON ask (organization_id, input_request_id);
CREATE INDEX ask_task ON ask (organization_id, task_id);
-- Asks are found by their session and JSON-RPC id, which need no longer be one's alone.
CREATE INDEX ask_by_session ON ask (organization_id, session_digest, rpc_id)
  WHERE rpc_id IS NOT NULL;

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
  request_id uuid,
  traceparent text CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$'),
  -- The answer of a person who was told that the text changes: it may go to whatever the question says by then.
  any_wording boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK (content IS NULL OR action = 'accept')
);
CREATE UNIQUE INDEX answer_live ON answer (organization_id, input_request_id) WHERE withdrawn_at IS NULL;
-- A page of the list looks up the answer of each of its rows, and a delivery is confirmed by its request.
CREATE INDEX answer_request ON answer (organization_id, input_request_id);

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
  -- Which way the answer took: the session that asked (or the key), a question put again there, a new session's, or
  -- the retry of a call that had asked before it made a task.
  rung text CHECK (rung IN ('update', 'same_session', 'asked_again', 'new_session', 'retry', 'fetched')),
  -- An attempt may have reached the server, and its reply never came: nobody knows whether the answer was taken.
  in_doubt boolean NOT NULL DEFAULT false,
  -- Since when an answer that is due can't be sent, as the server no longer puts the question it answers.
  waiting_since timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, answer_id) REFERENCES answer (organization_id, id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id),
  FOREIGN KEY (organization_id, ask_id) REFERENCES ask (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK (state <> 'sending' OR epoch IS NOT NULL),
  CHECK (state <> 'confirmed' OR confirmed_at IS NOT NULL),
  CHECK (state <> 'failed' OR error IS NOT NULL)
);
CREATE UNIQUE INDEX delivery_answer ON delivery (organization_id, answer_id);
CREATE INDEX delivery_due ON delivery (organization_id, task_id) WHERE state IN ('held', 'pending', 'sending', 'accepted');
CREATE INDEX delivery_request ON delivery (organization_id, input_request_id);
CREATE INDEX delivery_task ON delivery (organization_id, task_id);
CREATE INDEX delivery_ask ON delivery (organization_id, ask_id) WHERE ask_id IS NOT NULL;
-- Few at any time: answers that the server took and asks for again, and requests whose answer went nowhere.
CREATE INDEX delivery_flagged ON delivery (organization_id, task_id) WHERE flagged AND state = 'accepted';

CREATE TABLE draft (
  organization_id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  user_id uuid NOT NULL,
  content jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  -- A comment is typed beside every form, and is as annoying to lose.
  comment text,
  PRIMARY KEY (organization_id, input_request_id, user_id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

CREATE TABLE claim (
  organization_id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  user_id uuid NOT NULL,
  claimed_at timestamptz(3) NOT NULL DEFAULT now(),
  active_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, input_request_id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

-- One line a thing that happened. digest covers the payload, hash covers the digest and the line before, so that
-- retention may drop payloads (data := null) and the chain still verifies.
CREATE TABLE event (
  organization_id uuid NOT NULL,
  seq bigint NOT NULL,
  "at" timestamptz(3) NOT NULL,
  type text COLLATE "C" NOT NULL,
  actor jsonb NOT NULL,
  task_id uuid,
  input_request_id uuid,
  data jsonb,
  digest bytea NOT NULL,
  hash bytea NOT NULL,
  -- SHA-256 of data's text. The line's digest covers it in the place of data, so that a line whose payload was dropped
  -- still proves who did what, and when. Null: a line of an earlier version, whose digest covers data itself; the
  -- payload of such a line cannot be dropped.
  payload_digest bytea,
  actor_id text COLLATE "C" GENERATED ALWAYS AS ((actor ->> 'id'::text)) STORED,
  PRIMARY KEY (organization_id, seq),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);
CREATE INDEX event_task ON event (organization_id, task_id, seq) WHERE task_id IS NOT NULL;
CREATE INDEX event_by_type ON event (organization_id, type, seq);
CREATE INDEX event_by_actor ON event (organization_id, actor_id, seq) WHERE actor_id IS NOT NULL;
CREATE INDEX event_by_request ON event (organization_id, input_request_id, seq) WHERE input_request_id IS NOT NULL;
CREATE INDEX event_by_time ON event (organization_id, at);
-- Exports of lists of tasks are found by the tasks in them, and by the people whose tasks those are.
CREATE INDEX event_exported ON event
  USING gin ((data -> 'taskIds') jsonb_path_ops, (data -> 'people') jsonb_path_ops) WHERE type = 'tasks.exported';

CREATE TABLE event_head (
  organization_id uuid PRIMARY KEY,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

-- Protocol messages of a task, secrets masked; the newest ones are kept.
CREATE TABLE protocol_message (
  organization_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  task_id uuid NOT NULL,
  "at" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  direction text NOT NULL CHECK (direction IN ('out', 'in')),
  method text NOT NULL,
  body jsonb,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX protocol_message_task ON protocol_message (organization_id, task_id, id);

-- Outbox of live hints; the engine's pump empties it.
CREATE TABLE change (
  organization_id uuid NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  topic text NOT NULL,
  entity_id uuid NOT NULL,
  PRIMARY KEY (organization_id, id)
);

-- An engine process that is alive. Not a tenant table.
CREATE TABLE engine (
  id uuid PRIMARY KEY,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  seen_at timestamptz(3) NOT NULL DEFAULT now(),
  leases integer NOT NULL DEFAULT 0,
  -- How late the slowest hundredth of an engine's steps began in its last minute, in ms; null: it took none.
  lateness_ms integer,
  -- What the engine has counted since it started, as lib/metrics/snapshot.ts has it.
  metrics jsonb,
  -- True for an engine that opens sealed values. One of an earlier version would send them to servers.
  opens_content boolean NOT NULL DEFAULT false
);

-- A task that a server lists and Intray does not know. The handle is a bearer secret: sealed.
CREATE TABLE found_task (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  connection_id uuid NOT NULL,
  -- The start of unknown outcome that may have made it; null: nobody's.
  task_id uuid,
  sealed_handle text NOT NULL,
  handle_digest bytea NOT NULL,
  sealed_session text,
  status text NOT NULL,
  status_message text,
  -- By the server's clock, corrected by what its Date header differs from ours.
  server_created_at timestamptz(3),
  found_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, connection_id) REFERENCES connection (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX found_task_handle ON found_task (organization_id, connection_id, handle_digest);
CREATE INDEX found_task_of_start ON found_task (organization_id, task_id) WHERE task_id IS NOT NULL;

-- A list as somebody keeps it: a page's own URL parameters under a name. It goes with the membership.
CREATE TABLE saved_view (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  page text NOT NULL CHECK (page IN ('inbox', 'tasks')),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  query jsonb NOT NULL,
  shared boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX saved_view_name ON saved_view (organization_id, user_id, page, lower(name));

-- A single-use link into an organization, for one e-mail address. The link's secret is kept as a hash alone.
CREATE TABLE invitation (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  email text NOT NULL CHECK (email = lower(email)),
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'operator', 'approver', 'viewer')),
  token_hash bytea NOT NULL UNIQUE,
  -- The member who made it, by themselves or with a key of theirs; null for keys made by the command line.
  invited_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  accepted_at timestamptz(3),
  revoked_at timestamptz(3),
  -- The link was handed to the mail server and shown to nobody: whoever opens it reads the mail of that address.
  mailed boolean NOT NULL DEFAULT false,
  -- A process of an earlier version invites as its token's maker: such an invitation ends with the maker, as before.
  by_directory boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK (accepted_at IS NULL OR revoked_at IS NULL)
);
CREATE UNIQUE INDEX invitation_open ON invitation (organization_id, email)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;

-- What outlives every organization: that there was one. Nobody who comes upon an installation whose last organization
-- was deleted may set it up for themselves, and an ended demonstration does not come back. No row: none was deleted.
CREATE TABLE installation (
  only_row boolean DEFAULT true PRIMARY KEY CHECK (only_row),
  set_up boolean NOT NULL
);

-- A person at a provider (OpenID Connect): the issuer and its subject, never the e-mail address.
CREATE TABLE identity (
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  user_id uuid NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (issuer, subject),
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE
);
CREATE INDEX identity_by_user ON identity (user_id);

-- One-time codes of an app (RFC 6238). It counts once it is confirmed.
CREATE TABLE second_factor (
  user_id uuid PRIMARY KEY,
  sealed_secret text NOT NULL,
  -- The time step of the newest code that was taken: no code works twice.
  last_step bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  confirmed_at timestamptz(3),
  -- Wrong codes of an app in a row: the more, the longer the next one has to wait. Recovery codes and passkeys go on.
  wrong_codes integer NOT NULL DEFAULT 0,
  tried_at timestamptz(3),
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE
);

-- Ten of them, each for one sign-in without the app. 80 random bits, so that a plain hash is enough.
CREATE TABLE recovery_code (
  user_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  used_at timestamptz(3),
  PRIMARY KEY (user_id, code_hash),
  FOREIGN KEY (user_id) REFERENCES second_factor (user_id) ON DELETE CASCADE
);

CREATE TABLE passkey (
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  user_id uuid NOT NULL,
  name text NOT NULL CHECK (name <> ''),
  -- As the authenticator names it, in base64url.
  credential_id text NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  -- Raised by authenticators that count; one that goes back was copied.
  counter bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE
);
CREATE INDEX passkey_by_user ON passkey (user_id);

-- A challenge that a passkey signs, once.
CREATE TABLE passkey_challenge (
  challenge_hash bytea PRIMARY KEY,
  -- Who registers a passkey; null: somebody who signs in.
  user_id uuid,
  expires_at timestamptz(3) NOT NULL,
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE
);

-- A sign-in that had the right password and still needs a code. It is not a session, and may do nothing.
CREATE TABLE pending_sign_in (
  secret_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  expires_at timestamptz(3) NOT NULL,
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE
);

-- Who Intray is at one authorization server, for one MCP server. Never used with another issuer.
CREATE TABLE oauth_client (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  server_id uuid NOT NULL,
  -- Null: an admin gave it, and nobody has connected yet; the first connection binds it.
  issuer text,
  client_id text NOT NULL,
  sealed_secret text,
  secret_expires_at timestamptz(3),
  registered text NOT NULL CHECK (registered IN ('pre-registered', 'metadata-document', 'dynamic')),
  -- Where the authorization server sends people back to; a registration holds for one address.
  redirect_uri text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT oauth_client_redirect UNIQUE (organization_id, server_id, issuer, redirect_uri),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK (issuer IS NOT NULL OR registered = 'pre-registered')
);
CREATE UNIQUE INDEX oauth_client_given ON oauth_client (organization_id, server_id)
  WHERE registered = 'pre-registered';

-- A person is away at an authorization server. Taken out by the one callback that may end it.
CREATE TABLE oauth_flow (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  state_hash bytea NOT NULL UNIQUE,
  user_id uuid NOT NULL,
  -- Only the browser that began it may end it.
  session_id uuid NOT NULL,
  server_id uuid NOT NULL,
  shared boolean NOT NULL,
  oauth_client_id uuid NOT NULL,
  sealed_verifier text NOT NULL,
  -- The authorization server's description as it was checked when the person left.
  issuer text NOT NULL,
  metadata jsonb NOT NULL,
  resource text NOT NULL,
  scope text,
  redirect_uri text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id),
  FOREIGN KEY (organization_id, oauth_client_id) REFERENCES oauth_client (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

-- What an authorization server granted to a connection. A table of its own, so that renewing it waits for no watcher.
CREATE TABLE oauth_grant (
  organization_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('connected', 'needs_reauth', 'needs_scope', 'revoked')),
  sealed_tokens text,
  -- Raised by every writing of tokens; each writer carries the one that it read.
  version bigint NOT NULL DEFAULT 1,
  issuer text NOT NULL,
  metadata jsonb NOT NULL,
  resource text NOT NULL,
  client_id text NOT NULL,
  scope text,
  -- With `needs_scope`: all that a new sign-in has to ask for.
  needed_scope text,
  renews boolean NOT NULL,
  refresh_at timestamptz(3),
  expires_at timestamptz(3),
  -- Renewing it is one process' business until then.
  claimed_until timestamptz(3),
  connected_by uuid NOT NULL,
  connected_at timestamptz(3) NOT NULL DEFAULT now(),
  refreshed_at timestamptz(3),
  PRIMARY KEY (organization_id, connection_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, connection_id) REFERENCES connection (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((sealed_tokens IS NULL) = (state = 'revoked')),
  CHECK ((needed_scope IS NOT NULL) = (state = 'needs_scope'))
);

-- An organization's own quotas; no row, or null: the default. Set by the operator's command line, as the owner.
CREATE TABLE quota (
  organization_id uuid PRIMARY KEY,
  open_tasks integer CHECK (open_tasks >= 0),
  starts_a_minute integer CHECK (starts_a_minute >= 0),
  -- Of one member or key.
  open_tasks_each integer CHECK (open_tasks_each >= 0),
  starts_a_minute_each integer CHECK (starts_a_minute_each >= 0),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

-- How far a follower of the history has read it.
CREATE TABLE event_follower (
  organization_id uuid NOT NULL,
  follower text NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (organization_id, follower),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

-- One action on many tasks, as chosen at one moment: the list is frozen before anybody confirms it.
CREATE TABLE bulk_operation (
  organization_id uuid NOT NULL,
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
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((state IN ('done', 'stopped')) = (ended_at IS NOT NULL)),
  CHECK (state = 'prepared' OR begun_at IS NOT NULL OR state = 'stopped')
);
CREATE INDEX bulk_operation_newest ON bulk_operation (organization_id, created_at DESC, id DESC);
CREATE INDEX bulk_operation_running ON bulk_operation (organization_id, begun_at) WHERE state = 'running';
CREATE INDEX bulk_operation_open ON bulk_operation (organization_id) WHERE state IN ('prepared', 'running');

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
  -- How often the task had been started again when a list of restarts was chosen, counted by the statement that chose it: a
  -- further restart, committed at any time since, refuses the item. 0 for lists of earlier versions: those are refused rather than repeated.
  restarts_before integer NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, operation_id, "position"),
  UNIQUE (organization_id, operation_id, task_id),
  FOREIGN KEY (organization_id, operation_id) REFERENCES bulk_operation (organization_id, id) ON DELETE CASCADE,
  CHECK ((state = 'waiting') = (done_at IS NULL)),
  CHECK ((state = 'refused') = (code IS NOT NULL))
);
CREATE INDEX bulk_item_waiting ON bulk_item (organization_id, operation_id, position) WHERE state = 'waiting';

CREATE TABLE race (
  organization_id uuid NOT NULL,
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
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((state = 'won') = (winner_task_id IS NOT NULL)),
  CHECK ((state = 'running') = (finished_at IS NULL)),
  CHECK (settled_at IS NULL OR state <> 'running')
);
CREATE INDEX race_to_settle ON race (organization_id) WHERE state <> 'running' AND settled_at IS NULL;
-- An `Idempotency-Key` of starts of several tasks at once; it is its caller's own.
CREATE UNIQUE INDEX race_idempotency_by_caller ON race (organization_id, idempotency_key,
  (requested_by ->> 'kind'), (coalesce(requested_by ->> 'id', ''))) WHERE idempotency_key IS NOT NULL;

-- The engine's calls to a server in five minutes, and again in an hour: what is looked at over days is read from few rows.
CREATE TABLE server_stat (
  organization_id uuid NOT NULL,
  server_id uuid NOT NULL,
  minutes smallint NOT NULL CHECK (minutes IN (5, 60)),
  -- When it begins, a multiple of its length.
  "at" timestamptz(3) NOT NULL,
  calls integer NOT NULL,
  -- Calls that failed, by class, and latencies of those that were answered: the places are named in
  -- lib/servers/call-statistics/counts.ts.
  failures integer[] NOT NULL,
  latency integer[] NOT NULL,
  PRIMARY KEY (organization_id, server_id, minutes, at),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor=70);

-- What a tool said of itself, and since when: one row for each text, of which one is the current one.
CREATE TABLE server_tool_version (
  organization_id uuid NOT NULL,
  server_id uuid NOT NULL,
  tool text NOT NULL,
  -- SHA-256 of what follows, in canonical JSON.
  digest bytea NOT NULL,
  -- json, not jsonb: forms are laid out in the order of the schema
  described json NOT NULL,
  first_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  since timestamptz(3) NOT NULL DEFAULT now(),
  -- Null: it says so now.
  until timestamptz(3),
  -- The last start by somebody who had seen this, or could have; null: none yet.
  used_at timestamptz(3),
  used_by jsonb,
  PRIMARY KEY (organization_id, server_id, tool, digest),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id) ON DELETE CASCADE,
  CHECK ((used_at IS NULL) = (used_by IS NULL))
);
CREATE UNIQUE INDEX server_tool_current ON server_tool_version (organization_id, server_id, tool) WHERE until IS NULL;

-- How much of what there was at a server in a stretch of time. lib/statistics/measures.ts names the measures.
-- Two sizes of stretches: hours for the last days, six hours for the last months.
CREATE TABLE statistic (
  organization_id uuid NOT NULL,
  hours smallint NOT NULL CHECK (hours IN (1, 6)),
  -- When the stretch begins.
  "at" timestamptz(3) NOT NULL,
  server_id uuid NOT NULL,
  measure text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (organization_id, hours, at, server_id, measure),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id) ON DELETE CASCADE
);
-- A foreign key looks here when a server is deleted.
CREATE INDEX statistic_server ON statistic (organization_id, server_id);

-- When the open tasks of an organization were counted last: who moves it on counts, so that they are counted once.
CREATE TABLE statistic_sample (
  organization_id uuid PRIMARY KEY,
  sampled_at timestamptz(3) NOT NULL,
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

CREATE TABLE mail (
  organization_id uuid NOT NULL,
  -- Names the message in its Message-ID, at every attempt.
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'dropped', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  -- Due from then on. Who takes it up moves it on, so that it is another's if they die over it.
  not_before timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3),
  -- Why the last attempt came to nothing, in our own words.
  error text,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE,
  CHECK ((ended_at IS NULL) = (state = 'waiting'))
);
CREATE INDEX mail_due ON mail (not_before) WHERE state = 'waiting';
-- A person has one on its way at a time: what comes meanwhile goes along with it, or with the next.
CREATE UNIQUE INDEX mail_waiting ON mail (organization_id, user_id) WHERE state = 'waiting';
CREATE INDEX mail_by_person ON mail (organization_id, user_id, created_at);

CREATE TABLE notice (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('assigned', 'request', 'done', 'failed', 'lost', 'attention')),
  cause text NOT NULL,
  -- What it is about, by its id: a request, task, connection, server or webhook.
  subject uuid NOT NULL,
  task_id uuid,
  input_request_id uuid,
  server_id uuid,
  in_app boolean NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  read_at timestamptz(3),
  -- There is nothing left to do about it, or not for this person.
  withdrawn_at timestamptz(3),
  -- To be mailed from then on; null: not to be.
  mail_after timestamptz(3),
  -- The mail that it went into.
  mail_id uuid,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, user_id, cause, subject),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, mail_id) REFERENCES mail (organization_id, id)
);
CREATE INDEX notice_by_subject ON notice (organization_id, subject);
CREATE INDEX notice_by_task ON notice (organization_id, task_id) WHERE task_id IS NOT NULL;
CREATE INDEX notice_by_request ON notice (organization_id, input_request_id) WHERE input_request_id IS NOT NULL;
CREATE INDEX notice_by_person ON notice (organization_id, user_id, created_at, id);
CREATE INDEX notice_unread ON notice (organization_id, user_id)
  WHERE read_at IS NULL AND withdrawn_at IS NULL AND in_app;
CREATE INDEX notice_to_mail ON notice (mail_after) WHERE mail_after IS NOT NULL AND mail_id IS NULL;
CREATE INDEX notice_by_mail ON notice (organization_id, mail_id) WHERE mail_id IS NOT NULL;
CREATE INDEX notice_by_time ON notice (organization_id, created_at);

-- What a member chose otherwise than the default, a row a kind.
CREATE TABLE notice_preference (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('assigned', 'request', 'done', 'failed', 'lost', 'attention')),
  in_app boolean NOT NULL,
  email boolean NOT NULL,
  PRIMARY KEY (organization_id, user_id, kind),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE
);

CREATE TABLE webhook_endpoint (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  sealed_secret text NOT NULL,
  -- Signs beside the new one for a while after a rotation.
  sealed_previous_secret text,
  previous_until timestamptz(3),
  disabled_reason text CHECK (disabled_reason IN ('by_hand', 'gone', 'failing')),
  -- Nothing has got through since then; null: the last delivery did.
  failing_since timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((sealed_previous_secret IS NULL) = (previous_until IS NULL))
);

CREATE TABLE webhook_delivery (
  organization_id uuid NOT NULL,
  -- The webhook-id, at every attempt.
  id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  type text NOT NULL,
  -- The body, byte for byte as it is signed.
  payload text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  -- Since it was made, or was sent again by hand.
  attempts integer NOT NULL DEFAULT 0,
  -- The last attempts: when, the status or what went wrong, and how long it took.
  log jsonb NOT NULL DEFAULT '[]',
  -- Due from then on. Who takes it up moves it on, so that it is another's if they die over it.
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, endpoint_id) REFERENCES webhook_endpoint (organization_id, id) ON DELETE CASCADE,
  CHECK ((ended_at IS NULL) = (state = 'pending'))
);
CREATE INDEX webhook_delivery_due ON webhook_delivery (not_before) WHERE state = 'pending';
CREATE INDEX webhook_delivery_of ON webhook_delivery (organization_id, endpoint_id, not_before) WHERE state = 'pending';
CREATE INDEX webhook_delivery_log ON webhook_delivery (organization_id, endpoint_id, created_at, id);
CREATE INDEX webhook_delivery_by_time ON webhook_delivery (organization_id, created_at);

-- How many open tasks each requester has: counted at every start. Kept by triggers at the very end of a transaction,
-- when it has all its other locks: whoever waits here waits for a commit and for nothing else. Who starts is first
-- let in alone (lib/task-lifecycle/quota.ts), so that what is counted then is exact.
CREATE TABLE open_tasks (
  organization_id uuid NOT NULL,
  -- `requested_by`: its kind and id.
  requester text NOT NULL,
  tasks integer NOT NULL,
  PRIMARY KEY (organization_id, requester),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
) WITH (fillfactor=50);

-- What is searched, apart from the wide rows. An organization's open tasks and requests are read one by one, which is
-- quick where nothing else lies between them; what is over is found by an index. No index on task itself has a status
-- message any more: with one, each new message was an entry in every index of the table.
CREATE TABLE open_task_text (
  organization_id uuid NOT NULL,
  task_id uuid NOT NULL,
  search text NOT NULL,
  PRIMARY KEY (organization_id, task_id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor=80);

CREATE TABLE ended_task_text (
  organization_id uuid NOT NULL,
  task_id uuid NOT NULL,
  search text NOT NULL,
  PRIMARY KEY (organization_id, task_id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX ended_task_text_search ON ended_task_text USING gin (organization_id, search gin_trgm_ops);

CREATE TABLE open_request_text (
  organization_id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  search text NOT NULL,
  PRIMARY KEY (organization_id, input_request_id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE
);

-- What servers of 2025-11-25 say on their streams and would not say again: questions, and questions taken back. Stored as it
-- arrives, whatever state its task, its server or the lease is in; whose it is follows from these rows.
CREATE TABLE stream_message (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  connection_id uuid NOT NULL,
  -- A digest of the session it came on, and the JSON-RPC id with its type: where an answer goes.
  session_digest bytea NOT NULL,
  rpc_id jsonb NOT NULL,
  kind text NOT NULL CHECK (kind IN ('elicitation', 'cancelled')),
  -- The question as parsed.
  params jsonb,
  -- The task whose own call or tasks/result the stream was; null: the session's standalone stream.
  stream_task_id uuid,
  -- The server's task id that the message names, as task.handle_digest; null: it names none.
  named_digest bytea,
  -- It came on a stream that was gone on with after an event, as servers replay them: it may have been said before.
  replayed boolean NOT NULL DEFAULT false,
  received_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Those that it may be of, as long as nobody knows.
  candidates uuid[] NOT NULL DEFAULT '{}',
  -- The task that it turned out to be of.
  task_id uuid,
  handled_at timestamptz(3),
  -- The task of ours as which the question was put; null: the answer is sent to the JSON-RPC id. No foreign keys, which would need
  -- an index each to delete a task by: rows that name a task that is gone are handled, or go with it.
  elicitation_task_id uuid,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, connection_id) REFERENCES connection (organization_id, id),
  FOREIGN KEY (organization_id, stream_task_id) REFERENCES task (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id),
  CHECK ((kind = 'elicitation') = (params IS NOT NULL))
);
CREATE INDEX stream_message_open ON stream_message (organization_id, connection_id) WHERE handled_at IS NULL;
CREATE INDEX stream_message_handled ON stream_message (organization_id, connection_id, handled_at)
  WHERE handled_at IS NOT NULL;
CREATE INDEX stream_message_task ON stream_message (organization_id, task_id) WHERE task_id IS NOT NULL;
CREATE INDEX stream_message_stream_task ON stream_message (organization_id, stream_task_id)
  WHERE stream_task_id IS NOT NULL;

-- Who looks after a stuck task, so that two people do not do the same. One row a task, until the task is no longer stuck.
CREATE TABLE acknowledgement (
  organization_id uuid NOT NULL,
  task_id uuid NOT NULL,
  user_id uuid NOT NULL,
  note text CHECK (length(note) BETWEEN 1 AND 4000),
  acknowledged_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Since when the task has not been stuck. It may be again in a minute, when a server comes and goes.
  free_since timestamptz(3),
  PRIMARY KEY (organization_id, task_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id) ON DELETE CASCADE
);

-- Recovery codes are hashed as passwords are. A short part of a code, its selector, is no secret: it names the one hash
-- that a try is compared with. Codes of earlier versions stay in recovery_code, under a fast hash, until they are used or replaced.
CREATE TABLE slow_recovery_code (
  user_id uuid NOT NULL,
  selector text NOT NULL,
  slow_hash text NOT NULL,
  used_at timestamptz(3),
  PRIMARY KEY (user_id, selector),
  FOREIGN KEY (user_id) REFERENCES second_factor (user_id) ON DELETE CASCADE
);

-- What tries are counted by, under a keyed hash: whether an account has the address is not told by the row.
CREATE TABLE sign_in_try (
  key bytea PRIMARY KEY CHECK (length(key) = 32),
  -- Of 4,096 places, by the hash. A place has 16 rows at most, and so the table 65,536.
  place integer GENERATED ALWAYS AS (((get_byte(key, 0) << 4) | (get_byte(key, 1) >> 4))) STORED NOT NULL,
  -- Of a pair: wrong tries in a row.
  wrong integer NOT NULL DEFAULT 0,
  tried_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Of an account or a network: when its allowance is whole again.
  full_at timestamptz NOT NULL DEFAULT '-infinity'
);
CREATE INDEX sign_in_try_by_place ON sign_in_try (place, tried_at);
CREATE INDEX sign_in_try_by_time ON sign_in_try (tried_at);

-- Networks and browsers that an account has signed in from.
CREATE TABLE known_place (
  user_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('network', 'browser')),
  -- A network as people write it (192.0.2.7, 2001:db8::/64), a browser by the hash of its cookie.
  name text NOT NULL,
  last_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, kind, name),
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE
);
CREATE INDEX known_place_by_time ON known_place (last_at);

-- What happened to an account. It is the person's: an organization has its own history.
CREATE TABLE account_event (
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  user_id uuid NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL,
  -- Refused sign-ins of one kind within an hour are one row.
  times integer NOT NULL DEFAULT 1,
  "at" timestamptz(3) NOT NULL DEFAULT now(),
  last_at timestamptz(3) NOT NULL DEFAULT now(),
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE
);
CREATE INDEX account_event_by_user ON account_event (user_id, at DESC);
CREATE INDEX account_event_by_time ON account_event (at);

-- A person is told what concerns the safety of their account: in the app, whichever organization they work in, and by
-- mail to the account's address. Made with the change itself; no preference, undo or end of a membership takes it back.
CREATE TABLE account_notice (
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  user_id uuid NOT NULL,
  cause text NOT NULL,
  -- The name of a passkey, the browser and address of a session: texts of whoever was there.
  data jsonb NOT NULL,
  -- How many more of this cause there were within a day.
  more integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  read_at timestamptz(3),
  -- The account's address when it happened.
  address text NOT NULL,
  mail_state text NOT NULL DEFAULT 'waiting' CHECK (mail_state IN ('waiting', 'sent', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  mail_error text,
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE
);
CREATE INDEX account_notice_by_user ON account_notice (user_id, created_at DESC);
CREATE INDEX account_notice_waiting ON account_notice (not_before) WHERE mail_state = 'waiting';
CREATE INDEX account_notice_by_time ON account_notice (created_at);

-- Who counts as one person where a second one is required: a member and whoever invited them, until another owner
-- vouches for the member. A row outlives the membership, so that nobody gets rid of who invited them.
CREATE TABLE maker (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- Null: the operator or a sign-in provider made the member. The organization's own id: a key of the command line did.
  invited_by uuid,
  vouched_by uuid,
  vouched_at timestamptz(3),
  PRIMARY KEY (organization_id, user_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK (invited_by <> user_id),
  CHECK ((vouched_by IS NULL) = (vouched_at IS NULL))
);
CREATE INDEX maker_invited ON maker (organization_id, invited_by) WHERE vouched_at IS NULL;

-- A proposal to require no second person any more. Another maker accepts it, or it takes effect by itself: always where a
-- key of the command line proposed it, which may be in the hands of whoever would accept.
CREATE TABLE four_eyes_proposal (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  proposed_by jsonb NOT NULL,
  -- The person behind it; the organization's own id for a key of the command line.
  proposer uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  takes_effect_at timestamptz(3) NOT NULL DEFAULT (now() + '72:00:00'::interval),
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'accepted', 'in_effect', 'withdrawn')),
  decided_by jsonb,
  -- The person who accepted.
  accepter uuid,
  decided_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((state = 'open') = (decided_at IS NULL)),
  CHECK ((state = 'accepted') = (accepter IS NOT NULL))
);
CREATE UNIQUE INDEX four_eyes_proposal_open ON four_eyes_proposal (organization_id) WHERE state = 'open';

-- Audit streams: destinations outside that get the organization's history line by line. A row is a destination and
-- how far it has the history.
CREATE TABLE audit_stream (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('webhook', 'syslog', 's3')),
  -- A webhook's URL, a syslog server's host:port, or the URL of an S3 service.
  address text NOT NULL,
  -- What else the kind needs, none of it secret: a CA certificate; bucket, region, prefix and access key id.
  settings jsonb NOT NULL DEFAULT '{}',
  -- A webhook's signing secret, or a bucket's secret access key.
  sealed_secret text,
  paused_at timestamptz(3),
  -- The last position that the destination took.
  seq bigint NOT NULL DEFAULT 0,
  delivered_at timestamptz(3),
  -- The position of the last anchor.
  anchored_seq bigint NOT NULL DEFAULT 0,
  anchored_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Lines whose details retention had deleted before the destination took them.
  swept bigint NOT NULL DEFAULT 0,
  -- The sender at work. Another one may begin once the time is over: the first one died.
  claim uuid,
  claimed_until timestamptz(3),
  -- Attempts in a row that failed, and when the next one is due.
  failures integer NOT NULL DEFAULT 0,
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  failing_since timestamptz(3),
  last_error text,
  last_error_at timestamptz(3),
  -- When the history said that the destination is away; null: it is not.
  reported_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((kind = 'syslog') = (sealed_secret IS NULL)),
  CHECK ((claim IS NULL) = (claimed_until IS NULL)),
  CHECK (anchored_seq <= seq),
  CHECK ((last_error IS NULL) = (last_error_at IS NULL))
);

-- Suspended members. The row leaves `membership`, so that whatever asks there, processes of earlier versions included, knows no such
-- member; it stands here with what it needs to come back.
CREATE TABLE suspended_member (
  organization_id uuid NOT NULL,
  -- That of the membership, before and after.
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  role text NOT NULL,
  granted_by text,
  single_keys boolean NOT NULL,
  tour_seen boolean NOT NULL,
  density text NOT NULL,
  locale text,
  joined_at timestamptz(3) NOT NULL,
  suspended_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The actor.
  suspended_by jsonb NOT NULL,
  -- Who may take it back: an admin took it, or the directory that the organization's people come from.
  cause text NOT NULL CHECK (cause IN ('admin', 'directory')),
  -- As in membership. A web process of an earlier version suspends without it: signing in then leads to the organization as to others.
  inherited boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, user_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE
);
CREATE INDEX suspended_member_by_user ON suspended_member (user_id);

-- How an organization wants its people to have signed in (docs/decisions/040), and the domains that it has proved to be its own.
CREATE TABLE sign_in_policy (
  organization_id uuid PRIMARY KEY,
  -- Ids of sign-in providers, one of which has to have opened a session; empty: any way of signing in.
  providers text[] NOT NULL DEFAULT '{}',
  -- How long ago the provider may have seen the person; null: any time.
  provider_age_ms bigint CHECK (provider_age_ms > 0),
  -- One of these, and all of these, the provider has to have said; empty: nothing.
  acr_values text[] NOT NULL DEFAULT '{}',
  amr_values text[] NOT NULL DEFAULT '{}',
  -- The weakest role for which a password alone is not enough; null: none.
  second_factor_from text CHECK (second_factor_from IN ('viewer', 'approver', 'operator', 'admin', 'owner')),
  -- How long a session lasts in this organization, used and unused; null: as long as the installation lets it.
  session_ms bigint CHECK (session_ms > 0),
  idle_ms bigint CHECK (idle_ms > 0),
  -- How long ago one of the providers that are required may have vouched for a key's person; null: any time.
  key_age_ms bigint CHECK (key_age_ms > 0),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

CREATE TABLE organization_domain (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  -- In lower case and ASCII.
  domain text NOT NULL,
  -- What the DNS record has to say. No secret: it stands in public.
  token text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  verified_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, domain),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);
-- A domain is one organization's.
CREATE UNIQUE INDEX organization_domain_verified ON organization_domain (domain) WHERE verified_at IS NOT NULL;

-- Who a provider has signed out of everything, until it signs them in again.
CREATE TABLE provider_absence (
  user_id uuid NOT NULL,
  provider text NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, provider),
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE
);

-- Logout tokens that were taken, so that none is taken twice, until they would be too old.
CREATE TABLE logout_token (
  provider text NOT NULL,
  jti text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (provider, jti)
);
CREATE INDEX logout_token_by_end ON logout_token (expires_at);

CREATE TABLE saml_provider (
  organization_id uuid NOT NULL,
  -- In addresses and in the issuer of its identities, so that no two organizations share one.
  id uuid NOT NULL UNIQUE,
  name text NOT NULL,
  -- Never changes: another identity provider may give the same names to other people.
  entity_id text NOT NULL,
  sso_url text NOT NULL,
  -- PEM; whoever holds a key of these speaks for the provider.
  certificates text[] NOT NULL CHECK (cardinality(certificates) BETWEEN 1 AND 5),
  -- A response that no browser asked for here is taken.
  idp_initiated boolean NOT NULL DEFAULT false,
  sign_requests boolean NOT NULL DEFAULT false,
  -- Null: the usual names.
  email_attribute text,
  name_attribute text,
  groups_attribute text,
  -- [{claim, role}]
  groups jsonb NOT NULL DEFAULT '[]',
  create_accounts boolean NOT NULL DEFAULT false,
  default_role text CHECK (default_role IN ('viewer', 'approver', 'operator', 'admin', 'owner')),
  -- Intray's own, for signed requests and encrypted assertions.
  certificate text NOT NULL,
  sealed_key text NOT NULL,
  -- How the last test sign-in went: a code, or null where it worked.
  tested_at timestamptz(3),
  test_failure text,
  test_report jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Owners are told of a SAML provider whose certificate, or Intray's own for it, ends within 30 days. Engines write down when
  -- that is, since the database reads no certificates; one of an earlier version tells nobody.
  certificate_ends_at timestamptz(3),
  -- The maker who described the provider last, as in maker.invited_by. Null: a process of an earlier version did, which does not say.
  described_by uuid,
  described_at timestamptz(3),
  -- The makers who described it since another one confirmed it; empty: it is confirmed.
  held_by uuid[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK (tested_at IS NOT NULL OR (test_failure IS NULL AND test_report IS NULL)),
  CONSTRAINT saml_provider_makes_no_owner CHECK (default_role IS DISTINCT FROM 'owner' AND NOT groups @> '[{"role": "owner"}]')
);

-- Requests that a browser took to a provider. A response names one, once.
CREATE TABLE saml_request (
  organization_id uuid NOT NULL,
  id text NOT NULL,
  provider_id uuid NOT NULL,
  -- Of the cookie of the browser that began.
  browser_hash bytea NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('sign_in', 'link', 'test')),
  -- Who links or tests; who signs in is not known yet.
  user_id uuid,
  callback text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  answered_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, provider_id) REFERENCES saml_provider (organization_id, id) ON DELETE CASCADE,
  CHECK ((purpose = 'sign_in') = (user_id IS NULL))
);
CREATE INDEX saml_request_by_provider ON saml_request (organization_id, provider_id, created_at);
CREATE INDEX saml_request_by_user ON saml_request (user_id) WHERE user_id IS NOT NULL;

-- Assertions that were taken, each once, until they are too old to be taken again; and what the browser's next request
-- fetches of them, once.
CREATE TABLE saml_response (
  organization_id uuid NOT NULL,
  provider_id uuid NOT NULL,
  assertion_id text NOT NULL,
  ticket_hash bytea NOT NULL UNIQUE,
  browser_hash bytea NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('sign_in', 'link', 'test')),
  user_id uuid,
  callback text NOT NULL,
  -- What the assertion says; gone once it was fetched.
  claims jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  taken_at timestamptz(3),
  PRIMARY KEY (organization_id, provider_id, assertion_id),
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, provider_id) REFERENCES saml_provider (organization_id, id) ON DELETE CASCADE,
  CHECK ((purpose = 'sign_in') = (user_id IS NULL)),
  CHECK ((claims IS NULL) = (taken_at IS NOT NULL))
);
CREATE INDEX saml_response_by_age ON saml_response (organization_id, provider_id, created_at);
CREATE INDEX saml_response_by_user ON saml_response (user_id) WHERE user_id IS NOT NULL;

-- The directory of an organization: the one token of its SCIM service, what people and groups it brings are worth, and
-- what went wrong lately.
CREATE TABLE directory (
  organization_id uuid PRIMARY KEY,
  -- Names the token in the history. Null, with the rest of the token: there is none.
  token_id uuid,
  secret_hash bytea UNIQUE,
  -- The secret before the last rotation, while it still works.
  previous_secret_hash bytea UNIQUE,
  previous_until timestamptz(3),
  -- The owner who made the token or changed its secret last: people whom the directory brings count as theirs where a
  -- second person is required.
  made_by uuid,
  made_at timestamptz(3),
  rotated_at timestamptz(3),
  last_called_at timestamptz(3),
  last_called_network text,
  last_called_agent text,
  -- The role of people whose groups give none.
  default_role text NOT NULL DEFAULT 'viewer' CHECK (default_role IN ('viewer', 'approver')),
  manages_owners boolean NOT NULL DEFAULT false,
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((token_id IS NULL) = (secret_hash IS NULL)),
  CHECK ((token_id IS NULL) = (made_at IS NULL)),
  CHECK ((previous_secret_hash IS NULL) = (previous_until IS NULL))
);

-- What the directory knows of a person: one who is a member, was suspended, or did not accept the invitation yet. Members
-- whom it never changed have no row.
CREATE TABLE directory_person (
  organization_id uuid NOT NULL,
  -- That of the membership, before, during and after.
  id uuid NOT NULL,
  -- The address by which the directory names the person. That of the account is the person's own, and stays.
  user_name text NOT NULL CHECK (user_name = lower(user_name)),
  external_id text,
  given_name text,
  family_name text,
  formatted_name text,
  display_name text,
  -- What the directory says. For somebody who has not joined, nothing else does.
  active boolean NOT NULL DEFAULT true,
  -- Null: has not joined yet. A trigger writes it, whichever way the person joins.
  joined_at timestamptz(3),
  -- The role of now comes from groups, so that it goes with them.
  role_from_groups boolean NOT NULL DEFAULT false,
  -- The directory deleted a person, whose membership is suspended; it knows them no more.
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX directory_person_by_name ON directory_person (organization_id, user_name) WHERE deleted_at IS NULL;
CREATE INDEX directory_person_by_external_id ON directory_person (organization_id, external_id);

-- Groups as the directory has them.
CREATE TABLE directory_group (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  display_name text NOT NULL,
  external_id text,
  -- The role that the group gives, chosen by an owner. Nothing makes an owner but an owner.
  role text CHECK (role IN ('viewer', 'approver', 'operator', 'admin')),
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX directory_group_by_name ON directory_group (organization_id, lower(display_name));

CREATE TABLE directory_group_member (
  organization_id uuid NOT NULL,
  group_id uuid NOT NULL,
  person_id uuid NOT NULL,
  PRIMARY KEY (organization_id, group_id, person_id),
  FOREIGN KEY (organization_id, group_id) REFERENCES directory_group (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, person_id) REFERENCES directory_person (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX directory_group_member_by_person ON directory_group_member (organization_id, person_id);

-- The newest calls of the directory that were refused, a few of each organization.
CREATE TABLE directory_failure (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  "at" timestamptz(3) NOT NULL DEFAULT now(),
  call text NOT NULL,
  status smallint NOT NULL,
  detail text NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

-- Somebody asked for a link for an address, whether or not an account has it. The web writes the address down and answers;
-- an engine looks the account up afterwards, so that the answer can't tell. Neither of the two makes a link alone.
CREATE TABLE password_reset (
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  email text NOT NULL UNIQUE CHECK (length(email) <= 254),
  asked_at timestamptz(3) NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz(3) NOT NULL DEFAULT now()
);

-- Service accounts: named non-persons of an organization, each with a member who answers for it (docs/decisions/044).
CREATE TABLE service_account (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'operator', 'approver', 'viewer')),
  -- The user who answers for it. It rests while they are no member, or one with a weaker role than its own.
  owner_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- An admin put it to rest.
  rested_at timestamptz(3),
  -- People were told that it rests for want of an owner.
  told_at timestamptz(3),
  deleted_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX service_account_name ON service_account (organization_id, lower(name)) WHERE deleted_at IS NULL;

-- Everybody who ever owned an account or made a key of it: who counts as one with it where a second person is required.
-- Nothing is ever taken out, so that giving an account away frees nobody.
CREATE TABLE service_account_maker (
  organization_id uuid NOT NULL,
  service_account_id uuid NOT NULL,
  -- The organization's own id stands for the operator.
  user_id uuid NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, service_account_id, user_id),
  FOREIGN KEY (organization_id, service_account_id) REFERENCES service_account (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX service_account_maker_by_user ON service_account_maker (organization_id, user_id);

-- Keys of organizations, under which they keep what their tasks are about (docs/decisions/045). A sealed value stands in
-- the column where the plain one stood: `sealed/<table.column>/<kind>/<row>/v1.<key>.<text>`, in JSON under the name "sealed".
CREATE TABLE organization_key (
  organization_id uuid NOT NULL,
  -- Random. Only who knows it can write a text that is taken for a sealed value.
  kid uuid NOT NULL,
  -- The key, sealed under INTRAY_KEYS.
  sealed_key text NOT NULL,
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Since then the key only opens.
  retired_at timestamptz(3),
  PRIMARY KEY (organization_id, kid),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX organization_key_current ON organization_key (organization_id) WHERE retired_at IS NULL;

-- How far the engine has come with what was stored before the switch was turned. A row stays.
CREATE TABLE content_sealing (
  organization_id uuid PRIMARY KEY,
  -- The key under which everything is to be; null: everything is to be plain.
  kid uuid,
  -- The table and the last row of the present pass; null before the first table.
  at_table text,
  at_row uuid,
  -- Rows of the present pass: looked at, to look at by an estimate, converted or left out because somebody had them.
  looked bigint NOT NULL DEFAULT 0,
  rows bigint NOT NULL DEFAULT 0,
  left_over bigint NOT NULL DEFAULT 0,
  -- Rows that can't be opened, in the last pass.
  unopened bigint NOT NULL DEFAULT 0,
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  changed_by jsonb NOT NULL,
  -- A pass found nothing left to do.
  finished_at timestamptz(3),
  -- The next look at rows that an earlier version wrote meanwhile.
  look_at timestamptz(3) NOT NULL DEFAULT now(),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

-- Agents: programs that reach Intray by MCP (docs/agents.md). Each has a credential of its own, which is a secret, or an
-- OAuth client that a member signed in; and what it may call.
CREATE TABLE agent_credential (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('operator', 'approver', 'viewer')),
  -- Of a secret that was shown once; null: the agent comes with OAuth tokens.
  secret_hash bytea UNIQUE,
  -- The member who signed the agent in, as whom it acts, and the client; null: the agent has a secret, and acts as nobody.
  user_id uuid,
  oauth_client_id text,
  -- Who made it: it dies with the membership. Null: the command line.
  created_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Null: without an end.
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  -- As of api_key: of 14, 3 and 0 days before the end, the last of which people were told. Null: none yet.
  warned_days smallint CHECK (warned_days IN (14, 3, 0)),
  -- How long a call is held open; null: as the client's name suggests.
  hold_ms integer CHECK (hold_ms BETWEEN 0 AND 210000),
  -- The client's own user may answer, too, where a grant says nothing.
  ask_agent_too boolean NOT NULL DEFAULT false,
  -- What the client says of itself: nobody has proved it.
  client_name text,
  client_version text,
  first_seen_at timestamptz(3),
  -- To the minute, as `calls` is.
  last_seen_at timestamptz(3),
  last_seen_network text,
  calls bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((secret_hash IS NULL) = (user_id IS NOT NULL)),
  CHECK ((user_id IS NULL) = (oauth_client_id IS NULL)),
  CHECK (expires_at IS NOT NULL OR warned_days IS NULL)
);
CREATE INDEX agent_credential_by_person ON agent_credential (coalesce(user_id, created_by)) WHERE revoked_at IS NULL;
-- Those that may have to be told of.
CREATE INDEX agent_credential_expiring ON agent_credential (expires_at)
  WHERE revoked_at IS NULL AND warned_days IS DISTINCT FROM 0;
-- One member signs one client in once.
CREATE UNIQUE INDEX agent_credential_of_client ON agent_credential (organization_id, user_id, oauth_client_id)
  WHERE revoked_at IS NULL AND user_id IS NOT NULL;

CREATE TABLE agent_grant (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  agent_id uuid NOT NULL,
  server_id uuid NOT NULL,
  -- Null: all tools of the server, also those to come.
  tool text,
  -- What comes before a call that no rule names; null: nothing.
  before text CHECK (before IN ('allow', 'ask', 'deny')),
  -- Null: as the credential has it.
  ask_agent_too boolean,
  -- The digest of each tool as it was granted, by name: one that has changed, or was not there, falls back to asking.
  -- Null: granted before the server had listed its tools; what it lists first is what was granted.
  digests jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, agent_id) REFERENCES agent_credential (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX agent_grant_once ON agent_grant (organization_id, agent_id, server_id, coalesce(tool, ''));
CREATE INDEX agent_grant_by_server ON agent_grant (organization_id, server_id);

-- Calls of agents: which call made which task, so that a repeated call joins the task instead of making another.
CREATE TABLE agent_call (
  organization_id uuid NOT NULL,
  task_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  -- The tool as the agent names it.
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 256),
  -- Of tool and arguments in their canonical form, keyed where the organization seals.
  digest bytea NOT NULL CHECK (octet_length(digest) = 32),
  -- Of the key by which the agent says exactly which call it means.
  key_digest bytea CHECK (octet_length(key_digest) = 32),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- The task's result was about to be sent, the first time.
  sent_at timestamptz(3),
  -- A connection has taken all of it.
  fetched_at timestamptz(3),
  PRIMARY KEY (organization_id, task_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, agent_id) REFERENCES agent_credential (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX agent_call_by_digest ON agent_call (organization_id, agent_id, digest, created_at DESC);
CREATE UNIQUE INDEX agent_call_by_key ON agent_call (organization_id, agent_id, key_digest) WHERE key_digest IS NOT NULL;

-- The one use of an approval that is bound to a call elsewhere. Its row is the proof that nobody else had it.
CREATE TABLE approval_use (
  organization_id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  used_at timestamptz(3) NOT NULL DEFAULT now(),
  used_by jsonb NOT NULL,
  PRIMARY KEY (organization_id, input_request_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE
);

-- Who is told that a request has ended: an address of the caller's, once.
CREATE TABLE request_callback (
  organization_id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  task_id uuid NOT NULL,
  url text NOT NULL,
  -- Signs what is sent, as of a webhook.
  sealed_secret text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  -- The last attempt, as in a webhook's log.
  last_attempt jsonb,
  ended_at timestamptz(3),
  PRIMARY KEY (organization_id, input_request_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  CHECK ((state = 'pending') = (ended_at IS NULL))
);
CREATE INDEX request_callback_pending ON request_callback (organization_id, task_id) WHERE state = 'pending';

-- Rules for calls: who of agents, members and keys may make which call, and which calls a person approves first
-- (docs/call-rules.md). The list changes as a whole; each version stays as it was, for whoever asks later why a call was stopped.
CREATE TABLE call_rule_version (
  organization_id uuid NOT NULL,
  -- From 1 without gaps; the highest is in force. Without a row there are no rules.
  version integer NOT NULL CHECK (version > 0),
  rules jsonb NOT NULL CHECK (jsonb_typeof(rules) = 'array' AND jsonb_array_length(rules) <= 100),
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  made_by jsonb NOT NULL,
  PRIMARY KEY (organization_id, version),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

-- Clients: those that registered by themselves (RFC 7591), as anybody may, and of those with a metadata document, whose id
-- is its address, what it said when a member last let one in. Nothing that a client says of itself is proved.
CREATE TABLE agent_client (
  id text PRIMARY KEY CHECK (length(id) <= 1000),
  metadata jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- When a member last let it in: what came of it lasts ninety days. Null: nobody did, and the row goes after a day.
  used_at timestamptz(3),
  -- Whoever floods the registrations of clients makes room in their own: no network is shut out by another one.
  network text CHECK (length(network) <= 100)
);
CREATE INDEX agent_client_unused ON agent_client (created_at) WHERE used_at IS NULL;
CREATE INDEX agent_client_used ON agent_client (used_at);

-- One time that a member let an agent in: what its codes and tokens belong to.
CREATE TABLE agent_sign_in (
  organization_id uuid NOT NULL,
  id uuid NOT NULL UNIQUE,
  agent_id uuid NOT NULL,
  client_id text NOT NULL,
  session_id uuid NOT NULL UNIQUE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (session_id) REFERENCES session (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, agent_id) REFERENCES agent_credential (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX agent_sign_in_by_agent ON agent_sign_in (organization_id, agent_id);

-- What the authorization server keeps: questions to members, codes and tokens, by the hash of what opens them.
CREATE TABLE agent_oauth_record (
  kind text NOT NULL CHECK (kind IN ('Interaction', 'AuthorizationCode', 'AccessToken', 'RefreshToken', 'Grant')),
  id_hash bytea NOT NULL CHECK (length(id_hash) = 32),
  sign_in_id uuid,
  -- Whose browser is asked; nobody else may answer.
  session_id uuid,
  payload jsonb NOT NULL,
  consumed_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (kind, id_hash),
  FOREIGN KEY (sign_in_id) REFERENCES agent_sign_in (id) ON DELETE CASCADE,
  FOREIGN KEY (session_id) REFERENCES session (id) ON DELETE CASCADE,
  CHECK ((kind = 'Interaction') = (session_id IS NOT NULL)),
  CHECK ((kind = 'Interaction') = (sign_in_id IS NULL))
);
CREATE INDEX agent_oauth_record_by_sign_in ON agent_oauth_record (sign_in_id);
CREATE INDEX agent_oauth_record_by_session ON agent_oauth_record (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX agent_oauth_record_by_end ON agent_oauth_record (expires_at);

-- Whom a provider could sign in while it was not confirmed, and who held it. A row outlives the link and the provider, and
-- goes when the provider is confirmed, or, once it is removed, when an owner vouches for the person.
CREATE TABLE saml_maker (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- As in maker.invited_by.
  maker uuid NOT NULL,
  provider_id uuid NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, user_id, maker, provider_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK (maker <> user_id)
);
CREATE INDEX saml_maker_by_maker ON saml_maker (organization_id, maker);
CREATE INDEX saml_maker_by_provider ON saml_maker (organization_id, provider_id);

-- When a provider signed a person in last. Sessions are swept.
CREATE TABLE provider_vouch (
  user_id uuid NOT NULL,
  provider text NOT NULL,
  "at" timestamptz(3) NOT NULL,
  PRIMARY KEY (user_id, provider),
  FOREIGN KEY (user_id) REFERENCES "user" (id) ON DELETE CASCADE
);

-- Questions that a server of 2025-11-25 puts as tasks (`elicitation/create` with `task`): Intray keeps the task, and the server
-- asks for its state and its result on any session of the connection. All that it is told comes from these rows.
CREATE TABLE elicitation_task (
  organization_id uuid NOT NULL,
  -- The task id that the server is given: random, and of no use outside of the connection.
  id uuid NOT NULL,
  connection_id uuid NOT NULL,
  -- A digest of the session it was asked for on, and the JSON-RPC id with its type: where the task is announced.
  session_digest bytea NOT NULL,
  rpc_id jsonb NOT NULL,
  -- What the server was told, or may be: a completed task stays so. A working one whose question is over counts as cancelled.
  state text NOT NULL DEFAULT 'working' CHECK (state IN ('working', 'completed', 'cancelled')),
  ttl_ms bigint CHECK (ttl_ms >= 0),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The server has taken the reply that names the task.
  announced_at timestamptz(3),
  -- When the server last asked for the task or its result.
  looked_at timestamptz(3),
  -- `tasks/result` that wait for the answer: session digests in hex, with the JSON-RPC ids.
  waiting jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(waiting) = 'array'),
  -- The question, once it is known whose it is.
  task_id uuid,
  input_request_id uuid,
  -- A digest of the session to which the answer was last handed over, written before the first byte. Null: it never was, or by an
  -- engine of an earlier version. Words that are put again in another session may be the same question, whose answer was lost with the first.
  fetched_in bytea,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, connection_id) REFERENCES connection (organization_id, id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id),
  CHECK ((task_id IS NULL) = (input_request_id IS NULL))
);
CREATE INDEX elicitation_task_listed ON elicitation_task (organization_id, connection_id, created_at, id);
CREATE INDEX elicitation_task_asked ON elicitation_task (organization_id, session_digest, rpc_id);
CREATE INDEX elicitation_task_unattended ON elicitation_task (organization_id, connection_id)
  WHERE announced_at IS NULL OR waiting <> '[]';
CREATE INDEX elicitation_task_request ON elicitation_task (organization_id, input_request_id)
  WHERE input_request_id IS NOT NULL;
CREATE INDEX elicitation_task_task ON elicitation_task (organization_id, task_id) WHERE task_id IS NOT NULL;
CREATE INDEX elicitation_task_nobodys ON elicitation_task (organization_id, changed_at) WHERE task_id IS NULL;

-- Recipes: tools of a server that answer at once, as one durable task (docs/recipes.md, docs/decisions/066).
CREATE TABLE recipe_version (
  organization_id uuid NOT NULL,
  server_id uuid NOT NULL,
  -- The tool's name, by which tasks are started.
  name text NOT NULL CHECK (name ~ '^[A-Za-z0-9_-]{1,64}$'),
  -- From 1 without gaps, also across a removal.
  version integer NOT NULL CHECK (version > 0),
  recipe jsonb NOT NULL,
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  made_by jsonb NOT NULL,
  -- When another version took its place, or the recipe was removed; null: tasks are started with it.
  until timestamptz(3),
  PRIMARY KEY (organization_id, server_id, name, version),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id) ON DELETE CASCADE,
  CHECK (jsonb_typeof(recipe) = 'object' AND recipe ->> 'name' = name)
);
CREATE UNIQUE INDEX recipe_in_force ON recipe_version (organization_id, server_id, name) WHERE until IS NULL;

-- The organization's policy: who has to agree on which requests (docs/governance.md). It changes as a whole; each version stays as
-- it was, since requests keep the version under which they were asked.
CREATE TABLE policy_version (
  organization_id uuid NOT NULL,
  -- From 1 without gaps; the highest is in force. Without a row any one approver decides.
  version integer NOT NULL CHECK (version > 0),
  policy jsonb NOT NULL CHECK (jsonb_typeof(policy) = 'object'),
  -- Whom the addresses in it meant when it was saved: address to user id. An address that another account has later means nobody else.
  people jsonb NOT NULL CHECK (jsonb_typeof(people) = 'object'),
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  made_by jsonb NOT NULL,
  -- Who wrote the automatic rules of a version, by the rule's name: {fingerprint, since, makers}. `makers` are those who changed what
  -- the rule says last, or how far it goes since then: nobody's own request is answered by a rule of theirs.
  automatic_authors jsonb CHECK (jsonb_typeof(automatic_authors) = 'object'),
  -- Which group of the organization each name in a version means: name to id. A group that is renamed stays the one that was meant.
  group_ids jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(group_ids) = 'object'),
  PRIMARY KEY (organization_id, version),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

CREATE TABLE vote (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  -- Counted from 0.
  stage smallint NOT NULL CHECK (stage >= 0),
  -- The question and the content that it is about. Keyed where the organization seals content.
  question_hash text NOT NULL,
  content_digest text NOT NULL,
  action text NOT NULL CHECK (action IN ('accept', 'decline', 'cancel')),
  content json,
  comment text,
  -- Counts as a no: it declines, or it is the form's own way to say no.
  rejects boolean NOT NULL,
  -- Whose vote it is, whoever brought it (`cast_by`: the member, or a key of theirs).
  person uuid NOT NULL,
  cast_by jsonb NOT NULL,
  cast_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- The answer that it is part of, and whether it was the last one that was missing.
  answer_id uuid,
  completes boolean NOT NULL DEFAULT false,
  -- When it stopped to count, and why.
  ended_at timestamptz(3),
  ended_as text CHECK (ended_as IN ('taken_back', 'question_changed', 'other_content', 'asked_again', 'judged_again')),
  -- The person of a vote, as an actor, where a delegate cast it (`cast_by`). Null: it is the caster's own, or of a key of theirs.
  on_behalf_of jsonb,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, answer_id) REFERENCES answer (organization_id, id) ON DELETE CASCADE,
  CHECK ((ended_at IS NULL) = (ended_as IS NULL)),
  CHECK (answer_id IS NOT NULL OR NOT completes),
  CONSTRAINT vote_for_another CHECK (on_behalf_of IS NULL OR (cast_by ->> 'kind' = 'member'
    AND on_behalf_of ->> 'id' = person::text AND cast_by ->> 'id' <> person::text))
);
-- One person votes once in a stage, also in two calls at once.
CREATE UNIQUE INDEX vote_once ON vote (organization_id, input_request_id, stage, person) WHERE ended_at IS NULL;
CREATE INDEX vote_of_request ON vote (organization_id, input_request_id);
CREATE INDEX vote_of_answer ON vote (organization_id, answer_id) WHERE answer_id IS NOT NULL;

-- When the organization works: zone, hours of each day, holidays (docs/governance.md). Times of the policy are counted in it.
CREATE TABLE working_calendar (
  organization_id uuid PRIMARY KEY,
  -- Counts the changes. 0: a row without a calendar, made to have something to lock.
  version integer NOT NULL DEFAULT 0 CHECK (version >= 0),
  -- Null: all time is working time.
  calendar jsonb CHECK (jsonb_typeof(calendar) = 'object'),
  changed_at timestamptz(3),
  changed_by jsonb,
  -- The version that the times of open requests follow; engines move them to the latest.
  moved_version integer NOT NULL DEFAULT 0,
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((version = 0) = (changed_at IS NULL)),
  CHECK ((changed_at IS NULL) = (changed_by IS NULL)),
  CHECK (version > 0 OR calendar IS NULL)
);
CREATE INDEX working_calendar_moving ON working_calendar (organization_id) WHERE moved_version < version;

-- What is to happen to a request at a time, by the rule under which it was asked: reminders, more people, the end of its time
-- (docs/governance.md, docs/decisions/069). A row is written in the transaction that opens the request or its stage, and fired
-- once, in the transaction of its effect.
CREATE TABLE request_timer (
  organization_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  input_request_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('remind', 'escalate', 'expire')),
  -- Counted from 0. Null: it is about the whole request.
  stage smallint CHECK (stage >= 0),
  -- How long after `starts_at`, as the policy says it: `due_at` is worked out anew when the working calendar changes.
  after text NOT NULL,
  starts_at timestamptz(3) NOT NULL,
  due_at timestamptz(3) NOT NULL,
  -- Timers of a matter that is settled are deleted; those that fired stay.
  fired_at timestamptz(3),
  -- Since when a reminder waits for the requester, and for how long it has in all, in working time. `due_at` is when it comes all the same.
  paused_at timestamptz(3),
  paused_ms bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  CHECK ((kind = 'expire') = (stage IS NULL))
);
-- A stage that is opened again by an undo has the timers that it had, and none that fired fires again.
CREATE UNIQUE INDEX request_timer_once ON request_timer
  (organization_id, input_request_id, kind, coalesce(stage, -1), after, starts_at);
CREATE INDEX request_timer_due ON request_timer (due_at) WHERE fired_at IS NULL;

-- Keys that sign receipts (docs/decisions/070). They are the installation's, so that the public list tells of no organization.
CREATE TABLE receipt_key (
  kid uuid PRIMARY KEY,
  -- As JWK. It stays for good, so that what the key has signed can be checked.
  public_key jsonb NOT NULL CHECK (jsonb_typeof(public_key) = 'object'),
  -- Null once the key is retired.
  sealed_private_key text,
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  retired_at timestamptz(3),
  CHECK ((sealed_private_key IS NULL) = (retired_at IS NOT NULL))
);
CREATE UNIQUE INDEX receipt_key_current ON receipt_key ((true)) WHERE retired_at IS NULL;

-- When a member is away, and who answers for them meanwhile (docs/governance.md, docs/decisions/071). Requests keep nothing of it:
-- `standing_in` says for whom somebody stands in at the moment.
CREATE TABLE away (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  starts_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  -- A user. Who is no member any more, or may not answer, stands in for nobody.
  delegate uuid NOT NULL,
  -- {servers, tools, rules}: lists of names, or null each. A request has to be of all that are named. Null: every request.
  scope jsonb CHECK (jsonb_typeof(scope) = 'object'),
  reason text CHECK (char_length(reason) <= 500),
  -- The member, or the admin who set it for them.
  set_by uuid NOT NULL,
  set_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The delegate has been told of what waits. What is over is deleted once the engine has seen that.
  told boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, user_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE,
  CHECK (ends_at > starts_at),
  CHECK (delegate <> user_id),
  CHECK (delegate <> set_by)
);
CREATE INDEX away_of_delegate ON away (organization_id, delegate);

CREATE TABLE policy_proposal (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  -- The version in force when it was made; once there is another one, the proposal is overtaken.
  base_version integer NOT NULL CHECK (base_version >= 0),
  -- Null: the proposal is to need no second admin any more.
  policy jsonb CHECK (jsonb_typeof(policy) = 'object'),
  -- Whom the addresses in it meant when it was made: address to user id.
  people jsonb CHECK (jsonb_typeof(people) = 'object'),
  proposed_by jsonb NOT NULL,
  -- The maker behind it; the organization's own id for a key of the command line.
  proposer uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'approved', 'withdrawn', 'overtaken', 'replaced')),
  decided_by jsonb,
  -- The person who approved.
  approver uuid,
  decided_at timestamptz(3),
  -- The names of automatic rules that go live by a proposal whatever their record says: an array, as their owner typed them.
  acknowledged jsonb CHECK (jsonb_typeof(acknowledged) = 'array'),
  -- A proposal is also a change of one group that admins made: {what: create | change | delete, name, was, added, removed}, those with ids
  -- and names of memberships, and the ids alone once more as `add` and `remove`.
  group_ids jsonb CHECK (jsonb_typeof(group_ids) = 'object'),
  group_id uuid,
  group_change jsonb CHECK (jsonb_typeof(group_change) = 'object' AND jsonb_exists(group_change, 'what')),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((policy IS NULL) = (people IS NULL)),
  CHECK ((state = 'open') = (decided_at IS NULL)),
  CHECK ((state = 'approved') = (approver IS NOT NULL)),
  CONSTRAINT policy_proposal_of_group CHECK ((group_id IS NULL) = (group_change IS NULL)),
  CONSTRAINT policy_proposal_of_one CHECK (policy IS NULL OR group_id IS NULL)
);
-- One open proposal a maker for the policy, for the end of its rule, and for each group.
CREATE UNIQUE INDEX policy_proposal_open_of ON policy_proposal
  (organization_id, proposer, (policy IS NULL), coalesce(group_id, organization_id)) WHERE state = 'open';

-- What a rule says of a request. Written as `waiting` in the transaction that stores the request, and judged once, in the
-- transaction of its effect. What no rule is about is deleted.
CREATE TABLE automatic_decision (
  organization_id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- shadow: the rule would have answered. kept: it would have, and people do all the same. undone: it answered, and that was taken
  -- back. failed: what it says is no answer to this question.
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'shadow', 'kept', 'answered', 'undone', 'failed')),
  -- Of kept: sample, cap, stopped. Of undone: person, stopped. Of failed: why, in words.
  reason text,
  -- The rule by its name, the version of the policy, and exactly what it said (lib/policy/automatic/authors.ts).
  rule text,
  version integer,
  fingerprint text,
  action text CHECK (action IN ('accept', 'decline')),
  -- Of exactly what it says. Keyed where the organization seals content.
  content_digest text,
  judged_at timestamptz(3),
  -- Its answer, and the day of it in the organization's zone, by which the cap counts.
  answer_id uuid,
  day date,
  -- What people answered, and whether it was the same. Null: nobody has, or what was the same was never sent.
  people_answer_id uuid,
  agreed boolean,
  PRIMARY KEY (organization_id, input_request_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  CHECK ((state = 'waiting') = (judged_at IS NULL)),
  CHECK (state = 'waiting' OR (rule IS NOT NULL AND version IS NOT NULL AND fingerprint IS NOT NULL AND action IS NOT NULL)),
  CHECK ((state IN ('answered', 'undone')) = (answer_id IS NOT NULL)),
  CHECK ((answer_id IS NULL) = (day IS NULL)),
  CHECK ((people_answer_id IS NULL) = (agreed IS NULL))
);
CREATE INDEX automatic_decision_waiting ON automatic_decision (organization_id, created_at) WHERE state = 'waiting';
CREATE INDEX automatic_decision_of_rule ON automatic_decision (organization_id, rule, input_request_id);
CREATE INDEX automatic_decision_same ON automatic_decision (organization_id, fingerprint) WHERE agreed IS NOT NULL;
CREATE INDEX automatic_decision_day ON automatic_decision (organization_id, rule, day) WHERE day IS NOT NULL;
-- What automatic rules said in a period, for the overview.
CREATE INDEX automatic_decision_judged ON automatic_decision (organization_id, judged_at);

-- Whether all automatic answers of an organization are stopped. Its row is also their lock: who records one, stops them or changes
-- the rules writes it, so that once a stop or a change has been stored none by the rules of before is recorded.
CREATE TABLE automatic_switch (
  organization_id uuid PRIMARY KEY,
  stopped_at timestamptz(3),
  stopped_by jsonb,
  locked_at timestamptz(3) NOT NULL DEFAULT now(),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  CHECK ((stopped_at IS NULL) = (stopped_by IS NULL))
);

-- Talking before deciding (docs/governance.md, docs/decisions/074): comments on requests, questions to whoever asked for the task, and
-- requests that a member puts off for themselves.
CREATE TABLE request_comment (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  -- The user, and as an actor.
  author uuid NOT NULL,
  written_by jsonb NOT NULL,
  -- Null: its author deleted it. Sealed where the organization seals content.
  text text,
  -- Users who are told of it.
  mentions uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(mentions) <= 20),
  -- It asks whoever asked for the task.
  asks boolean NOT NULL DEFAULT false,
  -- The user who had asked, where it is the requester's reply.
  replies_to uuid,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  deleted_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  CHECK ((text IS NULL) = (deleted_at IS NOT NULL))
);
CREATE INDEX request_comment_of_request ON request_comment (organization_id, input_request_id);

-- Until when a member has put a request off: for themselves alone.
CREATE TABLE request_snooze (
  organization_id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  user_id uuid NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  -- When an engine saw that it was over, and told the member.
  woken_at timestamptz(3),
  PRIMARY KEY (organization_id, user_id, input_request_id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE
);
CREATE INDEX request_snooze_of_request ON request_snooze (organization_id, input_request_id);
CREATE INDEX request_snooze_over ON request_snooze (ends_at) WHERE woken_at IS NULL;

-- Groups of an organization for stages of the policy (docs/governance.md, docs/decisions/075). Requests keep the ids of groups; who is in
-- one is looked up when somebody looks or votes. Groups of a directory are in directory_group.
CREATE TABLE organization_group (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  changed_by jsonb NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX organization_group_by_name ON organization_group (organization_id, lower(name));

CREATE TABLE organization_group_member (
  organization_id uuid NOT NULL,
  group_id uuid NOT NULL,
  -- The id of the membership: who is suspended is back with it, who left and joins anew has another one.
  member_id uuid NOT NULL,
  PRIMARY KEY (organization_id, group_id, member_id),
  FOREIGN KEY (organization_id, group_id) REFERENCES organization_group (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX organization_group_member_by_member ON organization_group_member (organization_id, member_id);

-- How decisions by the rules of the policy went, added up as `statistic` is: lib/statistics/rules.ts names the
-- measures. Rules are known by their names: one that is named anew is another one.
CREATE TABLE rule_statistic (
  organization_id uuid NOT NULL,
  hours smallint NOT NULL CHECK (hours IN (1, 6)),
  -- When the stretch begins.
  "at" timestamptz(3) NOT NULL,
  rule text COLLATE "C" NOT NULL,
  -- Its place and its name. Empty: the whole request.
  stage text COLLATE "C" NOT NULL,
  measure text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (organization_id, hours, at, rule, stage, measure),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE
);

-- References in circles.
ALTER TABLE api_key ADD CONSTRAINT api_key_of_service_account FOREIGN KEY (organization_id, service_account_id) REFERENCES service_account (organization_id, id) ON DELETE CASCADE;
ALTER TABLE task ADD FOREIGN KEY (organization_id, race_id) REFERENCES race (organization_id, id);
ALTER TABLE task ADD CONSTRAINT task_recipe FOREIGN KEY (organization_id, server_id, tool, recipe_version) REFERENCES recipe_version (organization_id, server_id, name, version);
