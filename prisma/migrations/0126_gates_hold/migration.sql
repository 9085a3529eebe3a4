-- The tool as its server listed it when the approval was asked for: one that has changed since is not called.
ALTER TABLE task ADD COLUMN gate_tool_digest text;

-- For processes of before, which know of no approvals: an approval covers one call, so that another attempt at it that asks nobody is
-- not made. They take it as an attempt that somebody else has queued.
CREATE FUNCTION skip_attempt_without_approval() RETURNS trigger
  LANGUAGE plpgsql SECURITY INVOKER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM task t WHERE t.organization_id = NEW.organization_id AND t.id = NEW.retry_of AND t.gate IS NOT NULL)
  THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER skip_attempt_without_approval BEFORE INSERT ON task FOR EACH ROW
  WHEN (NEW.retry_of IS NOT NULL AND NEW.gate IS NULL) EXECUTE FUNCTION skip_attempt_without_approval();

-- Questions of Intray's own are for people: no program answers them, in no process.
CREATE FUNCTION refuse_programs_answer() RETURNS trigger
  LANGUAGE plpgsql SECURITY INVOKER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM input_request r WHERE r.organization_id = NEW.organization_id AND r.id = NEW.input_request_id
    AND r.origin = 'intray')
  THEN RAISE EXCEPTION 'only a member answers a question of Intray''s own' USING ERRCODE = 'insufficient_privilege'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_programs_answer BEFORE INSERT ON answer FOR EACH ROW
  WHEN (NEW.answered_by ->> 'kind' IS DISTINCT FROM 'member') EXECUTE FUNCTION refuse_programs_answer();
