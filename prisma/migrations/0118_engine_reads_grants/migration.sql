-- A bulk restart or a retry of an agent's call is judged by what the agent is granted, by the engine.
GRANT SELECT ON agent_grant TO intray_engine;
