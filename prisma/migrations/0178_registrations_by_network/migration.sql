-- Whoever floods the registrations of clients makes room in their own: no network is shut out by another one.
ALTER TABLE agent_client ADD COLUMN network text CHECK (length(network) <= 100);

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Keeps a client that registers. Beyond `p_most_of_one` of its network, and `p_most` of all, the oldest go that nobody let in:
-- of all, those of the networks with most. Web processes of before call the function of before, which keeps no network.
CREATE FUNCTION gate.register_agent_client(p_id text, p_metadata jsonb, p_network text, p_most_of_one integer,
    p_most integer, p_unused_ms bigint) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM agent_client WHERE id IN (SELECT c.id FROM agent_client c
    WHERE c.used_at IS NULL AND c.created_at < now() - p_unused_ms * interval '1 ms' LIMIT 100 FOR UPDATE SKIP LOCKED);
  DELETE FROM agent_client WHERE id IN (SELECT c.id FROM agent_client c
    WHERE c.used_at < now() - interval '91 days' LIMIT 100 FOR UPDATE SKIP LOCKED);
  UPDATE agent_client SET network = NULL WHERE used_at IS NOT NULL AND network IS NOT NULL;
  DELETE FROM agent_client WHERE used_at IS NULL AND id IN (SELECT c.id FROM agent_client c
    WHERE c.used_at IS NULL AND c.network = p_network ORDER BY c.created_at DESC OFFSET p_most_of_one - 1);
  DELETE FROM agent_client WHERE used_at IS NULL AND id IN (SELECT c.id FROM agent_client c
    WHERE c.used_at IS NULL ORDER BY count(*) OVER (PARTITION BY c.network), c.created_at DESC OFFSET p_most - 1);
  INSERT INTO agent_client (id, metadata, network) VALUES (p_id, p_metadata, p_network) $$;

REVOKE ALL ON FUNCTION gate.register_agent_client(text, jsonb, text, integer, integer, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.register_agent_client(text, jsonb, text, integer, integer, bigint) TO intray_app;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
