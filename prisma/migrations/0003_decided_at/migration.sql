-- When a request was decided, or ended without a decision: Done is sorted by it. Null: it is open, or was decided before this
-- migration; those are sorted by their end.
ALTER TABLE input_request ADD COLUMN decided_at timestamptz(3);

CREATE FUNCTION keep_decided_at() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.decided_at := CASE WHEN NEW.state = 'open' THEN NULL ELSE now() END;
  RETURN NEW;
END $$;
CREATE TRIGGER decided_at_follows BEFORE UPDATE OF state ON input_request FOR EACH ROW
  WHEN (OLD.state <> NEW.state AND (NEW.state = 'open' OR OLD.decided_at IS NULL)) EXECUTE FUNCTION keep_decided_at();
