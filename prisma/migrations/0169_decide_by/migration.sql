-- By when people should have decided on a request: `dueAt` of what it keeps of its rule, as a column, since lists are sorted by it.
-- Row security would not let an index over the JSON find a place in it (migration 0009).
ALTER TABLE input_request ADD COLUMN decide_by timestamptz(3);

-- Whoever writes the rule, also a process that does not know the column.
CREATE FUNCTION keep_decide_by() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.decide_by := (NEW.approval ->> 'dueAt')::timestamptz;
  RETURN NEW;
END $$;
CREATE TRIGGER decide_by_of_new BEFORE INSERT ON input_request FOR EACH ROW
  WHEN (NEW.approval ->> 'dueAt' IS NOT NULL) EXECUTE FUNCTION keep_decide_by();
CREATE TRIGGER decide_by_moved BEFORE UPDATE OF approval ON input_request FOR EACH ROW
  WHEN (OLD.approval ->> 'dueAt' IS DISTINCT FROM NEW.approval ->> 'dueAt') EXECUTE FUNCTION keep_decide_by();

-- What waits, and what may wait again: an answer that is undone, or could not be delivered.
-- Row security binds the owner too: for this transaction it does not, so that the rows of every organization are filled.
ALTER TABLE input_request NO FORCE ROW LEVEL SECURITY;
UPDATE input_request SET decide_by = (approval ->> 'dueAt')::timestamptz
  WHERE state IN ('open', 'answered', 'undeliverable') AND approval IS NOT NULL AND approval ->> 'dueAt' IS NOT NULL;
ALTER TABLE input_request FORCE ROW LEVEL SECURITY;

-- How decisions by the rules of the policy went, added up as `statistic` is (migration 0021): lib/statistics/rules.ts names the
-- measures. Rules are known by their names: one that is named anew is another one.
CREATE TABLE rule_statistic (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  hours smallint NOT NULL CHECK (hours IN (1, 6)),
  -- When the stretch begins.
  at timestamptz(3) NOT NULL,
  rule text COLLATE "C" NOT NULL,
  -- Its place and its name. Empty: the whole request.
  stage text COLLATE "C" NOT NULL,
  measure text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (organization_id, hours, at, rule, stage, measure)
);
ALTER TABLE rule_statistic ENABLE ROW LEVEL SECURITY;
ALTER TABLE rule_statistic FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON rule_statistic USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON rule_statistic TO intray_engine;
GRANT SELECT ON rule_statistic TO intray_app;
