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
