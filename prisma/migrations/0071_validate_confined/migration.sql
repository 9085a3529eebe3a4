-- Looks at every session, beside those who read and write them.
ALTER TABLE session VALIDATE CONSTRAINT session_only_organization_fkey;
ALTER TABLE session VALIDATE CONSTRAINT session_confined;
