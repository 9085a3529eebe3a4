-- A stage that asks its voters to show that it is them asks no keys: its requests have a ballot of their own.
CREATE OR REPLACE FUNCTION ballot_of(approval jsonb) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT md5((jsonb_build_array(open -> 'roles', open -> 'people', open -> 'groups', open -> 'voted')
    || CASE WHEN (approval -> 'stages' -> (open ->> 'stage')::integer ->> 'stepUp')::boolean THEN '["stepUp"]'::jsonb ELSE '[]'::jsonb END)::text)::uuid
  FROM (SELECT approval -> 'open' AS open) its WHERE approval IS NOT NULL $$;

-- Row security binds the owner too: for this transaction it does not, so that the rows of every organization are filled.
ALTER TABLE input_request NO FORCE ROW LEVEL SECURITY;
UPDATE input_request SET ballot = ballot_of(approval)
  WHERE state IN ('open', 'answered', 'undeliverable') AND approval IS NOT NULL AND ballot IS DISTINCT FROM ballot_of(approval);
ALTER TABLE input_request FORCE ROW LEVEL SECURITY;
