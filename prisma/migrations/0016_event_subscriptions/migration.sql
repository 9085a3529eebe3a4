-- Subscriptions of agents to events (MCP Events, docs/decisions/093): webhooks that the agent itself asked for, sent by the same outbox.
-- The columns are null for the webhooks of admins.
ALTER TABLE webhook_endpoint
  ADD COLUMN agent_id uuid,
  -- Names the subscription to its receiver. Of the agent, the address, the event and the arguments.
  ADD COLUMN subscription text,
  ADD COLUMN arguments jsonb,
  -- The line of the history up to which deliveries were made.
  ADD COLUMN seq bigint,
  -- When it ends, unless the agent subscribes again before.
  ADD COLUMN expires_at timestamptz(3),
  -- It has ended before, and only its receiver has to be told.
  ADD COLUMN terminated boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT webhook_endpoint_of_agent CHECK (num_nulls(agent_id, subscription, arguments, seq, expires_at) IN (0, 5)
    AND (agent_id IS NOT NULL OR NOT terminated)),
  ADD CONSTRAINT webhook_endpoint_agent FOREIGN KEY (organization_id, agent_id) REFERENCES agent_credential (organization_id, id) ON DELETE CASCADE;
GRANT UPDATE (seq, expires_at, terminated), DELETE ON webhook_endpoint TO intray_engine;
GRANT SELECT (agent_id, seq, expires_at, terminated) ON webhook_endpoint TO intray_gate;

ALTER TABLE webhook_delivery
  -- The webhook-id where it is not the row's own: of an event that several subscriptions get under one id.
  ADD COLUMN message_id text,
  -- The line of the history that the delivery tells of.
  ADD COLUMN seq bigint;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;
CREATE FUNCTION gate.organizations_with_event_subscriptions() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT e.organization_id FROM webhook_endpoint e
    JOIN event_head head ON head.organization_id = e.organization_id
    WHERE e.agent_id IS NOT NULL AND (e.expires_at <= now() OR (NOT e.terminated AND e.seq < head.seq)) $$;
REVOKE ALL ON FUNCTION gate.organizations_with_event_subscriptions() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_event_subscriptions() TO intray_engine;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
