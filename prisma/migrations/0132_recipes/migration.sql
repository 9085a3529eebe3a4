-- Recipes: tools of a server that answer at once, as one durable task (docs/recipes.md, docs/decisions/066).
CREATE TABLE recipe_version (
  organization_id uuid NOT NULL,
  server_id uuid NOT NULL,
  -- The tool's name, by which tasks are started.
  name text NOT NULL CHECK (name ~ '^[A-Za-z0-9_-]{1,64}$'),
  -- From 1 without gaps, also across a removal.
  version integer NOT NULL CHECK (version > 0),
  recipe jsonb NOT NULL CHECK (jsonb_typeof(recipe) = 'object' AND recipe ->> 'name' = name),
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  made_by jsonb NOT NULL,
  -- When another version took its place, or the recipe was removed; null: tasks are started with it.
  until timestamptz(3),
  PRIMARY KEY (organization_id, server_id, name, version),
  FOREIGN KEY (organization_id, server_id) REFERENCES server (organization_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX recipe_in_force ON recipe_version (organization_id, server_id, name) WHERE until IS NULL;
ALTER TABLE recipe_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE recipe_version FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON recipe_version USING (organization_id = current_organization())
  WITH CHECK (organization_id = current_organization());
-- Nobody who serves alters or deletes a version: tasks keep theirs.
GRANT SELECT, INSERT, UPDATE (until) ON recipe_version TO intray_app;
GRANT SELECT ON recipe_version TO intray_engine;

-- The version of the recipe of the name `tool` that the task was started with; null: the tool is the server's.
ALTER TABLE task ADD COLUMN recipe_version integer;
ALTER TABLE task ADD CONSTRAINT task_recipe FOREIGN KEY (organization_id, server_id, tool, recipe_version)
  REFERENCES recipe_version (organization_id, server_id, name, version) NOT VALID;
