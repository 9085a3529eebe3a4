-- Looks at every session, beside those who read and write them.
ALTER TABLE session VALIDATE CONSTRAINT session_method_check;
ALTER TABLE session VALIDATE CONSTRAINT session_proof_whole;
