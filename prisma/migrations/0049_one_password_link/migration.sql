-- A password that was set by one link is not set anew by an older one, which somebody else may have kept.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

CREATE OR REPLACE FUNCTION gate.set_password(p_token_hash bytea, p_password_hash text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE found_user uuid;
BEGIN
  SELECT user_id INTO found_user FROM password_link WHERE token_hash = p_token_hash;
  -- Two links at once take turns at the person, so that one of them wins.
  PERFORM FROM "user" WHERE id = found_user FOR UPDATE;
  UPDATE password_link SET used_at = now() WHERE token_hash = p_token_hash AND used_at IS NULL AND expires_at > now();
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE password_link SET used_at = now() WHERE user_id = found_user AND used_at IS NULL;
  UPDATE "user" SET password_hash = p_password_hash WHERE id = found_user;
  UPDATE session SET revoked_at = now() WHERE user_id = found_user AND revoked_at IS NULL;
  DELETE FROM pending_sign_in WHERE user_id = found_user;
  PERFORM gate.account_event(found_user, 'account.password_changed', '{"byLink": true}');
  RETURN found_user;
END $$;

RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
