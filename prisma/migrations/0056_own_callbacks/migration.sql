-- One redirect address an issuer, and endpoints at others' hosts only with an admin's yes.

-- The endpoints that an admin allowed at others' hosts, bound to the issuer; null: none.
ALTER TABLE server ADD COLUMN oauth_hosts jsonb;

-- A registration with the address that all issuers shared stays for its grants, beside the new one. The table has a
-- row a server, so that the constraint is built at once.
DROP INDEX oauth_client_issuer;
ALTER TABLE oauth_client ADD CONSTRAINT oauth_client_redirect UNIQUE (organization_id, server_id, issuer, redirect_uri);
