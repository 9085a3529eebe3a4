-- Lines of history in one go.

-- Appends lines `{type, actor, task, request, data}`, each as append_event() would, in their order: the head is locked,
-- moved and read once, however many there are. They have one time. Call it last in a transaction, as append_event().
-- Engines of the version before use that one, and the chain is one.
CREATE FUNCTION append_events(p_lines jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  head event_head%ROWTYPE;
  lines_at timestamptz(3);
  digests bytea[];
  payloads bytea[];
  hashes bytea[];
  last bytea;
  line_digest bytea;
BEGIN
  IF jsonb_array_length(p_lines) = 0 THEN RETURN; END IF;
  SELECT * INTO head FROM event_head WHERE organization_id = current_organization() FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO event_head (organization_id, seq, hash) VALUES (current_organization(), 0, '\x') ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT head FROM event_head WHERE organization_id = current_organization() FOR UPDATE;
  END IF;
  lines_at := clock_timestamp();
  SELECT array_agg(payload ORDER BY place), array_agg(sha256(convert_to(event_line(head.seq + place, lines_at,
      line->>'type', line->'actor', (line->>'task')::uuid, (line->>'request')::uuid, payload, NULL), 'UTF8')) ORDER BY place)
    INTO payloads, digests
    FROM jsonb_array_elements(p_lines) WITH ORDINALITY AS given (line, place),
      LATERAL (SELECT sha256(convert_to((line->'data')::text, 'UTF8')) AS payload OFFSET 0) digested;
  last := head.hash;
  FOREACH line_digest IN ARRAY digests LOOP
    last := sha256(last || line_digest);
    hashes := hashes || last;
  END LOOP;
  INSERT INTO event (organization_id, seq, at, type, actor, task_id, input_request_id, data, payload_digest, digest, hash)
    SELECT head.organization_id, head.seq + place, lines_at, line->>'type', line->'actor', (line->>'task')::uuid,
      (line->>'request')::uuid, line->'data', payloads[place], digests[place], hashes[place]
    FROM jsonb_array_elements(p_lines) WITH ORDINALITY AS given (line, place);
  UPDATE event_head SET seq = head.seq + array_length(digests, 1), hash = last
    WHERE organization_id = head.organization_id;
END $$;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA public TO intray_gate;
REVOKE ALL ON FUNCTION append_events(jsonb) FROM PUBLIC;
ALTER FUNCTION append_events(jsonb) OWNER TO intray_gate;
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  EXECUTE format('GRANT EXECUTE ON FUNCTION append_events(jsonb) TO intray_app, intray_engine, %I', owner);
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- What is searched, apart from the wide rows. An organization's open tasks and requests are read one by one, which is
-- quick where nothing else lies between them; what is over is found by an index. No index on task itself has a status
-- message any more: with one, each new message was an entry in every index of the table.
CREATE TABLE open_task_text (
  organization_id uuid NOT NULL,
  task_id uuid NOT NULL,
  search text NOT NULL,
  PRIMARY KEY (organization_id, task_id),
  FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE TABLE ended_task_text (LIKE open_task_text);
CREATE TABLE open_request_text (
  organization_id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  search text NOT NULL,
  PRIMARY KEY (organization_id, input_request_id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE
);
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['open_task_text', 'ended_task_text', 'open_request_text'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
    EXECUTE format('CREATE POLICY gate ON %I TO intray_gate USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO intray_gate', name);
  END LOOP;
END $$;
-- What is over is asked for through the functions alone, and not by the engine.
GRANT SELECT ON open_task_text, open_request_text TO intray_app;

-- The long part, some minutes for a million tasks, holds nobody up: what ended by now, as the role that sees all.
GRANT intray_gate TO CURRENT_USER;
SET LOCAL ROLE intray_gate;
INSERT INTO ended_task_text SELECT organization_id, id, task_search(tool, label, status_message, arguments) FROM task
  WHERE finished_at IS NOT NULL;
RESET ROLE;
ALTER TABLE ended_task_text ADD PRIMARY KEY (organization_id, task_id);
CREATE INDEX ended_task_text_search ON ended_task_text USING gin (organization_id, search gin_trgm_ops);

GRANT CREATE ON SCHEMA public TO intray_gate;
SET LOCAL ROLE intray_gate;
CREATE FUNCTION keep_task_text() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE text_now text := task_search(NEW.tool, NEW.label, NEW.status_message, NEW.arguments);
BEGIN
  IF NEW.finished_at IS NULL THEN
    INSERT INTO open_task_text VALUES (NEW.organization_id, NEW.id, text_now)
      ON CONFLICT (organization_id, task_id) DO UPDATE SET search = excluded.search;
  ELSE
    DELETE FROM open_task_text WHERE organization_id = NEW.organization_id AND task_id = NEW.id;
    INSERT INTO ended_task_text VALUES (NEW.organization_id, NEW.id, text_now)
      ON CONFLICT (organization_id, task_id) DO UPDATE SET search = excluded.search;
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION keep_request_text() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.state IN ('open', 'answered') THEN
    INSERT INTO open_request_text VALUES (NEW.organization_id, NEW.id, NEW.search) ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM open_request_text WHERE organization_id = NEW.organization_id AND input_request_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION keep_task_text(), keep_request_text() FROM PUBLIC;
RESET ROLE;

-- From here on tasks are locked, and requests against writing: for some seconds with a million rows.
LOCK TABLE task IN ACCESS EXCLUSIVE MODE;
LOCK TABLE input_request IN SHARE ROW EXCLUSIVE MODE;
CREATE TRIGGER keep_text_of_new AFTER INSERT ON task FOR EACH ROW EXECUTE FUNCTION keep_task_text();
CREATE TRIGGER keep_text AFTER UPDATE OF status_message, finished_at ON task FOR EACH ROW
  WHEN (OLD.status_message IS DISTINCT FROM NEW.status_message
    OR (OLD.finished_at IS NULL) <> (NEW.finished_at IS NULL)) EXECUTE FUNCTION keep_task_text();
CREATE TRIGGER keep_text_of_new AFTER INSERT ON input_request FOR EACH ROW EXECUTE FUNCTION keep_request_text();
CREATE TRIGGER keep_text AFTER UPDATE OF state ON input_request FOR EACH ROW
  WHEN ((OLD.state IN ('open', 'answered')) <> (NEW.state IN ('open', 'answered')))
  EXECUTE FUNCTION keep_request_text();

GRANT SELECT (organization_id, id, state, search) ON input_request TO intray_gate;
SET LOCAL ROLE intray_gate;
INSERT INTO ended_task_text SELECT organization_id, id, task_search(tool, label, status_message, arguments) FROM task t
  WHERE finished_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM ended_task_text x WHERE x.organization_id = t.organization_id AND x.task_id = t.id);
INSERT INTO open_task_text SELECT organization_id, id, task_search(tool, label, status_message, arguments) FROM task
  WHERE finished_at IS NULL;
INSERT INTO open_request_text SELECT organization_id, id, search FROM input_request
  WHERE state IN ('open', 'answered');
RESET ROLE;
ALTER TABLE ended_task_text ADD FOREIGN KEY (organization_id, task_id) REFERENCES task (organization_id, id)
  ON DELETE CASCADE;
DROP INDEX task_search;
-- Room beside rows, so that a change of a message stays on its page.
ALTER TABLE task SET (fillfactor = 85);

-- As those of 0026, for all states at once. Theirs stay for processes of the version before.
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  CREATE FUNCTION search_ended_tasks(p_pattern text) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT x.task_id FROM ended_task_text x WHERE x.organization_id = current_organization() AND x.search LIKE p_pattern';
  CREATE OR REPLACE FUNCTION search_ended_tasks(p_state text, p_pattern text) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT t.id FROM search_ended_tasks(p_pattern) AS found (id) JOIN task t ON t.organization_id = current_organization()
      AND t.id = found.id WHERE t.state = p_state';
  CREATE FUNCTION search_ended_requests(p_pattern text) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT r.id FROM input_request r WHERE r.organization_id = current_organization()
      AND r.state NOT IN (''open'', ''answered'') AND r.search LIKE p_pattern';
  REVOKE ALL ON FUNCTION search_ended_requests(text), search_ended_tasks(text) FROM PUBLIC;
  EXECUTE format('GRANT EXECUTE ON FUNCTION search_ended_requests(text), search_ended_tasks(text)
    TO intray_app, intray_engine, %I', owner);
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
