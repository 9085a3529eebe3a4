-- Recovery codes are hashed as passwords are. A short part of a code, its selector, is no secret: it names the one hash
-- that a try is compared with. Codes of before keep their fast hash until they are used or replaced.
ALTER TABLE recovery_code
  DROP CONSTRAINT recovery_code_pkey,
  ALTER COLUMN code_hash DROP NOT NULL,
  ADD COLUMN selector text,
  ADD COLUMN slow_hash text,
  ADD CONSTRAINT recovery_code_one_hash CHECK ((code_hash IS NULL) <> (slow_hash IS NULL)),
  ADD CONSTRAINT recovery_code_selected CHECK ((selector IS NULL) = (slow_hash IS NULL));
CREATE UNIQUE INDEX recovery_code_fast ON recovery_code (user_id, code_hash) WHERE code_hash IS NOT NULL;
CREATE UNIQUE INDEX recovery_code_selector ON recovery_code (user_id, selector) WHERE selector IS NOT NULL;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- As 0012, with the number of unused codes that have a fast hash.
CREATE FUNCTION gate.second_factor_state(p_user uuid)
  RETURNS TABLE (sealed_secret text, confirmed boolean, codes_left integer, codes_dated integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT f.sealed_secret, f.confirmed_at IS NOT NULL,
      (SELECT count(*)::integer FROM recovery_code r WHERE r.user_id = f.user_id AND r.used_at IS NULL),
      (SELECT count(*)::integer FROM recovery_code r WHERE r.user_id = f.user_id AND r.used_at IS NULL
        AND r.code_hash IS NOT NULL)
    FROM second_factor f WHERE f.user_id = p_user $$;

CREATE FUNCTION gate.recovery_hash(p_user uuid, p_selector text) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT r.slow_hash FROM recovery_code r WHERE r.user_id = p_user AND r.selector = p_selector AND r.used_at IS NULL $$;

-- Uses up the code that was compared with this hash. False: it was used, or replaced, meanwhile.
CREATE FUNCTION gate.use_recovery_code(p_user uuid, p_selector text, p_slow_hash text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE recovery_code SET used_at = now()
    WHERE user_id = p_user AND selector = p_selector AND slow_hash = p_slow_hash AND used_at IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM gate.account_event(p_user, 'account.recovery_code_used', jsonb_build_object('left',
    (SELECT count(*) FROM recovery_code WHERE user_id = p_user AND used_at IS NULL)));
  RETURN true;
END $$;

-- As 0012, with codes under slow hashes.
CREATE FUNCTION gate.confirm_second_factor(p_user uuid, p_sealed_secret text, p_step bigint, p_selectors text[],
    p_slow_hashes text[]) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE second_factor SET confirmed_at = now(), last_step = p_step
    WHERE user_id = p_user AND confirmed_at IS NULL AND sealed_secret = p_sealed_secret;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO recovery_code (user_id, selector, slow_hash) SELECT p_user, * FROM unnest(p_selectors, p_slow_hashes);
  PERFORM gate.account_event(p_user, 'account.second_factor_added', '{}');
  RETURN true;
END $$;

CREATE FUNCTION gate.replace_recovery_codes(p_user uuid, p_selectors text[], p_slow_hashes text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM second_factor WHERE user_id = p_user FOR UPDATE;
  DELETE FROM recovery_code WHERE user_id = p_user;
  INSERT INTO recovery_code (user_id, selector, slow_hash) SELECT p_user, * FROM unnest(p_selectors, p_slow_hashes);
END $$;

DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'gate'::regnamespace AND proname IN (
      'second_factor_state', 'recovery_hash', 'use_recovery_code', 'confirm_second_factor', 'replace_recovery_codes') LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO intray_app', f);
  END LOOP;
END $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
