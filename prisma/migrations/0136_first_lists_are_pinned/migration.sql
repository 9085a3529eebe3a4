-- What a server lists first is pinned when it is listed, also where the engine looks at the server.
GRANT UPDATE (digests) ON agent_grant TO intray_engine;
