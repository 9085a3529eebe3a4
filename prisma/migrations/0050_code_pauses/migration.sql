-- Wrong codes of an app in a row: the more, the longer the next one has to wait. Recovery codes and passkeys go on.
ALTER TABLE second_factor
  ADD COLUMN wrong_codes integer NOT NULL DEFAULT 0,
  ADD COLUMN tried_at timestamptz(3);

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Counts a code as wrong before it is looked at, so that many at once are no more than one after the other;
-- gate.use_code takes that back for a right one. False: it has to wait.
CREATE FUNCTION gate.try_app_code(p_user uuid, p_free integer, p_first_ms bigint, p_most_ms bigint) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE second_factor SET wrong_codes = wrong_codes + 1, tried_at = now()
    WHERE user_id = p_user AND confirmed_at IS NOT NULL AND (wrong_codes < p_free OR tried_at <= now()
      - least(p_first_ms * 2 ^ least(wrong_codes - p_free, 30), p_most_ms) * interval '1 ms');
  RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION gate.use_code(p_user uuid, p_step bigint, p_code bytea) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF p_step IS NOT NULL THEN
    UPDATE second_factor SET last_step = p_step, wrong_codes = 0
      WHERE user_id = p_user AND confirmed_at IS NOT NULL AND last_step < p_step;
    RETURN FOUND;
  END IF;
  UPDATE recovery_code SET used_at = now() WHERE user_id = p_user AND code_hash = p_code AND used_at IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM gate.account_event(p_user, 'account.recovery_code_used', jsonb_build_object('left',
    (SELECT count(*) FROM recovery_code WHERE user_id = p_user AND used_at IS NULL)));
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION gate.try_app_code(uuid, integer, bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.try_app_code(uuid, integer, bigint, bigint) TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
