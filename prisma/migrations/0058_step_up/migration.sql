-- When the person behind a session last showed that it is them. A session of before has to show it anew; one that a web
-- process of before opens has just done so.
ALTER TABLE session ADD COLUMN factor_at timestamptz(3);
ALTER TABLE session ALTER COLUMN factor_at SET DEFAULT now();

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Who comes in by a click, in the demonstration, has nothing to show.
CREATE FUNCTION gate.factor_is_fresh(p_session uuid, p_ms bigint) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM session s WHERE s.id = p_session AND s.revoked_at IS NULL
    AND (s.method = 'demo' OR s.factor_at > now() - p_ms * interval '1 ms')) $$;

CREATE FUNCTION gate.give_factor(p_session uuid, p_user uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE session SET factor_at = now() WHERE id = p_session AND user_id = p_user AND revoked_at IS NULL;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION gate.factor_is_fresh(uuid, bigint), gate.give_factor(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.factor_is_fresh(uuid, bigint), gate.give_factor(uuid, uuid) TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
