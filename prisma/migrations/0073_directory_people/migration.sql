-- Who calls as a directory, and people of directories who join. Processes of before make memberships under the trigger too.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate, public TO intray_gate;
SET LOCAL ROLE intray_gate;

-- The directory that a secret belongs to. `noted`: the use of this minute is written down.
CREATE FUNCTION gate.find_directory(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, token_id uuid, manages_owners boolean, noted boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT d.organization_id, d.token_id, d.manages_owners,
      coalesce(d.last_called_at > now() - interval '1 minute', false)
    FROM directory d JOIN organization o ON o.id = d.organization_id
    WHERE (d.secret_hash = p_secret_hash OR (d.previous_secret_hash = p_secret_hash AND d.previous_until > now()))
      AND (NOT o.demo OR NOT gate.setup_done()) $$;

-- A person whom the directory announced joins under the id that it knows, whichever way: by the invitation, a provider or
-- the operator. One whom it has deactivated before does not.
CREATE FUNCTION join_as_directory_person() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE person directory_person%ROWTYPE;
BEGIN
  -- Waits for a directory that changes the person just now.
  SELECT p.* INTO person FROM directory_person p JOIN "user" u ON u.email = p.user_name
    WHERE p.organization_id = NEW.organization_id AND u.id = NEW.user_id AND p.joined_at IS NULL FOR UPDATE OF p;
  IF NOT FOUND THEN RETURN NEW; END IF;
  IF NOT person.active THEN
    RAISE EXCEPTION 'suspended_member' USING ERRCODE = 'INSUS';
  END IF;
  UPDATE directory_person SET joined_at = now() WHERE organization_id = person.organization_id AND id = person.id;
  NEW.id := person.id;
  RETURN NEW;
END $$;

-- Gives a directory the account of an address of a domain that is proved to be its organization's: the domain's owner
-- reads its mail. An account that nobody has proved is replaced.
CREATE FUNCTION gate.directory_account(p_user uuid, p_email text, p_name text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE account "user"%ROWTYPE;
BEGIN
  INSERT INTO "user" (id, email, name, proven_at) VALUES (p_user, lower(p_email), p_name, now())
    ON CONFLICT (email) DO NOTHING;
  IF FOUND THEN RETURN p_user; END IF;
  SELECT * INTO STRICT account FROM "user" u WHERE u.email = lower(p_email) FOR UPDATE;
  IF account.proven_at IS NULL THEN PERFORM gate.replace_account(account.id, p_name, NULL, 'provider'); END IF;
  RETURN account.id;
END $$;

REVOKE ALL ON FUNCTION gate.find_directory(bytea), gate.directory_account(uuid, text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION join_as_directory_person() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.find_directory(bytea), gate.directory_account(uuid, text, text) TO intray_app;
RESET ROLE;
CREATE TRIGGER join_as_directory_person BEFORE INSERT ON membership
  FOR EACH ROW EXECUTE FUNCTION join_as_directory_person();
REVOKE CREATE ON SCHEMA gate, public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
