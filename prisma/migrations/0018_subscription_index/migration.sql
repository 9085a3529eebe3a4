-- One subscription of each agent, address, event and arguments.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS webhook_endpoint_subscription ON webhook_endpoint (organization_id, subscription)
  WHERE NOT terminated;
