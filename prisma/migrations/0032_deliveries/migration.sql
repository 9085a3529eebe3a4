-- An attempt may have reached the server, and its reply never came: nobody knows whether the answer was taken.
ALTER TABLE delivery ADD COLUMN in_doubt boolean NOT NULL DEFAULT false;
-- Since when an answer that is due can't be sent, as the server no longer puts the question it answers.
ALTER TABLE delivery ADD COLUMN waiting_since timestamptz(3);

-- A question whose text the server changes again and again is one request: when the text that is shown was read, and the
-- hashes of the texts before it, newest last. Null: the text stands.
ALTER TABLE input_request ADD COLUMN reworded_at timestamptz(3);
ALTER TABLE input_request ADD COLUMN earlier_hashes text[] NOT NULL DEFAULT '{}';
-- The answer of a person who was told that the text changes: it may go to whatever the question says by then.
ALTER TABLE answer ADD COLUMN any_wording boolean NOT NULL DEFAULT false;

-- pending > accepted: the server had taken it before, and neither asks for it again nor takes it twice.
DROP TRIGGER state_machine ON delivery;
CREATE TRIGGER state_machine BEFORE UPDATE OF state ON delivery FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION refuse_wrong_move('held>pending', 'held>undone', 'held>failed', 'pending>sending', 'pending>accepted',
    'pending>confirmed', 'pending>failed', 'sending>accepted', 'sending>pending', 'sending>confirmed', 'sending>failed',
    'accepted>confirmed', 'accepted>pending', 'accepted>failed');

-- What a request is searched by follows its text.
CREATE TRIGGER copy_from_task_reworded BEFORE UPDATE OF message ON input_request FOR EACH ROW
  WHEN (OLD.message <> NEW.message) EXECUTE FUNCTION copy_from_task();
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA public TO intray_gate;
SET LOCAL ROLE intray_gate;
CREATE OR REPLACE FUNCTION keep_request_text() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.state IN ('open', 'answered') THEN
    INSERT INTO open_request_text VALUES (NEW.organization_id, NEW.id, NEW.search)
      ON CONFLICT (organization_id, input_request_id) DO UPDATE SET search = excluded.search;
  ELSE
    DELETE FROM open_request_text WHERE organization_id = NEW.organization_id AND input_request_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
RESET ROLE;
CREATE TRIGGER keep_text_reworded AFTER UPDATE OF message ON input_request FOR EACH ROW
  WHEN (OLD.message <> NEW.message) EXECUTE FUNCTION keep_request_text();
REVOKE CREATE ON SCHEMA public FROM intray_gate;
REVOKE intray_gate FROM CURRENT_USER;
