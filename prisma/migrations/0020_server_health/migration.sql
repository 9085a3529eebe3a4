-- How servers are, as the engine sees it: calls counted over time, the last error, the circuit of each connection; what
-- a server's tools said when; and servers that people have paused.

-- Adds two lists of counts place by place; the longer one says how many there are.
CREATE FUNCTION add_each(integer[], integer[]) RETURNS integer[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT coalesce(array_agg(coalesce(a, 0) + coalesce(b, 0) ORDER BY place), '{}')
    FROM unnest($1, $2) WITH ORDINALITY AS counts(a, b, place) $$;
CREATE AGGREGATE sum_each(integer[]) (SFUNC = add_each, STYPE = integer[], INITCOND = '{}', PARALLEL = SAFE);

-- The engine's calls to a server in five minutes, and again in an hour: what is looked at over days is read from few rows.
CREATE TABLE server_stat (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  server_id uuid NOT NULL,
  minutes smallint NOT NULL CHECK (minutes IN (5, 60)),
  -- When it begins, a multiple of its length.
  at timestamptz(3) NOT NULL,
  calls integer NOT NULL,
  -- Calls that failed, by class, and latencies of those that were answered: the places are named in
  -- lib/servers/call-statistics/counts.ts.
  failures integer[] NOT NULL,
  latency integer[] NOT NULL,
  PRIMARY KEY (organization_id, server_id, minutes, at),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);

-- What a tool said of itself, and since when: one row for each text, of which one is the current one.
CREATE TABLE server_tool_version (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  server_id uuid NOT NULL,
  tool text NOT NULL,
  -- SHA-256 of what follows, in canonical JSON.
  digest bytea NOT NULL,
  -- json, not jsonb: forms are laid out in the order of the schema
  described json NOT NULL,
  first_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  since timestamptz(3) NOT NULL DEFAULT now(),
  -- Null: it says so now.
  until timestamptz(3),
  -- The last start by somebody who had seen this, or could have; null: none yet.
  used_at timestamptz(3),
  used_by jsonb,
  PRIMARY KEY (organization_id, server_id, tool, digest),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id) ON DELETE CASCADE,
  CHECK ((used_at IS NULL) = (used_by IS NULL))
);
CREATE UNIQUE INDEX server_tool_current ON server_tool_version (organization_id, server_id, tool) WHERE until IS NULL;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['server_stat', 'server_tool_version'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
  END LOOP;
END $$;
GRANT SELECT ON server_stat TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON server_stat TO intray_engine;
GRANT SELECT, INSERT, UPDATE, DELETE ON server_tool_version TO intray_app;

ALTER TABLE server
  -- While it is paused nothing is sent to it.
  ADD COLUMN paused_at timestamptz(3),
  ADD COLUMN paused_by jsonb,
  ADD COLUMN pause_reason text,
  -- Raised by each pause and each end of one: engines tell by it which of two looks is the later one.
  ADD COLUMN pauses integer NOT NULL DEFAULT 0,
  -- {code, message}, in our own words, of the last call that the engine saw fail.
  ADD COLUMN last_error jsonb,
  ADD COLUMN last_error_at timestamptz(3),
  ADD CONSTRAINT server_pause CHECK ((paused_at IS NULL) = (paused_by IS NULL)
    AND (pause_reason IS NULL OR paused_at IS NOT NULL)),
  ADD CONSTRAINT server_last_error CHECK ((last_error IS NULL) = (last_error_at IS NULL));

-- A server in trouble is left alone for a while: how often in a row it failed, and until when nobody tries.
ALTER TABLE connection
  ADD COLUMN circuit_failures integer NOT NULL DEFAULT 0,
  ADD COLUMN circuit_open_until timestamptz(3);
