-- What lists ask of the rule that a request keeps, as columns: reading it out of the JSON of a hundred thousand open requests takes a
-- second. Requests with the same ballot ask the same people, of whom the same have voted, so that lists look at one of each.
ALTER TABLE input_request ADD COLUMN ballot uuid,
  -- The member, key or agent that asked for the task, where the rule keeps them out.
  ADD COLUMN kept_out uuid;

CREATE FUNCTION ballot_of(approval jsonb) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT md5(jsonb_build_array(open -> 'roles', open -> 'people', open -> 'groups', open -> 'voted')::text)::uuid
  FROM (SELECT approval -> 'open' AS open) its WHERE approval IS NOT NULL $$;

CREATE FUNCTION kept_out_by(approval jsonb, requested_by jsonb) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (requested_by ->> 'id')::uuid
  WHERE approval ->> 'requester' <> 'allowed' AND requested_by ->> 'kind' IN ('member', 'key', 'agent') $$;

-- Whoever writes the rule, also a process that does not know the columns.
CREATE FUNCTION keep_ballot() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.ballot := ballot_of(NEW.approval);
  NEW.kept_out := (SELECT kept_out_by(NEW.approval, t.requested_by) FROM task t
    WHERE t.organization_id = NEW.organization_id AND t.id = NEW.task_id);
  RETURN NEW;
END $$;
CREATE TRIGGER ballot_of_new BEFORE INSERT ON input_request FOR EACH ROW
  WHEN (NEW.approval IS NOT NULL) EXECUTE FUNCTION keep_ballot();
CREATE TRIGGER ballot_moved BEFORE UPDATE OF approval ON input_request FOR EACH ROW
  WHEN (OLD.approval IS DISTINCT FROM NEW.approval) EXECUTE FUNCTION keep_ballot();

-- What waits, and what may wait again: an answer that is undone, or could not be delivered.
-- Row security binds the owner too: for this transaction it does not, so that the rows of every organization are filled.
ALTER TABLE input_request NO FORCE ROW LEVEL SECURITY;
ALTER TABLE task NO FORCE ROW LEVEL SECURITY;
UPDATE input_request r SET ballot = ballot_of(r.approval), kept_out = kept_out_by(r.approval, t.requested_by)
  FROM task t WHERE t.organization_id = r.organization_id AND t.id = r.task_id AND r.state IN ('open', 'answered', 'undeliverable')
    AND r.approval IS NOT NULL;
ALTER TABLE input_request FORCE ROW LEVEL SECURITY;
ALTER TABLE task FORCE ROW LEVEL SECURITY;
