-- Connections to MCP servers that want OAuth: who Intray is at an authorization server, sign-ins under way, and grants.

-- What an admin asks for instead of what the server names; null: what the server names.
ALTER TABLE server ADD COLUMN oauth_scope text;

-- Who Intray is at one authorization server, for one MCP server. Never used with another issuer.
CREATE TABLE oauth_client (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  server_id uuid NOT NULL,
  -- Null: an admin gave it, and nobody has connected yet; the first connection binds it.
  issuer text,
  client_id text NOT NULL,
  sealed_secret text,
  secret_expires_at timestamptz(3),
  registered text NOT NULL CHECK (registered IN ('pre-registered', 'metadata-document', 'dynamic')),
  -- Where the authorization server sends people back to; a registration holds for one address.
  redirect_uri text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id),
  CHECK (issuer IS NOT NULL OR registered = 'pre-registered')
);
CREATE UNIQUE INDEX oauth_client_issuer ON oauth_client (organization_id, server_id, issuer);
CREATE UNIQUE INDEX oauth_client_given ON oauth_client (organization_id, server_id)
  WHERE registered = 'pre-registered';

-- A person is away at an authorization server. Taken out by the one callback that may end it.
CREATE TABLE oauth_flow (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  state_hash bytea NOT NULL UNIQUE,
  user_id uuid NOT NULL,
  -- Only the browser that began it may end it.
  session_id uuid NOT NULL,
  server_id uuid NOT NULL,
  shared boolean NOT NULL,
  oauth_client_id uuid NOT NULL,
  sealed_verifier text NOT NULL,
  -- The authorization server's description as it was checked when the person left.
  issuer text NOT NULL,
  metadata jsonb NOT NULL,
  resource text NOT NULL,
  scope text,
  redirect_uri text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id),
  FOREIGN KEY (organization_id, oauth_client_id) REFERENCES oauth_client (organization_id, id) ON DELETE CASCADE
);

-- What an authorization server granted to a connection. A table of its own, so that renewing it waits for no watcher.
CREATE TABLE oauth_grant (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  connection_id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('connected', 'needs_reauth', 'needs_scope', 'revoked')),
  sealed_tokens text,
  -- Raised by every writing of tokens; each writer carries the one that it read.
  version bigint NOT NULL DEFAULT 1,
  issuer text NOT NULL,
  metadata jsonb NOT NULL,
  resource text NOT NULL,
  client_id text NOT NULL,
  scope text,
  -- With `needs_scope`: all that a new sign-in has to ask for.
  needed_scope text,
  renews boolean NOT NULL,
  refresh_at timestamptz(3),
  expires_at timestamptz(3),
  -- Renewing it is one process' business until then.
  claimed_until timestamptz(3),
  connected_by uuid NOT NULL,
  connected_at timestamptz(3) NOT NULL DEFAULT now(),
  refreshed_at timestamptz(3),
  PRIMARY KEY (organization_id, connection_id),
  FOREIGN KEY (organization_id, connection_id) REFERENCES connection (organization_id, id),
  CHECK ((sealed_tokens IS NULL) = (state = 'revoked')),
  CHECK ((needed_scope IS NOT NULL) = (state = 'needs_scope'))
);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['oauth_client', 'oauth_flow', 'oauth_grant'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization())
      WITH CHECK (organization_id = current_organization())', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO intray_app', name);
    -- They end with their organization.
    EXECUTE format('ALTER TABLE %I ADD FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE', name);
  END LOOP;
END $$;
-- The engine renews grants and notes what servers refuse; it begins none and ends none.
GRANT SELECT, UPDATE ON oauth_grant TO intray_engine;
GRANT SELECT ON oauth_client TO intray_engine;
