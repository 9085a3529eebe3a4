-- An engine that can't open sealed content would send it to servers as it is. The switch refuses while one is seen (0083);
-- this refuses one that comes later, or comes back: it registers nowhere, and takes no connection.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA public TO intray_gate;
GRANT SELECT (id, opens_content) ON engine TO intray_gate;
DO $$
DECLARE owner name := current_user;
BEGIN
  SET LOCAL ROLE intray_gate;
  CREATE FUNCTION refuse_old_engine() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS '
  BEGIN
    -- Of the switch and an engine that comes at the same moment, the second sees the first.
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(''content sealing'', 0));
    IF EXISTS (SELECT FROM organization_key WHERE retired_at IS NULL)
      OR EXISTS (SELECT FROM content_sealing WHERE kid IS NULL AND finished_at IS NULL) THEN
      RAISE EXCEPTION ''an engine of this version cannot open what an organization has sealed'';
    END IF;
    RETURN NEW;
  END';
  CREATE FUNCTION refuse_connection_to_old_engine() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS '
  BEGIN
    IF NOT EXISTS (SELECT FROM engine WHERE id = NEW.watched_by AND opens_content)
      AND (EXISTS (SELECT FROM organization_key WHERE organization_id = NEW.organization_id AND retired_at IS NULL)
        OR EXISTS (SELECT FROM content_sealing
          WHERE organization_id = NEW.organization_id AND kid IS NULL AND finished_at IS NULL)) THEN
      RAISE EXCEPTION ''an engine of this version cannot open what the organization has sealed'';
    END IF;
    RETURN NEW;
  END';
  REVOKE ALL ON FUNCTION refuse_old_engine(), refuse_connection_to_old_engine() FROM PUBLIC;
  EXECUTE format('GRANT EXECUTE ON FUNCTION refuse_old_engine(), refuse_connection_to_old_engine() TO %I', owner);
  RESET ROLE;
END $$;
CREATE TRIGGER refuse_old_engine BEFORE INSERT OR UPDATE ON engine
  FOR EACH ROW WHEN (NOT NEW.opens_content) EXECUTE FUNCTION refuse_old_engine();
CREATE TRIGGER refuse_connection_to_old_engine BEFORE UPDATE OF watched_by ON connection
  FOR EACH ROW WHEN (NEW.watched_by IS DISTINCT FROM OLD.watched_by AND NEW.watched_by IS NOT NULL)
  EXECUTE FUNCTION refuse_connection_to_old_engine();
REVOKE CREATE ON SCHEMA public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
