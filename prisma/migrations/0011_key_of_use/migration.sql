-- The key with which the caller used an approval: its repeated call is told the same, and not that somebody has used it.
ALTER TABLE approval_use ADD COLUMN idempotency_key text;
