-- A transaction's hints and its lines of history by one statement. `p_hints`: pairs of topic and id. The hints are
-- written as the caller, whom row security binds; the lines as before, and last, since they lock the chain's head.
-- Processes of the version before go on with append_events(jsonb).
CREATE FUNCTION append_lines(p_lines jsonb, p_hints jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY INVOKER SET search_path = public, pg_temp AS $$
BEGIN
  IF jsonb_array_length(p_hints) > 0 THEN
    INSERT INTO change (organization_id, topic, entity_id)
      SELECT DISTINCT current_organization(), hint->>0, (hint->>1)::uuid FROM jsonb_array_elements(p_hints) AS given (hint);
  END IF;
  PERFORM append_events(p_lines);
END $$;
REVOKE ALL ON FUNCTION append_lines(jsonb, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_lines(jsonb, jsonb) TO intray_app, intray_engine;
