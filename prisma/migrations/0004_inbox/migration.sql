-- What it takes for the inbox to stay quick with a hundred thousand open requests, and views that people keep.

-- Copies of what a request's task never changes, so that lists, counts and searches read one table. Where the text of
-- the arguments is long, only its beginning is searched.
ALTER TABLE input_request
  ADD COLUMN server_id uuid,
  ADD COLUMN tool text,
  ADD COLUMN visibility text,
  ADD COLUMN requester_user_id uuid,
  ADD COLUMN search text,
  -- What it is about in money, as lib/text/amount.ts reads it out of the arguments when the question is captured.
  ADD COLUMN amount double precision,
  ADD COLUMN currency text;

CREATE FUNCTION request_search(message text, tool text, label text, arguments json) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT lower(left(message || E'\n' || tool || E'\n' || coalesce(label, '') || E'\n' || arguments::text, 8000)) $$;

CREATE FUNCTION copy_from_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT t.server_id, t.tool, t.visibility, t.requester_user_id,
      request_search(NEW.message, t.tool, t.label, t.arguments)
    INTO NEW.server_id, NEW.tool, NEW.visibility, NEW.requester_user_id, NEW.search
    FROM task t WHERE t.organization_id = NEW.organization_id AND t.id = NEW.task_id;
  RETURN NEW;
END $$;
CREATE TRIGGER copy_from_task BEFORE INSERT ON input_request FOR EACH ROW EXECUTE FUNCTION copy_from_task();

-- Row security binds the owner too: for this transaction it does not, so that the rows of every organization are filled.
ALTER TABLE input_request NO FORCE ROW LEVEL SECURITY;
ALTER TABLE task NO FORCE ROW LEVEL SECURITY;
-- Of amounts in what was asked before, the plain numbers at the top or one level down are found.
UPDATE input_request r SET server_id = t.server_id, tool = t.tool, visibility = t.visibility,
    requester_user_id = t.requester_user_id, search = request_search(r.message, t.tool, t.label, t.arguments),
    amount = (SELECT (found.value #>> '{}')::double precision
      FROM (SELECT key, value, 0 AS depth FROM json_each(t.arguments)
        UNION ALL SELECT inner_one.key, inner_one.value, 1 FROM json_each(t.arguments) outer_one,
          json_each(CASE WHEN json_typeof(outer_one.value) = 'object' THEN outer_one.value ELSE '{}' END) inner_one
      ) found
      WHERE found.key IN ('grand_total', 'total', 'total_amount', 'amount_due', 'amount', 'sum', 'price', 'cost')
        AND json_typeof(found.value) = 'number' ORDER BY found.depth LIMIT 1)
  FROM task t WHERE t.organization_id = r.organization_id AND t.id = r.task_id;
ALTER TABLE input_request FORCE ROW LEVEL SECURITY;
ALTER TABLE task FORCE ROW LEVEL SECURITY;

ALTER TABLE input_request
  ALTER COLUMN server_id SET NOT NULL,
  ALTER COLUMN tool SET NOT NULL,
  ALTER COLUMN visibility SET NOT NULL,
  ALTER COLUMN search SET NOT NULL,
  ADD FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id),
  ADD CHECK (currency IS NULL OR amount IS NOT NULL);

-- Equal for requests that may be answered together: the same form, one that can be filled in, of the same server.
CREATE FUNCTION request_alike(server_id uuid, mode text, form jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN mode = 'form' AND form ->> 'kind' = 'supported'
    THEN encode(sha256(convert_to(server_id::text || form::text, 'UTF8')), 'hex') END $$;
ALTER TABLE input_request ADD COLUMN alike text GENERATED ALWAYS AS (request_alike(server_id, mode, form)) STORED;

-- One for each order. What has no end, or no amount, comes last in both.
CREATE INDEX input_request_expiring ON input_request (organization_id, state, coalesce(expires_at, 'infinity'), id);
CREATE INDEX input_request_amount ON input_request (organization_id, state, coalesce(amount, '-infinity'), id);
CREATE INDEX input_request_assignee ON input_request (organization_id, assignee_user_id)
  WHERE assignee_user_id IS NOT NULL;
-- Tasks that somebody sees for a question that was assigned.
CREATE INDEX input_request_assignee_private ON input_request (organization_id, assignee_user_id, task_id)
  WHERE assignee_user_id IS NOT NULL AND visibility = 'private';
-- Counts read this alone.
CREATE INDEX input_request_open ON input_request (organization_id, id)
  INCLUDE (task_id, server_id, tool, visibility, requester_user_id, assignee_user_id, created_at, expires_at, amount)
  WHERE state = 'open';

-- A page of the list looks up the answer of each of its rows, and a delivery is confirmed by its request.
CREATE INDEX answer_request ON answer (organization_id, input_request_id);
CREATE INDEX delivery_request ON delivery (organization_id, input_request_id);

-- A list as somebody keeps it: a page's own URL parameters under a name. It goes with the membership.
CREATE TABLE saved_view (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  page text NOT NULL CHECK (page IN ('inbox', 'tasks')),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  query jsonb NOT NULL,
  shared boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, user_id) REFERENCES membership (organization_id, user_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX saved_view_name ON saved_view (organization_id, user_id, page, lower(name));
ALTER TABLE saved_view ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_view FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON saved_view USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON saved_view TO intray_app;
