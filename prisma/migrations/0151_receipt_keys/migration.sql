-- Keys that sign receipts (docs/decisions/070). They are the installation's, so that the public list tells of no organization.
CREATE TABLE receipt_key (
  kid uuid PRIMARY KEY,
  -- As JWK. It stays for good, so that what the key has signed can be checked.
  public_key jsonb NOT NULL CHECK (jsonb_typeof(public_key) = 'object'),
  -- Null once the key is retired.
  sealed_private_key text,
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  retired_at timestamptz(3),
  CHECK ((sealed_private_key IS NULL) = (retired_at IS NOT NULL))
);
CREATE UNIQUE INDEX receipt_key_current ON receipt_key ((true)) WHERE retired_at IS NULL;
ALTER TABLE receipt_key ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON receipt_key TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON receipt_key TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  CREATE FUNCTION gate.receipt_public_keys() RETURNS TABLE (kid uuid, public_key jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT k.kid, k.public_key FROM receipt_key k ORDER BY k.made_at DESC, k.kid';
  CREATE FUNCTION gate.receipt_signing_key() RETURNS TABLE (kid uuid, sealed_private_key text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT k.kid, k.sealed_private_key FROM receipt_key k WHERE k.retired_at IS NULL';
  -- Keeps the first key. Of two that are made at once one stays.
  CREATE FUNCTION gate.keep_receipt_key(p_kid uuid, p_public jsonb, p_sealed text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS '
    INSERT INTO receipt_key (kid, public_key, sealed_private_key) VALUES (p_kid, p_public, p_sealed) ON CONFLICT DO NOTHING';
  -- Puts a key in the place of the current one, whose private half goes.
  CREATE FUNCTION gate.replace_receipt_key(p_kid uuid, p_public jsonb, p_sealed text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS '
  BEGIN
    LOCK TABLE receipt_key IN SHARE ROW EXCLUSIVE MODE;
    UPDATE receipt_key SET retired_at = now(), sealed_private_key = NULL WHERE retired_at IS NULL;
    INSERT INTO receipt_key (kid, public_key, sealed_private_key) VALUES (p_kid, p_public, p_sealed);
  END';
  -- How the person behind a session signed in, and when they last showed that it is them, for the line of what they decide.
  CREATE FUNCTION gate.session_proof(p_session uuid) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS '
    SELECT jsonb_build_object(''method'', s.method, ''provider'', s.provider, ''amr'', s.amr, ''acr'', s.acr,
      ''authenticatedAt'', s.authenticated_at, ''factorAt'', s.factor_at) FROM session s WHERE s.id = p_session';
  REVOKE ALL ON FUNCTION gate.receipt_public_keys(), gate.receipt_signing_key(), gate.keep_receipt_key(uuid, jsonb, text),
    gate.replace_receipt_key(uuid, jsonb, text), gate.session_proof(uuid) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION gate.receipt_public_keys(), gate.receipt_signing_key(), gate.keep_receipt_key(uuid, jsonb, text),
    gate.session_proof(uuid) TO intray_app;
  EXECUTE format('GRANT EXECUTE ON FUNCTION gate.replace_receipt_key(uuid, jsonb, text) TO %I', owner);
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
