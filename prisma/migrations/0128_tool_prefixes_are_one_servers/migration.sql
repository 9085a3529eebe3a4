-- Who gives a prefix out takes a lock for it (lib/agents/grants.ts); this is what holds whoever does not.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS server_by_tool_prefix ON server (organization_id, tool_prefix)
  WHERE tool_prefix IS NOT NULL;
