-- How close the rows of a member's inbox stand.
ALTER TABLE membership ADD COLUMN density text NOT NULL DEFAULT 'comfortable'
  CONSTRAINT membership_density_check CHECK (density IN ('comfortable', 'compact'));
