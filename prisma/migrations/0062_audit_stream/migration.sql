-- Audit streams: destinations outside that get the organization's history line by line. A row is a destination and
-- how far it has the history.
CREATE TABLE audit_stream (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('webhook', 'syslog', 's3')),
  -- A webhook's URL, a syslog server's host:port, or the URL of an S3 service.
  address text NOT NULL,
  -- What else the kind needs, none of it secret: a CA certificate; bucket, region, prefix and access key id.
  settings jsonb NOT NULL DEFAULT '{}',
  -- A webhook's signing secret, or a bucket's secret access key.
  sealed_secret text,
  paused_at timestamptz(3),
  -- The last position that the destination took.
  seq bigint NOT NULL DEFAULT 0,
  delivered_at timestamptz(3),
  -- The position of the last anchor.
  anchored_seq bigint NOT NULL DEFAULT 0,
  anchored_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Lines whose details retention had deleted before the destination took them.
  swept bigint NOT NULL DEFAULT 0,
  -- The sender at work. Another one may begin once the time is over: the first one died.
  claim uuid,
  claimed_until timestamptz(3),
  -- Attempts in a row that failed, and when the next one is due.
  failures integer NOT NULL DEFAULT 0,
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  failing_since timestamptz(3),
  last_error text,
  last_error_at timestamptz(3),
  -- When the history said that the destination is away; null: it is not.
  reported_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CHECK ((kind = 'syslog') = (sealed_secret IS NULL)),
  CHECK ((claim IS NULL) = (claimed_until IS NULL)),
  CHECK (anchored_seq <= seq),
  CHECK ((last_error IS NULL) = (last_error_at IS NULL))
);
ALTER TABLE audit_stream ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_stream FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_stream USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON audit_stream FOR SELECT TO intray_gate USING (true);
-- The web sets destinations up, and never moves a position: what it could move forward would never be sent.
GRANT SELECT, DELETE ON audit_stream TO intray_app;
GRANT INSERT (organization_id, id, kind, address, settings, sealed_secret) ON audit_stream TO intray_app;
GRANT UPDATE (settings, sealed_secret, paused_at, failures, not_before) ON audit_stream TO intray_app;
GRANT SELECT ON audit_stream TO intray_engine;
GRANT UPDATE (seq, delivered_at, anchored_seq, anchored_at, swept, claim, claimed_until, failures, not_before,
  failing_since, last_error, last_error_at, reported_at) ON audit_stream TO intray_engine;
GRANT SELECT (organization_id, seq, anchored_seq, anchored_at, paused_at, claimed_until, not_before)
  ON audit_stream TO intray_gate;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
-- Organizations with lines to send, or with lines that no anchor covers after this time.
CREATE FUNCTION gate.organizations_with_audit_streams(p_anchor_ms integer) RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT s.organization_id FROM audit_stream s
    JOIN event_head head ON head.organization_id = s.organization_id
    WHERE s.paused_at IS NULL AND s.not_before <= now() AND (s.claimed_until IS NULL OR s.claimed_until <= now())
      AND (head.seq > s.seq
        OR (s.anchored_seq < s.seq AND s.anchored_at <= now() - p_anchor_ms * interval '1 ms')) $$;
REVOKE ALL ON FUNCTION gate.organizations_with_audit_streams(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_audit_streams(integer) TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
