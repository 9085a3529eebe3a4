-- An approval of a call that a person has changed: the content is {arguments}, with which the call is made instead. The check holds
-- for new rows: older ones have the default.
ALTER TABLE answer ADD COLUMN changes boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT answer_changes CHECK (NOT changes OR (action = 'accept' AND content IS NOT NULL)) NOT VALID;
-- The arguments that were asked about, where the call is made with others (`arguments`). Null: they are the same.
ALTER TABLE task ADD COLUMN asked_arguments json;
-- The use of an approval for the arguments as a person changed them.
ALTER TABLE approval_use ADD COLUMN changed boolean NOT NULL DEFAULT false;

-- For processes of earlier versions, which would make the call, or let it be made, with the arguments that nobody approved.
CREATE FUNCTION refuse_unchanged_call() RETURNS trigger
  LANGUAGE plpgsql SECURITY INVOKER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM input_request r JOIN answer a ON a.organization_id = r.organization_id AND a.input_request_id = r.id
    WHERE r.organization_id = NEW.organization_id AND r.task_id = NEW.id AND r.origin = 'intray' AND a.withdrawn_at IS NULL AND a.changes)
  THEN RAISE EXCEPTION 'task % was approved with other arguments than it has', NEW.id USING ERRCODE = 'check_violation'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER approved_call_is_changed BEFORE UPDATE OF gate ON task FOR EACH ROW
  WHEN (OLD.gate = 'waiting' AND NEW.gate = 'approved' AND NEW.asked_arguments IS NULL) EXECUTE FUNCTION refuse_unchanged_call();

CREATE FUNCTION refuse_unchanged_use() RETURNS trigger
  LANGUAGE plpgsql SECURITY INVOKER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM answer a WHERE a.organization_id = NEW.organization_id AND a.input_request_id = NEW.input_request_id
    AND a.withdrawn_at IS NULL AND a.changes)
  THEN RAISE EXCEPTION 'request % was approved with other arguments', NEW.input_request_id USING ERRCODE = 'check_violation'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER approved_use_is_changed BEFORE INSERT ON approval_use FOR EACH ROW
  WHEN (NOT NEW.changed) EXECUTE FUNCTION refuse_unchanged_use();
