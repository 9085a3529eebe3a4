-- What became of the call that an approval let pass, as its caller reports it once (docs/decisions/092).
ALTER TABLE approval_use ADD COLUMN outcome text CHECK (outcome IN ('succeeded', 'failed')),
  ADD COLUMN outcome_note text,
  ADD COLUMN reported_at timestamptz(3),
  ADD CONSTRAINT approval_use_outcome CHECK ((outcome IS NULL) = (reported_at IS NULL) AND (outcome_note IS NULL OR outcome IS NOT NULL));
GRANT UPDATE (outcome, outcome_note, reported_at) ON approval_use TO intray_app;
-- Seals the note, or opens it again.
GRANT UPDATE (outcome_note) ON approval_use TO intray_engine;

-- A program that was registered over the Agent Approval Protocol: an API key, and the address where the program is told of the end
-- of its requests. Without an address the columns are null.
CREATE TABLE aap_instance (
  organization_id uuid NOT NULL,
  -- Of its API key.
  id uuid NOT NULL,
  -- Who registered it, and with which Idempotency-Key and submission: the same again get the same key.
  made_by jsonb NOT NULL,
  idempotency_key text NOT NULL,
  request_digest bytea NOT NULL,
  url text,
  registration_id uuid,
  -- Signs what the address gets. The receiver made it.
  sealed_secret text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, id) REFERENCES api_key (organization_id, id) ON DELETE CASCADE,
  CHECK ((url IS NULL) = (registration_id IS NULL) AND (url IS NULL) = (sealed_secret IS NULL))
);
CREATE UNIQUE INDEX aap_instance_by_key ON aap_instance (organization_id, (made_by ->> 'kind'), coalesce(made_by ->> 'id', ''), idempotency_key);
ALTER TABLE aap_instance ENABLE ROW LEVEL SECURITY;
ALTER TABLE aap_instance FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON aap_instance USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT ON aap_instance TO intray_app;

-- The instance that is told in the protocol's words; null: `request.ended` is sent.
ALTER TABLE request_callback ADD COLUMN instance_id uuid;
