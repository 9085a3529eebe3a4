-- The subscriptions of an agent.
CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_endpoint_by_agent ON webhook_endpoint (organization_id, agent_id)
  WHERE agent_id IS NOT NULL;
