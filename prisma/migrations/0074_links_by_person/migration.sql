-- A person's links to a password, of which earlier ones end.
CREATE INDEX CONCURRENTLY IF NOT EXISTS password_link_by_user ON password_link (user_id);
