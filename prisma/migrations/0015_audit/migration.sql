-- History that nobody who serves requests can write but by append_event(), that says where it is broken, and that can be
-- filtered.

ALTER TABLE event
  -- Compared byte by byte: "all types that begin with answer." is then a range.
  ALTER COLUMN type TYPE text COLLATE "C",
  -- SHA-256 of data's text. The line's digest covers it in the place of data, so that a line whose payload was dropped
  -- still proves who did what, and when. Null: a line from before this column, whose digest covers data itself; the
  -- payload of such a line cannot be dropped.
  ADD COLUMN payload_digest bytea,
  ADD COLUMN actor_id text COLLATE "C" GENERATED ALWAYS AS (actor->>'id') STORED;
CREATE INDEX event_by_type ON event (organization_id, type, seq);
CREATE INDEX event_by_actor ON event (organization_id, actor_id, seq) WHERE actor_id IS NOT NULL;
CREATE INDEX event_by_request ON event (organization_id, input_request_id, seq) WHERE input_request_id IS NOT NULL;
CREATE INDEX event_by_time ON event (organization_id, at);

-- The text that a line's digest is made of.
CREATE FUNCTION event_line(seq bigint, at timestamptz, type text, actor jsonb, task_id uuid, input_request_id uuid,
    payload_digest bytea, data jsonb) RETURNS text LANGUAGE sql IMMUTABLE
  AS $$ SELECT jsonb_build_array(seq, (extract(epoch FROM at) * 1000)::bigint, type, actor, task_id, input_request_id,
    coalesce(to_jsonb(encode(payload_digest, 'hex')), data))::text $$;

-- Appends one line. Call it last in a transaction: it takes the lock on the chain's head, held until commit.
CREATE OR REPLACE FUNCTION append_event(p_type text, p_actor jsonb, p_task uuid, p_request uuid, p_data jsonb)
  RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  head event_head%ROWTYPE;
  line_at timestamptz(3);
  line_payload bytea := sha256(convert_to(p_data::text, 'UTF8'));
  line_digest bytea;
  line_hash bytea;
BEGIN
  SELECT * INTO head FROM event_head WHERE organization_id = current_organization() FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO event_head (organization_id, seq, hash) VALUES (current_organization(), 0, '\x') ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT head FROM event_head WHERE organization_id = current_organization() FOR UPDATE;
  END IF;
  line_at := clock_timestamp();
  line_digest := sha256(convert_to(
    event_line(head.seq + 1, line_at, p_type, p_actor, p_task, p_request, line_payload, NULL), 'UTF8'));
  line_hash := sha256(head.hash || line_digest);
  INSERT INTO event (organization_id, seq, at, type, actor, task_id, input_request_id, data, payload_digest, digest, hash)
    VALUES (head.organization_id, head.seq + 1, line_at, p_type, p_actor, p_task, p_request, p_data, line_payload,
      line_digest, line_hash);
  UPDATE event_head SET seq = head.seq + 1, hash = line_hash WHERE organization_id = head.organization_id;
  RETURN head.seq + 1;
END $$;

-- Judges up to p_limit lines after the line p_after, whose hash is p_hash; 0 and '' begin. One row: how many lines there
-- were; how many hold, up to the first that does not; the hash of the last that holds; what is wrong with the one after
-- it: lines before it are missing (gap), its values are not what its digest says (altered), or it does not follow from
-- the one before (unlinked). The head is of the same snapshot, so that the end of the chain can be held against it.
CREATE FUNCTION check_events(p_after bigint, p_hash bytea, p_limit integer)
  RETURNS TABLE (lines bigint, held bigint, last_hash bytea, fault text, head_seq bigint, head_hash bytea)
  LANGUAGE sql STABLE AS $$
  WITH judged AS MATERIALIZED (
    SELECT seq, hash, CASE
        WHEN seq <> lag(seq, 1, p_after) OVER lines + 1 THEN 'gap'
        WHEN digest IS DISTINCT FROM sha256(convert_to(
            event_line(seq, at, type, actor, task_id, input_request_id, payload_digest, data), 'UTF8'))
          OR payload_digest <> sha256(convert_to(data::text, 'UTF8')) THEN 'altered'
        WHEN hash IS DISTINCT FROM sha256(lag(hash, 1, p_hash) OVER lines || digest) THEN 'unlinked'
      END AS fault
    FROM (SELECT * FROM event WHERE organization_id = current_organization()
      AND seq > CASE p_after WHEN 0 THEN -9223372036854775808 ELSE p_after END ORDER BY seq LIMIT p_limit) line
    WINDOW lines AS (ORDER BY seq)
  ), broken AS (SELECT seq, fault FROM judged WHERE fault IS NOT NULL ORDER BY seq LIMIT 1
  ), whole AS (SELECT seq, hash FROM judged WHERE seq < coalesce((SELECT seq FROM broken), 9223372036854775807))
  SELECT (SELECT count(*) FROM judged), (SELECT count(*) FROM whole),
    coalesce((SELECT hash FROM whole ORDER BY seq DESC LIMIT 1), p_hash), (SELECT fault FROM broken),
    coalesce(head.seq, 0), coalesce(head.hash, '\x')
  FROM (VALUES (0)) one LEFT JOIN event_head head ON head.organization_id = current_organization() $$;

DROP FUNCTION first_broken_event();
DROP FUNCTION event_digest(bigint, timestamptz, text, jsonb, uuid, uuid, jsonb);

-- append_event() alone writes, as the role that nobody logs in as; the others read.
REVOKE INSERT ON event FROM intray_app, intray_engine;
REVOKE INSERT, UPDATE ON event_head FROM intray_app, intray_engine;
GRANT SELECT, INSERT ON event TO intray_gate;
GRANT SELECT, INSERT, UPDATE ON event_head TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA public TO intray_gate;
REVOKE ALL ON FUNCTION append_event(text, jsonb, uuid, uuid, jsonb) FROM PUBLIC;
ALTER FUNCTION append_event(text, jsonb, uuid, uuid, jsonb) OWNER TO intray_gate;
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  EXECUTE format('GRANT EXECUTE ON FUNCTION append_event(text, jsonb, uuid, uuid, jsonb)
    TO intray_app, intray_engine, %I', owner);
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- Sealing again under a new key: as the owner, whom row security binds, so that it asks here for the organizations, and
-- is let through to what is sealed for people.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
DO $$
DECLARE
  owner name := current_user;
  personal name;
BEGIN
  SET LOCAL ROLE intray_gate;
  CREATE FUNCTION gate.all_organizations() RETURNS TABLE (id uuid, slug text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS 'SELECT o.id, o.slug FROM organization o ORDER BY o.id';
  REVOKE ALL ON FUNCTION gate.all_organizations() FROM PUBLIC;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.all_organizations() TO %I', owner);
  RESET ROLE;
  FOR personal IN SELECT c.table_name FROM information_schema.columns c
      WHERE c.table_schema = 'public' AND c.column_name LIKE 'sealed\_%' AND NOT EXISTS (
        SELECT FROM information_schema.columns o WHERE o.table_schema = 'public' AND o.table_name = c.table_name
          AND o.column_name = 'organization_id') LOOP
    EXECUTE format('CREATE POLICY reseal ON %I TO %I USING (true) WITH CHECK (true)', personal, owner);
  END LOOP;
END $$;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
