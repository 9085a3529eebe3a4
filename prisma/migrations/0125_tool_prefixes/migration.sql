-- What the names of a server's tools begin with for agents: stored when it is first given out, and nobody else's from then on,
-- whatever the servers are called later.
ALTER TABLE server ADD COLUMN tool_prefix text CHECK (length(tool_prefix) BETWEEN 1 AND 64);
