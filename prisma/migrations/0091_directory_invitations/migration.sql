-- Whom a directory invited can join also when whoever made its token has left, or may invite no more: the invitation is the
-- organization's. `invited_by` still says with whom the person counts as one where a second person is required.
ALTER TABLE invitation
  -- A process of before invites as its token's maker: such an invitation ends with the maker, as before.
  ADD COLUMN by_directory boolean NOT NULL DEFAULT false;

GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate TO intray_gate;
SET LOCAL ROLE intray_gate;

-- As in 0052, but for those of directories.
CREATE OR REPLACE FUNCTION gate.open_invitation(p_token_hash bytea)
  RETURNS TABLE (organization_id uuid, organization_name text, id uuid, email text, role text, inviter text, mailed boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, o.name, i.id, i.email, i.role, inviter.name, i.mailed
    FROM invitation i JOIN organization o ON o.id = i.organization_id LEFT JOIN "user" inviter ON inviter.id = i.invited_by
    WHERE i.token_hash = p_token_hash AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()
      AND (i.by_directory OR inviter_may(i.organization_id, i.invited_by, i.role)) AND (NOT o.demo OR NOT gate.setup_done()) $$;

-- As in 0012, but for those of directories.
CREATE OR REPLACE FUNCTION gate.is_invited(p_email text) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM invitation i WHERE i.email = lower(p_email) AND i.accepted_at IS NULL
    AND i.revoked_at IS NULL AND i.expires_at > now()
    AND (i.by_directory OR inviter_may(i.organization_id, i.invited_by, i.role))) $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA gate FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
