-- When a member is away, and who answers for them meanwhile (docs/governance.md, docs/decisions/071). Requests keep nothing of it:
-- `standing_in` says for whom somebody stands in at the moment.
CREATE TABLE away (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  starts_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  -- A user. Who is no member any more, or may not answer, stands in for nobody.
  delegate uuid NOT NULL,
  -- {servers, tools, rules}: lists of names, or null each. A request has to be of all that are named. Null: every request.
  scope jsonb CHECK (jsonb_typeof(scope) = 'object'),
  reason text CHECK (char_length(reason) <= 500),
  -- The member, or the admin who set it for them.
  set_by uuid NOT NULL,
  set_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The delegate has been told of what waits. What is over is deleted once the engine has seen that.
  told boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, user_id),
  -- A later membership of the same person does not revive it.
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE,
  CHECK (ends_at > starts_at),
  CHECK (delegate <> user_id),
  -- Nobody gives themselves another's vote.
  CHECK (delegate <> set_by)
);
CREATE INDEX away_of_delegate ON away (organization_id, delegate);
ALTER TABLE away ENABLE ROW LEVEL SECURITY;
ALTER TABLE away FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON away USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON away TO intray_app;
-- Notices are the engine's.
GRANT SELECT, UPDATE (told), DELETE ON away TO intray_engine;

-- Organizations in which somebody has left or come back since the engine looked.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
CREATE POLICY gate ON away TO intray_gate USING (true);
GRANT SELECT, DELETE ON away TO intray_gate;
SET LOCAL ROLE intray_gate;
CREATE FUNCTION gate.organizations_with_absences() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT a.organization_id FROM away a WHERE a.ends_at <= now() OR (NOT a.told AND a.starts_at <= now()) $$;
-- An account that nobody had proven is another person's now (gate.replace_account): whoever held it chooses nobody any more.
CREATE FUNCTION gate.forget_absences() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM away a WHERE a.organization_id = NEW.organization_id AND NEW.user_id IN (a.user_id, a.delegate, a.set_by);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION gate.organizations_with_absences(), gate.forget_absences() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_absences() TO intray_engine;
RESET ROLE;
CREATE TRIGGER forget_absences AFTER UPDATE OF inherited ON membership FOR EACH ROW WHEN (NEW.inherited)
  EXECUTE FUNCTION gate.forget_absences();
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;

-- For whom a delegate (null: each) stands in now: directly, or since a delegate is away as well, over at most three steps. `path`: who is
-- away, the person first; `setters`: who said so. All of them are members who may answer, and the delegate set none of it for others.
CREATE FUNCTION standing_in(p_organization uuid, p_delegate uuid)
  RETURNS TABLE (person uuid, delegate uuid, path uuid[], setters uuid[], scopes jsonb[]) LANGUAGE sql STABLE ROWS 5
  SET search_path = public, pg_temp AS $$
  WITH RECURSIVE chain (person, delegate, path, setters, scopes) AS (
    SELECT a.user_id, a.delegate, ARRAY[a.user_id], ARRAY[a.set_by], ARRAY[a.scope]
    FROM away a JOIN membership m ON m.organization_id = a.organization_id AND m.user_id = a.user_id AND m.role <> 'viewer'
    WHERE a.organization_id = p_organization AND (p_delegate IS NULL OR a.delegate = p_delegate)
      AND a.starts_at <= now() AND a.ends_at > now()
    UNION ALL
    SELECT a.user_id, c.delegate, array_prepend(a.user_id, c.path), array_prepend(a.set_by, c.setters),
      array_prepend(a.scope, c.scopes)
    FROM chain c
      JOIN away a ON a.organization_id = p_organization AND a.delegate = c.person
      JOIN membership m ON m.organization_id = a.organization_id AND m.user_id = a.user_id AND m.role <> 'viewer'
    WHERE cardinality(c.path) < 3 AND a.starts_at <= now() AND a.ends_at > now()
      AND a.user_id <> ALL (c.path) AND a.user_id <> c.delegate)
  SELECT c.person, c.delegate, c.path, c.setters, c.scopes FROM chain c
    JOIN membership m ON m.organization_id = p_organization AND m.user_id = c.delegate AND m.role <> 'viewer'
  WHERE c.delegate <> ALL (c.setters)
    -- For an owner only owners choose, and everybody for themselves.
    AND NOT (EXISTS (SELECT FROM membership o WHERE o.organization_id = p_organization AND o.user_id = ANY (c.path) AND o.role = 'owner')
      AND EXISTS (SELECT FROM unnest(c.path, c.setters) step (person, setter)
        LEFT JOIN membership s ON s.organization_id = p_organization AND s.user_id = step.setter
        WHERE step.setter <> step.person AND s.role IS DISTINCT FROM 'owner')) $$;

-- Whether absences of these scopes are for a request. `rule`: null where any one approver decides.
CREATE FUNCTION is_in_scope(scopes jsonb[], server text, tool text, rule text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(bool_and((s ->> 'servers' IS NULL OR jsonb_exists(s -> 'servers', server))
    AND (s ->> 'tools' IS NULL OR jsonb_exists(s -> 'tools', tool))
    AND (s ->> 'rules' IS NULL OR coalesce(jsonb_exists(s -> 'rules', rule), false))), true)
  FROM unnest(scopes) s WHERE s IS NOT NULL $$;

-- The person of a vote, as an actor, where a delegate cast it (`cast_by`). Null: it is the caster's own, or of a key of theirs.
ALTER TABLE vote ADD COLUMN on_behalf_of jsonb;
-- Only a person votes for another. Validated in 0154.
ALTER TABLE vote ADD CONSTRAINT vote_for_another CHECK (on_behalf_of IS NULL OR (cast_by ->> 'kind' = 'member'
  AND on_behalf_of ->> 'id' = person::text AND cast_by ->> 'id' <> person::text)) NOT VALID;

-- A delegate's vote counts as both persons, whoever writes it: neither votes again in the stage.
CREATE FUNCTION refuse_second_vote() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- One vote at a time: the index `vote_once` sees the person alone.
  PERFORM FROM input_request r WHERE r.organization_id = NEW.organization_id AND r.id = NEW.input_request_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM vote v WHERE v.organization_id = NEW.organization_id AND v.input_request_id = NEW.input_request_id
      AND v.stage = NEW.stage AND v.ended_at IS NULL
      AND ARRAY[v.person, CASE WHEN v.on_behalf_of IS NOT NULL THEN (v.cast_by ->> 'id')::uuid END]
        && ARRAY[NEW.person, CASE WHEN NEW.on_behalf_of IS NOT NULL THEN (NEW.cast_by ->> 'id')::uuid END]) THEN
    RAISE EXCEPTION 'somebody of this vote has voted on request % already', NEW.input_request_id USING ERRCODE = 'unique_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER persons_vote_once BEFORE INSERT ON vote FOR EACH ROW WHEN (NEW.ended_at IS NULL)
  EXECUTE FUNCTION refuse_second_vote();
