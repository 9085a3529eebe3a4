-- Keys of organizations, under which they keep what their tasks are about (docs/decisions/045). A sealed value stands in
-- the column where the plain one stood: `sealed/<table.column>/<kind>/<row>/v1.<key>.<text>`, in JSON under the name "sealed".
CREATE TABLE organization_key (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  -- Random. Only who knows it can write a text that is taken for a sealed value.
  kid uuid NOT NULL,
  -- The key, sealed under INTRAY_KEYS.
  sealed_key text NOT NULL,
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Since then the key only opens.
  retired_at timestamptz(3),
  PRIMARY KEY (organization_id, kid)
);
CREATE UNIQUE INDEX organization_key_current ON organization_key (organization_id) WHERE retired_at IS NULL;

-- How far the engine has come with what was stored before the switch was turned. A row stays.
CREATE TABLE content_sealing (
  organization_id uuid PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
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
  look_at timestamptz(3) NOT NULL DEFAULT now()
);

-- The ids of its keys, oldest first, the current one with a plus; null where an organization never had one. Written by the
-- trigger below, and read with the organization of each transaction.
ALTER TABLE organization ADD COLUMN content_keys text;

-- True for an engine that opens sealed values. One of an earlier version would send them to servers.
ALTER TABLE engine ADD COLUMN opens_content boolean NOT NULL DEFAULT false;

-- Amount and currency of a sealed question, sealed; `amount` and `currency` are null then.
ALTER TABLE input_request ADD COLUMN private_amount text;

-- A sealed note is longer.
ALTER TABLE input_request DROP CONSTRAINT input_request_assignment_note_check,
  ADD CONSTRAINT input_request_assignment_note_check CHECK (length(assignment_note) BETWEEN 1 AND 4000) NOT VALID;
ALTER TABLE acknowledgement DROP CONSTRAINT acknowledgement_note_check,
  ADD CONSTRAINT acknowledgement_note_check CHECK (length(note) BETWEEN 1 AND 4000) NOT VALID;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['organization_key', 'content_sealing'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
    EXECUTE format('CREATE POLICY gate ON %I TO intray_gate USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO intray_app, intray_engine, intray_gate', name);
  END LOOP;
END $$;
-- `reseal` runs as the owner, and changes sealed_key alone. Nobody who serves deletes a key.
GRANT INSERT (organization_id, kid, sealed_key) ON organization_key TO intray_app;
GRANT UPDATE (retired_at) ON organization_key TO intray_app;
GRANT INSERT, UPDATE ON content_sealing TO intray_app;
GRANT UPDATE ON content_sealing TO intray_engine;
-- What the engine converts beyond what it writes anyway.
GRANT UPDATE (content, comment, question_hash) ON answer TO intray_engine;
GRANT UPDATE (content, comment) ON draft TO intray_engine;
GRANT UPDATE (note) ON acknowledgement TO intray_engine;
GRANT UPDATE (body) ON protocol_message TO intray_engine;
GRANT UPDATE (content_keys) ON organization TO intray_gate;
GRANT SELECT (task_id, message), UPDATE (search) ON input_request TO intray_gate;

-- Sealed parts are no text to search.
CREATE FUNCTION searchable(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN $1 LIKE 'sealed/%' OR $1 LIKE '{"sealed":"sealed/%' THEN '' ELSE $1 END $$;
CREATE OR REPLACE FUNCTION request_search(message text, tool text, label text, arguments json) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT lower(left(searchable(message) || E'\n' || tool || E'\n' || coalesce(searchable(label), '') || E'\n' ||
    searchable(arguments::text), 8000)) $$;
CREATE OR REPLACE FUNCTION task_search(tool text, label text, status_message text, arguments json) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT lower(left(tool || E'\n' || coalesce(searchable(label), '') || E'\n' ||
    coalesce(searchable(status_message), '') || E'\n' || searchable(arguments::text), 8000)) $$;

-- A sealed form stands with a keyed digest of itself, so that equal ones of a server can be found.
CREATE OR REPLACE FUNCTION request_alike(server_id uuid, mode text, form jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN mode = 'form' AND form ? 'sealed' THEN
      encode(sha256(convert_to(server_id::text || (form ->> 'alike'), 'UTF8')), 'hex')
    WHEN mode = 'form' AND form ->> 'kind' = 'supported'
      THEN encode(sha256(convert_to(server_id::text || form::text, 'UTF8')), 'hex') END $$;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA public, gate TO intray_gate;
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  CREATE FUNCTION gate.content_keys(p_organization uuid) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    BEGIN RETURN (SELECT o.content_keys FROM organization o WHERE o.id = p_organization); END';
  CREATE FUNCTION gate.organizations_with_content_to_convert() RETURNS TABLE (id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT c.organization_id FROM content_sealing c WHERE c.look_at <= now() ORDER BY c.look_at';
  CREATE FUNCTION note_content_keys() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS '
  BEGIN
    UPDATE organization SET content_keys = (SELECT string_agg(k.kid::text || CASE WHEN k.retired_at IS NULL THEN ''+'' ELSE '''' END,
        '','' ORDER BY k.made_at, k.kid) FROM organization_key k WHERE k.organization_id = NEW.organization_id)
      WHERE id = NEW.organization_id;
    RETURN NULL;
  END';
  -- What is sealed under a key is lost with it.
  CREATE FUNCTION refuse_key_loss() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS '
  BEGIN
    IF EXISTS (SELECT FROM organization WHERE id = OLD.organization_id) THEN
      RAISE EXCEPTION ''a key of an organization goes with the organization alone'';
    END IF;
    RETURN OLD;
  END';
  CREATE FUNCTION keep_texts_of_requests() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS '
  BEGIN
    UPDATE input_request SET search = request_search(message, NEW.tool, NEW.label, NEW.arguments)
      WHERE organization_id = NEW.organization_id AND task_id = NEW.id;
    UPDATE open_request_text o SET search = r.search FROM input_request r
      WHERE r.organization_id = NEW.organization_id AND r.task_id = NEW.id
        AND o.organization_id = r.organization_id AND o.input_request_id = r.id;
    RETURN NULL;
  END';
  REVOKE ALL ON FUNCTION keep_texts_of_requests() FROM PUBLIC;
  EXECUTE format('GRANT EXECUTE ON FUNCTION keep_texts_of_requests() TO %I', owner);
  REVOKE ALL ON FUNCTION gate.content_keys(uuid), gate.organizations_with_content_to_convert(), note_content_keys(),
    refuse_key_loss() FROM PUBLIC;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.content_keys(uuid) TO intray_app, intray_engine, %I', owner);
  EXECUTE format('GRANT EXECUTE ON FUNCTION note_content_keys(), refuse_key_loss() TO %I', owner);
  GRANT EXECUTE ON FUNCTION gate.organizations_with_content_to_convert() TO intray_engine;
  RESET ROLE;
END $$;
CREATE TRIGGER note_content_keys AFTER INSERT OR UPDATE OF retired_at ON organization_key FOR EACH ROW
  EXECUTE FUNCTION note_content_keys();
CREATE TRIGGER refuse_key_loss BEFORE DELETE ON organization_key FOR EACH ROW EXECUTE FUNCTION refuse_key_loss();
-- Search texts follow what is sealed and opened again. Nothing else changes arguments.
CREATE TRIGGER keep_text_of_content AFTER UPDATE OF arguments, label ON task FOR EACH ROW
  WHEN (OLD.arguments::text <> NEW.arguments::text OR OLD.label IS DISTINCT FROM NEW.label) EXECUTE FUNCTION keep_task_text();
CREATE TRIGGER keep_texts_of_requests AFTER UPDATE OF arguments, label ON task FOR EACH ROW
  WHEN (OLD.arguments::text <> NEW.arguments::text OR OLD.label IS DISTINCT FROM NEW.label)
  EXECUTE FUNCTION keep_texts_of_requests();
REVOKE CREATE ON SCHEMA public, gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
