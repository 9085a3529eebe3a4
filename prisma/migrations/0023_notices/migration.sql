-- Telling people: notices in the app and by mail, and webhooks for programs.

CREATE TABLE mail (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
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
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE,
  CHECK ((ended_at IS NULL) = (state = 'waiting'))
);
CREATE INDEX mail_due ON mail (not_before) WHERE state = 'waiting';
-- A person has one on its way at a time: what comes meanwhile goes along with it, or with the next.
CREATE UNIQUE INDEX mail_waiting ON mail (organization_id, user_id) WHERE state = 'waiting';
CREATE INDEX mail_by_person ON mail (organization_id, user_id, created_at);

CREATE TABLE notice (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
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
  -- What is told of again is the same notice.
  UNIQUE (organization_id, user_id, cause, subject),
  -- Who is no member any more is told nothing.
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
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('assigned', 'request', 'done', 'failed', 'lost', 'attention')),
  in_app boolean NOT NULL,
  email boolean NOT NULL,
  PRIMARY KEY (organization_id, user_id, kind),
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE
);

CREATE TABLE webhook_endpoint (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
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
  CHECK ((sealed_previous_secret IS NULL) = (previous_until IS NULL))
);

CREATE TABLE webhook_delivery (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
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
  FOREIGN KEY (organization_id, endpoint_id) REFERENCES webhook_endpoint (organization_id, id) ON DELETE CASCADE,
  CHECK ((ended_at IS NULL) = (state = 'pending'))
);
CREATE INDEX webhook_delivery_due ON webhook_delivery (not_before) WHERE state = 'pending';
CREATE INDEX webhook_delivery_of ON webhook_delivery (organization_id, endpoint_id, not_before) WHERE state = 'pending';
CREATE INDEX webhook_delivery_log ON webhook_delivery (organization_id, endpoint_id, created_at, id);
CREATE INDEX webhook_delivery_by_time ON webhook_delivery (organization_id, created_at);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['mail', 'notice', 'notice_preference', 'webhook_endpoint', 'webhook_delivery'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['mail', 'notice', 'webhook_delivery', 'webhook_endpoint'] LOOP
    EXECUTE format('CREATE POLICY gate ON %I FOR SELECT TO intray_gate USING (true)', name);
  END LOOP;
END $$;
-- The engine makes notices and sends; the web reads, marks and sets up.
GRANT SELECT, INSERT, UPDATE, DELETE ON mail, notice, webhook_delivery TO intray_engine;
GRANT SELECT ON notice_preference, webhook_endpoint TO intray_engine;
GRANT UPDATE (disabled_reason, failing_since, sealed_previous_secret, previous_until) ON webhook_endpoint TO intray_engine;
GRANT SELECT ON mail, notice TO intray_app;
GRANT UPDATE (read_at, mail_after) ON notice TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON notice_preference, webhook_endpoint TO intray_app;
GRANT SELECT, INSERT, UPDATE ON webhook_delivery TO intray_app;
GRANT SELECT (organization_id, mail_after, mail_id) ON notice TO intray_gate;
GRANT SELECT (organization_id, state, not_before) ON mail TO intray_gate;
GRANT SELECT (organization_id, endpoint_id, state, not_before) ON webhook_delivery TO intray_gate;
GRANT SELECT (organization_id, id, disabled_reason) ON webhook_endpoint TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

CREATE FUNCTION gate.organizations_with_mail() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT organization_id FROM notice WHERE mail_id IS NULL
      -- What was never mailed, for want of a mail server, is no news any more.
      AND mail_after BETWEEN now() - interval '1 day' AND now()
    UNION SELECT organization_id FROM mail WHERE state = 'waiting' AND not_before <= now() $$;

CREATE FUNCTION gate.organizations_with_webhooks() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT d.organization_id FROM webhook_delivery d
    JOIN webhook_endpoint e ON e.organization_id = d.organization_id AND e.id = d.endpoint_id
    WHERE d.state = 'pending' AND d.not_before <= now() AND e.disabled_reason IS NULL $$;

REVOKE ALL ON FUNCTION gate.organizations_with_mail(), gate.organizations_with_webhooks() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_mail(), gate.organizations_with_webhooks() TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
