-- What automatic rules said in a period, for the overview.
CREATE INDEX CONCURRENTLY IF NOT EXISTS automatic_decision_judged ON automatic_decision (organization_id, judged_at);
