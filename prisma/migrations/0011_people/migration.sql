-- Organizations and people: several organizations a person, invitations, four eyes, and an organization's end.

ALTER TABLE organization
  -- Who asked for a task may not accept what it asks.
  ADD COLUMN four_eyes boolean NOT NULL DEFAULT false,
  -- When all of it was last taken out by an owner, to the end. Deleting it asks for that.
  ADD COLUMN exported_at timestamptz(3);

-- A single-use link into an organization, for one e-mail address. The link's secret is kept as a hash alone.
CREATE TABLE invitation (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
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
  PRIMARY KEY (organization_id, id),
  CHECK (accepted_at IS NULL OR revoked_at IS NULL)
);
CREATE UNIQUE INDEX invitation_open ON invitation (organization_id, email)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;
ALTER TABLE invitation ENABLE ROW LEVEL SECURITY;
ALTER TABLE invitation FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON invitation USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON invitation FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON invitation TO intray_app;
GRANT SELECT ON invitation TO intray_gate;

-- What outlives every organization: that there was one. Nobody who comes upon an installation whose last organization
-- was deleted may set it up for themselves, and an ended demonstration does not come back. No row: none was deleted.
CREATE TABLE installation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  set_up boolean NOT NULL
);
ALTER TABLE installation ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON installation TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON installation TO intray_gate;

-- Whether who invited may still do so, as permissions.ts says it: an invitation is worth no more than its maker.
CREATE FUNCTION inviter_may(p_organization uuid, p_inviter uuid, p_role text) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT p_inviter IS NULL OR EXISTS (SELECT FROM membership m
    WHERE m.organization_id = p_organization AND m.user_id = p_inviter
      AND (m.role = 'owner' OR (m.role = 'admin' AND p_role <> 'owner'))) $$;

-- An organization's end takes all that is its own along. What hangs on a task or a membership goes with that.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['membership', 'api_key', 'server', 'task', 'event', 'event_head'] LOOP
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', name, name || '_organization_id_fkey');
  END LOOP;
  FOREACH name IN ARRAY ARRAY['membership', 'api_key', 'server', 'connection', 'task', 'input_request', 'ask', 'answer',
      'delivery', 'draft', 'claim', 'found_task', 'event', 'event_head'] LOOP
    EXECUTE format('ALTER TABLE %I ADD FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE', name);
  END LOOP;
  -- Written at every poll and every message: no second look at another table for them.
  FOREACH name IN ARRAY ARRAY['task_watch', 'protocol_message'] LOOP
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I, ADD CONSTRAINT %I FOREIGN KEY (organization_id, task_id)
      REFERENCES task (organization_id, id) ON DELETE CASCADE', name, name || '_organization_id_task_id_fkey',
      name || '_organization_id_task_id_fkey');
  END LOOP;
END $$;

-- Functions of the gate are made as its role, which the owner may be for the length of this.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- As 0001, but for what was deleted since.
CREATE OR REPLACE FUNCTION gate.setup_done() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM organization WHERE set_up) OR EXISTS (SELECT FROM installation WHERE set_up) $$;
CREATE OR REPLACE FUNCTION gate.setup_possible() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT NOT EXISTS (SELECT FROM organization WHERE NOT demo) AND NOT EXISTS (SELECT FROM installation) $$;

-- Where a person is a member, those joined first coming first.
CREATE FUNCTION gate.organizations_of(p_user uuid) RETURNS TABLE (id uuid, slug text, name text, role text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, o.slug, o.name, m.role FROM membership m JOIN organization o ON o.id = m.organization_id
    WHERE m.user_id = p_user AND (NOT o.demo OR NOT gate.setup_done()) ORDER BY m.created_at, o.id $$;

-- Has a session work in another organization of its person. False: they are no member there.
CREATE FUNCTION gate.choose_organization(p_session uuid, p_organization uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE session s SET chosen_organization = p_organization WHERE s.id = p_session AND s.revoked_at IS NULL
    AND EXISTS (SELECT FROM gate.organizations_of(s.user_id) mine WHERE mine.id = p_organization);
  RETURN FOUND;
END $$;

-- The person behind a session secret, also one who is a member nowhere (any more).
CREATE FUNCTION gate.session_person(p_secret_hash bytea, p_idle_ms bigint)
  RETURNS TABLE (session_id uuid, user_id uuid, email text, name text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.id, u.id, u.email, u.name FROM session s JOIN "user" u ON u.id = s.user_id
    WHERE s.secret_hash = p_secret_hash AND s.revoked_at IS NULL AND s.expires_at > now()
      AND s.last_seen_at > now() - p_idle_ms * interval '1 ms' $$;

-- The invitation behind a link, while it is in force.
CREATE FUNCTION gate.invitation(p_token_hash bytea)
  RETURNS TABLE (organization_id uuid, organization_name text, id uuid, email text, role text, inviter text,
    has_account boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, o.name, i.id, i.email, i.role, inviter.name, EXISTS (SELECT FROM "user" u WHERE u.email = i.email)
    FROM invitation i JOIN organization o ON o.id = i.organization_id LEFT JOIN "user" inviter ON inviter.id = i.invited_by
    WHERE i.token_hash = p_token_hash AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()
      AND inviter_may(i.organization_id, i.invited_by, i.role) AND (NOT o.demo OR NOT gate.setup_done()) $$;

-- Makes the account of somebody who was invited, for the address of the invitation alone. Null: there is one already,
-- or the invitation is not in force.
CREATE FUNCTION gate.create_invited_account(p_token_hash bytea, p_user uuid, p_name text, p_password_hash text) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ INSERT INTO "user" (id, email, name, password_hash)
    SELECT p_user, i.email, p_name, p_password_hash FROM gate.invitation(p_token_hash) i
    ON CONFLICT (email) DO NOTHING RETURNING id $$;

-- Deletes an organization, and the accounts that belong to none without it. Says what stands against it: `not_found`
-- (also for another slug), `export_first`, `tasks_open`; null: it is gone.
CREATE FUNCTION gate.delete_organization(p_organization uuid, p_slug text, p_export_ms bigint) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  doomed organization%ROWTYPE;
  people uuid[];
BEGIN
  -- Nothing can be put into it from here on: each new row of it waits for this lock.
  SELECT * INTO doomed FROM organization WHERE id = p_organization AND slug = p_slug FOR UPDATE;
  IF doomed.id IS NULL THEN RETURN 'not_found'; END IF;
  IF (doomed.exported_at > now() - p_export_ms * interval '1 ms') IS NOT TRUE THEN RETURN 'export_first'; END IF;
  IF EXISTS (SELECT FROM task WHERE organization_id = p_organization AND watched) THEN RETURN 'tasks_open'; END IF;
  SELECT array_agg(user_id ORDER BY user_id) INTO people FROM membership WHERE organization_id = p_organization;
  -- Those who join another one meanwhile wait, and so do two deletions of organizations with the same people.
  PERFORM 1 FROM "user" WHERE id = ANY (people) ORDER BY id FOR UPDATE;
  IF NOT doomed.demo THEN
    INSERT INTO installation AS i (set_up) VALUES (doomed.set_up)
      ON CONFLICT (only_row) DO UPDATE SET set_up = i.set_up OR excluded.set_up;
  END IF;
  DELETE FROM change WHERE organization_id = p_organization;
  DELETE FROM organization WHERE id = p_organization;
  UPDATE session SET chosen_organization = NULL WHERE chosen_organization = p_organization;
  -- Streams of its members end.
  PERFORM pg_notify('intray_change', json_build_object('o', p_organization,
    'c', json_build_array(json_build_array('member', p_organization)))::text);
  DELETE FROM "user" u WHERE u.id = ANY (people) AND NOT EXISTS (SELECT FROM membership m WHERE m.user_id = u.id);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION gate.organizations_of(uuid), gate.choose_organization(uuid, uuid),
  gate.session_person(bytea, bigint), gate.invitation(bytea), gate.create_invited_account(bytea, uuid, text, text),
  gate.delete_organization(uuid, text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_of(uuid), gate.choose_organization(uuid, uuid),
  gate.session_person(bytea, bigint), gate.invitation(bytea), gate.create_invited_account(bytea, uuid, text, text),
  gate.delete_organization(uuid, text, bigint) TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
