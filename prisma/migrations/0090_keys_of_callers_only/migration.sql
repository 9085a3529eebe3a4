-- Two callers may use one Idempotency-Key (0088, 0089). Processes of before still look for it in the whole organization.
DROP INDEX task_idempotency;
DROP INDEX race_idempotency;
