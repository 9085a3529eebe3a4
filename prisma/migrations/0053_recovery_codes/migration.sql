-- Recovery codes are hashed as passwords are. A short part of a code, its selector, is no secret: it names the one hash
-- that a try is compared with. Codes of before stay in recovery_code, under a fast hash, until they are used or replaced.
CREATE TABLE slow_recovery_code (
  user_id uuid NOT NULL REFERENCES second_factor (user_id) ON DELETE CASCADE,
  selector text NOT NULL,
  slow_hash text NOT NULL,
  used_at timestamptz(3),
  PRIMARY KEY (user_id, selector)
);
ALTER TABLE slow_recovery_code ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON slow_recovery_code TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON slow_recovery_code TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Unused codes of both kinds.
CREATE FUNCTION gate.recovery_codes_left(p_user uuid) RETURNS integer
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT ((SELECT count(*) FROM slow_recovery_code WHERE user_id = p_user AND used_at IS NULL)
    + (SELECT count(*) FROM recovery_code WHERE user_id = p_user AND used_at IS NULL))::integer $$;

-- As 0012, with the number of unused codes that have a fast hash.
CREATE FUNCTION gate.second_factor_state(p_user uuid)
  RETURNS TABLE (sealed_secret text, confirmed boolean, codes_left integer, codes_dated integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT f.sealed_secret, f.confirmed_at IS NOT NULL, gate.recovery_codes_left(f.user_id),
      (SELECT count(*)::integer FROM recovery_code r WHERE r.user_id = f.user_id AND r.used_at IS NULL)
    FROM second_factor f WHERE f.user_id = p_user $$;

CREATE FUNCTION gate.recovery_hash(p_user uuid, p_selector text) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT r.slow_hash FROM slow_recovery_code r
    WHERE r.user_id = p_user AND r.selector = p_selector AND r.used_at IS NULL $$;

-- Uses up the code that was compared with this hash. False: it was used, or replaced, meanwhile.
CREATE FUNCTION gate.use_recovery_code(p_user uuid, p_selector text, p_slow_hash text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE slow_recovery_code SET used_at = now()
    WHERE user_id = p_user AND selector = p_selector AND slow_hash = p_slow_hash AND used_at IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM gate.account_event(p_user, 'account.recovery_code_used',
    jsonb_build_object('left', gate.recovery_codes_left(p_user)));
  RETURN true;
END $$;

-- As 0012, with codes under slow hashes.
CREATE FUNCTION gate.confirm_second_factor(p_user uuid, p_sealed_secret text, p_step bigint, p_selectors text[],
    p_slow_hashes text[]) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE second_factor SET confirmed_at = now(), last_step = p_step
    WHERE user_id = p_user AND confirmed_at IS NULL AND sealed_secret = p_sealed_secret;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO slow_recovery_code (user_id, selector, slow_hash) SELECT p_user, * FROM unnest(p_selectors, p_slow_hashes);
  PERFORM gate.account_event(p_user, 'account.second_factor_added', '{}');
  RETURN true;
END $$;

CREATE FUNCTION gate.replace_recovery_codes(p_user uuid, p_selectors text[], p_slow_hashes text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM second_factor WHERE user_id = p_user FOR UPDATE;
  DELETE FROM recovery_code WHERE user_id = p_user;
  DELETE FROM slow_recovery_code WHERE user_id = p_user;
  INSERT INTO slow_recovery_code (user_id, selector, slow_hash) SELECT p_user, * FROM unnest(p_selectors, p_slow_hashes);
  PERFORM gate.account_event(p_user, 'account.recovery_codes_replaced', '{}');
END $$;

-- As 0012, for web processes of before: new codes take the place of all.
CREATE OR REPLACE FUNCTION gate.replace_recovery_codes(p_user uuid, p_codes bytea[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM recovery_code WHERE user_id = p_user;
  DELETE FROM slow_recovery_code WHERE user_id = p_user;
  INSERT INTO recovery_code (user_id, code_hash) SELECT p_user, unnest(p_codes);
  PERFORM gate.account_event(p_user, 'account.recovery_codes_replaced', '{}');
END $$;

DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'gate'::regnamespace AND proname IN (
      'recovery_codes_left', 'second_factor_state', 'recovery_hash', 'use_recovery_code', 'confirm_second_factor', 'replace_recovery_codes') LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO intray_app', f);
  END LOOP;
END $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
