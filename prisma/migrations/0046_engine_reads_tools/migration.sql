-- An engine that starts tasks of a list again reads the tools of their server, where the known ones are old.
GRANT SELECT, INSERT, UPDATE, DELETE ON server_tool_version TO intray_engine;
