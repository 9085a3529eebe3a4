-- The directory of an organization: the one token of its SCIM service, what people and groups it brings are worth, and
-- what went wrong lately.
CREATE TABLE directory (
  organization_id uuid PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
  -- Names the token in the history. Null, with the rest of the token: there is none.
  token_id uuid,
  secret_hash bytea UNIQUE,
  -- The secret before the last rotation, while it still works.
  previous_secret_hash bytea UNIQUE,
  previous_until timestamptz(3),
  -- The owner who made the token or changed its secret last: people whom the directory brings count as theirs where a
  -- second person is required.
  made_by uuid,
  made_at timestamptz(3),
  rotated_at timestamptz(3),
  last_called_at timestamptz(3),
  last_called_network text,
  last_called_agent text,
  -- The role of people whose groups give none.
  default_role text NOT NULL DEFAULT 'viewer' CHECK (default_role IN ('viewer', 'approver')),
  manages_owners boolean NOT NULL DEFAULT false,
  CHECK ((token_id IS NULL) = (secret_hash IS NULL)),
  CHECK ((token_id IS NULL) = (made_at IS NULL)),
  CHECK ((previous_secret_hash IS NULL) = (previous_until IS NULL))
);
ALTER TABLE directory ENABLE ROW LEVEL SECURITY;
ALTER TABLE directory FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON directory USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON directory FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE ON directory TO intray_app;
GRANT SELECT ON directory TO intray_engine, intray_gate;

-- What the directory knows of a person: one who is a member, was suspended, or did not accept the invitation yet. Members
-- whom it never changed have no row.
CREATE TABLE directory_person (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  -- That of the membership, before, during and after.
  id uuid NOT NULL,
  -- The address by which the directory names the person. That of the account is the person's own, and stays.
  user_name text NOT NULL CHECK (user_name = lower(user_name)),
  external_id text,
  given_name text,
  family_name text,
  formatted_name text,
  display_name text,
  -- What the directory says. For somebody who has not joined, nothing else does.
  active boolean NOT NULL DEFAULT true,
  -- Null: has not joined yet. A trigger writes it, whichever way the person joins.
  joined_at timestamptz(3),
  -- The role of now comes from groups, so that it goes with them.
  role_from_groups boolean NOT NULL DEFAULT false,
  -- The directory deleted a person, whose membership is suspended; it knows them no more.
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX directory_person_by_name ON directory_person (organization_id, user_name) WHERE deleted_at IS NULL;
CREATE INDEX directory_person_by_external_id ON directory_person (organization_id, external_id);
ALTER TABLE directory_person ENABLE ROW LEVEL SECURITY;
ALTER TABLE directory_person FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON directory_person USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON directory_person TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON directory_person TO intray_app;
GRANT SELECT ON directory_person TO intray_engine;
GRANT SELECT, UPDATE (joined_at) ON directory_person TO intray_gate;

-- Groups as the directory has them.
CREATE TABLE directory_group (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  display_name text NOT NULL,
  external_id text,
  -- The role that the group gives, chosen by an owner. Nothing makes an owner but an owner.
  role text CHECK (role IN ('viewer', 'approver', 'operator', 'admin')),
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX directory_group_by_name ON directory_group (organization_id, lower(display_name));
ALTER TABLE directory_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE directory_group FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON directory_group USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON directory_group TO intray_app;
GRANT SELECT ON directory_group TO intray_engine;

CREATE TABLE directory_group_member (
  organization_id uuid NOT NULL,
  group_id uuid NOT NULL,
  person_id uuid NOT NULL,
  PRIMARY KEY (organization_id, group_id, person_id),
  FOREIGN KEY (organization_id, group_id) REFERENCES directory_group (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, person_id) REFERENCES directory_person (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX directory_group_member_by_person ON directory_group_member (organization_id, person_id);
ALTER TABLE directory_group_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE directory_group_member FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON directory_group_member USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, DELETE ON directory_group_member TO intray_app;
GRANT SELECT ON directory_group_member TO intray_engine;

-- The newest calls of the directory that were refused, a few of each organization.
CREATE TABLE directory_failure (
  organization_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  call text NOT NULL,
  status smallint NOT NULL,
  detail text NOT NULL,
  PRIMARY KEY (organization_id, id)
);
ALTER TABLE directory_failure ENABLE ROW LEVEL SECURITY;
ALTER TABLE directory_failure FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON directory_failure USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, DELETE ON directory_failure TO intray_app;
GRANT SELECT ON directory_failure TO intray_engine;
