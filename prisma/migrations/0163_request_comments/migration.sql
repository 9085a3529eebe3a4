-- Talking before deciding (docs/governance.md, docs/decisions/074): comments on requests, questions to whoever asked for the task, and
-- requests that a member puts off for themselves.
CREATE TABLE request_comment (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  input_request_id uuid NOT NULL,
  -- The user, and as an actor.
  author uuid NOT NULL,
  written_by jsonb NOT NULL,
  -- Null: its author deleted it. Sealed where the organization seals content.
  text text,
  -- Users who are told of it.
  mentions uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(mentions) <= 20),
  -- It asks whoever asked for the task.
  asks boolean NOT NULL DEFAULT false,
  -- The user who had asked, where it is the requester's reply.
  replies_to uuid,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  deleted_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  CHECK ((text IS NULL) = (deleted_at IS NOT NULL))
);
CREATE INDEX request_comment_of_request ON request_comment (organization_id, input_request_id);
ALTER TABLE request_comment ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_comment FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON request_comment USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
-- What was said is deleted, and never changed. Sealing changes how content is kept.
GRANT SELECT, INSERT, UPDATE (text, deleted_at) ON request_comment TO intray_app;
GRANT SELECT, UPDATE (text) ON request_comment TO intray_engine;

-- {by, of, at}: who asked whom for what is missing, and when. Null: nothing is missing.
ALTER TABLE input_request ADD COLUMN needs_info jsonb;
-- Whoever decides, or captures another wording, also a process that knows nothing of it.
CREATE FUNCTION end_needs_info() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.needs_info := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER needs_info_ends BEFORE UPDATE OF state, reworded_at ON input_request FOR EACH ROW
  WHEN (OLD.needs_info IS NOT NULL AND (NEW.state <> 'open' OR NEW.reworded_at IS DISTINCT FROM OLD.reworded_at))
  EXECUTE FUNCTION end_needs_info();

-- Since when a reminder waits for the requester, and for how long it has in all, in working time. `due_at` is when it comes all the same.
ALTER TABLE request_timer ADD COLUMN paused_at timestamptz(3), ADD COLUMN paused_ms bigint NOT NULL DEFAULT 0;
GRANT UPDATE (paused_at, paused_ms) ON request_timer TO intray_app, intray_engine;

-- Until when a member has put a request off: for themselves alone.
CREATE TABLE request_snooze (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  input_request_id uuid NOT NULL,
  user_id uuid NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  -- When an engine saw that it was over, and told the member.
  woken_at timestamptz(3),
  PRIMARY KEY (organization_id, user_id, input_request_id),
  FOREIGN KEY (organization_id, input_request_id) REFERENCES input_request (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE
);
CREATE INDEX request_snooze_of_request ON request_snooze (organization_id, input_request_id);
CREATE INDEX request_snooze_over ON request_snooze (ends_at) WHERE woken_at IS NULL;
ALTER TABLE request_snooze ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_snooze FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON request_snooze USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON request_snooze FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON request_snooze TO intray_app;
GRANT SELECT, UPDATE (woken_at), DELETE ON request_snooze TO intray_engine;
GRANT SELECT (organization_id, ends_at, woken_at) ON request_snooze TO intray_gate;

-- The stage of a request that is open, with the rule that it is of.
CREATE FUNCTION open_stage(approval jsonb) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN concat(approval ->> 'version', ' ', approval -> 'open' ->> 'stage');

-- What a member put off is another matter once it is theirs to answer, be it that another stage opens, that it is assigned to them, also
-- once more, or to whom they stand in for, or says something else.
CREATE FUNCTION end_snoozes() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM request_snooze z WHERE z.organization_id = NEW.organization_id AND z.input_request_id = NEW.id
    AND (z.user_id = NEW.assignee_user_id OR NEW.reworded_at IS DISTINCT FROM OLD.reworded_at
      OR open_stage(NEW.approval) <> open_stage(OLD.approval)
      OR z.user_id IN (SELECT s.delegate FROM standing_in(NEW.organization_id, NULL) s WHERE s.person = NEW.assignee_user_id));
  RETURN NULL;
END $$;
CREATE TRIGGER snoozes_end AFTER UPDATE OF assignee_user_id, assigned_at, reworded_at, approval ON input_request FOR EACH ROW
  WHEN (NEW.reworded_at IS DISTINCT FROM OLD.reworded_at OR open_stage(NEW.approval) <> open_stage(OLD.approval)
    OR (NEW.assignee_user_id IS NOT NULL AND (NEW.assignee_user_id IS DISTINCT FROM OLD.assignee_user_id
      OR NEW.assigned_at IS DISTINCT FROM OLD.assigned_at)))
  EXECUTE FUNCTION end_snoozes();

-- Organizations in which something that was put off is over.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
CREATE FUNCTION gate.organizations_with_ended_snoozes() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT z.organization_id FROM request_snooze z WHERE z.woken_at IS NULL AND z.ends_at <= now() $$;
REVOKE ALL ON FUNCTION gate.organizations_with_ended_snoozes() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_ended_snoozes() TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
