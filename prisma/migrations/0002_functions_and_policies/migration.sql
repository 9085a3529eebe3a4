-- Functions, row security, who may do what, and triggers. An organization's rows are those of `current_organization()`; the functions of
-- schema "gate" answer before it is known.

-- Functions name each other in any order.
SET LOCAL check_function_bodies = off;

CREATE FUNCTION current_organization() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  -- nullif: the setting is '' on a pooled connection after the transaction that had set it
  AS $$ SELECT nullif(current_setting('app.organization_id', true), '')::uuid $$;

-- The same moves as in lib/tasks/status.ts, lib/input-requests/status.ts and lib/input-requests/deliveries/status.ts; a test compares.
CREATE FUNCTION refuse_wrong_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT (OLD.state || '>' || NEW.state) = ANY (TG_ARGV) THEN
    RAISE EXCEPTION 'a % may not go from % to %', TG_TABLE_NAME, OLD.state, NEW.state USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION request_search(message text, tool text, label text, arguments json) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT lower(left(searchable(message) || E'\n' || tool || E'\n' || coalesce(searchable(label), '') || E'\n' ||
    searchable(arguments::text), 8000)) $$;

CREATE FUNCTION copy_from_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT t.server_id, t.tool, t.visibility, t.requester_user_id,
      request_search(NEW.message, t.tool, t.label, t.arguments)
    INTO NEW.server_id, NEW.tool, NEW.visibility, NEW.requester_user_id, NEW.search
    FROM task t WHERE t.organization_id = NEW.organization_id AND t.id = NEW.task_id;
  RETURN NEW;
END $$;

-- Whether who invited may still do so, as lib/access/permissions.ts says it: an invitation is worth no more than its maker.
CREATE FUNCTION inviter_may(p_organization uuid, p_inviter uuid, p_role text) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT p_inviter IS NULL OR EXISTS (SELECT FROM membership m
    WHERE m.organization_id = p_organization AND m.user_id = p_inviter
      AND (m.role = 'owner' OR (m.role = 'admin' AND p_role <> 'owner'))) $$;

-- The text that a line's digest is made of.
CREATE FUNCTION event_line(seq bigint, at timestamptz, type text, actor jsonb, task_id uuid, input_request_id uuid,
    payload_digest bytea, data jsonb) RETURNS text LANGUAGE sql IMMUTABLE
  AS $$ SELECT jsonb_build_array(seq, (extract(epoch FROM at) * 1000)::bigint, type, actor, task_id, input_request_id,
    coalesce(to_jsonb(encode(payload_digest, 'hex')), data))::text $$;

-- Judges up to p_limit lines after the line p_after, whose hash is p_hash; 0 and '' begin. One row: how many lines there
-- were; how many hold, up to the first that does not; the hash of the last that holds; what is wrong with the one after
-- it: lines before it are missing (gap), its values are not what its digest says (altered), or it does not follow from
-- the one before (unlinked). The head is of the same snapshot, so that the end of the chain can be held against it.
CREATE FUNCTION check_events(p_after bigint, p_hash bytea, p_limit integer)
  RETURNS TABLE (lines bigint, held bigint, last_hash bytea, fault text, head_seq bigint, head_hash bytea)
  LANGUAGE sql STABLE AS $$
  WITH judged AS MATERIALIZED (
    SELECT seq, hash, CASE
        WHEN seq <> lag(seq, 1, p_after) OVER lines + 1 THEN 'gap'
        WHEN digest IS DISTINCT FROM sha256(convert_to(
            event_line(seq, at, type, actor, task_id, input_request_id, payload_digest, data), 'UTF8'))
          OR payload_digest <> sha256(convert_to(data::text, 'UTF8')) THEN 'altered'
        WHEN hash IS DISTINCT FROM sha256(lag(hash, 1, p_hash) OVER lines || digest) THEN 'unlinked'
      END AS fault
    FROM (SELECT * FROM event WHERE organization_id = current_organization()
      AND seq > CASE p_after WHEN 0 THEN -9223372036854775808 ELSE p_after END ORDER BY seq LIMIT p_limit) line
    WINDOW lines AS (ORDER BY seq)
  ), broken AS (SELECT seq, fault FROM judged WHERE fault IS NOT NULL ORDER BY seq LIMIT 1
  ), whole AS (SELECT seq, hash FROM judged WHERE seq < coalesce((SELECT seq FROM broken), 9223372036854775807))
  SELECT (SELECT count(*) FROM judged), (SELECT count(*) FROM whole),
    coalesce((SELECT hash FROM whole ORDER BY seq DESC LIMIT 1), p_hash), (SELECT fault FROM broken),
    coalesce(head.seq, 0), coalesce(head.hash, '\x')
  FROM (VALUES (0)) one LEFT JOIN event_head head ON head.organization_id = current_organization() $$;

-- Adds two lists of counts place by place; the longer one says how many there are.
CREATE FUNCTION add_each(integer[], integer[]) RETURNS integer[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT coalesce(array_agg(coalesce(a, 0) + coalesce(b, 0) ORDER BY place), '{}')
    FROM unnest($1, $2) WITH ORDINALITY AS counts(a, b, place) $$;

CREATE AGGREGATE sum_each(integer[]) (SFUNC = add_each, STYPE = integer[], INITCOND = '{}', PARALLEL = SAFE);

CREATE FUNCTION task_requester(requested_by jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT coalesce(requested_by->>'kind', '') || ' ' || coalesce(requested_by->>'id', '') $$;

CREATE FUNCTION task_search(tool text, label text, status_message text, arguments json) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT lower(left(tool || E'\n' || coalesce(searchable(label), '') || E'\n' ||
    coalesce(searchable(status_message), '') || E'\n' || searchable(arguments::text), 8000)) $$;

-- A web process of an earlier version that renews a link shows the new one, and knows nothing of `mailed`.
CREATE FUNCTION new_link_is_not_mailed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.mailed := false;
  RETURN NEW;
END $$;

-- The first of those who count as one with this person. The organization's own id stands for the operator, who holds
-- the keys of the command line.
CREATE FUNCTION maker_of(p_organization uuid, p_person uuid) RETURNS uuid LANGUAGE sql STABLE STRICT
  AS $$ WITH RECURSIVE up (id, inviter) AS (
    SELECT p_person, (SELECT m.invited_by FROM maker m
      WHERE m.organization_id = p_organization AND m.user_id = p_person AND m.vouched_at IS NULL)
    UNION SELECT up.inviter, (SELECT m.invited_by FROM maker m
      WHERE m.organization_id = p_organization AND m.user_id = up.inviter AND m.vouched_at IS NULL)
    FROM up WHERE up.inviter IS NOT NULL)
  SELECT id FROM up WHERE inviter IS NULL $$;

-- Whether two people, or service accounts, count as one. The rule of a second person asks nothing else, here and in makers_with.
CREATE FUNCTION same_maker(p_organization uuid, p_one uuid, p_other uuid) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT coalesce(makers_behind(p_organization, p_one) && makers_behind(p_organization, p_other), false) $$;

-- Everybody for whom same_maker is true: down the same lines.
CREATE FUNCTION makers_with(p_organization uuid, p_person uuid) RETURNS uuid[] LANGUAGE sql STABLE STRICT
  AS $$ WITH RECURSIVE down (id) AS (
    SELECT unnest(makers_behind(p_organization, p_person))
    -- OFFSET makes the planner look each one up in the index, not read all members for each step of a chain.
    UNION SELECT below.id FROM down CROSS JOIN LATERAL (
      (SELECT user_id AS id FROM maker
        WHERE organization_id = p_organization AND invited_by = down.id AND vouched_at IS NULL OFFSET 0)
      UNION ALL (SELECT user_id FROM saml_maker
        WHERE organization_id = p_organization AND maker = down.id OFFSET 0)) below)
  SELECT array_agg(id) FROM (SELECT id FROM down UNION SELECT a.service_account_id FROM service_account_maker a
    WHERE a.organization_id = p_organization AND a.user_id IN (SELECT id FROM down)) everybody $$;

-- The rule ends by a proposal alone, whichever process asks for it. Tests and the operator work as the
-- database's owner.
CREATE FUNCTION end_four_eyes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user IN ('intray_app', 'intray_engine') AND NOT EXISTS (SELECT FROM four_eyes_proposal p
    WHERE p.organization_id = NEW.id AND p.decided_at = now()::timestamptz(3)
      AND (p.state = 'accepted' AND p.proposer <> NEW.id AND NOT same_maker(NEW.id, p.proposer, p.accepter)
        OR p.state = 'in_effect' AND p.takes_effect_at <= now()))
  THEN RAISE EXCEPTION 'the rule of a second person ends by a proposal alone'; END IF;
  NEW.four_eyes_until := now();
  RETURN NEW;
END $$;

-- The three days begin when they are asked for, whatever the web says.
CREATE FUNCTION date_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user = 'intray_app' THEN NEW.deletion_requested_at := now(); END IF;
  RETURN NEW;
END $$;

-- Whether an account's owner may not answer for it any more: the owner left, or the organization's provider has signed the owner
-- out. Takes the account's columns, since lists ask it for many.
CREATE FUNCTION owner_is_missing(p_organization uuid, p_owner uuid, p_role text) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT NOT EXISTS (SELECT FROM membership m WHERE m.organization_id = p_organization AND m.user_id = p_owner
    AND array_position(ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'], m.role)
      >= array_position(ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'], p_role))
    OR gate.keys_rest(p_organization, p_owner) $$;

-- Whether the keys of an account are refused.
CREATE FUNCTION service_account_rests(p_organization uuid, p_account uuid) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT coalesce((SELECT a.rested_at IS NOT NULL OR a.deleted_at IS NOT NULL
      OR owner_is_missing(a.organization_id, a.owner_id, a.role)
    FROM service_account a WHERE a.organization_id = p_organization AND a.id = p_account), true) $$;

-- Everybody behind somebody: the first of each line of invitations and of providers that leads up from the person, or from
-- each maker of a service account. A circle of lines has no first: all of it stands for it.
CREATE FUNCTION makers_behind(p_organization uuid, p_one uuid) RETURNS uuid[] LANGUAGE sql STABLE STRICT
  AS $$ WITH RECURSIVE own AS (SELECT m.user_id AS id FROM service_account_maker m
      WHERE m.organization_id = p_organization AND m.service_account_id = p_one),
    up (id) AS (
      (SELECT id FROM own UNION ALL SELECT p_one WHERE NOT EXISTS (SELECT FROM own))
      UNION SELECT above.id FROM up CROSS JOIN LATERAL (
        SELECT m.invited_by AS id FROM maker m WHERE m.organization_id = p_organization AND m.user_id = up.id
          AND m.invited_by IS NOT NULL AND m.vouched_at IS NULL
        UNION ALL SELECT s.maker FROM saml_maker s WHERE s.organization_id = p_organization AND s.user_id = up.id) above)
  SELECT coalesce(array_agg(id) FILTER (WHERE NOT EXISTS (SELECT FROM maker m WHERE m.organization_id = p_organization
      AND m.user_id = up.id AND m.invited_by IS NOT NULL AND m.vouched_at IS NULL)), array_agg(id)) FROM up $$;

-- Sealed parts are no text to search.
CREATE FUNCTION searchable(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN $1 LIKE 'sealed/%' OR $1 LIKE '{"sealed":"sealed/%' THEN '' ELSE $1 END $$;

-- An engine knows of its own writes without a notice, which would make its commits wait for each other.
CREATE FUNCTION wake_engines() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('intray_wake', '');
  RETURN NULL;
END $$;

-- A transaction's hints and its lines of history by one statement. `p_hints`: pairs of topic and id. The hints are
-- written as the caller, whom row security binds; the lines by their owner, and last, since they lock the chain's head.
-- Processes of earlier versions go on with append_events(jsonb).
CREATE FUNCTION append_lines(p_lines jsonb, p_hints jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY INVOKER SET search_path = public, pg_temp AS $$
BEGIN
  IF jsonb_array_length(p_hints) > 0 THEN
    INSERT INTO change (organization_id, topic, entity_id)
      SELECT DISTINCT current_organization(), hint->>0, (hint->>1)::uuid FROM jsonb_array_elements(p_hints) AS given (hint);
  END IF;
  PERFORM append_events(p_lines);
END $$;
REVOKE ALL ON FUNCTION append_lines(jsonb,jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_lines(jsonb,jsonb) TO intray_app, intray_engine;

-- Ends a call that is held open for an agent with the commit that ends its task, instead of with the engine's next look at the
-- outbox. Tasks that no agent started are left alone: the engine's own transactions send no notice.
CREATE FUNCTION hint_agents_task() RETURNS trigger
  LANGUAGE plpgsql SECURITY INVOKER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('intray_change', json_build_object('o', NEW.organization_id,
    'c', json_build_array(json_build_array('task', NEW.id)))::text);
  RETURN NULL;
END $$;

-- Whether somebody counts as one with a holder of a provider by the line of invitations alone: the provider may have signed
-- them in as well, and they can still confirm it with a session of their own means.
CREATE FUNCTION counts_by_line(p_organization uuid, p_holder uuid, p_person uuid) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT coalesce(maker_of(p_organization, p_holder) = maker_of(p_organization, p_person), true) $$;

-- The web says who describes a provider; where it does not, being of an earlier version, all owners hold it. It takes nobody out.
CREATE FUNCTION keep_saml_holders() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE holders uuid[];
BEGIN
  IF current_user <> 'intray_app' THEN RETURN NEW; END IF;
  holders := CASE WHEN TG_OP = 'UPDATE' THEN OLD.held_by ELSE '{}' END;
  IF TG_OP = 'UPDATE' AND (NEW.sso_url, NEW.certificates, NEW.idp_initiated, NEW.email_attribute, NEW.groups_attribute,
      NEW.groups, NEW.create_accounts, NEW.default_role) IS NOT DISTINCT FROM (OLD.sso_url, OLD.certificates,
      OLD.idp_initiated, OLD.email_attribute, OLD.groups_attribute, OLD.groups, OLD.create_accounts, OLD.default_role) THEN
    NEW.described_by := OLD.described_by;
    NEW.described_at := OLD.described_at;
  ELSE
    IF NEW.described_at IS DISTINCT FROM now()::timestamptz(3) THEN
      NEW.described_by := NULL;
      NEW.held_by := (SELECT array_agg(m.user_id) FROM membership m
        WHERE m.organization_id = NEW.organization_id AND m.role = 'owner');
    END IF;
    holders := holders || NEW.held_by;
  END IF;
  NEW.held_by := (SELECT coalesce(array_agg(DISTINCT id), '{}') FROM unnest(holders) id);
  RETURN NEW;
END $$;

-- For processes of earlier versions, which know of no approvals: an approval covers one call, so that another attempt at it that asks nobody is
-- not made. They take it as an attempt that somebody else has queued.
CREATE FUNCTION skip_attempt_without_approval() RETURNS trigger
  LANGUAGE plpgsql SECURITY INVOKER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM task t WHERE t.organization_id = NEW.organization_id AND t.id = NEW.retry_of AND t.gate IS NOT NULL)
  THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;

-- Questions of Intray's own are for people: no program answers them, in no process.
CREATE FUNCTION refuse_programs_answer() RETURNS trigger
  LANGUAGE plpgsql SECURITY INVOKER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM input_request r WHERE r.organization_id = NEW.organization_id AND r.id = NEW.input_request_id
    AND r.origin = 'intray')
  THEN RAISE EXCEPTION 'only a member answers a question of Intray''s own' USING ERRCODE = 'insufficient_privilege'; END IF;
  RETURN NEW;
END $$;

-- For engines of earlier versions too: the answer to a question that was put as a task is fetched. Sent to the request that made the task, it
-- would be taken by nobody, and count as taken.
CREATE FUNCTION refuse_to_send_what_is_fetched() RETURNS trigger
  LANGUAGE plpgsql SECURITY INVOKER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM ask k WHERE k.organization_id = NEW.organization_id AND k.id = NEW.ask_id
    AND k.elicitation_task_id IS NOT NULL)
  THEN RAISE EXCEPTION 'the server fetches this answer: it is not sent' USING ERRCODE = 'check_violation'; END IF;
  RETURN NEW;
END $$;

-- Whoever answers, also a process that knows no votes: no answer without them.
CREATE FUNCTION refuse_unvoted() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  stages jsonb := NEW.approval -> 'stages';
  missing integer;
BEGIN
  SELECT count(*) FILTER (WHERE counted.agree < (s.stage ->> 'need')::integer) INTO missing
    FROM jsonb_array_elements(stages) WITH ORDINALITY AS s (stage, n), LATERAL (
      SELECT count(DISTINCT v.person) AS agree FROM vote v
      WHERE v.organization_id = NEW.organization_id AND v.input_request_id = NEW.id AND v.ended_at IS NULL
        AND v.stage = s.n - 1 AND NOT v.rejects) AS counted;
  IF missing > 0 AND NOT EXISTS (SELECT FROM jsonb_array_elements(stages) WITH ORDINALITY AS s (stage, n)
      WHERE (SELECT count(DISTINCT v.person) FROM vote v WHERE v.organization_id = NEW.organization_id
        AND v.input_request_id = NEW.id AND v.ended_at IS NULL AND v.stage = s.n - 1 AND v.rejects)
        >= (s.stage ->> 'rejections')::integer) THEN
    RAISE EXCEPTION 'request % has no answer yet: votes are missing', NEW.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

-- Whoever settles a request, also a process that knows no timers.
CREATE FUNCTION drop_request_timers() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM request_timer t WHERE t.organization_id = NEW.organization_id AND t.input_request_id = NEW.id
    AND t.fired_at IS NULL;
  RETURN NULL;
END $$;

-- For whom a delegate (null: each) stands in now: directly, or since a delegate is away as well, over at most three steps. `path`: who is
-- away, the person first; `setters`: who said so. All of them are members who may answer, and the delegate set none of it for others.
CREATE FUNCTION standing_in(p_organization uuid, p_delegate uuid)
  RETURNS TABLE (person uuid, delegate uuid, path uuid[], setters uuid[], scopes jsonb[]) LANGUAGE sql STABLE ROWS 5
  SET search_path = public, pg_temp AS $$
  WITH RECURSIVE chain (person, delegate, path, setters, scopes) AS (
    SELECT a.user_id, a.delegate, ARRAY[a.user_id], ARRAY[a.set_by], ARRAY[a.scope]
    FROM away a JOIN membership m ON m.organization_id = a.organization_id AND m.user_id = a.user_id AND m.role <> 'viewer'
    WHERE a.organization_id = p_organization AND (p_delegate IS NULL OR a.delegate = p_delegate)
      AND a.starts_at <= now() AND a.ends_at > now()
    UNION ALL
    SELECT a.user_id, c.delegate, array_prepend(a.user_id, c.path), array_prepend(a.set_by, c.setters),
      array_prepend(a.scope, c.scopes)
    FROM chain c
      JOIN away a ON a.organization_id = p_organization AND a.delegate = c.person
      JOIN membership m ON m.organization_id = a.organization_id AND m.user_id = a.user_id AND m.role <> 'viewer'
    WHERE cardinality(c.path) < 3 AND a.starts_at <= now() AND a.ends_at > now()
      AND a.user_id <> ALL (c.path) AND a.user_id <> c.delegate)
  SELECT c.person, c.delegate, c.path, c.setters, c.scopes FROM chain c
    JOIN membership m ON m.organization_id = p_organization AND m.user_id = c.delegate AND m.role <> 'viewer'
  WHERE c.delegate <> ALL (c.setters)
    -- For an owner only owners choose, and everybody for themselves.
    AND NOT (EXISTS (SELECT FROM membership o WHERE o.organization_id = p_organization AND o.user_id = ANY (c.path) AND o.role = 'owner')
      AND EXISTS (SELECT FROM unnest(c.path, c.setters) step (person, setter)
        LEFT JOIN membership s ON s.organization_id = p_organization AND s.user_id = step.setter
        WHERE step.setter <> step.person AND s.role IS DISTINCT FROM 'owner')) $$;

-- Whether absences of these scopes are for a request. `rule`: null where any one approver decides.
CREATE FUNCTION is_in_scope(scopes jsonb[], server text, tool text, rule text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(bool_and((s ->> 'servers' IS NULL OR jsonb_exists(s -> 'servers', server))
    AND (s ->> 'tools' IS NULL OR jsonb_exists(s -> 'tools', tool))
    AND (s ->> 'rules' IS NULL OR coalesce(jsonb_exists(s -> 'rules', rule), false))), true)
  FROM unnest(scopes) s WHERE s IS NOT NULL $$;

-- A delegate's vote counts as both persons, whoever writes it: neither votes again in the stage.
CREATE FUNCTION refuse_second_vote() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- One vote at a time: the index `vote_once` sees the person alone.
  PERFORM FROM input_request r WHERE r.organization_id = NEW.organization_id AND r.id = NEW.input_request_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM vote v WHERE v.organization_id = NEW.organization_id AND v.input_request_id = NEW.input_request_id
      AND v.stage = NEW.stage AND v.ended_at IS NULL
      AND ARRAY[v.person, CASE WHEN v.on_behalf_of IS NOT NULL THEN (v.cast_by ->> 'id')::uuid END]
        && ARRAY[NEW.person, CASE WHEN NEW.on_behalf_of IS NOT NULL THEN (NEW.cast_by ->> 'id')::uuid END]) THEN
    RAISE EXCEPTION 'somebody of this vote has voted on request % already', NEW.input_request_id USING ERRCODE = 'unique_violation';
  END IF;
  RETURN NEW;
END $$;

-- Whether this transaction approves a proposal of another maker. Both rules below ask nothing else. A change of a group has no
-- policy and is no consent to the end of the rule.
CREATE FUNCTION approves_policy(p_organization uuid, p_policy jsonb) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT EXISTS (SELECT FROM policy_proposal p WHERE p.organization_id = p_organization AND p.state = 'approved'
    AND p.decided_at = now()::timestamptz(3) AND p.policy IS NOT DISTINCT FROM p_policy AND p.group_id IS NULL
    AND NOT same_maker(p_organization, p.proposer, p.approver)) $$;

-- Whichever version of a process writes. Tests and the operator work as the database's owner.
CREATE FUNCTION refuse_unapproved_policy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user = 'intray_app' AND (SELECT o.two_person_policy FROM organization o WHERE o.id = NEW.organization_id)
    AND NOT approves_policy(NEW.organization_id, NEW.policy)
  THEN RAISE EXCEPTION 'a second admin has to approve this policy'; END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION refuse_end_of_two_person_policy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user IN ('intray_app', 'intray_engine') AND NOT approves_policy(NEW.id, NULL)
  THEN RAISE EXCEPTION 'a second admin has to approve the end of this rule'; END IF;
  RETURN NEW;
END $$;

-- Whoever decides, or captures another wording, also a process that knows nothing of it.
CREATE FUNCTION end_needs_info() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.needs_info := NULL;
  RETURN NEW;
END $$;

-- The stage of a request that is open, with the rule that it is of.
CREATE FUNCTION open_stage(approval jsonb) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN concat(approval ->> 'version', ' ', approval -> 'open' ->> 'stage');

-- What a member put off is another matter once it is theirs to answer, be it that another stage opens, that it is assigned to them, also
-- once more, or to whom they stand in for, or says something else.
CREATE FUNCTION end_snoozes() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM request_snooze z WHERE z.organization_id = NEW.organization_id AND z.input_request_id = NEW.id
    AND (z.user_id = NEW.assignee_user_id OR NEW.reworded_at IS DISTINCT FROM OLD.reworded_at
      OR open_stage(NEW.approval) <> open_stage(OLD.approval)
      OR z.user_id IN (SELECT s.delegate FROM standing_in(NEW.organization_id, NULL) s WHERE s.person = NEW.assignee_user_id));
  RETURN NULL;
END $$;

-- The change of a group that this transaction approves, of another maker; null: none. `{}` where none is needed: the organization asks
-- for no second admin, or is not the one that row security shows; or whoever works is no process that serves.
CREATE FUNCTION approved_group_change(p_organization uuid, p_group uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN current_user <> 'intray_app'
      OR (SELECT o.two_person_policy FROM organization o WHERE o.id = p_organization) IS NOT TRUE THEN '{}'::jsonb
    ELSE (SELECT p.group_change FROM policy_proposal p WHERE p.organization_id = p_organization AND p.group_id = p_group
      AND p.state = 'approved' AND p.decided_at = now()::timestamptz(3)
      AND NOT same_maker(p_organization, p.proposer, p.approver) LIMIT 1) END $$;

CREATE FUNCTION refuse_unapproved_group() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change jsonb;
BEGIN
  IF TG_OP = 'DELETE' THEN
    change := approved_group_change(OLD.organization_id, OLD.id);
    IF change = '{}' OR change ->> 'what' = 'delete' THEN RETURN OLD; END IF;
  ELSE
    change := approved_group_change(NEW.organization_id, NEW.id);
    IF change = '{}' THEN RETURN NEW; END IF;
    IF TG_OP = 'UPDATE' AND NEW.name = OLD.name THEN RETURN NEW; END IF;
    IF (change ->> 'what' = 'create') = (TG_OP = 'INSERT') AND change ->> 'name' = NEW.name THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'a second admin has to approve this change of a group';
END $$;

-- Members of a group that is deleted go by its foreign key, which works as the database's owner.
CREATE FUNCTION refuse_unapproved_member() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change jsonb;
BEGIN
  IF TG_OP = 'DELETE' THEN
    change := approved_group_change(OLD.organization_id, OLD.group_id);
    IF change = '{}' OR jsonb_exists(change -> 'remove', OLD.member_id::text) THEN RETURN OLD; END IF;
  ELSE
    change := approved_group_change(NEW.organization_id, NEW.group_id);
    IF change = '{}' OR jsonb_exists(change -> 'add', NEW.member_id::text) THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'a second admin has to approve this change of a group';
END $$;

-- Whoever writes the rule, also a process that does not know the column.
CREATE FUNCTION keep_decide_by() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.decide_by := (NEW.approval ->> 'dueAt')::timestamptz;
  RETURN NEW;
END $$;

-- A stage that asks its voters to show that it is them asks no keys: its requests have a ballot of their own.
CREATE FUNCTION ballot_of(approval jsonb) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT md5((jsonb_build_array(open -> 'roles', open -> 'people', open -> 'groups', open -> 'voted')
    || CASE WHEN (approval -> 'stages' -> (open ->> 'stage')::integer ->> 'stepUp')::boolean THEN '["stepUp"]'::jsonb ELSE '[]'::jsonb END)::text)::uuid
  FROM (SELECT approval -> 'open' AS open) its WHERE approval IS NOT NULL $$;

CREATE FUNCTION kept_out_by(approval jsonb, requested_by jsonb) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (requested_by ->> 'id')::uuid
  WHERE approval ->> 'requester' <> 'allowed' AND requested_by ->> 'kind' IN ('member', 'key', 'agent') $$;

-- Whoever writes the rule, also a process that does not know the columns.
CREATE FUNCTION keep_ballot() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.ballot := ballot_of(NEW.approval);
  NEW.kept_out := (SELECT kept_out_by(NEW.approval, t.requested_by) FROM task t
    WHERE t.organization_id = NEW.organization_id AND t.id = NEW.task_id);
  RETURN NEW;
END $$;

-- Functions that answer before an organization is known. Their owner sees all rows of the tables that it is granted.
GRANT intray_gate TO CURRENT_USER;
GRANT CREATE ON SCHEMA gate, public TO intray_gate;
SET LOCAL ROLE intray_gate;

-- Appends one line. Call it last in a transaction: it takes the lock on the chain's head, held until commit.
CREATE FUNCTION append_event(p_type text, p_actor jsonb, p_task uuid, p_request uuid, p_data jsonb)
  RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  head event_head%ROWTYPE;
  line_at timestamptz(3);
  line_payload bytea := sha256(convert_to(p_data::text, 'UTF8'));
  line_digest bytea;
  line_hash bytea;
BEGIN
  SELECT * INTO head FROM event_head WHERE organization_id = current_organization() FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO event_head (organization_id, seq, hash) VALUES (current_organization(), 0, '\x') ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT head FROM event_head WHERE organization_id = current_organization() FOR UPDATE;
  END IF;
  line_at := clock_timestamp();
  line_digest := sha256(convert_to(
    event_line(head.seq + 1, line_at, p_type, p_actor, p_task, p_request, line_payload, NULL), 'UTF8'));
  line_hash := sha256(head.hash || line_digest);
  INSERT INTO event (organization_id, seq, at, type, actor, task_id, input_request_id, data, payload_digest, digest, hash)
    VALUES (head.organization_id, head.seq + 1, line_at, p_type, p_actor, p_task, p_request, p_data, line_payload,
      line_digest, line_hash);
  UPDATE event_head SET seq = head.seq + 1, hash = line_hash WHERE organization_id = head.organization_id;
  RETURN head.seq + 1;
END $$;
REVOKE ALL ON FUNCTION append_event(text,jsonb,uuid,uuid,jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_event(text,jsonb,uuid,uuid,jsonb) TO intray_app, intray_engine;

-- Whether /setup was done, also where its organization was deleted since: there is no demonstration any more.
CREATE FUNCTION gate.setup_done() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM organization WHERE set_up) OR EXISTS (SELECT FROM installation WHERE set_up) $$;
REVOKE ALL ON FUNCTION gate.setup_done() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.setup_done() TO intray_app;

CREATE FUNCTION gate.setup_possible() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT NOT EXISTS (SELECT FROM organization WHERE NOT demo) AND NOT EXISTS (SELECT FROM installation) $$;
REVOKE ALL ON FUNCTION gate.setup_possible() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.setup_possible() TO intray_app;

-- Row security binds the owner too, so that the command line finds an organization by its slug only here.
CREATE FUNCTION gate.organization_by_slug(p_slug text) RETURNS TABLE (id uuid, name text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, o.name FROM organization o WHERE o.slug = p_slug $$;
REVOKE ALL ON FUNCTION gate.organization_by_slug(text) FROM PUBLIC;

-- Who may be signed in by one click.
CREATE FUNCTION gate.demo_people() RETURNS TABLE (user_id uuid, email text, name text, role text, organization text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT u.id, u.email, u.name, m.role, o.name FROM organization o
    JOIN membership m ON m.organization_id = o.id JOIN "user" u ON u.id = m.user_id
    WHERE o.demo AND NOT gate.setup_done() ORDER BY o.name, m.created_at, u.name $$;
REVOKE ALL ON FUNCTION gate.demo_people() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.demo_people() TO intray_app;

-- Creates the first real organization and its owner, and ends the demonstration for good. Returns false if there is one already.
-- The holder of the setup token speaks for the operator, so the owner's address counts as proven.
CREATE FUNCTION gate.set_up(p_organization uuid, p_slug text, p_organization_name text, p_user uuid, p_email text,
    p_name text, p_password_hash text, p_membership uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('intray.set_up'));
  IF NOT gate.setup_possible() THEN RETURN false; END IF;
  INSERT INTO organization (id, slug, name, set_up) VALUES (p_organization, p_slug, p_organization_name, true);
  INSERT INTO "user" (id, email, name, password_hash, proven_at) VALUES (p_user, p_email, p_name, p_password_hash, now());
  INSERT INTO membership (organization_id, id, user_id, role) VALUES (p_organization, p_membership, p_user, 'owner');
  UPDATE session SET revoked_at = now() WHERE revoked_at IS NULL AND user_id IN (
    SELECT m.user_id FROM membership m JOIN organization o ON o.id = m.organization_id WHERE o.demo);
  UPDATE api_key SET revoked_at = now() WHERE revoked_at IS NULL AND organization_id IN (
    SELECT id FROM organization WHERE demo);
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.set_up(uuid,text,text,uuid,text,text,text,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.set_up(uuid,text,text,uuid,text,text,text,uuid) TO intray_app;

CREATE FUNCTION gate.user_by_email(p_email text) RETURNS TABLE (user_id uuid, password_hash text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT id, u.password_hash FROM "user" u WHERE email = lower(p_email) $$;
REVOKE ALL ON FUNCTION gate.user_by_email(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.user_by_email(text) TO intray_app;

CREATE FUNCTION gate.revoke_session(p_secret_hash bytea) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE ended session%ROWTYPE;
BEGIN
  UPDATE session SET revoked_at = now() WHERE secret_hash = p_secret_hash AND revoked_at IS NULL RETURNING * INTO ended;
  IF ended.id IS NOT NULL THEN PERFORM gate.sessions_ended(ended.user_id, ARRAY[ended.chosen_organization]); END IF;
END $$;
REVOKE ALL ON FUNCTION gate.revoke_session(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.revoke_session(bytea) TO intray_app;

-- As the function with three parameters, for web processes that send two.
CREATE FUNCTION gate.session(p_secret_hash bytea, p_idle_ms bigint)
  RETURNS TABLE (session_id uuid, user_id uuid, email text, name text, organization_id uuid, slug text,
    organization_name text, role text, viewed_user_id uuid, viewed_name text, viewed_role text, viewing_until timestamptz,
    viewing_left_ms double precision)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT * FROM gate.session(p_secret_hash, p_idle_ms, true) $$;
REVOKE ALL ON FUNCTION gate.session(bytea,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.session(bytea,bigint) TO intray_app;

-- For web processes of earlier versions, which know no limits: a key that has any, or has ended, is not taken there.
CREATE FUNCTION gate.api_key(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, slug text, organization_name text, id uuid, name text, role text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.organization_id, k.slug, k.organization_name, k.id, k.name, k.role FROM gate.find_api_key(p_secret_hash) k
    WHERE NOT k.ended AND k.networks = '{}' AND k.permissions IS NULL AND k.servers = '{}' AND k.tools = '{}' $$;
REVOKE ALL ON FUNCTION gate.api_key(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.api_key(bytea) TO intray_app;

-- Uses up a password link: sets the password and ends the person's sessions. Returns null for an unknown, used or expired link. A
-- link from the operator or by mail proves the address. A link from an admin does not: it works while the account is that
-- organization's alone and the admin is still an admin there; the address is unproven from then on, and the member counts as one
-- person with the admin until an owner vouches.
CREATE FUNCTION gate.set_password(p_token_hash bytea, p_password_hash text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE link password_link%ROWTYPE;
BEGIN
  SELECT * INTO link FROM password_link WHERE token_hash = p_token_hash;
  -- Two links at once take turns at the person, so that one of them wins.
  PERFORM FROM "user" WHERE id = link.user_id FOR UPDATE;
  UPDATE password_link SET used_at = now() WHERE token_hash = p_token_hash AND used_at IS NULL AND expires_at > now();
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF link.source = 'admin' THEN
    IF NOT gate.is_of_one_organization(link.user_id, link.for_organization) OR NOT inviter_may(link.for_organization, link.made_by,
      (SELECT m.role FROM membership m WHERE m.organization_id = link.for_organization AND m.user_id = link.user_id))
      THEN RETURN NULL; END IF;
    UPDATE "user" SET proven_at = NULL WHERE id = link.user_id;
    PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || link.for_organization::text, 0));
    UPDATE maker SET invited_by = link.made_by, vouched_by = NULL, vouched_at = NULL
      WHERE organization_id = link.for_organization AND user_id = link.user_id
        AND NOT same_maker(link.for_organization, link.user_id, link.made_by);
  ELSIF gate.replace_account(link.user_id, NULL, p_password_hash, link.source) THEN
    RETURN link.user_id;
  END IF;
  UPDATE password_link SET used_at = now() WHERE user_id = link.user_id AND used_at IS NULL;
  UPDATE "user" SET password_hash = p_password_hash WHERE id = link.user_id;
  UPDATE session SET revoked_at = now() WHERE user_id = link.user_id AND revoked_at IS NULL;
  DELETE FROM pending_sign_in WHERE user_id = link.user_id;
  PERFORM gate.account_event(link.user_id, 'account.password_changed', jsonb_build_object('byLink', true, 'source', link.source));
  RETURN link.user_id;
END $$;
REVOKE ALL ON FUNCTION gate.set_password(bytea,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.set_password(bytea,text) TO intray_app;

-- Counts one try; false when the window already had p_limit of them.
CREATE FUNCTION gate.throttle(p_key text, p_limit integer, p_window_ms bigint) RETURNS boolean
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ INSERT INTO throttle AS t (key, window_started_at, tries) VALUES (p_key, now(), 1)
    ON CONFLICT (key) DO UPDATE SET
      tries = CASE WHEN t.window_started_at < now() - p_window_ms * interval '1 ms' THEN 1 ELSE t.tries + 1 END,
      window_started_at = CASE WHEN t.window_started_at < now() - p_window_ms * interval '1 ms' THEN now()
        ELSE t.window_started_at END
    RETURNING tries <= p_limit $$;
REVOKE ALL ON FUNCTION gate.throttle(text,integer,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.throttle(text,integer,bigint) TO intray_app;

CREATE FUNCTION gate.connections_with_open_work() RETURNS TABLE (organization_id uuid, connection_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT c.organization_id, c.id FROM connection c WHERE
    EXISTS (SELECT FROM task t WHERE t.connection_id = c.id AND t.organization_id = c.organization_id AND t.watched)
    OR EXISTS (SELECT FROM stream_message m
      WHERE m.connection_id = c.id AND m.organization_id = c.organization_id AND m.handled_at IS NULL)$$;
REVOKE ALL ON FUNCTION gate.connections_with_open_work() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.connections_with_open_work() TO intray_engine;

CREATE FUNCTION gate.take_changes(p_limit integer)
  RETURNS TABLE (organization_id uuid, topic text, entity_id uuid, rows_taken bigint)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ WITH taken AS (DELETE FROM change WHERE (change.organization_id, change.id) IN (
      SELECT c.organization_id, c.id FROM change c LIMIT p_limit FOR UPDATE SKIP LOCKED)
    RETURNING change.organization_id, change.topic, change.entity_id)
    SELECT DISTINCT taken.organization_id, taken.topic, taken.entity_id, (SELECT count(*) FROM taken) FROM taken $$;
REVOKE ALL ON FUNCTION gate.take_changes(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.take_changes(integer) TO intray_engine;

CREATE FUNCTION gate.organizations_with_operator_servers() RETURNS TABLE (id uuid, slug text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, o.slug FROM organization o WHERE EXISTS (
    SELECT FROM server s WHERE s.organization_id = o.id AND s.operator_entry IS NOT NULL AND s.removed_at IS NULL) $$;
REVOKE ALL ON FUNCTION gate.organizations_with_operator_servers() FROM PUBLIC;

-- For web processes of earlier versions.
CREATE FUNCTION gate.create_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT gate.open_session(p_secret_hash, p_user, p_lifetime_ms, p_method, p_user_agent, p_address, NULL, NULL, NULL) $$;
REVOKE ALL ON FUNCTION gate.create_session(bytea,uuid,bigint,text,text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.create_session(bytea,uuid,bigint,text,text,text) TO intray_app;

CREATE FUNCTION gate.organizations_of(p_user uuid) RETURNS TABLE (id uuid, slug text, name text, role text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, o.slug, o.name, m.role FROM membership m JOIN organization o ON o.id = m.organization_id
    WHERE m.user_id = p_user AND (NOT o.demo OR NOT gate.setup_done()) ORDER BY m.inherited, m.created_at, o.id $$;
REVOKE ALL ON FUNCTION gate.organizations_of(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_of(uuid) TO intray_app;

-- Moves a session to another organization of its person. Returns false if the person is no member there, or the organization has
-- ended the session. An organization that does not let the session in may be chosen: the next call says what it requires. Only an
-- organization that lets it in is told.
CREATE FUNCTION gate.choose_organization(p_session uuid, p_organization uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  opened session%ROWTYPE;
  mine record;
BEGIN
  SELECT * INTO opened FROM session s WHERE s.id = p_session AND s.revoked_at IS NULL FOR UPDATE;
  IF opened.id IS NULL OR p_organization = ANY (opened.ended_in) THEN RETURN false; END IF;
  SELECT * INTO mine FROM gate.organizations_of(opened.user_id) o WHERE o.id = p_organization;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE session SET chosen_organization = p_organization WHERE id = p_session;
  IF gate.place_of(opened) IS DISTINCT FROM p_organization
      AND gate.sign_in_refusal(opened, p_organization, mine.role) IS NULL THEN
    PERFORM gate.session_event(opened.user_id, p_organization, 'session.opened',
      jsonb_build_object('method', opened.method, 'address', opened.address));
  END IF;
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.choose_organization(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.choose_organization(uuid,uuid) TO intray_app;

-- A person is who signed in by their own means: nobody joins an organization by another one's word.
CREATE FUNCTION gate.session_person(p_secret_hash bytea, p_idle_ms bigint)
  RETURNS TABLE (session_id uuid, user_id uuid, email text, name text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.id, u.id, u.email, u.name FROM gate.session_in_force(p_secret_hash, p_idle_ms) s
    JOIN "user" u ON u.id = s.user_id WHERE s.only_organization IS NULL $$;
REVOKE ALL ON FUNCTION gate.session_person(bytea,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.session_person(bytea,bigint) TO intray_app;

-- The invitation behind a link, while it is in force.
CREATE FUNCTION gate.invitation(p_token_hash bytea)
  RETURNS TABLE (organization_id uuid, organization_name text, id uuid, email text, role text, inviter text,
    has_account boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, o.name, i.id, i.email, i.role, inviter.name, EXISTS (SELECT FROM "user" u WHERE u.email = i.email)
    FROM invitation i JOIN organization o ON o.id = i.organization_id LEFT JOIN "user" inviter ON inviter.id = i.invited_by
    WHERE i.token_hash = p_token_hash AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()
      AND inviter_may(i.organization_id, i.invited_by, i.role) AND (NOT o.demo OR NOT gate.setup_done()) $$;
REVOKE ALL ON FUNCTION gate.invitation(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.invitation(bytea) TO intray_app;

-- Makes the account of somebody who was invited, for the address of the invitation alone. Null: there is one already,
-- or the invitation is not in force.
CREATE FUNCTION gate.create_invited_account(p_token_hash bytea, p_user uuid, p_name text, p_password_hash text) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ INSERT INTO "user" (id, email, name, password_hash)
    SELECT p_user, i.email, p_name, p_password_hash FROM gate.invitation(p_token_hash) i
    ON CONFLICT (email) DO NOTHING RETURNING id $$;
REVOKE ALL ON FUNCTION gate.create_invited_account(bytea,uuid,text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.create_invited_account(bytea,uuid,text,text) TO intray_app;

-- Deletes an organization, and the accounts that belong to no other one. Accounts that are suspended in another organization
-- stay. Returns what stands against it: `not_found` (also for another slug), `export_first`, `tasks_open`; null: it is deleted.
CREATE FUNCTION gate.delete_organization(p_organization uuid, p_slug text, p_export_ms bigint) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  doomed organization%ROWTYPE;
  people uuid[];
BEGIN
  -- Nothing can be put into it from here on: each new row of it waits for this lock.
  SELECT * INTO doomed FROM organization WHERE id = p_organization AND slug = p_slug FOR UPDATE;
  IF doomed.id IS NULL THEN RETURN 'not_found'; END IF;
  IF (doomed.exported_at > now() - p_export_ms * interval '1 ms') IS NOT TRUE THEN RETURN 'export_first'; END IF;
  IF EXISTS (SELECT FROM task WHERE organization_id = p_organization AND watched) THEN RETURN 'tasks_open'; END IF;
  SELECT array_agg(user_id ORDER BY user_id) INTO people FROM (
    SELECT user_id FROM membership WHERE organization_id = p_organization
    UNION SELECT user_id FROM suspended_member WHERE organization_id = p_organization) AS of_it;
  -- Those who join another one meanwhile wait, and so do two deletions of organizations with the same people.
  PERFORM 1 FROM "user" WHERE id = ANY (people) ORDER BY id FOR UPDATE;
  IF NOT doomed.demo THEN
    INSERT INTO installation AS i (set_up) VALUES (doomed.set_up)
      ON CONFLICT (only_row) DO UPDATE SET set_up = i.set_up OR excluded.set_up;
  END IF;
  DELETE FROM change WHERE organization_id = p_organization;
  DELETE FROM organization WHERE id = p_organization;
  UPDATE session SET chosen_organization = NULL WHERE chosen_organization = p_organization;
  -- Streams of its members end.
  PERFORM pg_notify('intray_change', json_build_object('o', p_organization,
    'c', json_build_array(json_build_array('member', p_organization)))::text);
  DELETE FROM "user" u WHERE u.id = ANY (people) AND NOT EXISTS (SELECT FROM membership m WHERE m.user_id = u.id)
    AND NOT EXISTS (SELECT FROM suspended_member s WHERE s.user_id = u.id);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION gate.delete_organization(uuid,text,bigint) FROM PUBLIC;

CREATE FUNCTION gate.account_event(p_user uuid, p_type text, p_data jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF p_type = 'session.refused' THEN
    -- By turns, so that two at once are one row.
    PERFORM pg_advisory_xact_lock(hashtextextended('account_event ' || p_user::text, 0));
    UPDATE account_event SET times = times + 1, last_at = now() WHERE user_id = p_user AND type = p_type
      AND data = p_data AND at > now() - interval '1 hour';
    IF FOUND THEN RETURN; END IF;
  END IF;
  INSERT INTO account_event (user_id, type, data) SELECT u.id, p_type, p_data FROM "user" u WHERE u.id = p_user;
  -- Who signs in all day long has a shorter history.
  DELETE FROM account_event WHERE id IN (SELECT e.id FROM account_event e WHERE e.user_id = p_user
    ORDER BY e.at DESC OFFSET 2000 LIMIT 10);
  IF p_type LIKE 'account.%' THEN
    PERFORM gate.tell_person(p_user, p_type, p_data);
  ELSIF p_type = 'session.opened' AND p_data ? 'new' THEN
    PERFORM gate.tell_person(p_user, 'account.new_sign_in', p_data - 'new');
  END IF;
END $$;
REVOKE ALL ON FUNCTION gate.account_event(uuid,text,jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.account_event(uuid,text,jsonb) TO intray_app;

-- A person's sessions in force, newest first.
CREATE FUNCTION gate.sessions(p_user uuid, p_idle_ms bigint) RETURNS TABLE (id uuid, method text, user_agent text,
    address text, created_at timestamptz, last_seen_at timestamptz, expires_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.id, s.method, s.user_agent, s.address, s.created_at, s.last_seen_at, s.expires_at FROM session s
    WHERE s.user_id = p_user AND s.revoked_at IS NULL AND s.expires_at > now()
      AND s.last_seen_at > now() - p_idle_ms * interval '1 ms' ORDER BY s.created_at DESC, s.id $$;
REVOKE ALL ON FUNCTION gate.sessions(uuid,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.sessions(uuid,bigint) TO intray_app;

CREATE FUNCTION gate.end_sessions(p_user uuid, p_session uuid, p_others boolean) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE chosen uuid[];
BEGIN
  WITH ended AS (UPDATE session SET revoked_at = now() WHERE user_id = p_user AND revoked_at IS NULL
      AND expires_at > now() AND (id = p_session) <> p_others RETURNING chosen_organization)
    SELECT coalesce(array_agg(chosen_organization), '{}') INTO chosen FROM ended;
  IF cardinality(chosen) > 0 THEN PERFORM gate.sessions_ended(p_user, chosen); END IF;
  RETURN cardinality(chosen);
END $$;
REVOKE ALL ON FUNCTION gate.end_sessions(uuid,uuid,boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.end_sessions(uuid,uuid,boolean) TO intray_app;

CREATE FUNCTION gate.password_hash(p_user uuid) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT u.password_hash FROM "user" u WHERE u.id = p_user $$;
REVOKE ALL ON FUNCTION gate.password_hash(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.password_hash(uuid) TO intray_app;

-- Replaces the password that was checked, and ends the person's other sessions. False: it changed meanwhile.
CREATE FUNCTION gate.change_password(p_user uuid, p_before text, p_after text, p_session uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE "user" SET password_hash = p_after WHERE id = p_user AND password_hash = p_before;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE session SET revoked_at = now() WHERE user_id = p_user AND revoked_at IS NULL AND id <> p_session;
  DELETE FROM pending_sign_in WHERE user_id = p_user;
  UPDATE password_link SET used_at = now() WHERE user_id = p_user AND used_at IS NULL;
  PERFORM gate.account_event(p_user, 'account.password_changed', '{}');
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.change_password(uuid,text,text,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.change_password(uuid,text,text,uuid) TO intray_app;

-- The same password under stronger parameters.
CREATE FUNCTION gate.rehash_password(p_user uuid, p_before text, p_after text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE "user" SET password_hash = p_after WHERE id = p_user AND password_hash = p_before $$;
REVOKE ALL ON FUNCTION gate.rehash_password(uuid,text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.rehash_password(uuid,text,text) TO intray_app;

CREATE FUNCTION gate.second_factor(p_user uuid)
  RETURNS TABLE (sealed_secret text, confirmed boolean, codes_left integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT f.sealed_secret, f.confirmed_at IS NOT NULL, (SELECT count(*)::integer FROM recovery_code r
      WHERE r.user_id = f.user_id AND r.used_at IS NULL) FROM second_factor f WHERE f.user_id = p_user $$;
REVOKE ALL ON FUNCTION gate.second_factor(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.second_factor(uuid) TO intray_app;

-- Keeps a secret until it is confirmed, in place of one that never was. False: there is a confirmed one.
CREATE FUNCTION gate.start_second_factor(p_user uuid, p_sealed_secret text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO second_factor AS f (user_id, sealed_secret) VALUES (p_user, p_sealed_secret)
    ON CONFLICT (user_id) DO UPDATE SET sealed_secret = excluded.sealed_secret, last_step = 0, created_at = now()
      WHERE f.confirmed_at IS NULL;
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION gate.start_second_factor(uuid,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.start_second_factor(uuid,text) TO intray_app;

-- Puts it in force with the first code of the app, and keeps the recovery codes. False: no longer what was started.
CREATE FUNCTION gate.confirm_second_factor(p_user uuid, p_sealed_secret text, p_step bigint, p_codes bytea[])
  RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE second_factor SET confirmed_at = now(), last_step = p_step
    WHERE user_id = p_user AND confirmed_at IS NULL AND sealed_secret = p_sealed_secret;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO recovery_code (user_id, code_hash) SELECT p_user, unnest(p_codes);
  PERFORM gate.account_event(p_user, 'account.second_factor_added', '{}');
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.confirm_second_factor(uuid,text,bigint,bytea[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.confirm_second_factor(uuid,text,bigint,bytea[]) TO intray_app;

CREATE FUNCTION gate.use_code(p_user uuid, p_step bigint, p_code bytea) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF p_step IS NOT NULL THEN
    UPDATE second_factor SET last_step = p_step, wrong_codes = 0
      WHERE user_id = p_user AND confirmed_at IS NOT NULL AND last_step < p_step;
    RETURN FOUND;
  END IF;
  UPDATE recovery_code SET used_at = now() WHERE user_id = p_user AND code_hash = p_code AND used_at IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM gate.account_event(p_user, 'account.recovery_code_used', jsonb_build_object('left',
    (SELECT count(*) FROM recovery_code WHERE user_id = p_user AND used_at IS NULL)));
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.use_code(uuid,bigint,bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.use_code(uuid,bigint,bytea) TO intray_app;

-- As the function with hashes of text, for older web processes: new codes replace all.
CREATE FUNCTION gate.replace_recovery_codes(p_user uuid, p_codes bytea[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM recovery_code WHERE user_id = p_user;
  DELETE FROM slow_recovery_code WHERE user_id = p_user;
  INSERT INTO recovery_code (user_id, code_hash) SELECT p_user, unnest(p_codes);
  PERFORM gate.account_event(p_user, 'account.recovery_codes_replaced', '{}');
END $$;
REVOKE ALL ON FUNCTION gate.replace_recovery_codes(uuid,bytea[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.replace_recovery_codes(uuid,bytea[]) TO intray_app;

CREATE FUNCTION gate.remove_second_factor(p_user uuid, p_by_operator boolean) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM second_factor WHERE user_id = p_user AND confirmed_at IS NOT NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM gate.account_event(p_user, 'account.second_factor_removed',
    CASE WHEN p_by_operator THEN '{"byOperator": true}'::jsonb ELSE '{}' END);
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.remove_second_factor(uuid,boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.remove_second_factor(uuid,boolean) TO intray_app;

CREATE FUNCTION gate.open_pending_sign_in(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM pending_sign_in WHERE expires_at < now();
  INSERT INTO pending_sign_in (secret_hash, user_id, expires_at)
    VALUES (p_secret_hash, p_user, now() + p_lifetime_ms * interval '1 ms');
END $$;
REVOKE ALL ON FUNCTION gate.open_pending_sign_in(bytea,uuid,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.open_pending_sign_in(bytea,uuid,bigint) TO intray_app;

-- Counts one try. No row: unknown, too old, or tried too often.
CREATE FUNCTION gate.try_pending_sign_in(p_secret_hash bytea, p_tries integer) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE pending_sign_in SET tries = tries + 1
    WHERE secret_hash = p_secret_hash AND expires_at > now() AND tries < p_tries RETURNING user_id $$;
REVOKE ALL ON FUNCTION gate.try_pending_sign_in(bytea,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.try_pending_sign_in(bytea,integer) TO intray_app;

-- Ends it; of two at once, one gets the person.
CREATE FUNCTION gate.take_pending_sign_in(p_secret_hash bytea) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ DELETE FROM pending_sign_in WHERE secret_hash = p_secret_hash AND expires_at > now() RETURNING user_id $$;
REVOKE ALL ON FUNCTION gate.take_pending_sign_in(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.take_pending_sign_in(bytea) TO intray_app;

CREATE FUNCTION gate.make_challenge(p_challenge_hash bytea, p_user uuid, p_lifetime_ms bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM passkey_challenge WHERE expires_at < now();
  INSERT INTO passkey_challenge (challenge_hash, user_id, expires_at)
    VALUES (p_challenge_hash, p_user, now() + p_lifetime_ms * interval '1 ms');
END $$;
REVOKE ALL ON FUNCTION gate.make_challenge(bytea,uuid,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.make_challenge(bytea,uuid,bigint) TO intray_app;

-- Uses up a challenge; p_user null: one of signing in.
CREATE FUNCTION gate.take_challenge(p_challenge_hash bytea, p_user uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM passkey_challenge WHERE challenge_hash = p_challenge_hash AND expires_at > now()
    AND user_id IS NOT DISTINCT FROM p_user;
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION gate.take_challenge(bytea,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.take_challenge(bytea,uuid) TO intray_app;

CREATE FUNCTION gate.passkeys(p_user uuid) RETURNS TABLE (id uuid, name text, credential_id text,
    created_at timestamptz, last_used_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.id, p.name, p.credential_id, p.created_at, p.last_used_at FROM passkey p
    WHERE p.user_id = p_user ORDER BY p.created_at, p.id $$;
REVOKE ALL ON FUNCTION gate.passkeys(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.passkeys(uuid) TO intray_app;

CREATE FUNCTION gate.passkey(p_credential text) RETURNS TABLE (user_id uuid, public_key bytea, counter bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.user_id, p.public_key, p.counter FROM passkey p WHERE p.credential_id = p_credential $$;
REVOKE ALL ON FUNCTION gate.passkey(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.passkey(text) TO intray_app;

-- Null: the credential is somebody's already.
CREATE FUNCTION gate.add_passkey(p_user uuid, p_name text, p_credential text, p_public_key bytea, p_counter bigint)
  RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE made uuid;
BEGIN
  INSERT INTO passkey (user_id, name, credential_id, public_key, counter)
    VALUES (p_user, p_name, p_credential, p_public_key, p_counter) ON CONFLICT DO NOTHING RETURNING id INTO made;
  IF made IS NOT NULL THEN
    PERFORM gate.account_event(p_user, 'account.passkey_added', jsonb_build_object('name', p_name));
  END IF;
  RETURN made;
END $$;
REVOKE ALL ON FUNCTION gate.add_passkey(uuid,text,text,bytea,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.add_passkey(uuid,text,text,bytea,bigint) TO intray_app;

-- Notes a use. False: another use counted further meanwhile, or it is gone.
CREATE FUNCTION gate.use_passkey(p_credential text, p_before bigint, p_after bigint) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE passkey SET counter = p_after, last_used_at = now()
    WHERE credential_id = p_credential AND counter = p_before AND (p_after > p_before OR (p_after = 0 AND p_before = 0));
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION gate.use_passkey(text,bigint,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.use_passkey(text,bigint,bigint) TO intray_app;

CREATE FUNCTION gate.remove_passkey(p_user uuid, p_passkey uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE removed text;
BEGIN
  DELETE FROM passkey WHERE user_id = p_user AND id = p_passkey RETURNING name INTO removed;
  IF removed IS NULL THEN RETURN false; END IF;
  PERFORM gate.account_event(p_user, 'account.passkey_removed', jsonb_build_object('name', removed));
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.remove_passkey(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.remove_passkey(uuid,uuid) TO intray_app;

CREATE FUNCTION gate.identity(p_issuer text, p_subject text) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE identity SET last_used_at = now() WHERE issuer = p_issuer AND subject = p_subject RETURNING user_id $$;
REVOKE ALL ON FUNCTION gate.identity(text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.identity(text,text) TO intray_app;

CREATE FUNCTION gate.identities(p_user uuid) RETURNS TABLE (issuer text, created_at timestamptz, last_used_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT i.issuer, i.created_at, i.last_used_at FROM identity i WHERE i.user_id = p_user ORDER BY i.created_at $$;
REVOKE ALL ON FUNCTION gate.identities(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.identities(uuid) TO intray_app;

-- Links a sign-in identity to a proven account; of two at once, one decides for both. Returns null if nobody has proved the
-- account.
CREATE FUNCTION gate.link_identity(p_user uuid, p_issuer text, p_subject text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM "user" u WHERE u.id = p_user AND u.proven_at IS NOT NULL FOR SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  RETURN gate.keep_identity(p_user, p_issuer, p_subject);
END $$;
REVOKE ALL ON FUNCTION gate.link_identity(uuid,text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.link_identity(uuid,text,text) TO intray_app;

-- For web processes of earlier versions, which do not know which domains a provider is trusted for.
CREATE FUNCTION gate.create_account(p_user uuid, p_email text, p_name text, p_issuer text, p_subject text)
  RETURNS uuid LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT gate.create_account(p_user, p_email, p_name, p_issuer, p_subject, false) $$;
REVOKE ALL ON FUNCTION gate.create_account(uuid,text,text,text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.create_account(uuid,text,text,text,text) TO intray_app;

-- Whether an invitation in force is for the address; those of directories do not count. Told only to people for whom a provider
-- has verified the address.
CREATE FUNCTION gate.is_invited(p_email text) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM invitation i WHERE i.email = lower(p_email) AND i.accepted_at IS NULL
    AND i.revoked_at IS NULL AND i.expires_at > now()
    AND (i.by_directory OR inviter_may(i.organization_id, i.invited_by, i.role))) $$;
REVOKE ALL ON FUNCTION gate.is_invited(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.is_invited(text) TO intray_app;

-- What a provider's groups act on: the organization of a slug, and whether the person is in it.
CREATE FUNCTION gate.place(p_user uuid, p_slug text)
  RETURNS TABLE (organization_id uuid, member_id uuid, granted_by text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, m.id, m.granted_by FROM organization o
    LEFT JOIN membership m ON m.organization_id = o.id AND m.user_id = p_user WHERE o.slug = p_slug $$;
REVOKE ALL ON FUNCTION gate.place(uuid,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.place(uuid,text) TO intray_app;

CREATE FUNCTION gate.person(p_user uuid) RETURNS TABLE (name text, email text, memberships integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT u.name, u.email, (SELECT count(*)::integer FROM membership m JOIN organization o ON o.id = m.organization_id
      WHERE m.user_id = u.id AND (NOT o.demo OR NOT gate.setup_done())) FROM "user" u WHERE u.id = p_user $$;
REVOKE ALL ON FUNCTION gate.person(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.person(uuid) TO intray_app;

-- Takes up to p_most calls out of the window of a key, for a process to hand out. granted = 0: none are left for
-- left_ms. What a process takes and does not use is lost with the window, so that all together stay within p_limit.
CREATE FUNCTION gate.take_calls(p_key text, p_most integer, p_limit integer, p_window_ms bigint)
  RETURNS TABLE (granted integer, left_ms bigint)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ INSERT INTO throttle AS t (key, window_started_at, tries) VALUES (p_key, clock_timestamp(), p_most)
    ON CONFLICT (key) DO UPDATE SET
      tries = CASE WHEN t.window_started_at <= clock_timestamp() - p_window_ms * interval '1 ms' THEN p_most
        ELSE least(t.tries, p_limit) + p_most END,
      window_started_at = CASE WHEN t.window_started_at <= clock_timestamp() - p_window_ms * interval '1 ms'
        THEN clock_timestamp() ELSE t.window_started_at END
    RETURNING greatest(0, least(p_most, p_limit - (tries - p_most))),
      greatest(1, ceil(extract(epoch FROM window_started_at - clock_timestamp()) * 1000) + p_window_ms)::bigint $$;
REVOKE ALL ON FUNCTION gate.take_calls(text,integer,integer,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.take_calls(text,integer,integer,bigint) TO intray_app;

-- Also forgets tries after a day, networks and browsers and what happened to accounts after 90, refused sign-ins after 30.
CREATE FUNCTION gate.sweep_throttle() RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE gone integer;
BEGIN
  DELETE FROM throttle WHERE key IN (SELECT key FROM throttle
    WHERE window_started_at < now() - interval '10 minutes'
      AND (key LIKE 'calls %' OR window_started_at < now() - interval '1 day')
    LIMIT 5000 FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS gone = ROW_COUNT;
  DELETE FROM sign_in_try WHERE key IN (SELECT key FROM sign_in_try WHERE tried_at < now() - interval '1 day'
    LIMIT 5000 FOR UPDATE SKIP LOCKED);
  DELETE FROM known_place WHERE (user_id, kind, name) IN (SELECT user_id, kind, name FROM known_place
    WHERE last_at < now() - interval '90 days' LIMIT 1000 FOR UPDATE SKIP LOCKED);
  DELETE FROM account_event WHERE id IN (SELECT id FROM account_event WHERE at < now() - interval '30 days'
    AND (type = 'session.refused' OR at < now() - interval '90 days') LIMIT 1000 FOR UPDATE SKIP LOCKED);
  RETURN gone;
END $$;
REVOKE ALL ON FUNCTION gate.sweep_throttle() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.sweep_throttle() TO intray_app;

CREATE FUNCTION gate.all_organizations() RETURNS TABLE (id uuid, slug text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$SELECT o.id, o.slug FROM organization o ORDER BY o.id$$;
REVOKE ALL ON FUNCTION gate.all_organizations() FROM PUBLIC;

-- Organizations whose history has lines that the follower has not read: a row each, whatever the history's length.
CREATE FUNCTION gate.organizations_behind(p_follower text) RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT head.organization_id FROM event_head head
    LEFT JOIN event_follower f ON f.organization_id = head.organization_id AND f.follower = p_follower
    WHERE head.seq > coalesce(f.seq, 0) $$;
REVOKE ALL ON FUNCTION gate.organizations_behind(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_behind(text) TO intray_engine;

CREATE FUNCTION gate.organizations() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id FROM organization o ORDER BY o.id $$;
REVOKE ALL ON FUNCTION gate.organizations() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations() TO intray_engine;

CREATE FUNCTION gate.organizations_with_bulk_work() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT b.organization_id FROM bulk_operation b WHERE b.state = 'running' $$;
REVOKE ALL ON FUNCTION gate.organizations_with_bulk_work() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_bulk_work() TO intray_engine;

-- Organizations with races that are decided, and whose other tasks were not told yet.
CREATE FUNCTION gate.organizations_with_decided_races() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT organization_id FROM race WHERE state <> 'running' AND settled_at IS NULL $$;
REVOKE ALL ON FUNCTION gate.organizations_with_decided_races() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_decided_races() TO intray_engine;

-- Figures of all organizations together, none of which names one. What is open is read from partial indexes, at most
-- p_most entries of each: beyond that the counts are of so many. Nothing is read that grows with history.
CREATE FUNCTION gate.figures(p_most integer) RETURNS TABLE (figure text, label text, value float8)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT 'open_tasks', state, count(*)::float8 FROM (SELECT t.state FROM task t
    WHERE t.state IN ('queued', 'starting', 'start_unknown', 'working', 'input_required') LIMIT p_most) open GROUP BY state
  UNION ALL
  SELECT 'open_requests', age, count(*)::float8 FROM (SELECT CASE
      WHEN r.created_at > now() - interval '1 minute' THEN '1m'
      WHEN r.created_at > now() - interval '1 hour' THEN '1h'
      WHEN r.created_at > now() - interval '1 day' THEN '1d'
      WHEN r.created_at > now() - interval '7 days' THEN '7d'
      ELSE 'older' END AS age
    FROM input_request r WHERE r.state = 'open' LIMIT p_most) open GROUP BY age
  UNION ALL
  SELECT 'oldest_request_seconds', '', extract(epoch FROM now() - min(oldest.created_at))::float8
  FROM organization o, LATERAL (SELECT r.created_at FROM input_request r
    WHERE r.organization_id = o.id AND r.state = 'open' ORDER BY r.created_at LIMIT 1) oldest
  UNION ALL
  SELECT 'open_deliveries', state, count(*)::float8 FROM (SELECT CASE WHEN d.flagged THEN 'flagged' ELSE d.state END AS state
    FROM delivery d WHERE d.state IN ('held', 'pending', 'sending', 'accepted') LIMIT p_most) live GROUP BY state
  UNION ALL
  SELECT 'overdue_delivery_seconds', '', extract(epoch FROM now() - min(deliver_after))::float8 FROM (SELECT d.state, d.deliver_after
    FROM delivery d WHERE d.state IN ('held', 'pending', 'sending', 'accepted') LIMIT p_most) live
    WHERE state IN ('pending', 'sending')
  UNION ALL
  -- Retention is behind by design: it stays as far behind as payloads are kept.
  SELECT 'follower_behind_events', f.follower, sum(head.seq - f.seq)::float8
  FROM event_follower f JOIN event_head head ON head.organization_id = f.organization_id
  WHERE f.follower <> 'retention' GROUP BY f.follower
  UNION ALL
  -- Since when the line after the last one that was read waits.
  SELECT 'follower_lag_seconds', f.follower, coalesce(extract(epoch FROM now() - min(next.at)), 0)::float8
  FROM event_follower f JOIN event_head head ON head.organization_id = f.organization_id
  LEFT JOIN LATERAL (SELECT e.at FROM event e WHERE e.organization_id = f.organization_id AND e.seq > f.seq
    AND head.seq > f.seq ORDER BY e.seq LIMIT 1) next ON true
  WHERE f.follower <> 'retention' GROUP BY f.follower $$;
REVOKE ALL ON FUNCTION gate.figures(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.figures(integer) TO intray_app;

CREATE FUNCTION gate.organizations_with_mail() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT organization_id FROM notice WHERE mail_id IS NULL
      -- What was never mailed, for want of a mail server, is no news any more.
      AND mail_after BETWEEN now() - interval '1 day' AND now()
    UNION SELECT organization_id FROM mail WHERE state = 'waiting' AND not_before <= now() $$;
REVOKE ALL ON FUNCTION gate.organizations_with_mail() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_mail() TO intray_engine;

CREATE FUNCTION gate.organizations_with_webhooks() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT d.organization_id FROM webhook_delivery d
    JOIN webhook_endpoint e ON e.organization_id = d.organization_id AND e.id = d.endpoint_id
    WHERE d.state = 'pending' AND d.not_before <= now() AND e.disabled_reason IS NULL $$;
REVOKE ALL ON FUNCTION gate.organizations_with_webhooks() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_webhooks() TO intray_engine;

CREATE FUNCTION drop_event_payloads(p_after bigint, p_limit integer) RETURNS TABLE (reached bigint, dropped integer)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$SELECT * FROM drop_event_payloads(p_after, p_limit, 1)$$;
REVOKE ALL ON FUNCTION drop_event_payloads(bigint,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_event_payloads(bigint,integer) TO intray_engine;

-- Lists organizations that have something to delete and are under no legal hold: a look or two at indexes for each.
CREATE FUNCTION gate.organizations_with_old_data() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT o.id FROM organization o WHERE o.hold_at IS NULL AND (
    (SELECT m.at FROM protocol_message m WHERE m.organization_id = o.id ORDER BY m.id LIMIT 1)
      < now() - o.keep_messages_days * interval '1 day'
    OR EXISTS (SELECT FROM task t WHERE t.organization_id = o.id AND NOT t.watched
      AND t.finished_at < now() - o.keep_tasks_days * interval '1 day')
    OR (SELECT e.at FROM event e WHERE e.organization_id = o.id AND e.seq > coalesce((SELECT f.seq
        FROM event_follower f WHERE f.organization_id = o.id AND f.follower = 'retention'), 0)
      ORDER BY e.seq LIMIT 1) < now() - o.keep_payloads_days * interval '1 day'
    OR EXISTS (SELECT FROM stream_message s JOIN connection c ON c.organization_id = s.organization_id
        AND c.id = s.connection_id
      WHERE c.organization_id = o.id AND s.handled_at < now() - interval '1 day'))
  ORDER BY o.id$$;
REVOKE ALL ON FUNCTION gate.organizations_with_old_data() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_old_data() TO intray_engine;

CREATE FUNCTION count_open_task() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO open_tasks AS o VALUES (NEW.organization_id, task_requester(NEW.requested_by), 1)
      ON CONFLICT (organization_id, requester) DO UPDATE SET tasks = o.tasks + 1;
  ELSE
    -- With its organization the row is gone too.
    UPDATE open_tasks SET tasks = tasks - 1
      WHERE organization_id = OLD.organization_id AND requester = task_requester(OLD.requested_by);
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION count_open_task() FROM PUBLIC;

CREATE FUNCTION search_ended_requests(p_state text, p_pattern text) RETURNS SETOF uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.id FROM input_request r WHERE r.organization_id = current_organization() AND r.state = p_state
    AND r.state NOT IN ('open', 'answered') AND r.search LIKE p_pattern$$;
REVOKE ALL ON FUNCTION search_ended_requests(text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_ended_requests(text,text) TO intray_app, intray_engine;

CREATE FUNCTION search_ended_tasks(p_state text, p_pattern text) RETURNS SETOF uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.id FROM search_ended_tasks(p_pattern) AS found (id) JOIN task t ON t.organization_id = current_organization()
    AND t.id = found.id WHERE t.state = p_state$$;
REVOKE ALL ON FUNCTION search_ended_tasks(text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_ended_tasks(text,text) TO intray_app, intray_engine;

-- Appends lines `{type, actor, task, request, data}`, each as append_event() would, in their order: the head is locked,
-- moved and read once, however many there are. They have one time. Call it last in a transaction, as append_event().
-- Engines of earlier versions use that one, and the chain is one.
CREATE FUNCTION append_events(p_lines jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  head event_head%ROWTYPE;
  lines_at timestamptz(3);
  digests bytea[];
  payloads bytea[];
  hashes bytea[];
  last bytea;
  line_digest bytea;
BEGIN
  IF jsonb_array_length(p_lines) = 0 THEN RETURN; END IF;
  SELECT * INTO head FROM event_head WHERE organization_id = current_organization() FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO event_head (organization_id, seq, hash) VALUES (current_organization(), 0, '\x') ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT head FROM event_head WHERE organization_id = current_organization() FOR UPDATE;
  END IF;
  lines_at := clock_timestamp();
  SELECT array_agg(payload ORDER BY place), array_agg(sha256(convert_to(event_line(head.seq + place, lines_at,
      line->>'type', line->'actor', (line->>'task')::uuid, (line->>'request')::uuid, payload, NULL), 'UTF8')) ORDER BY place)
    INTO payloads, digests
    FROM jsonb_array_elements(p_lines) WITH ORDINALITY AS given (line, place),
      LATERAL (SELECT sha256(convert_to((line->'data')::text, 'UTF8')) AS payload OFFSET 0) digested;
  last := head.hash;
  FOREACH line_digest IN ARRAY digests LOOP
    last := sha256(last || line_digest);
    hashes := hashes || last;
  END LOOP;
  INSERT INTO event (organization_id, seq, at, type, actor, task_id, input_request_id, data, payload_digest, digest, hash)
    SELECT head.organization_id, head.seq + place, lines_at, line->>'type', line->'actor', (line->>'task')::uuid,
      (line->>'request')::uuid, line->'data', payloads[place], digests[place], hashes[place]
    FROM jsonb_array_elements(p_lines) WITH ORDINALITY AS given (line, place);
  UPDATE event_head SET seq = head.seq + array_length(digests, 1), hash = last
    WHERE organization_id = head.organization_id;
END $$;
REVOKE ALL ON FUNCTION append_events(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_events(jsonb) TO intray_app, intray_engine;

CREATE FUNCTION keep_task_text() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE text_now text := task_search(NEW.tool, NEW.label, NEW.status_message, NEW.arguments);
BEGIN
  IF NEW.finished_at IS NULL THEN
    INSERT INTO open_task_text VALUES (NEW.organization_id, NEW.id, text_now)
      ON CONFLICT (organization_id, task_id) DO UPDATE SET search = excluded.search;
  ELSE
    DELETE FROM open_task_text WHERE organization_id = NEW.organization_id AND task_id = NEW.id;
    INSERT INTO ended_task_text VALUES (NEW.organization_id, NEW.id, text_now)
      ON CONFLICT (organization_id, task_id) DO UPDATE SET search = excluded.search;
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION keep_task_text() FROM PUBLIC;

CREATE FUNCTION keep_request_text() RETURNS trigger
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
REVOKE ALL ON FUNCTION keep_request_text() FROM PUBLIC;

CREATE FUNCTION search_ended_tasks(p_pattern text) RETURNS SETOF uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT x.task_id FROM ended_task_text x WHERE x.organization_id = current_organization() AND x.search LIKE p_pattern$$;
REVOKE ALL ON FUNCTION search_ended_tasks(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_ended_tasks(text) TO intray_app, intray_engine;

CREATE FUNCTION search_ended_requests(p_pattern text) RETURNS SETOF uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.id FROM input_request r WHERE r.organization_id = current_organization()
    AND r.state NOT IN ('open', 'answered') AND r.search LIKE p_pattern$$;
REVOKE ALL ON FUNCTION search_ended_requests(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_ended_requests(text) TO intray_app, intray_engine;

CREATE FUNCTION gate.password_link_in_force(p_token_hash bytea) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM password_link
    WHERE token_hash = p_token_hash AND used_at IS NULL AND expires_at > now()) $$;
REVOKE ALL ON FUNCTION gate.password_link_in_force(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.password_link_in_force(bytea) TO intray_app;

-- Has a session look as this member for a while. Who may begin that is judged before; gate.session judges again each time.
CREATE FUNCTION gate.begin_view(p_session uuid, p_membership uuid, p_ms bigint) RETURNS timestamptz
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE session SET viewed_membership = p_membership, viewing_until = now() + p_ms * interval '1 ms'
    WHERE id = p_session AND revoked_at IS NULL RETURNING viewing_until $$;
REVOKE ALL ON FUNCTION gate.begin_view(uuid,uuid,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.begin_view(uuid,uuid,bigint) TO intray_app;

-- False: it was over already, or is a view in another organization, which goes on there.
CREATE FUNCTION gate.end_view(p_session uuid, p_organization uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE session SET viewed_membership = NULL, viewing_until = NULL
    WHERE id = p_session AND viewing_until > now()
      AND viewed_membership IN (SELECT m.id FROM membership m WHERE m.organization_id = p_organization);
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION gate.end_view(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.end_view(uuid,uuid) TO intray_app;

CREATE FUNCTION gate.organizations_with_acknowledgements() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT a.organization_id FROM acknowledgement a $$;
REVOKE ALL ON FUNCTION gate.organizations_with_acknowledgements() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_acknowledgements() TO intray_engine;

-- Returns the person behind a session secret and the membership in force, or no row. Sessions that their organization does not
-- let in are not returned.
CREATE FUNCTION gate.session(p_secret_hash bytea, p_idle_ms bigint, p_touch boolean)
  RETURNS TABLE (session_id uuid, user_id uuid, email text, name text, organization_id uuid, slug text,
    organization_name text, role text, viewed_user_id uuid, viewed_name text, viewed_role text, viewing_until timestamptz,
    viewing_left_ms double precision)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  opened session%ROWTYPE;
  place uuid;
BEGIN
  SELECT * INTO opened FROM gate.session_in_force(p_secret_hash, p_idle_ms);
  IF opened.id IS NULL THEN RETURN; END IF;
  place := gate.place_of(opened);
  IF EXISTS (SELECT FROM membership m WHERE m.organization_id = place AND m.user_id = opened.user_id
      AND gate.sign_in_refusal(opened, place, m.role) IS NOT NULL) THEN RETURN; END IF;
  IF p_touch AND opened.last_seen_at < now() - interval '1 minute' THEN
    UPDATE session SET last_seen_at = now() WHERE secret_hash = p_secret_hash;
  END IF;
  RETURN QUERY SELECT opened.id, u.id, u.email, u.name, o.id, o.slug, o.name, m.role,
      viewed.id, viewed.name, v.role, CASE WHEN viewed.id IS NOT NULL THEN opened.viewing_until END,
      CASE WHEN viewed.id IS NOT NULL THEN (extract(epoch FROM opened.viewing_until - now()) * 1000)::float8 END FROM "user" u
    JOIN membership m ON m.user_id = u.id JOIN organization o ON o.id = m.organization_id
    LEFT JOIN membership v ON v.organization_id = o.id AND v.id = opened.viewed_membership
      AND opened.viewing_until > now() AND v.user_id <> u.id
      AND (m.role = 'owner' OR (m.role = 'admin' AND v.role <> 'owner'))
    LEFT JOIN "user" viewed ON viewed.id = v.user_id
    WHERE u.id = opened.user_id AND o.id = place;
END $$;
REVOKE ALL ON FUNCTION gate.session(bytea,bigint,boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.session(bytea,bigint,boolean) TO intray_app;

-- Counts a code as wrong before it is looked at, so that many at once are no more than one after the other;
-- gate.use_code takes that back for a right one. False: it has to wait.
CREATE FUNCTION gate.try_app_code(p_user uuid, p_free integer, p_first_ms bigint, p_most_ms bigint) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE second_factor SET wrong_codes = wrong_codes + 1, tried_at = now()
    WHERE user_id = p_user AND confirmed_at IS NOT NULL AND (wrong_codes < p_free OR tried_at <= now()
      - least(p_first_ms * 2 ^ least(wrong_codes - p_free, 30), p_most_ms) * interval '1 ms');
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION gate.try_app_code(uuid,integer,bigint,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.try_app_code(uuid,integer,bigint,bigint) TO intray_app;

CREATE FUNCTION drop_private_payloads(p_tasks uuid[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS '
  UPDATE event SET data = NULL FROM task t WHERE t.organization_id = current_organization() AND t.id = ANY (p_tasks)
    AND t.visibility = ''private'' AND event.organization_id = t.organization_id AND event.task_id = t.id
    AND event.data IS NOT NULL AND event.payload_digest IS NOT NULL';
REVOKE ALL ON FUNCTION drop_private_payloads(uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_private_payloads(uuid[]) TO intray_engine;

-- Gives an account that nobody has proved to the person who has proved its address. Every way in of the person before is gone:
-- passwords, identities, API keys, agents. `p_by`: invitation, operator or provider; null: nobody has proved it, and one unproven
-- person follows another. Memberships stay, since organizations or the operator gave them to this address. Those given by a
-- provider's group go with the identity, except a last owner's. Returns false if it is proven already.
CREATE FUNCTION gate.replace_account(p_user uuid, p_name text, p_password_hash text, p_by text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  before text := coalesce(current_setting('app.organization_id', true), '');
  account "user"%ROWTYPE;
  place record;
  places jsonb := '[]';
  ended record;
  stays boolean;
BEGIN
  SELECT * INTO account FROM "user" WHERE id = p_user FOR UPDATE;
  IF account.id IS NULL OR account.proven_at IS NOT NULL THEN RETURN false; END IF;
  -- First of all: whoever makes a key or a passkey holds their session meanwhile (gate.hold_session).
  UPDATE session SET revoked_at = now() WHERE user_id = p_user AND revoked_at IS NULL;
  UPDATE api_key SET revoked_at = now() WHERE created_by = p_user AND revoked_at IS NULL;
  UPDATE agent_credential SET revoked_at = now() WHERE coalesce(user_id, created_by) = p_user AND revoked_at IS NULL;
  UPDATE "user" SET password_hash = p_password_hash, name = coalesce(p_name, name),
    proven_at = CASE WHEN p_by IS NOT NULL THEN now() END, credentials_epoch = credentials_epoch + 1 WHERE id = p_user;
  DELETE FROM passkey WHERE user_id = p_user;
  DELETE FROM passkey_challenge WHERE user_id = p_user;
  DELETE FROM second_factor WHERE user_id = p_user;
  DELETE FROM identity WHERE user_id = p_user;
  DELETE FROM pending_sign_in WHERE user_id = p_user;
  UPDATE password_link SET used_at = now() WHERE user_id = p_user AND used_at IS NULL;
  FOR place IN SELECT m.organization_id, m.id, m.role, m.granted_by FROM membership m WHERE m.user_id = p_user
      ORDER BY m.organization_id LOOP
    PERFORM set_config('app.organization_id', place.organization_id::text, true);
    UPDATE invitation SET revoked_at = now() WHERE organization_id = place.organization_id AND invited_by = p_user
      AND accepted_at IS NULL AND revoked_at IS NULL;
    DELETE FROM oauth_flow WHERE organization_id = place.organization_id AND user_id = p_user;
    FOR ended IN UPDATE oauth_grant g SET state = 'revoked', sealed_tokens = NULL, needed_scope = NULL,
        version = g.version + 1, renews = false, refresh_at = NULL, expires_at = NULL, claimed_until = NULL
        FROM connection c WHERE g.organization_id = place.organization_id AND c.organization_id = g.organization_id
          AND c.id = g.connection_id AND g.state <> 'revoked'
          AND (c.user_id = p_user OR (c.user_id IS NULL AND g.connected_by = p_user))
        RETURNING g.connection_id LOOP
      PERFORM pg_notify('intray_wake', ended.connection_id || ' tokens');
    END LOOP;
    stays := place.granted_by IS NULL OR (place.role = 'owner' AND NOT EXISTS (SELECT FROM membership m
      WHERE m.organization_id = place.organization_id AND m.role = 'owner' AND m.user_id <> p_user));
    IF stays THEN
      UPDATE membership SET inherited = true WHERE organization_id = place.organization_id AND id = place.id;
    ELSE
      UPDATE input_request SET assignee_user_id = NULL, assigned_by = NULL, assigned_at = NULL, assignment_note = NULL
        WHERE organization_id = place.organization_id AND assignee_user_id = p_user AND state = 'open';
      DELETE FROM claim WHERE organization_id = place.organization_id AND user_id = p_user;
      DELETE FROM acknowledgement WHERE organization_id = place.organization_id AND user_id = p_user;
      DELETE FROM membership WHERE organization_id = place.organization_id AND id = place.id;
    END IF;
    -- Their streams end.
    PERFORM pg_notify('intray_change', json_build_object('o', place.organization_id,
      'c', json_build_array(json_build_array('member', place.id)))::text);
    places := places || jsonb_build_array(jsonb_build_object('o', place.organization_id, 'role', place.role, 'stays', stays));
  END LOOP;
  -- The heads of the histories last, in one order for everybody.
  FOR place IN SELECT (p ->> 'o')::uuid AS o, p ->> 'role' AS role, (p ->> 'stays')::boolean AS stays
      FROM jsonb_array_elements(places) WITH ORDINALITY AS each (p, nth) ORDER BY nth LOOP
    PERFORM set_config('app.organization_id', place.o::text, true);
    PERFORM append_event('account.replaced', '{"kind": "system", "id": null, "name": "Intray"}'::jsonb, NULL, NULL,
      jsonb_build_object('userId', p_user, 'name', account.name, 'email', account.email, 'by', p_by));
    IF NOT place.stays THEN
      PERFORM append_event('member.removed', '{"kind": "system", "id": null, "name": "Intray"}'::jsonb, NULL, NULL,
        jsonb_build_object('userId', p_user, 'name', account.name, 'role', place.role));
    END IF;
  END LOOP;
  PERFORM set_config('app.organization_id', before, true);
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.replace_account(uuid,text,text,text) FROM PUBLIC;

-- Returns the invitation behind a link while it is in force; those of directories do not count. Reads no account, so it takes as
-- long with one as without.
CREATE FUNCTION gate.open_invitation(p_token_hash bytea)
  RETURNS TABLE (organization_id uuid, organization_name text, id uuid, email text, role text, inviter text, mailed boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id, o.name, i.id, i.email, i.role, inviter.name, i.mailed
    FROM invitation i JOIN organization o ON o.id = i.organization_id LEFT JOIN "user" inviter ON inviter.id = i.invited_by
    WHERE i.token_hash = p_token_hash AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()
      AND (i.by_directory OR inviter_may(i.organization_id, i.invited_by, i.role)) AND (NOT o.demo OR NOT gate.setup_done()) $$;
REVOKE ALL ON FUNCTION gate.open_invitation(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.open_invitation(bytea) TO intray_app;

-- Creates the account of an invited person, for the invitation's address alone. A mailed link proves the address and replaces an
-- account that nobody has proved. A shown link does so too if that account belongs to no organization; a suspended membership
-- counts as belonging. Returns null if the invitation is not in force, or the account is another person's as far as we know.
CREATE FUNCTION gate.join_with_account(p_token_hash bytea, p_user uuid, p_name text, p_password_hash text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  invited record;
  account "user"%ROWTYPE;
BEGIN
  SELECT * INTO invited FROM gate.open_invitation(p_token_hash);
  IF NOT FOUND THEN RETURN NULL; END IF;
  INSERT INTO "user" (id, email, name, password_hash, proven_at)
    VALUES (p_user, invited.email, p_name, p_password_hash, CASE WHEN invited.mailed THEN now() END)
    ON CONFLICT (email) DO NOTHING;
  IF FOUND THEN RETURN p_user; END IF;
  SELECT * INTO account FROM "user" u WHERE u.email = invited.email FOR UPDATE;
  IF account.id IS NULL OR account.proven_at IS NOT NULL THEN RETURN NULL; END IF;
  IF NOT invited.mailed AND (EXISTS (SELECT FROM membership m WHERE m.user_id = account.id)
    OR EXISTS (SELECT FROM suspended_member s WHERE s.user_id = account.id)) THEN RETURN NULL; END IF;
  PERFORM gate.replace_account(account.id, p_name, p_password_hash, CASE WHEN invited.mailed THEN 'invitation' END);
  RETURN account.id;
END $$;
REVOKE ALL ON FUNCTION gate.join_with_account(bytea,uuid,text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.join_with_account(bytea,uuid,text,text) TO intray_app;

CREATE FUNCTION gate.may_join(p_user uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE account "user"%ROWTYPE;
BEGIN
  SELECT * INTO account FROM "user" u WHERE u.id = p_user FOR NO KEY UPDATE;
  RETURN account.proven_at IS NOT NULL OR (account.id IS NOT NULL AND account.password_hash IS NULL
    AND NOT EXISTS (SELECT FROM passkey p WHERE p.user_id = p_user)
    AND NOT EXISTS (SELECT FROM membership m WHERE m.user_id = p_user)
    AND NOT EXISTS (SELECT FROM suspended_member s WHERE s.user_id = p_user));
END $$;
REVOKE ALL ON FUNCTION gate.may_join(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.may_join(uuid) TO intray_app;

-- Behind that, for processes of earlier versions too: people and the operator attach no unproven account to a second organization.
CREATE FUNCTION refuse_unproven_elsewhere() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "user" u WHERE u.id = NEW.user_id AND u.proven_at IS NULL) AND EXISTS (SELECT FROM membership m
      WHERE m.user_id = NEW.user_id AND m.organization_id <> NEW.organization_id) THEN
    RAISE EXCEPTION 'nobody has proved the address of this account, which belongs to another organization'
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION refuse_unproven_elsewhere() FROM PUBLIC;

-- What a sign-in has to know of the account of an address.
CREATE FUNCTION gate.account_by_email(p_email text)
  RETURNS TABLE (user_id uuid, password_hash text, proven boolean, epoch integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT u.id, u.password_hash, u.proven_at IS NOT NULL, u.credentials_epoch FROM "user" u
    WHERE u.email = lower(p_email) $$;
REVOKE ALL ON FUNCTION gate.account_by_email(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.account_by_email(text) TO intray_app;

CREATE FUNCTION gate.credentials_epoch(p_user uuid) RETURNS integer
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT u.credentials_epoch FROM "user" u WHERE u.id = p_user $$;
REVOKE ALL ON FUNCTION gate.credentials_epoch(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.credentials_epoch(uuid) TO intray_app;

-- Keeps a session from ending before the transaction does, which makes another way in. False: it has ended.
CREATE FUNCTION gate.hold_session(p_session uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM session s WHERE s.id = p_session AND s.revoked_at IS NULL FOR SHARE;
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION gate.hold_session(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.hold_session(uuid) TO intray_app;

-- The same for what changes an account, behind the web's own refusal and for processes of earlier versions.
CREATE FUNCTION gate.add_passkey(p_user uuid, p_name text, p_credential text, p_public_key bytea,
    p_counter bigint, p_session uuid) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT gate.hold_session(p_session) OR gate.only_organization(p_session) IS NOT NULL THEN RETURN NULL; END IF;
  RETURN gate.add_passkey(p_user, p_name, p_credential, p_public_key, p_counter);
END $$;
REVOKE ALL ON FUNCTION gate.add_passkey(uuid,text,text,bytea,bigint,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.add_passkey(uuid,text,text,bytea,bigint,uuid) TO intray_app;

-- Whose the identity is from now on; of two at once, one decides for both.
CREATE FUNCTION gate.keep_identity(p_user uuid, p_issuer text, p_subject text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE whose uuid;
BEGIN
  INSERT INTO identity (user_id, issuer, subject) VALUES (p_user, p_issuer, p_subject) ON CONFLICT DO NOTHING;
  SELECT user_id INTO STRICT whose FROM identity WHERE issuer = p_issuer AND subject = p_subject;
  RETURN whose;
END $$;
REVOKE ALL ON FUNCTION gate.keep_identity(uuid,text,text) FROM PUBLIC;

-- A provider that is trusted for the address has proved it: the account is its person's. Null: it is proven already.
CREATE FUNCTION gate.replace_by_identity(p_user uuid, p_name text, p_issuer text, p_subject text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT gate.replace_account(p_user, p_name, NULL, 'provider') THEN RETURN NULL; END IF;
  RETURN gate.keep_identity(p_user, p_issuer, p_subject);
END $$;
REVOKE ALL ON FUNCTION gate.replace_by_identity(uuid,text,text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.replace_by_identity(uuid,text,text,text) TO intray_app;

-- The same for an account that this very identity has made: it has no other person.
CREATE FUNCTION gate.prove_by_identity(p_user uuid, p_email text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE "user" SET proven_at = now() WHERE id = p_user AND email = lower(p_email) AND proven_at IS NULL $$;
REVOKE ALL ON FUNCTION gate.prove_by_identity(uuid,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.prove_by_identity(uuid,text) TO intray_app;

CREATE FUNCTION gate.create_account(p_user uuid, p_email text, p_name text, p_issuer text, p_subject text, p_proven boolean)
  RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE whose uuid;
BEGIN
  INSERT INTO "user" (id, email, name, proven_at)
    VALUES (p_user, lower(p_email), p_name, CASE WHEN p_proven THEN now() END) ON CONFLICT (email) DO NOTHING;
  IF FOUND THEN RETURN gate.keep_identity(p_user, p_issuer, p_subject); END IF;
  SELECT user_id INTO whose FROM identity WHERE issuer = p_issuer AND subject = p_subject;
  RETURN whose;
END $$;
REVOKE ALL ON FUNCTION gate.create_account(uuid,text,text,text,text,boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.create_account(uuid,text,text,text,text,boolean) TO intray_app;

-- Accounts that a shown link has made, in the very transaction that took the invitation, and that are in several
-- organizations: what the operator may want to look at after an upgrade, which took all accounts as proven.
CREATE FUNCTION gate.accounts_made_by_link() RETURNS TABLE (email text, organizations text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT u.email, string_agg(o.slug, ', ' ORDER BY m.created_at, o.slug) FROM "user" u
    JOIN membership m ON m.user_id = u.id JOIN organization o ON o.id = m.organization_id
    WHERE EXISTS (SELECT FROM invitation i WHERE i.email = u.email AND i.accepted_at = u.created_at AND NOT i.mailed)
    GROUP BY u.id HAVING count(*) > 1 ORDER BY u.email $$;
REVOKE ALL ON FUNCTION gate.accounts_made_by_link() FROM PUBLIC;

-- Unused codes of both kinds.
CREATE FUNCTION gate.recovery_codes_left(p_user uuid) RETURNS integer
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT ((SELECT count(*) FROM slow_recovery_code WHERE user_id = p_user AND used_at IS NULL)
    + (SELECT count(*) FROM recovery_code WHERE user_id = p_user AND used_at IS NULL))::integer $$;
REVOKE ALL ON FUNCTION gate.recovery_codes_left(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.recovery_codes_left(uuid) TO intray_app;

-- Returns a person's second factor and recovery codes, with the number of unused codes that have a fast hash.
CREATE FUNCTION gate.second_factor_state(p_user uuid)
  RETURNS TABLE (sealed_secret text, confirmed boolean, codes_left integer, codes_dated integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT f.sealed_secret, f.confirmed_at IS NOT NULL, gate.recovery_codes_left(f.user_id),
      (SELECT count(*)::integer FROM recovery_code r WHERE r.user_id = f.user_id AND r.used_at IS NULL)
    FROM second_factor f WHERE f.user_id = p_user $$;
REVOKE ALL ON FUNCTION gate.second_factor_state(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.second_factor_state(uuid) TO intray_app;

CREATE FUNCTION gate.recovery_hash(p_user uuid, p_selector text) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT r.slow_hash FROM slow_recovery_code r
    WHERE r.user_id = p_user AND r.selector = p_selector AND r.used_at IS NULL $$;
REVOKE ALL ON FUNCTION gate.recovery_hash(uuid,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.recovery_hash(uuid,text) TO intray_app;

-- Uses up the code that was compared with this hash. False: it was used, or replaced, meanwhile.
CREATE FUNCTION gate.use_recovery_code(p_user uuid, p_selector text, p_slow_hash text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE slow_recovery_code SET used_at = now()
    WHERE user_id = p_user AND selector = p_selector AND slow_hash = p_slow_hash AND used_at IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM gate.account_event(p_user, 'account.recovery_code_used',
    jsonb_build_object('left', gate.recovery_codes_left(p_user)));
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.use_recovery_code(uuid,text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.use_recovery_code(uuid,text,text) TO intray_app;

-- Puts a second factor in force with the first code of the app, and keeps the recovery codes under slow hashes. Returns false if
-- it is no longer the one that was started.
CREATE FUNCTION gate.confirm_second_factor(p_user uuid, p_sealed_secret text, p_step bigint, p_selectors text[],
    p_slow_hashes text[]) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE second_factor SET confirmed_at = now(), last_step = p_step
    WHERE user_id = p_user AND confirmed_at IS NULL AND sealed_secret = p_sealed_secret;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO slow_recovery_code (user_id, selector, slow_hash) SELECT p_user, * FROM unnest(p_selectors, p_slow_hashes);
  PERFORM gate.account_event(p_user, 'account.second_factor_added', '{}');
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.confirm_second_factor(uuid,text,bigint,text[],text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.confirm_second_factor(uuid,text,bigint,text[],text[]) TO intray_app;

CREATE FUNCTION gate.replace_recovery_codes(p_user uuid, p_selectors text[], p_slow_hashes text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM second_factor WHERE user_id = p_user FOR UPDATE;
  DELETE FROM recovery_code WHERE user_id = p_user;
  DELETE FROM slow_recovery_code WHERE user_id = p_user;
  INSERT INTO slow_recovery_code (user_id, selector, slow_hash) SELECT p_user, * FROM unnest(p_selectors, p_slow_hashes);
  PERFORM gate.account_event(p_user, 'account.recovery_codes_replaced', '{}');
END $$;
REVOKE ALL ON FUNCTION gate.replace_recovery_codes(uuid,text[],text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.replace_recovery_codes(uuid,text[],text[]) TO intray_app;

-- Locks a row of tries until the end of the transaction, making it if there is none, and keeps its place small.
CREATE FUNCTION gate.lock_tries(p_key bytea) RETURNS sign_in_try
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE found_row sign_in_try;
BEGIN
  INSERT INTO sign_in_try AS t (key) VALUES (p_key) ON CONFLICT (key) DO UPDATE SET wrong = t.wrong
    RETURNING * INTO found_row;
  DELETE FROM sign_in_try WHERE key IN (SELECT key FROM sign_in_try
    WHERE place = found_row.place AND key <> p_key ORDER BY tried_at DESC OFFSET 15 FOR UPDATE SKIP LOCKED);
  RETURN found_row;
END $$;
REVOKE ALL ON FUNCTION gate.lock_tries(bytea) FROM PUBLIC;

-- Counts a try to sign in as wrong before it is looked at, so that many at once are no more than one after the other;
-- gate.was_right takes that back. wait_ms > 0: it has to wait, and nothing was counted. `known`: the account has signed
-- in from this network or browser before, so that neither the account's nor the network's allowance is asked.
CREATE FUNCTION gate.begin_try(p_email text, p_account bytea, p_network bytea, p_network_name text, p_browser text,
    p_free integer, p_first_ms bigint, p_most_ms bigint, p_most_known_ms bigint,
    p_account_tries integer, p_account_every_ms bigint, p_network_tries integer, p_network_every_ms bigint)
  RETURNS TABLE (wait_ms bigint, pair bytea, known boolean, user_id uuid)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  whose uuid;
  known_browser boolean;
  known_network boolean;
  moment timestamptz;
  of_network sign_in_try;
  of_account sign_in_try;
  of_pair sign_in_try;
  next_at timestamptz;
BEGIN
  SELECT u.id INTO whose FROM "user" u WHERE u.email = p_email;
  known_browser := EXISTS (SELECT FROM known_place k
    WHERE k.user_id = whose AND k.kind = 'browser' AND k.name = p_browser);
  known_network := EXISTS (SELECT FROM known_place k
    WHERE k.user_id = whose AND k.kind = 'network' AND k.name = p_network_name);
  user_id := whose;
  known := known_browser OR known_network;
  -- A browser of the account's has a row of its own, which nobody else of its network adds to.
  pair := sha256(p_account || CASE WHEN known_browser THEN convert_to(p_browser, 'UTF8') ELSE p_network END);
  -- Rows are locked in one order (network, account, pair), so that two tries never wait for each other.
  IF NOT known THEN
    of_network := gate.lock_tries(p_network);
    of_account := gate.lock_tries(p_account);
  END IF;
  of_pair := gate.lock_tries(pair);
  moment := clock_timestamp();
  next_at := CASE WHEN of_pair.wrong < p_free THEN moment ELSE of_pair.tried_at + least(
    p_first_ms * 2 ^ least(of_pair.wrong - p_free, 30), CASE WHEN known THEN p_most_known_ms ELSE p_most_ms END)
    * interval '1 ms' END;
  IF NOT known THEN
    next_at := greatest(next_at,
      of_account.full_at - (p_account_tries - 1) * p_account_every_ms * interval '1 ms',
      of_network.full_at - (p_network_tries - 1) * p_network_every_ms * interval '1 ms');
  END IF;
  wait_ms := greatest(0, ceil(extract(epoch FROM next_at - moment) * 1000))::bigint;
  IF wait_ms = 0 THEN
    UPDATE sign_in_try SET wrong = wrong + 1, tried_at = moment WHERE key = of_pair.key;
    IF NOT known THEN
      UPDATE sign_in_try SET full_at = greatest(full_at, moment) + p_account_every_ms * interval '1 ms',
        tried_at = moment WHERE key = p_account;
      UPDATE sign_in_try SET full_at = greatest(full_at, moment) + p_network_every_ms * interval '1 ms',
        tried_at = moment WHERE key = p_network;
    END IF;
  END IF;
  RETURN NEXT;
END $$;
REVOKE ALL ON FUNCTION gate.begin_try(text,bytea,bytea,text,text,integer,bigint,bigint,bigint,integer,bigint,integer,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.begin_try(text,bytea,bytea,text,text,integer,bigint,bigint,bigint,integer,bigint,integer,bigint) TO intray_app;

-- Takes a try back that was right: the pair begins anew, and account and network get back what it took.
CREATE FUNCTION gate.was_right(p_pair bytea, p_known boolean, p_account bytea, p_account_every_ms bigint,
    p_network bytea, p_network_every_ms bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT p_known THEN
    UPDATE sign_in_try SET full_at = full_at - p_network_every_ms * interval '1 ms' WHERE key = p_network;
    UPDATE sign_in_try SET full_at = full_at - p_account_every_ms * interval '1 ms' WHERE key = p_account;
  END IF;
  DELETE FROM sign_in_try WHERE key = p_pair;
END $$;
REVOKE ALL ON FUNCTION gate.was_right(bytea,boolean,bytea,bigint,bytea,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.was_right(bytea,boolean,bytea,bigint,bytea,bigint) TO intray_app;

-- How long a code of the app has to wait after gate.try_app_code refused one, by its numbers.
CREATE FUNCTION gate.app_code_wait(p_user uuid, p_free integer, p_first_ms bigint, p_most_ms bigint) RETURNS bigint
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT coalesce((SELECT ceil(extract(epoch FROM f.tried_at
      + least(p_first_ms * 2 ^ least(f.wrong_codes - p_free, 30), p_most_ms) * interval '1 ms' - now()) * 1000)::bigint
    FROM second_factor f WHERE f.user_id = p_user AND f.wrong_codes >= p_free), 0) $$;
REVOKE ALL ON FUNCTION gate.app_code_wait(uuid,integer,bigint,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.app_code_wait(uuid,integer,bigint,bigint) TO intray_app;

-- A line in the history of one organization, in the name of a member of it. Call it last, as append_event.
CREATE FUNCTION gate.session_event(p_user uuid, p_organization uuid, p_type text, p_data jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE before text := coalesce(current_setting('app.organization_id', true), '');
BEGIN
  PERFORM set_config('app.organization_id', p_organization::text, true);
  PERFORM append_event(p_type, jsonb_build_object('kind', 'member', 'id', u.id, 'name', u.name), NULL, NULL, p_data)
    FROM "user" u JOIN membership m ON m.user_id = u.id AND m.organization_id = p_organization WHERE u.id = p_user;
  PERFORM set_config('app.organization_id', before, true);
END $$;
REVOKE ALL ON FUNCTION gate.session_event(uuid,uuid,text,jsonb) FROM PUBLIC;

-- The organization that a session of the person's works in, as gate.session chooses it; null: none.
CREATE FUNCTION gate.place_of_session(p_user uuid, p_chosen uuid) RETURNS uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id FROM membership m JOIN organization o ON o.id = m.organization_id
    WHERE m.user_id = p_user AND (NOT o.demo OR NOT gate.setup_done())
    ORDER BY (o.id = p_chosen) IS TRUE DESC, m.inherited, m.created_at, o.id LIMIT 1 $$;
REVOKE ALL ON FUNCTION gate.place_of_session(uuid,uuid) FROM PUBLIC;

-- Notes that sessions ended in the account's history, and in those of the organizations that they worked in.
CREATE FUNCTION gate.sessions_ended(p_user uuid, p_chosen uuid[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE place record;
BEGIN
  PERFORM gate.account_event(p_user, 'session.ended', jsonb_build_object('count', cardinality(p_chosen)));
  -- In one order for everybody, so that two who write to the same heads never wait for each other.
  FOR place IN SELECT worked.id, count(*) AS ended FROM unnest(p_chosen) AS chosen,
      gate.place_of_session(p_user, chosen) AS worked (id) WHERE worked.id IS NOT NULL GROUP BY 1 ORDER BY 1 LOOP
    PERFORM gate.session_event(p_user, place.id, 'session.ended', jsonb_build_object('count', place.ended));
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION gate.sessions_ended(uuid,uuid[]) FROM PUBLIC;

-- For web processes of earlier versions.
CREATE FUNCTION gate.open_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text, p_network text, p_browser text, p_epoch integer) RETURNS uuid
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT gate.open_session(p_secret_hash, p_user, p_lifetime_ms, p_method, p_user_agent, p_address, p_network,
    p_browser, p_epoch, NULL) $$;
REVOKE ALL ON FUNCTION gate.open_session(bytea,uuid,bigint,text,text,text,text,text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.open_session(bytea,uuid,bigint,text,text,text,text,text,integer) TO intray_app;

-- Networks and browsers of the person before are new to the person that the account is given to.
CREATE FUNCTION forget_places() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM known_place WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION forget_places() FROM PUBLIC;

-- What happened to the account lately, newest first.
CREATE FUNCTION gate.account_events(p_user uuid, p_most integer)
  RETURNS TABLE (id uuid, type text, data jsonb, times integer, at timestamptz, last_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT e.id, e.type, e.data, e.times, e.at, e.last_at FROM account_event e WHERE e.user_id = p_user
    ORDER BY e.at DESC, e.id LIMIT p_most $$;
REVOKE ALL ON FUNCTION gate.account_events(uuid,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.account_events(uuid,integer) TO intray_app;

-- At most five rows of a cause, and so five mails, in a day for one account; those after them are counted on the fifth.
CREATE FUNCTION gate.tell_person(p_user uuid, p_cause text, p_data jsonb) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE newest uuid[];
BEGIN
  -- By turns, so that two at once are not six.
  PERFORM pg_advisory_xact_lock(hashtextextended('account_notice ' || p_user::text, 0));
  SELECT array_agg(n.id ORDER BY n.created_at DESC) INTO newest FROM account_notice n
    WHERE n.user_id = p_user AND n.cause = p_cause AND n.created_at > now() - interval '1 day';
  IF cardinality(newest) >= 5 THEN
    UPDATE account_notice SET more = more + 1, read_at = NULL WHERE id = newest[1];
  ELSE
    INSERT INTO account_notice (user_id, cause, data, address)
      SELECT u.id, p_cause, p_data, u.email FROM "user" u WHERE u.id = p_user;
  END IF;
END $$;
REVOKE ALL ON FUNCTION gate.tell_person(uuid,text,jsonb) FROM PUBLIC;

-- Lists what the person is told of the account: a few hundred at most, five of a cause in a day, for 90 days, 200 shown.
-- can_read: the session was opened after it. Notices and the fact that they were read belong to the account's person.
CREATE FUNCTION gate.account_notices(p_user uuid, p_session uuid) RETURNS TABLE (id uuid, cause text, data jsonb,
    more integer, created_at timestamptz, read_at timestamptz, can_read boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT n.id, n.cause, n.data, n.more, n.created_at, n.read_at, EXISTS (SELECT FROM session s
      WHERE s.id = p_session AND s.user_id = p_user AND s.created_at > n.created_at)
    FROM account_notice n WHERE n.user_id = p_user AND gate.only_organization(p_session) IS NULL
    ORDER BY n.created_at DESC LIMIT 200 $$;
REVOKE ALL ON FUNCTION gate.account_notices(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.account_notices(uuid,uuid) TO intray_app;

-- Marks one as read, for a session that was opened after it: a session that did the thing, or was there, can't hide it.
-- Null: there is none. False: it stays unread.
CREATE FUNCTION gate.read_own_account_notice(p_user uuid, p_notice uuid, p_session uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM account_notice n WHERE n.user_id = p_user AND n.id = p_notice) THEN RETURN NULL; END IF;
  UPDATE account_notice n SET read_at = coalesce(n.read_at, now()) FROM session s WHERE n.user_id = p_user
    AND n.id = p_notice AND s.id = p_session AND s.user_id = p_user AND s.created_at > n.created_at;
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION gate.read_own_account_notice(uuid,uuid,uuid) FROM PUBLIC;

CREATE FUNCTION gate.read_account_notice(p_user uuid, p_notice uuid, p_session uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF gate.only_organization(p_session) IS NOT NULL THEN RETURN NULL; END IF;
  RETURN gate.read_own_account_notice(p_user, p_notice, p_session);
END $$;
REVOKE ALL ON FUNCTION gate.read_account_notice(uuid,uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.read_account_notice(uuid,uuid,uuid) TO intray_app;

-- People whose mail is due; none is sent that is older than a day.
CREATE FUNCTION gate.people_with_mail() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT n.user_id FROM account_notice n WHERE n.mail_state = 'waiting' AND n.not_before <= now()
    AND n.created_at > now() - interval '1 day' $$;
REVOKE ALL ON FUNCTION gate.people_with_mail() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.people_with_mail() TO intray_engine;

-- Claims one mail of a person's for a while. Another engine may send it again when the claim is over.
CREATE FUNCTION gate.take_account_mail(p_user uuid, p_claim_ms bigint) RETURNS TABLE (id uuid, attempt integer,
    name text, address text, cause text, data jsonb, is_last boolean, created_at timestamptz)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ WITH taken AS (UPDATE account_notice n SET attempts = n.attempts + 1,
      not_before = now() + p_claim_ms * interval '1 ms' WHERE n.id = (SELECT due.id FROM account_notice due
        WHERE due.user_id = p_user AND due.mail_state = 'waiting' AND due.not_before <= now()
          AND due.created_at > now() - interval '1 day' ORDER BY due.created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING n.*)
    SELECT t.id, t.attempts, u.name, t.address, t.cause, t.data, (SELECT count(*) >= 5 FROM account_notice o
      WHERE o.user_id = t.user_id AND o.cause = t.cause AND o.created_at <= t.created_at
        AND o.created_at > t.created_at - interval '1 day'), t.created_at
    FROM taken t JOIN "user" u ON u.id = t.user_id $$;
REVOKE ALL ON FUNCTION gate.take_account_mail(uuid,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.take_account_mail(uuid,bigint) TO intray_engine;

-- Ends an attempt: `sent`, `failed` for good, or `waiting` for p_wait_ms more.
CREATE FUNCTION gate.end_account_mail(p_notice uuid, p_attempt integer, p_state text, p_error text, p_wait_ms bigint)
  RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE account_notice SET mail_state = p_state, mail_error = p_error,
      not_before = now() + p_wait_ms * interval '1 ms'
    WHERE id = p_notice AND attempts = p_attempt AND mail_state = 'waiting' $$;
REVOKE ALL ON FUNCTION gate.end_account_mail(uuid,integer,text,text,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.end_account_mail(uuid,integer,text,text,bigint) TO intray_engine;

-- Forgets what was told 90 days ago.
CREATE FUNCTION gate.sweep_account_notices() RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE gone integer;
BEGIN
  DELETE FROM account_notice WHERE id IN (SELECT id FROM account_notice WHERE created_at < now() - interval '90 days'
    LIMIT 1000 FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;
REVOKE ALL ON FUNCTION gate.sweep_account_notices() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.sweep_account_notices() TO intray_engine;

-- Remembers who invited a new member, whoever writes. The invitation was accepted in the same transaction; without one the
-- operator or a provider created the member. Members created by a provider of the organization's own count with the person who
-- described it last. An inviter who counts as one with the person changes nothing, so there are no circles. Changes of one
-- organization wait for each other.
CREATE FUNCTION gate.remember_maker() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE by_whom uuid; was_invited boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || NEW.organization_id::text, 0));
  SELECT coalesce(i.invited_by, i.organization_id) INTO by_whom FROM invitation i JOIN "user" u ON u.email = i.email
    WHERE u.id = NEW.user_id AND i.organization_id = NEW.organization_id AND i.accepted_at = now()::timestamptz(3);
  was_invited := FOUND;
  IF NOT was_invited AND NEW.granted_by LIKE 'saml:%' THEN
    SELECT coalesce(p.described_by, p.organization_id) INTO by_whom FROM saml_provider p
      WHERE p.organization_id = NEW.organization_id AND 'saml:' || p.id = NEW.granted_by;
    was_invited := true;
    by_whom := CASE WHEN FOUND THEN nullif(by_whom, NEW.user_id) ELSE NEW.organization_id END;
  END IF;
  INSERT INTO maker AS m (organization_id, user_id, invited_by) VALUES (NEW.organization_id, NEW.user_id, by_whom)
    ON CONFLICT (organization_id, user_id) DO UPDATE
      SET invited_by = excluded.invited_by, vouched_by = NULL, vouched_at = NULL
      -- Who described the provider by which they come back stays with whom they were with.
      WHERE NOT was_invited
        OR (excluded.invited_by IS NOT NULL AND NOT same_maker(m.organization_id, m.user_id, excluded.invited_by));
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION gate.remember_maker() FROM PUBLIC;

-- Organizations where a proposal is due.
CREATE FUNCTION gate.organizations_with_due_proposals() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.organization_id FROM four_eyes_proposal p WHERE p.state = 'open' AND p.takes_effect_at <= now() $$;
REVOKE ALL ON FUNCTION gate.organizations_with_due_proposals() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_due_proposals() TO intray_engine;

-- Who comes in by a click, in the demonstration, has nothing to show.
CREATE FUNCTION gate.factor_is_fresh(p_session uuid, p_ms bigint) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM session s WHERE s.id = p_session AND s.revoked_at IS NULL
    AND (s.method = 'demo' OR s.factor_at > now() - p_ms * interval '1 ms')) $$;
REVOKE ALL ON FUNCTION gate.factor_is_fresh(uuid,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.factor_is_fresh(uuid,bigint) TO intray_app;

CREATE FUNCTION gate.give_factor(p_session uuid, p_user uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE session SET factor_at = now() WHERE id = p_session AND user_id = p_user AND revoked_at IS NULL;
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION gate.give_factor(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.give_factor(uuid,uuid) TO intray_app;

CREATE FUNCTION gate.organizations_to_delete() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT o.id FROM organization o WHERE o.deletion_requested_at <= now() - interval '72 hours' AND o.hold_at IS NULL
    AND NOT EXISTS (SELECT FROM task t WHERE t.organization_id = o.id AND t.watched)$$;
REVOKE ALL ON FUNCTION gate.organizations_to_delete() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_to_delete() TO intray_engine;

-- Deletes an organization whose three days are over. The export that an owner made before asking for it still counts.
CREATE FUNCTION gate.delete_due_organization(p_organization uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  own_slug text;
BEGIN
  SELECT o.slug INTO own_slug FROM organization o WHERE o.id = p_organization AND o.hold_at IS NULL
    AND o.deletion_requested_at <= now() - interval '72 hours' FOR UPDATE;
  IF own_slug IS NULL THEN RETURN false; END IF;
  RETURN gate.delete_organization(p_organization, own_slug, 36500::bigint * 86400000) IS NULL;
END $$;
REVOKE ALL ON FUNCTION gate.delete_due_organization(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.delete_due_organization(uuid) TO intray_engine;

-- Deletes payloads of the history older than the organization keeps them, some lines at a time. Under a legal hold nothing is
-- deleted.
CREATE FUNCTION drop_event_payloads(p_after bigint, p_limit integer, p_floor_days integer)
  RETURNS TABLE (reached bigint, dropped integer)
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH next AS MATERIALIZED (
    SELECT seq, at FROM event WHERE organization_id = current_organization() AND seq > p_after ORDER BY seq LIMIT p_limit
  ), young AS (
    SELECT min(seq) AS seq FROM next, organization o WHERE o.id = current_organization() AND (o.hold_at IS NOT NULL
      OR NOT coalesce(next.at < now() - greatest(o.keep_payloads_days, p_floor_days) * interval '1 day'
        AND o.keep_payloads_days IS NOT NULL, false))
  ), old AS (
    SELECT next.seq FROM next, young WHERE young.seq IS NULL OR next.seq < young.seq
  ), gone AS (
    UPDATE event SET data = NULL FROM old WHERE event.organization_id = current_organization() AND event.seq = old.seq
      AND event.data IS NOT NULL AND event.payload_digest IS NOT NULL RETURNING event.seq
  ) SELECT (SELECT max(seq) FROM old), (SELECT count(*) FROM gone)::integer$$;
REVOKE ALL ON FUNCTION drop_event_payloads(bigint,integer,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_event_payloads(bigint,integer,integer) TO intray_engine;

CREATE FUNCTION gate.organizations_without_hold() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT o.id FROM organization o WHERE o.hold_at IS NULL$$;
REVOKE ALL ON FUNCTION gate.organizations_without_hold() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_without_hold() TO intray_engine;

-- For web processes of earlier versions, which know no service accounts and no networks of organizations: a key of an account is
-- not taken there, and any other from the networks that both lists have in common. An empty list would be every network,
-- so that one without anything in common names none.
CREATE FUNCTION gate.find_api_key(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, slug text, organization_name text, id uuid, name text, role text,
    ends_at timestamptz, ended boolean, networks text[], permissions text[], servers uuid[], tools text[], noted boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.organization_id, k.slug, k.organization_name, k.id, k.name, k.role, k.ends_at, k.ended,
    CASE WHEN k.organization_networks = '{}' THEN k.networks WHEN k.networks = '{}' THEN k.organization_networks
      ELSE coalesce((SELECT array_agg(CASE WHEN own::inet <<= theirs::inet THEN own ELSE theirs END)
        FROM unnest(k.networks) own, unnest(k.organization_networks) theirs
        WHERE own::inet <<= theirs::inet OR theirs::inet <<= own::inet), '{none}') END,
    k.permissions, k.servers, k.tools, k.noted
  FROM gate.key_behind(p_secret_hash) k WHERE k.service_account_id IS NULL $$;
REVOKE ALL ON FUNCTION gate.find_api_key(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.find_api_key(bytea) TO intray_app;

-- Writes down when, from where and by what a key was used, once a minute.
CREATE FUNCTION gate.note_key_use(p_organization uuid, p_key uuid, p_network text, p_agent text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE api_key SET last_used_at = date_trunc('minute', now()), last_used_network = p_network, last_used_agent = p_agent
    WHERE organization_id = p_organization AND id = p_key
      AND (last_used_at IS NULL OR last_used_at < date_trunc('minute', now())) $$;
REVOKE ALL ON FUNCTION gate.note_key_use(uuid,uuid,text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.note_key_use(uuid,uuid,text,text) TO intray_app;

CREATE FUNCTION gate.organizations_with_ending_keys() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT k.organization_id FROM api_key k
    WHERE k.revoked_at IS NULL AND k.expires_at <= now() + interval '14 days' AND k.warned_days IS DISTINCT FROM 0
      AND (k.warned_days IS NULL OR k.expires_at <= now() + interval '3 days') $$;
REVOKE ALL ON FUNCTION gate.organizations_with_ending_keys() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_ending_keys() TO intray_engine;

-- Organizations with lines to send, or with lines that no anchor covers after this time.
CREATE FUNCTION gate.organizations_with_audit_streams(p_anchor_ms integer) RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT s.organization_id FROM audit_stream s
    JOIN event_head head ON head.organization_id = s.organization_id
    WHERE s.paused_at IS NULL AND s.not_before <= now() AND (s.claimed_until IS NULL OR s.claimed_until <= now())
      AND (head.seq > s.seq
        OR (s.anchored_seq < s.seq AND s.anchored_at <= now() - p_anchor_ms * interval '1 ms')) $$;
REVOKE ALL ON FUNCTION gate.organizations_with_audit_streams(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_audit_streams(integer) TO intray_engine;

-- Refuses to bring a suspended member back by an invitation or a provider's group, with a state of its own by which callers
-- recognize it. Runs after the insert, so an insert that waited for the suspension to commit sees it.
CREATE FUNCTION refuse_suspended() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM suspended_member s WHERE s.organization_id = NEW.organization_id AND s.user_id = NEW.user_id) THEN
    RAISE EXCEPTION 'the person is suspended in this organization' USING ERRCODE = 'INSUS';
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION refuse_suspended() FROM PUBLIC;

-- Opens a session. A network or browser from which the account never signed in is noted, and returned as new if the account has
-- earlier ones. p_network and p_browser null: unknown. p_epoch: the account's before the sign-in was checked; null: unknown.
-- p_proof: {provider, subject, session, authenticatedAt, acr, amr}, of which the first two are always there. The organization
-- that the session works in is told, and stays chosen if it is not the first, so that a later policy leads nowhere else. Returns
-- null if the account was replaced since.
CREATE FUNCTION gate.open_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text, p_network text, p_browser text, p_epoch integer, p_proof jsonb) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  opened session%ROWTYPE;
  place uuid;
  is_new boolean := false;
  one record;
BEGIN
  -- Waits for a replacement that is under way.
  PERFORM FROM "user" u WHERE u.id = p_user AND u.credentials_epoch = coalesce(p_epoch, u.credentials_epoch) FOR SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  INSERT INTO session (secret_hash, user_id, expires_at, method, user_agent, address, provider, provider_subject,
      provider_session, authenticated_at, acr, amr)
    VALUES (p_secret_hash, p_user, now() + p_lifetime_ms * interval '1 ms', p_method, p_user_agent, p_address,
      p_proof->>'provider', p_proof->>'subject', p_proof->>'session', (p_proof->>'authenticatedAt')::timestamptz,
      p_proof->>'acr', CASE WHEN jsonb_typeof(p_proof->'amr') = 'array'
        THEN ARRAY(SELECT jsonb_array_elements_text(p_proof->'amr')) END)
    RETURNING * INTO opened;
  IF p_method <> 'demo' THEN
    FOR one IN SELECT * FROM (VALUES ('network', p_network), ('browser', p_browser)) AS seen (kind, name)
        WHERE seen.name IS NOT NULL LOOP
      is_new := is_new OR (EXISTS (SELECT FROM known_place k WHERE k.user_id = p_user AND k.kind = one.kind)
        AND NOT EXISTS (SELECT FROM known_place k
          WHERE k.user_id = p_user AND k.kind = one.kind AND k.name = one.name));
      INSERT INTO known_place AS k (user_id, kind, name) VALUES (p_user, one.kind, one.name)
        ON CONFLICT (user_id, kind, name) DO UPDATE SET last_at = now();
      DELETE FROM known_place WHERE user_id = p_user AND kind = one.kind AND name IN (SELECT k.name FROM known_place k
        WHERE k.user_id = p_user AND k.kind = one.kind ORDER BY k.last_at DESC OFFSET 50);
    END LOOP;
  END IF;
  PERFORM gate.account_event(p_user, 'session.opened', jsonb_build_object('method', p_method, 'address', p_address)
    || CASE WHEN is_new THEN jsonb_build_object('new', true, 'browser', p_user_agent) ELSE '{}' END);
  place := gate.place_of(opened);
  IF place IS DISTINCT FROM gate.place_of_session(p_user, NULL) THEN
    UPDATE session SET chosen_organization = place WHERE id = opened.id;
  END IF;
  PERFORM gate.session_event(p_user, place, 'session.opened', jsonb_build_object('method', p_method, 'address', p_address))
    FROM membership m WHERE m.organization_id = place AND m.user_id = p_user
      AND gate.sign_in_refusal(opened, place, m.role) IS NULL;
  RETURN opened.id;
END $$;
REVOKE ALL ON FUNCTION gate.open_session(bytea,uuid,bigint,text,text,text,text,text,integer,jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.open_session(bytea,uuid,bigint,text,text,text,text,text,integer,jsonb) TO intray_app;

-- What keeps a session out of an organization where its person has this role; null: nothing. Sessions that a web process of
-- before opened at a provider have no provider, acr and amr here, so that they meet no demand of one.
CREATE FUNCTION gate.sign_in_refusal(s session, p_organization uuid, p_role text) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT CASE
    WHEN cardinality(p.providers) > 0 AND (s.provider = ANY (p.providers)) IS NOT TRUE THEN 'provider'
    WHEN s.created_at <= now() - p.session_ms * interval '1 ms' THEN 'again'
    WHEN s.method IN ('oidc', 'saml') AND s.authenticated_at <= now() - p.provider_age_ms * interval '1 ms' THEN 'again'
    WHEN s.method IN ('oidc', 'saml') AND p.provider_age_ms IS NOT NULL AND s.authenticated_at IS NULL THEN 'auth_time'
    WHEN s.method IN ('oidc', 'saml') AND cardinality(p.acr_values) > 0 AND (s.acr = ANY (p.acr_values)) IS NOT TRUE THEN 'acr'
    WHEN s.method IN ('oidc', 'saml') AND NOT p.amr_values <@ coalesce(s.amr, '{}') THEN 'amr'
    WHEN s.method = 'password' AND array_position(r.weakest_first, p_role) >= array_position(r.weakest_first, p.second_factor_from)
      AND NOT coalesce(s.amr, '{}') @> ARRAY['otp'] THEN 'second_factor'
  END FROM sign_in_policy p
    CROSS JOIN (SELECT ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'] AS weakest_first) r
    WHERE p.organization_id = p_organization $$;
REVOKE ALL ON FUNCTION gate.sign_in_refusal(session,uuid,text) FROM PUBLIC;

-- Returns the organization that a session works in: the chosen one, whether it lets the session in or not, so that people are
-- told and not led elsewhere; else the first that lets it in. Organizations that have ended the session do not count. Null: none.
CREATE FUNCTION gate.place_of(s session) RETURNS uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT o.id FROM membership m JOIN organization o ON o.id = m.organization_id
    WHERE m.user_id = s.user_id AND (NOT o.demo OR NOT gate.setup_done()) AND o.id = coalesce(s.only_organization, o.id)
      AND o.id <> ALL (s.ended_in)
    ORDER BY (o.id = s.chosen_organization) IS TRUE DESC, gate.sign_in_refusal(s, o.id, m.role) IS NOT NULL, m.inherited,
      m.created_at, o.id LIMIT 1 $$;
REVOKE ALL ON FUNCTION gate.place_of(session) FROM PUBLIC;

-- The session behind a secret while it is in force: also in the eyes of the organization that it works in, whose idle time
-- may be shorter. Nothing can be done with an idle session, also nothing that would make it count as used.
CREATE FUNCTION gate.session_in_force(p_secret_hash bytea, p_idle_ms bigint) RETURNS SETOF session
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.* FROM session s WHERE s.secret_hash = p_secret_hash AND s.revoked_at IS NULL AND s.expires_at > now()
    AND s.last_seen_at > now() - p_idle_ms * interval '1 ms'
    AND NOT EXISTS (SELECT FROM sign_in_policy p WHERE p.organization_id = gate.place_of(s)
      AND s.last_seen_at <= now() - p.idle_ms * interval '1 ms') $$;
REVOKE ALL ON FUNCTION gate.session_in_force(bytea,bigint) FROM PUBLIC;

-- The person of a session that gate.session does not answer, the organization that does not let it in, why, and what it asks for.
CREATE FUNCTION gate.refused_session(p_secret_hash bytea, p_idle_ms bigint)
  RETURNS TABLE (session_id uuid, user_id uuid, email text, name text, organization_id uuid, slug text,
    organization_name text, role text, refusal text, providers text[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.id, u.id, u.email, u.name, o.id, o.slug, o.name, m.role, gate.sign_in_refusal(s, o.id, m.role), p.providers
    FROM gate.session_in_force(p_secret_hash, p_idle_ms) s JOIN "user" u ON u.id = s.user_id
    JOIN organization o ON o.id = gate.place_of(s) JOIN membership m ON m.organization_id = o.id AND m.user_id = u.id
    JOIN sign_in_policy p ON p.organization_id = o.id
    WHERE gate.sign_in_refusal(s, o.id, m.role) IS NOT NULL $$;
REVOKE ALL ON FUNCTION gate.refused_session(bytea,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.refused_session(bytea,bigint) TO intray_app;

-- What keeps a person's session out of an organization in which the person has, or would get, this role; null: nothing.
CREATE FUNCTION gate.refusal_of(p_session uuid, p_organization uuid, p_role text) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT gate.sign_in_refusal(s, p_organization, p_role) FROM session s WHERE s.id = p_session $$;
REVOKE ALL ON FUNCTION gate.refusal_of(uuid,uuid,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.refusal_of(uuid,uuid,text) TO intray_app;

CREATE FUNCTION gate.organizations_of_session(p_session uuid)
  RETURNS TABLE (id uuid, slug text, name text, role text, refusal text, providers text[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT mine.id, mine.slug, mine.name, mine.role, gate.sign_in_refusal(s, mine.id, mine.role), p.providers
    FROM session s CROSS JOIN LATERAL gate.organizations_of(s.user_id) mine
    LEFT JOIN sign_in_policy p ON p.organization_id = mine.id
    WHERE s.id = p_session AND mine.id = coalesce(s.only_organization, mine.id) $$;
REVOKE ALL ON FUNCTION gate.organizations_of_session(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_of_session(uuid) TO intray_app;

-- What an organization asks of a provider's sign-in; no row: nothing of this provider. An organization that names none asks all.
CREATE FUNCTION gate.sign_in_demand(p_organization uuid, p_provider text)
  RETURNS TABLE (provider_age_ms bigint, acr_values text[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.provider_age_ms, p.acr_values FROM sign_in_policy p WHERE p.organization_id = p_organization
    AND (p_provider = ANY (p.providers) OR p.providers = '{}') $$;
REVOKE ALL ON FUNCTION gate.sign_in_demand(uuid,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.sign_in_demand(uuid,text) TO intray_app;

-- The providers of the organization that an address's domain belongs to. Looks at no account.
CREATE FUNCTION gate.providers_of_domain(p_domain text) RETURNS TABLE (organization_id uuid, providers text[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.organization_id, p.providers FROM organization_domain d
    JOIN sign_in_policy p ON p.organization_id = d.organization_id
    WHERE d.domain = p_domain AND d.verified_at IS NOT NULL AND p.providers <> '{}' $$;
REVOKE ALL ON FUNCTION gate.providers_of_domain(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.providers_of_domain(text) TO intray_app;

-- The person of a session has shown a code of an app that was set up in it.
CREATE FUNCTION gate.second_factor_shown(p_session uuid, p_user uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE session SET amr = coalesce(amr, '{}') || ARRAY['otp'] WHERE id = p_session AND user_id = p_user
    AND method = 'password' AND revoked_at IS NULL AND NOT coalesce(amr, '{}') @> ARRAY['otp'];
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION gate.second_factor_shown(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.second_factor_shown(uuid,uuid) TO intray_app;

-- Whether a person's keys are disabled in an organization: a provider that it requires has signed the person out, or no required
-- provider has signed them in lately.
CREATE FUNCTION gate.keys_rest(p_organization uuid, p_user uuid) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM sign_in_policy p WHERE p.organization_id = p_organization
    AND (EXISTS (SELECT FROM provider_absence a WHERE a.user_id = p_user AND a.provider = ANY (p.providers))
      OR p.key_age_ms IS NOT NULL AND p.providers <> '{}' AND NOT EXISTS (SELECT FROM provider_vouch v
        WHERE v.user_id = p_user AND v.provider = ANY (p.providers)
          AND v.at > now() - p.key_age_ms * interval '1 ms'))) $$;
REVOKE ALL ON FUNCTION gate.keys_rest(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.keys_rest(uuid,uuid) TO intray_app, intray_engine;

-- Whether there is a key behind this secret that gate.find_api_key does not answer because it rests.
CREATE FUNCTION gate.key_rests(p_secret_hash bytea) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM api_key k JOIN membership m ON m.organization_id = k.organization_id
      AND m.user_id = k.created_by
    WHERE (k.secret_hash = p_secret_hash OR k.previous_secret_hash = p_secret_hash) AND k.revoked_at IS NULL
      AND gate.keys_rest(k.organization_id, k.created_by)) $$;
REVOKE ALL ON FUNCTION gate.key_rests(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.key_rests(bytea) TO intray_app;

-- A provider signs a person out: of one session, or with p_session null of all that it opened; keys rest then where the
-- provider is required. p_issuer: finds the person where no session is open. Says how many sessions ended; null: this token
-- was taken before. Streams look at once.
CREATE FUNCTION gate.provider_logout(p_provider text, p_issuer text, p_subject text, p_session text, p_jti text,
    p_token_until timestamptz) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ended jsonb;
  people uuid[];
  place record;
BEGIN
  DELETE FROM logout_token WHERE (provider, jti) IN (SELECT provider, jti FROM logout_token WHERE expires_at < now()
    LIMIT 100 FOR UPDATE SKIP LOCKED);
  INSERT INTO logout_token (provider, jti, expires_at) VALUES (p_provider, p_jti, p_token_until) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT coalesce(array_agg(DISTINCT whose.user_id ORDER BY whose.user_id), '{}') INTO people FROM (
    SELECT s.user_id FROM session s WHERE s.provider = p_provider AND s.provider_subject = p_subject
    UNION SELECT i.user_id FROM identity i WHERE p_session IS NULL AND i.issuer = p_issuer AND i.subject = p_subject) whose;
  -- Before a sign-in that is under way, or after it.
  PERFORM FROM "user" u WHERE u.id = ANY (people) ORDER BY u.id FOR UPDATE;
  WITH gone AS (UPDATE session s SET revoked_at = now() WHERE s.provider = p_provider AND s.revoked_at IS NULL
      AND s.expires_at > now() AND (p_subject IS NULL OR s.provider_subject = p_subject)
      AND (p_session IS NULL OR s.provider_session = p_session OR (s.provider_session IS NULL AND p_subject IS NOT NULL))
    RETURNING s.*)
    SELECT coalesce(jsonb_agg(jsonb_build_object('user', g.user_id, 'place', gate.place_of(g::session))), '[]') INTO ended
      FROM gone g;
  IF p_session IS NULL THEN
    INSERT INTO provider_absence (user_id, provider) SELECT person, p_provider FROM unnest(people) AS person
      ON CONFLICT (user_id, provider) DO UPDATE SET since = now();
  END IF;
  PERFORM gate.account_event(g.person, 'session.ended', jsonb_build_object('count', g.sessions, 'provider', p_provider))
    FROM (SELECT (e ->> 'user')::uuid AS person, count(*) AS sessions FROM jsonb_array_elements(ended) e GROUP BY 1) g;
  -- Streams of sessions and keys look again whether they may go on.
  PERFORM pg_notify('intray_change', json_build_object('o', m.organization_id,
      'c', json_build_array(json_build_array('member', m.id)))::text)
    FROM membership m WHERE m.user_id = ANY (people) OR m.user_id IN (
      SELECT (e ->> 'user')::uuid FROM jsonb_array_elements(ended) e);
  -- In one order for everybody, so that two who write to the same heads never wait for each other.
  FOR place IN SELECT all_of.organization_id, all_of.person, sum(all_of.sessions)::integer AS sessions,
        bool_or(all_of.rests) AS rests FROM (
      SELECT (e ->> 'place')::uuid AS organization_id, (e ->> 'user')::uuid AS person, 1 AS sessions, false AS rests
        FROM jsonb_array_elements(ended) e WHERE e ->> 'place' IS NOT NULL
      UNION ALL SELECT m.organization_id, m.user_id, 0, true FROM membership m
        JOIN sign_in_policy p ON p.organization_id = m.organization_id AND p_provider = ANY (p.providers)
        WHERE p_session IS NULL AND m.user_id = ANY (people)) all_of
      GROUP BY 1, 2 ORDER BY 1, 2 LOOP
    PERFORM gate.session_event(place.person, place.organization_id, 'session.ended', jsonb_build_object(
      'count', place.sessions, 'provider', p_provider) || CASE WHEN place.rests THEN '{"keysRest": true}' ELSE '{}' END::jsonb);
  END LOOP;
  RETURN jsonb_array_length(ended);
END $$;
REVOKE ALL ON FUNCTION gate.provider_logout(text,text,text,text,text,timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.provider_logout(text,text,text,text,text,timestamp with time zone) TO intray_app;

-- A provider that signs a person in enables the person's keys again; when it was is kept.
CREATE FUNCTION end_provider_absence() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM provider_absence WHERE user_id = NEW.user_id AND provider = NEW.provider;
  INSERT INTO provider_vouch AS v (user_id, provider, at)
    VALUES (NEW.user_id, NEW.provider, least(now(), coalesce(NEW.authenticated_at, now())))
    ON CONFLICT (user_id, provider) DO UPDATE SET at = greatest(v.at, excluded.at);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION end_provider_absence() FROM PUBLIC;

CREATE FUNCTION confine_session() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.only_organization IS NOT NULL THEN
    NEW.only_organization := OLD.only_organization;
    NEW.provider := OLD.provider;
  ELSIF NEW.provider LIKE 'saml:%' THEN
    SELECT p.organization_id INTO NEW.only_organization FROM saml_provider p WHERE 'saml:' || p.id = NEW.provider;
    NEW.chosen_organization := NEW.only_organization;
  ELSE
    NEW.only_organization := NULL;
  END IF;
  IF NEW.only_organization IS NOT NULL AND NEW.chosen_organization IS DISTINCT FROM NEW.only_organization THEN
    -- Its organization is going, or somebody tries to leave it.
    NEW.chosen_organization := NEW.only_organization;
    NEW.revoked_at := coalesce(NEW.revoked_at, now());
  END IF;
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION confine_session() FROM PUBLIC;

-- A provider that is gone takes along its sessions, and whom it meant.
CREATE FUNCTION end_saml_provider() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE session SET revoked_at = now() WHERE only_organization = OLD.organization_id
    AND provider = 'saml:' || OLD.id AND revoked_at IS NULL;
  DELETE FROM identity WHERE issuer = 'saml:' || OLD.id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION end_saml_provider() FROM PUBLIC;

-- The organization that a session stays in; null: it stays nowhere, or there is none.
CREATE FUNCTION gate.only_organization(p_session uuid) RETURNS uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.only_organization FROM session s WHERE s.id = p_session $$;
REVOKE ALL ON FUNCTION gate.only_organization(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.only_organization(uuid) TO intray_app;

-- As gate.open_session, for a session that an organization's provider vouches for. Null also where the person is no
-- member there.
CREATE FUNCTION gate.open_saml_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text, p_network text, p_browser text, p_epoch integer, p_proof jsonb) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  place uuid;
  opened uuid;
BEGIN
  SELECT p.organization_id INTO place FROM saml_provider p WHERE 'saml:' || p.id = p_proof->>'provider';
  IF place IS NULL OR NOT EXISTS (SELECT FROM membership m WHERE m.organization_id = place AND m.user_id = p_user)
    THEN RETURN NULL; END IF;
  opened := gate.open_session(p_secret_hash, p_user, p_lifetime_ms, p_method, p_user_agent, p_address, p_network,
    p_browser, p_epoch, p_proof);
  -- The person showed to the provider that it is them, and not here.
  UPDATE session SET factor_at = least(now(), (p_proof->>'authenticatedAt')::timestamptz) WHERE id = opened;
  RETURN opened;
END $$;
REVOKE ALL ON FUNCTION gate.open_saml_session(bytea,uuid,bigint,text,text,text,text,text,integer,jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.open_saml_session(bytea,uuid,bigint,text,text,text,text,text,integer,jsonb) TO intray_app;

-- The person takes the link of their account back.
CREATE FUNCTION gate.unlink_saml(p_user uuid, p_issuer text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM identity WHERE user_id = p_user AND issuer = p_issuer AND p_issuer LIKE 'saml:%';
  UPDATE session SET revoked_at = now() WHERE user_id = p_user AND provider = p_issuer AND revoked_at IS NULL
    AND p_issuer LIKE 'saml:%';
END $$;
REVOKE ALL ON FUNCTION gate.unlink_saml(uuid,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.unlink_saml(uuid,text) TO intray_app;

-- Before an organization is known: whose a provider is, and which an organization has.
CREATE FUNCTION gate.saml_provider(p_id uuid) RETURNS TABLE (organization_id uuid, name text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.organization_id, p.name FROM saml_provider p JOIN organization o ON o.id = p.organization_id
    WHERE p.id = p_id AND (NOT o.demo OR NOT gate.setup_done()) $$;
REVOKE ALL ON FUNCTION gate.saml_provider(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.saml_provider(uuid) TO intray_app;

CREATE FUNCTION gate.saml_providers_of(p_slug text) RETURNS TABLE (id uuid, name text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT p.id, p.name FROM saml_provider p JOIN organization o ON o.id = p.organization_id
    WHERE o.slug = p_slug AND (NOT o.demo OR NOT gate.setup_done()) ORDER BY p.created_at, p.id $$;
REVOKE ALL ON FUNCTION gate.saml_providers_of(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.saml_providers_of(text) TO intray_app;

-- The directory that a secret belongs to. `noted`: the use of this minute is written down.
CREATE FUNCTION gate.find_directory(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, token_id uuid, manages_owners boolean, noted boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT d.organization_id, d.token_id, d.manages_owners,
      coalesce(d.last_called_at > now() - interval '1 minute', false)
    FROM directory d JOIN organization o ON o.id = d.organization_id
    WHERE (d.secret_hash = p_secret_hash OR (d.previous_secret_hash = p_secret_hash AND d.previous_until > now()))
      AND (NOT o.demo OR NOT gate.setup_done()) $$;
REVOKE ALL ON FUNCTION gate.find_directory(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.find_directory(bytea) TO intray_app;

-- A person whom the directory announced joins under the id that it knows, whichever way: by the invitation, a provider or
-- the operator. One whom it has deactivated before does not.
CREATE FUNCTION join_as_directory_person() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE person directory_person%ROWTYPE;
BEGIN
  -- Waits for a directory that changes the person just now.
  SELECT p.* INTO person FROM directory_person p JOIN "user" u ON u.email = p.user_name
    WHERE p.organization_id = NEW.organization_id AND u.id = NEW.user_id AND p.joined_at IS NULL FOR UPDATE OF p;
  IF NOT FOUND THEN RETURN NEW; END IF;
  IF NOT person.active THEN
    RAISE EXCEPTION 'suspended_member' USING ERRCODE = 'INSUS';
  END IF;
  UPDATE directory_person SET joined_at = now() WHERE organization_id = person.organization_id AND id = person.id;
  NEW.id := person.id;
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION join_as_directory_person() FROM PUBLIC;

-- Gives a directory the account of an address of a domain that is proved to be its organization's: the domain's owner
-- reads its mail. An account that nobody has proved is replaced.
CREATE FUNCTION gate.directory_account(p_user uuid, p_email text, p_name text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE account "user"%ROWTYPE;
BEGIN
  INSERT INTO "user" (id, email, name, proven_at) VALUES (p_user, lower(p_email), p_name, now())
    ON CONFLICT (email) DO NOTHING;
  IF FOUND THEN RETURN p_user; END IF;
  SELECT * INTO STRICT account FROM "user" u WHERE u.email = lower(p_email) FOR UPDATE;
  IF account.proven_at IS NULL THEN PERFORM gate.replace_account(account.id, p_name, NULL, 'provider'); END IF;
  RETURN account.id;
END $$;
REVOKE ALL ON FUNCTION gate.directory_account(uuid,text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.directory_account(uuid,text,text) TO intray_app;

-- Brings a membership back. Who counts with whom stays as it was: else an admin could suspend somebody whom they invited,
-- and reinstate them as a person of their own. Null: nobody is suspended under the id. `unproven`: the account belongs to
-- another organization by now, and nobody has proved whose it is.
CREATE FUNCTION gate.reinstate_member(p_organization uuid, p_member uuid) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  back suspended_member%ROWTYPE;
  counted maker%ROWTYPE;
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN NULL; END IF;
  SELECT * INTO back FROM suspended_member WHERE organization_id = p_organization AND id = p_member FOR UPDATE;
  IF back.id IS NULL THEN RETURN NULL; END IF;
  IF back.granted_by IS NULL AND EXISTS (SELECT FROM "user" u WHERE u.id = back.user_id AND u.proven_at IS NULL)
      AND EXISTS (SELECT FROM membership m WHERE m.user_id = back.user_id) THEN RETURN 'unproven'; END IF;
  DELETE FROM suspended_member WHERE organization_id = p_organization AND id = p_member;
  PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || p_organization::text, 0));
  SELECT * INTO counted FROM maker WHERE organization_id = p_organization AND user_id = back.user_id FOR UPDATE;
  INSERT INTO membership (organization_id, id, user_id, role, granted_by, inherited, single_keys, tour_seen, density,
      locale, created_at)
    VALUES (back.organization_id, back.id, back.user_id, back.role, back.granted_by, back.inherited, back.single_keys,
      back.tour_seen, back.density, back.locale, back.joined_at);
  IF counted.user_id IS NOT NULL THEN
    UPDATE maker SET invited_by = counted.invited_by, vouched_by = counted.vouched_by, vouched_at = counted.vouched_at
      WHERE organization_id = p_organization AND user_id = back.user_id;
  END IF;
  RETURN 'done';
END $$;
REVOKE ALL ON FUNCTION gate.reinstate_member(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.reinstate_member(uuid,uuid) TO intray_app;

-- Takes back that an owner vouched for a member. Whoever invited the member may count with the member by now (a link to a
-- password, an invitation back): nobody is then the first of the circle, and nobody one with anybody, so that the older
-- line goes. By turns, as all that changes who counts with whom. False: nobody has vouched.
CREATE FUNCTION gate.take_vouch_back(p_organization uuid, p_user uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN false; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || p_organization::text, 0));
  UPDATE maker SET vouched_by = NULL, vouched_at = NULL,
      invited_by = CASE WHEN maker_of(organization_id, invited_by) IS DISTINCT FROM user_id THEN invited_by END
    WHERE organization_id = p_organization AND user_id = p_user AND vouched_at IS NOT NULL;
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION gate.take_vouch_back(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.take_vouch_back(uuid,uuid) TO intray_app;

-- Admins who look as the person see as themselves again, and do not go on when the same membership comes back.
CREATE FUNCTION end_views_of_suspended() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE session SET viewed_membership = NULL, viewing_until = NULL WHERE viewed_membership = NEW.id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION end_views_of_suspended() FROM PUBLIC;

-- A suspended membership of an account that was given to another person, as gate.replace_account does it with others: one
-- that people gave was given to the address and waits for its person; one that a provider's group gave goes.
CREATE FUNCTION replace_suspended() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM suspended_member WHERE user_id = NEW.id AND granted_by IS NOT NULL;
  UPDATE suspended_member SET inherited = true WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION replace_suspended() FROM PUBLIC;

-- A person is told of a sign-in provider that their account is linked to: a way in that somebody else may hold. Not of the
-- one that made the account in the same transaction.
CREATE FUNCTION tell_of_identity() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "user" u WHERE u.id = NEW.user_id AND u.created_at <> now()::timestamptz(3)) THEN
    PERFORM gate.account_event(NEW.user_id, 'account.identity_linked', jsonb_build_object('issuer', NEW.issuer));
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION tell_of_identity() FROM PUBLIC;

-- Whether one of the person's organizations has ended the session: signing in anew leads there.
CREATE FUNCTION gate.is_ended_in(p_session uuid, p_organization uuid) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM session s JOIN membership m ON m.user_id = s.user_id AND m.organization_id = p_organization
    WHERE s.id = p_session AND s.revoked_at IS NULL AND p_organization = ANY (s.ended_in)) $$;
REVOKE ALL ON FUNCTION gate.is_ended_in(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.is_ended_in(uuid,uuid) TO intray_app;

-- A member's sessions in force that work in the organization now, newest first. Nothing shows of those that work elsewhere.
CREATE FUNCTION gate.sessions_in(p_organization uuid, p_user uuid, p_idle_ms bigint) RETURNS TABLE (id uuid, method text,
    user_agent text, address text, created_at timestamptz, last_seen_at timestamptz, expires_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.id, s.method, s.user_agent, s.address, s.created_at, s.last_seen_at, s.expires_at FROM session s
    WHERE p_organization = current_organization() AND s.user_id = p_user AND s.revoked_at IS NULL AND s.expires_at > now()
      AND s.last_seen_at > now() - p_idle_ms * interval '1 ms' AND gate.place_of(s) = p_organization
    ORDER BY s.created_at DESC, s.id $$;
REVOKE ALL ON FUNCTION gate.sessions_in(uuid,uuid,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.sessions_in(uuid,uuid,bigint) TO intray_app;

-- Ends a member's sessions for the organization: one that works in it, or with p_session null all, also those that work elsewhere
-- now and could come over. An agent's session works where its agent is, used or not. A session that reaches no organization
-- afterwards has ended. Returns how many of those that ended worked in it, and tells the person so. p_by: who ended them; null: a
-- suspension.
CREATE FUNCTION gate.end_sessions_in(p_organization uuid, p_user uuid, p_session uuid, p_idle_ms bigint,
    p_by text) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  one session%ROWTYPE;
  worked_here boolean;
  ended integer := 0;
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN 0; END IF;
  FOR one IN SELECT * FROM session s WHERE s.user_id = p_user AND s.revoked_at IS NULL AND s.expires_at > now()
      AND p_organization <> ALL (s.ended_in) AND (p_session IS NULL OR s.id = p_session) ORDER BY s.id FOR UPDATE LOOP
    worked_here := (one.agent_id IS NOT NULL OR one.last_seen_at > now() - p_idle_ms * interval '1 ms')
      AND gate.place_of(one) IS NOT DISTINCT FROM p_organization;
    CONTINUE WHEN p_session IS NOT NULL AND NOT worked_here;
    one.ended_in := one.ended_in || p_organization;
    UPDATE session SET ended_in = one.ended_in, chosen_organization = gate.place_of(one),
        revoked_at = CASE WHEN gate.place_of(one) IS NULL OR one.agent_id IS NOT NULL THEN now() END WHERE id = one.id;
    IF worked_here THEN ended := ended + 1; END IF;
  END LOOP;
  IF ended > 0 AND p_by IS NOT NULL THEN
    PERFORM gate.account_event(p_user, 'account.sessions_ended', jsonb_build_object('count', ended, 'by', p_by,
      'organization', (SELECT o.name FROM organization o WHERE o.id = p_organization)));
  END IF;
  RETURN ended;
END $$;
REVOKE ALL ON FUNCTION gate.end_sessions_in(uuid,uuid,uuid,bigint,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.end_sessions_in(uuid,uuid,uuid,bigint,text) TO intray_app;

-- Reads no account. No more than p_most addresses wait at a time, and none for more than an hour.
CREATE FUNCTION gate.ask_password_reset(p_email text, p_most integer) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ DELETE FROM password_reset WHERE asked_at < now() - interval '1 hour';
    INSERT INTO password_reset (email) SELECT lower(p_email)
    WHERE (SELECT count(*) FROM (SELECT FROM password_reset LIMIT p_most) AS waiting) < p_most ON CONFLICT (email) DO NOTHING $$;
REVOKE ALL ON FUNCTION gate.ask_password_reset(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.ask_password_reset(text,integer) TO intray_app;

CREATE FUNCTION gate.password_resets_waiting() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT r.id FROM password_reset r WHERE r.not_before <= now() $$;
REVOKE ALL ON FUNCTION gate.password_resets_waiting() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.password_resets_waiting() TO intray_engine;

-- Claims one that waits, and makes the link of p_token_hash for its account. `no_password`: the person signs in otherwise.
-- No row: somebody else has it, no account has the address, or it was mailed often enough within an hour; the last mail
-- then still works. Earlier mailed links end.
CREATE FUNCTION gate.take_password_reset(p_reset uuid, p_token_hash bytea, p_lifetime_ms bigint, p_claim_ms bigint,
    p_an_hour integer) RETURNS TABLE (attempt integer, kind text, name text, address text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  asked password_reset%ROWTYPE;
  account "user"%ROWTYPE;
  sets boolean;
BEGIN
  UPDATE password_reset r SET attempts = r.attempts + 1, not_before = now() + p_claim_ms * interval '1 ms'
    WHERE r.id = p_reset AND r.not_before <= now() RETURNING * INTO asked;
  IF asked.id IS NULL THEN RETURN; END IF;
  SELECT * INTO account FROM "user" u WHERE u.email = asked.email FOR UPDATE;
  IF account.id IS NULL OR asked.asked_at < now() - interval '1 hour' OR (SELECT count(*) FROM password_link l
      WHERE l.user_id = account.id AND l.source = 'mail' AND l.made_at > now() - interval '1 hour') >= p_an_hour THEN
    DELETE FROM password_reset WHERE id = asked.id;
    RETURN;
  END IF;
  sets := account.password_hash IS NOT NULL OR NOT (EXISTS (SELECT FROM identity i WHERE i.user_id = account.id)
    OR EXISTS (SELECT FROM passkey p WHERE p.user_id = account.id));
  UPDATE password_link SET used_at = now() WHERE user_id = account.id AND source = 'mail' AND used_at IS NULL;
  -- A row also where there is nothing to set, so that mails are counted.
  INSERT INTO password_link (token_hash, user_id, expires_at, used_at, source)
    VALUES (p_token_hash, account.id, now() + p_lifetime_ms * interval '1 ms', CASE WHEN NOT sets THEN now() END, 'mail');
  RETURN QUERY SELECT asked.attempts, CASE WHEN sets THEN 'link' ELSE 'no_password' END, account.name, account.email;
END $$;
REVOKE ALL ON FUNCTION gate.take_password_reset(uuid,bytea,bigint,bigint,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.take_password_reset(uuid,bytea,bigint,bigint,integer) TO intray_engine;

-- Ends an attempt. p_wait_ms null: for good.
CREATE FUNCTION gate.end_password_reset(p_reset uuid, p_attempt integer, p_wait_ms bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF p_wait_ms IS NULL THEN DELETE FROM password_reset WHERE id = p_reset AND attempts = p_attempt;
  ELSE UPDATE password_reset SET not_before = now() + p_wait_ms * interval '1 ms' WHERE id = p_reset AND attempts = p_attempt;
  END IF;
END $$;
REVOKE ALL ON FUNCTION gate.end_password_reset(uuid,integer,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.end_password_reset(uuid,integer,bigint) TO intray_engine;

-- Whether the account of a member belongs to the organization alone.
CREATE FUNCTION gate.is_of_one_organization(p_user uuid, p_organization uuid) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM membership m WHERE m.user_id = p_user AND m.organization_id = p_organization)
    AND NOT EXISTS (SELECT FROM membership m WHERE m.user_id = p_user AND m.organization_id <> p_organization)
    AND NOT EXISTS (SELECT FROM suspended_member s WHERE s.user_id = p_user AND s.organization_id <> p_organization) $$;
REVOKE ALL ON FUNCTION gate.is_of_one_organization(uuid,uuid) FROM PUBLIC;

-- An admin's link for a member whose account is the organization's alone, and who has or had a password. False: not for
-- this account. An earlier one of the organization's ends.
CREATE FUNCTION gate.make_admin_password_link(p_organization uuid, p_user uuid, p_by uuid, p_token_hash bytea,
    p_lifetime_ms bigint) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE account "user"%ROWTYPE;
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN false; END IF;
  SELECT * INTO account FROM "user" u WHERE u.id = p_user FOR UPDATE;
  IF NOT gate.is_of_one_organization(p_user, p_organization) OR (account.password_hash IS NULL
      AND (EXISTS (SELECT FROM identity i WHERE i.user_id = p_user) OR EXISTS (SELECT FROM passkey p WHERE p.user_id = p_user)))
    THEN RETURN false; END IF;
  UPDATE password_link SET used_at = now() WHERE user_id = p_user AND source = 'admin' AND used_at IS NULL;
  INSERT INTO password_link (token_hash, user_id, expires_at, source, for_organization, made_by)
    VALUES (p_token_hash, p_user, now() + p_lifetime_ms * interval '1 ms', 'admin', p_organization, p_by);
  PERFORM gate.account_event(p_user, 'account.password_link_made', jsonb_build_object(
    'organization', (SELECT o.name FROM organization o WHERE o.id = p_organization),
    'by', (SELECT u.name FROM "user" u WHERE u.id = p_by)));
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.make_admin_password_link(uuid,uuid,uuid,bytea,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.make_admin_password_link(uuid,uuid,uuid,bytea,bigint) TO intray_app;

-- Asked within the statement that finds a session or a key. A function of its own, so that those stay as they are.
CREATE FUNCTION gate.organization_networks(p_organization uuid) RETURNS text[]
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT o.networks FROM organization o WHERE o.id = p_organization $$;
REVOKE ALL ON FUNCTION gate.organization_networks(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organization_networks(uuid) TO intray_app;

CREATE FUNCTION gate.remember_account_owner() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO service_account_maker (organization_id, service_account_id, user_id)
    VALUES (NEW.organization_id, NEW.id, NEW.owner_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION gate.remember_account_owner() FROM PUBLIC;

CREATE FUNCTION gate.remember_key_maker() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN RAISE EXCEPTION 'a key stays whose it is'; END IF;
  INSERT INTO service_account_maker (organization_id, service_account_id, user_id)
    VALUES (NEW.organization_id, NEW.service_account_id, coalesce(NEW.created_by, NEW.organization_id))
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION gate.remember_key_maker() FROM PUBLIC;

-- Returns the key behind a secret, also one that has ended or is disabled, so that the caller can say why it is refused. `role`
-- is never above the maker's, nor for a key of a service account above the account's. A key of a service account is disabled with
-- the account's owner.
CREATE FUNCTION gate.key_behind(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, slug text, organization_name text, id uuid, name text, role text,
    ends_at timestamptz, ended boolean, networks text[], permissions text[], servers uuid[], tools text[], noted boolean,
    organization_networks text[], service_account_id uuid, service_account_name text, owner_name text, rests boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.organization_id, o.slug, o.name, k.id, k.name,
    CASE WHEN array_position(r.weakest_first, coalesce(a.role, m.role)) < array_position(r.weakest_first, k.role)
      THEN coalesce(a.role, m.role) ELSE k.role END,
    e.ends_at, coalesce(e.ends_at <= now(), false), k.networks, k.permissions, k.servers, k.tools,
    coalesce(k.last_used_at >= date_trunc('minute', now()), false), o.networks, a.id, a.name, u.name,
    a.id IS NOT NULL AND (a.rested_at IS NOT NULL OR m.role IS NULL
      OR array_position(r.weakest_first, m.role) < array_position(r.weakest_first, a.role)
      OR gate.keys_rest(k.organization_id, a.owner_id))
  FROM api_key k JOIN organization o ON o.id = k.organization_id
    LEFT JOIN service_account a ON a.organization_id = k.organization_id AND a.id = k.service_account_id
    LEFT JOIN "user" u ON u.id = a.owner_id
    LEFT JOIN membership m ON m.organization_id = k.organization_id
      AND m.user_id = CASE WHEN k.service_account_id IS NULL THEN k.created_by ELSE a.owner_id END
    CROSS JOIN (SELECT ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'] AS weakest_first) r
    CROSS JOIN LATERAL (SELECT CASE WHEN k.secret_hash = p_secret_hash THEN k.expires_at
      ELSE least(k.previous_until, k.expires_at) END AS ends_at) e
  WHERE (k.secret_hash = p_secret_hash OR k.previous_secret_hash = p_secret_hash) AND k.revoked_at IS NULL
    AND CASE WHEN k.service_account_id IS NOT NULL THEN a.deleted_at IS NULL
      ELSE k.created_by IS NULL OR (m.user_id IS NOT NULL AND NOT gate.keys_rest(k.organization_id, k.created_by)) END $$;
REVOKE ALL ON FUNCTION gate.key_behind(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.key_behind(bytea) TO intray_app;

-- Organizations where people have to be told that an account rests for want of an owner, or that it does no more.
CREATE FUNCTION gate.organizations_with_resting_accounts() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT a.organization_id FROM service_account a WHERE a.deleted_at IS NULL
    AND owner_is_missing(a.organization_id, a.owner_id, a.role) <> (a.told_at IS NOT NULL) $$;
REVOKE ALL ON FUNCTION gate.organizations_with_resting_accounts() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_resting_accounts() TO intray_engine;

CREATE FUNCTION exports_of_task(p_task uuid) RETURNS SETOF bigint
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT e.seq FROM event e WHERE e.organization_id = current_organization() AND e.type = 'tasks.exported'
    AND e.data -> 'taskIds' @> jsonb_build_array(p_task)$$;
REVOKE ALL ON FUNCTION exports_of_task(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION exports_of_task(uuid) TO intray_app;

CREATE FUNCTION exports_of_person(p_user uuid) RETURNS SETOF bigint
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT e.seq FROM event e WHERE e.organization_id = current_organization() AND e.type = 'tasks.exported'
    AND e.data -> 'people' @> jsonb_build_array(p_user)$$;
REVOKE ALL ON FUNCTION exports_of_person(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION exports_of_person(uuid) TO intray_app;

CREATE FUNCTION gate.content_keys(p_organization uuid) RETURNS text
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  BEGIN RETURN (SELECT o.content_keys FROM organization o WHERE o.id = p_organization); END$$;
REVOKE ALL ON FUNCTION gate.content_keys(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.content_keys(uuid) TO intray_app, intray_engine;

CREATE FUNCTION gate.organizations_with_content_to_convert() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT c.organization_id FROM content_sealing c WHERE c.look_at <= now() ORDER BY c.look_at$$;
REVOKE ALL ON FUNCTION gate.organizations_with_content_to_convert() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_content_to_convert() TO intray_engine;

CREATE FUNCTION note_content_keys() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE organization SET content_keys = (SELECT string_agg(k.kid::text || CASE WHEN k.retired_at IS NULL THEN '+' ELSE '' END,
      ',' ORDER BY k.made_at, k.kid) FROM organization_key k WHERE k.organization_id = NEW.organization_id)
    WHERE id = NEW.organization_id;
  RETURN NULL;
END$$;
REVOKE ALL ON FUNCTION note_content_keys() FROM PUBLIC;

-- What is sealed under a key is lost with it.
CREATE FUNCTION refuse_key_loss() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM organization WHERE id = OLD.organization_id) THEN
    RAISE EXCEPTION 'a key of an organization goes with the organization alone';
  END IF;
  RETURN OLD;
END$$;
REVOKE ALL ON FUNCTION refuse_key_loss() FROM PUBLIC;

CREATE FUNCTION keep_texts_of_requests() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE input_request SET search = request_search(message, NEW.tool, NEW.label, NEW.arguments)
    WHERE organization_id = NEW.organization_id AND task_id = NEW.id;
  UPDATE open_request_text o SET search = r.search FROM input_request r
    WHERE r.organization_id = NEW.organization_id AND r.task_id = NEW.id
      AND o.organization_id = r.organization_id AND o.input_request_id = r.id;
  RETURN NULL;
END$$;
REVOKE ALL ON FUNCTION keep_texts_of_requests() FROM PUBLIC;

-- Whether the use of a session is to be written down: once a minute.
CREATE FUNCTION gate.use_is_due(p_session uuid) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT EXISTS (SELECT FROM session s WHERE s.id = p_session AND s.last_seen_at < now() - interval '1 minute') $$;
REVOKE ALL ON FUNCTION gate.use_is_due(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.use_is_due(uuid) TO intray_app;

CREATE FUNCTION gate.note_session_use(p_secret_hash bytea) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ UPDATE session SET last_seen_at = now() WHERE secret_hash = p_secret_hash AND revoked_at IS NULL
    AND last_seen_at < now() - interval '1 minute' $$;
REVOKE ALL ON FUNCTION gate.note_session_use(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.note_session_use(bytea) TO intray_app;

CREATE FUNCTION gate.organizations_with_saml() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT p.organization_id FROM saml_provider p $$;
REVOKE ALL ON FUNCTION gate.organizations_with_saml() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_saml() TO intray_engine;

-- Returns in how many ms a job's next work is due that nobody announces again, by the job's name: also questions of Intray's own,
-- callbacks of programs, and timers of requests. Work that is due already, or waits for something else than the time, does not
-- count.
CREATE FUNCTION gate.next_due() RETURNS TABLE (job text, in_ms float8)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT due.job, (extract(epoch FROM due.at - now()) * 1000)::float8 FROM (
    SELECT 'mail' AS job, least(
      (SELECT min(n.mail_after) FROM notice n WHERE n.mail_id IS NULL AND n.mail_after > now()),
      (SELECT min(m.not_before) FROM mail m WHERE m.state = 'waiting' AND m.not_before > now())) AS at
    UNION ALL SELECT 'account mail', (SELECT min(a.not_before) FROM account_notice a
      WHERE a.mail_state = 'waiting' AND a.not_before > now())
    UNION ALL SELECT 'password resets', (SELECT min(r.not_before) FROM password_reset r WHERE r.not_before > now())
    UNION ALL SELECT 'webhook deliveries', (SELECT min(d.not_before) FROM webhook_delivery d
      WHERE d.state = 'pending' AND d.not_before > now())
    UNION ALL SELECT 'audit streams', (SELECT min(greatest(s.not_before, s.claimed_until)) FROM audit_stream s
      JOIN event_head head ON head.organization_id = s.organization_id
      WHERE s.paused_at IS NULL AND head.seq > s.seq AND greatest(s.not_before, s.claimed_until) > now())
    UNION ALL SELECT 'proposals', (SELECT min(p.takes_effect_at) FROM four_eyes_proposal p
      WHERE p.state = 'open' AND p.takes_effect_at > now())
    UNION ALL SELECT 'deletions', (SELECT min(o.deletion_requested_at + interval '72 hours') FROM organization o
      WHERE o.hold_at IS NULL AND o.deletion_requested_at + interval '72 hours' > now())
    UNION ALL SELECT 'own questions', least(
      (SELECT min(r.expires_at) FROM input_request r
        WHERE r.origin = 'intray' AND r.state = 'open' AND r.expires_at > now()),
      (SELECT min(d.deliver_after) FROM input_request r
        JOIN delivery d ON d.organization_id = r.organization_id AND d.input_request_id = r.id AND d.state = 'held'
        WHERE r.origin = 'intray' AND r.state = 'answered' AND d.deliver_after > now()))
    UNION ALL SELECT 'request callbacks', (SELECT min(c.not_before) FROM request_callback c
      JOIN task t ON t.organization_id = c.organization_id AND t.id = c.task_id AND t.finished_at IS NOT NULL
      WHERE c.state = 'pending' AND c.not_before > now())
    UNION ALL SELECT 'request timers', (SELECT min(t.due_at) FROM request_timer t
      WHERE t.fired_at IS NULL AND t.due_at > now())) due
  WHERE due.at IS NOT NULL$$;
REVOKE ALL ON FUNCTION gate.next_due() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.next_due() TO intray_engine;

CREATE FUNCTION refuse_old_engine() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- Of the switch and an engine that comes at the same moment, the second sees the first.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('content sealing', 0));
  IF EXISTS (SELECT FROM organization_key WHERE retired_at IS NULL)
    OR EXISTS (SELECT FROM content_sealing WHERE kid IS NULL AND finished_at IS NULL) THEN
    RAISE EXCEPTION 'an engine of this version cannot open what an organization has sealed';
  END IF;
  RETURN NEW;
END$$;
REVOKE ALL ON FUNCTION refuse_old_engine() FROM PUBLIC;

CREATE FUNCTION refuse_connection_to_old_engine() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM engine WHERE id = NEW.watched_by AND opens_content)
    AND (EXISTS (SELECT FROM organization_key WHERE organization_id = NEW.organization_id AND retired_at IS NULL)
      OR EXISTS (SELECT FROM content_sealing
        WHERE organization_id = NEW.organization_id AND kid IS NULL AND finished_at IS NULL)) THEN
    RAISE EXCEPTION 'an engine of this version cannot open what the organization has sealed';
  END IF;
  RETURN NEW;
END$$;
REVOKE ALL ON FUNCTION refuse_connection_to_old_engine() FROM PUBLIC;

-- An agent, while it was not revoked and the member behind it is one: also one that has ended or rests, as the caller
-- refuses it and can say why. `role` is never above the member's.
CREATE FUNCTION gate.agent_by_id(p_organization uuid, p_agent uuid)
  RETURNS TABLE (organization_id uuid, slug text, organization_name text, id uuid, name text, role text, user_id uuid,
    oauth_client_id text, ends_at timestamptz, ended boolean, rests boolean, organization_networks text[],
    hold_ms integer, ask_agent_too boolean, client_name text, client_version text, noted boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT a.organization_id, o.slug, o.name, a.id, a.name,
    CASE WHEN array_position(r.weakest_first, m.role) < array_position(r.weakest_first, a.role) THEN m.role ELSE a.role END,
    a.user_id, a.oauth_client_id, a.expires_at, coalesce(a.expires_at <= now(), false),
    m.user_id IS NOT NULL AND gate.keys_rest(a.organization_id, m.user_id), o.networks,
    a.hold_ms, a.ask_agent_too, a.client_name, a.client_version,
    coalesce(a.last_seen_at >= date_trunc('minute', now()), false)
  FROM agent_credential a JOIN organization o ON o.id = a.organization_id
    LEFT JOIN membership m ON m.organization_id = a.organization_id AND m.user_id = coalesce(a.user_id, a.created_by)
    CROSS JOIN (SELECT ARRAY['viewer', 'approver', 'operator', 'admin', 'owner'] AS weakest_first) r
  WHERE a.organization_id = p_organization AND a.id = p_agent AND a.revoked_at IS NULL
    AND (coalesce(a.user_id, a.created_by) IS NULL OR m.user_id IS NOT NULL)
    AND (NOT o.demo OR NOT gate.setup_done()) $$;
REVOKE ALL ON FUNCTION gate.agent_by_id(uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.agent_by_id(uuid,uuid) TO intray_app;

-- As gate.agent_by_id, of the agent that has this secret.
CREATE FUNCTION gate.agent_by_secret(p_secret_hash bytea)
  RETURNS TABLE (organization_id uuid, slug text, organization_name text, id uuid, name text, role text, user_id uuid,
    oauth_client_id text, ends_at timestamptz, ended boolean, rests boolean, organization_networks text[],
    hold_ms integer, ask_agent_too boolean, client_name text, client_version text, noted boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT found.* FROM agent_credential a CROSS JOIN LATERAL gate.agent_by_id(a.organization_id, a.id) found
    WHERE a.secret_hash = p_secret_hash $$;
REVOKE ALL ON FUNCTION gate.agent_by_secret(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.agent_by_secret(bytea) TO intray_app;

-- Writes down that an agent was there, from where, and what its client calls itself; `p_calls` since the last note.
CREATE FUNCTION gate.note_agent_use(p_organization uuid, p_agent uuid, p_network text, p_client_name text,
    p_client_version text, p_calls integer) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE agent_credential SET first_seen_at = coalesce(first_seen_at, now()), last_seen_at = date_trunc('minute', now()),
      last_seen_network = coalesce(p_network, last_seen_network), client_name = coalesce(p_client_name, client_name),
      client_version = CASE WHEN p_client_name IS NULL THEN client_version ELSE p_client_version END,
      calls = calls + p_calls
    WHERE organization_id = p_organization AND id = p_agent $$;
REVOKE ALL ON FUNCTION gate.note_agent_use(uuid,uuid,text,text,text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.note_agent_use(uuid,uuid,text,text,text,integer) TO intray_app;

-- A membership takes the agents with it that its member made or signed in, also where a web process of an earlier version ends it: a
-- later invitation of the same person must not revive them.
CREATE FUNCTION gate.revoke_agents_of_member() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE agent_credential SET revoked_at = now() WHERE organization_id = OLD.organization_id
    AND coalesce(user_id, created_by) = OLD.user_id AND revoked_at IS NULL;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION gate.revoke_agents_of_member() FROM PUBLIC;

CREATE FUNCTION gate.organizations_with_ending_agents() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT a.organization_id FROM agent_credential a
    WHERE a.revoked_at IS NULL AND a.expires_at <= now() + interval '14 days' AND a.warned_days IS DISTINCT FROM 0
      AND (a.warned_days IS NULL OR a.expires_at <= now() + interval '3 days') $$;
REVOKE ALL ON FUNCTION gate.organizations_with_ending_agents() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_ending_agents() TO intray_engine;

-- With a question of Intray's own that was answered, whose hold is over, or whose time is up, or whose task has ended.
CREATE FUNCTION gate.organizations_with_own_questions() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.organization_id FROM input_request r
    WHERE r.origin = 'intray' AND r.state = 'open' AND r.expires_at <= now()
  UNION SELECT r.organization_id FROM input_request r
    WHERE r.origin = 'intray' AND r.state = 'answered' AND EXISTS (SELECT FROM delivery d
      WHERE d.organization_id = r.organization_id AND d.input_request_id = r.id
        AND (d.state = 'pending' OR (d.state = 'held' AND d.deliver_after <= now())))$$;
REVOKE ALL ON FUNCTION gate.organizations_with_own_questions() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_own_questions() TO intray_engine;

CREATE FUNCTION gate.organizations_with_request_callbacks() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT c.organization_id FROM request_callback c
    JOIN task t ON t.organization_id = c.organization_id AND t.id = c.task_id AND t.finished_at IS NOT NULL
    WHERE c.state = 'pending' AND c.not_before <= now()$$;
REVOKE ALL ON FUNCTION gate.organizations_with_request_callbacks() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_request_callbacks() TO intray_engine;

-- Keeps a client that registers, unless `p_most` wait already for somebody who lets them in.
CREATE FUNCTION gate.register_agent_client(p_id text, p_metadata jsonb, p_most integer, p_unused_ms bigint) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM agent_client WHERE id IN (SELECT c.id FROM agent_client c
    WHERE c.used_at IS NULL AND c.created_at < now() - p_unused_ms * interval '1 ms' LIMIT 100 FOR UPDATE SKIP LOCKED);
  DELETE FROM agent_client WHERE id IN (SELECT c.id FROM agent_client c
    WHERE c.used_at < now() - interval '91 days' LIMIT 100 FOR UPDATE SKIP LOCKED);
  IF (SELECT count(*) FROM (SELECT FROM agent_client WHERE used_at IS NULL LIMIT p_most) waiting) >= p_most THEN
    RETURN false;
  END IF;
  INSERT INTO agent_client (id, metadata) VALUES (p_id, p_metadata);
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.register_agent_client(text,jsonb,integer,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.register_agent_client(text,jsonb,integer,bigint) TO intray_app;

CREATE FUNCTION gate.agent_client(p_id text) RETURNS TABLE (metadata jsonb)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT c.metadata FROM agent_client c WHERE c.id = p_id $$;
REVOKE ALL ON FUNCTION gate.agent_client(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.agent_client(text) TO intray_app;

-- Writes a record, or writes it anew, and takes some away whose time is over: as many as may come in at once.
CREATE FUNCTION gate.keep_agent_record(p_kind text, p_id_hash bytea, p_sign_in uuid, p_session uuid, p_payload jsonb,
    p_lifetime_s integer) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM agent_oauth_record WHERE (kind, id_hash) IN (SELECT r.kind, r.id_hash FROM agent_oauth_record r
    WHERE r.expires_at < now() - interval '1 hour' LIMIT 20 FOR UPDATE SKIP LOCKED);
  INSERT INTO agent_oauth_record AS kept (kind, id_hash, sign_in_id, session_id, payload, expires_at)
    VALUES (p_kind, p_id_hash, p_sign_in, p_session, p_payload, now() + p_lifetime_s * interval '1 second')
    ON CONFLICT (kind, id_hash) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at
      WHERE kept.sign_in_id IS NOT DISTINCT FROM excluded.sign_in_id
        AND kept.session_id IS NOT DISTINCT FROM excluded.session_id $$;
REVOKE ALL ON FUNCTION gate.keep_agent_record(text,bytea,uuid,uuid,jsonb,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.keep_agent_record(text,bytea,uuid,uuid,jsonb,integer) TO intray_app;

CREATE FUNCTION gate.agent_record(p_kind text, p_id_hash bytea) RETURNS TABLE (payload jsonb, consumed_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.payload, r.consumed_at FROM agent_oauth_record r
    WHERE r.kind = p_kind AND r.id_hash = p_id_hash AND r.expires_at > now() $$;
REVOKE ALL ON FUNCTION gate.agent_record(text,bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.agent_record(text,bytea) TO intray_app;

-- Whether the record was not used before: of two who use it at once, one is told so.
CREATE FUNCTION gate.use_agent_record(p_kind text, p_id_hash bytea) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE agent_oauth_record SET consumed_at = now() WHERE kind = p_kind AND id_hash = p_id_hash AND consumed_at IS NULL;
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION gate.use_agent_record(text,bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.use_agent_record(text,bytea) TO intray_app;

CREATE FUNCTION gate.remove_agent_record(p_kind text, p_id_hash bytea) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ DELETE FROM agent_oauth_record WHERE kind = p_kind AND id_hash = p_id_hash $$;
REVOKE ALL ON FUNCTION gate.remove_agent_record(text,bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.remove_agent_record(text,bytea) TO intray_app;

-- What the member is asked in their browser's session, while they have not answered.
CREATE FUNCTION gate.agent_question(p_id_hash bytea, p_session uuid) RETURNS TABLE (payload jsonb)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.payload FROM agent_oauth_record r WHERE r.kind = 'Interaction' AND r.id_hash = p_id_hash
    AND r.session_id = p_session AND r.expires_at > now() AND NOT r.payload ? 'result' $$;
REVOKE ALL ON FUNCTION gate.agent_question(bytea,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.agent_question(bytea,uuid) TO intray_app;

-- Writes the member's answer to the question down, once. False: somebody else's question, or none.
CREATE FUNCTION gate.answer_agent_question(p_id_hash bytea, p_session uuid, p_result jsonb) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE agent_oauth_record r SET payload = r.payload || jsonb_build_object('result', p_result)
    WHERE r.kind = 'Interaction' AND r.id_hash = p_id_hash AND r.session_id = p_session AND r.expires_at > now()
      AND NOT r.payload ? 'result';
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION gate.answer_agent_question(bytea,uuid,jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.answer_agent_question(bytea,uuid,jsonb) TO intray_app;

-- Opens the agent's own session beside the browser's, with its proofs and its age. Whatever ends the browser's session ends the
-- agent's, except the browser's own sign-out and its eight hours. A session that its provider ends earlier than `p_web_ms` after
-- the sign-in ends the agent's then. Locks the person before the session, as gate.provider_logout does, so the two never wait for
-- each other. Returns null if the browser's session is over.
CREATE FUNCTION gate.open_agent_session(p_organization uuid, p_browser uuid, p_agent uuid, p_sign_in uuid, p_client text,
    p_metadata jsonb, p_secret_hash bytea, p_lifetime_ms bigint, p_web_ms bigint) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  browser session%ROWTYPE;
  opened uuid;
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN NULL; END IF;
  PERFORM FROM "user" u WHERE u.id = (SELECT s.user_id FROM session s WHERE s.id = p_browser) FOR KEY SHARE;
  SELECT * INTO browser FROM session s WHERE s.id = p_browser AND s.revoked_at IS NULL AND s.expires_at > now() FOR SHARE;
  IF browser.id IS NULL OR browser.agent_id IS NOT NULL OR p_organization = ANY (browser.ended_in) THEN RETURN NULL; END IF;
  INSERT INTO session (secret_hash, user_id, created_at, expires_at, chosen_organization, method, factor_at,
      provider, provider_subject, provider_session, authenticated_at, acr, amr, ended_in, agent_id)
    VALUES (p_secret_hash, browser.user_id, browser.created_at,
      CASE WHEN browser.expires_at < browser.created_at + (p_web_ms - 60000) * interval '1 ms' THEN browser.expires_at
        ELSE now() + p_lifetime_ms * interval '1 ms' END,
      p_organization, browser.method, NULL, browser.provider, browser.provider_subject, browser.provider_session,
      browser.authenticated_at, browser.acr, browser.amr, browser.ended_in, p_agent)
    RETURNING id INTO opened;
  INSERT INTO agent_sign_in (organization_id, id, agent_id, client_id, session_id)
    VALUES (p_organization, p_sign_in, p_agent, p_client, opened);
  INSERT INTO agent_client AS known (id, metadata, used_at) VALUES (p_client, p_metadata, now())
    ON CONFLICT (id) DO UPDATE SET used_at = now(), metadata = CASE WHEN known.id LIKE 'https:%' THEN excluded.metadata ELSE known.metadata END;
  RETURN opened;
END $$;
REVOKE ALL ON FUNCTION gate.open_agent_session(uuid,uuid,uuid,uuid,text,jsonb,bytea,bigint,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.open_agent_session(uuid,uuid,uuid,uuid,text,jsonb,bytea,bigint,bigint) TO intray_app;

-- Whether all that a sign-in rests on is there still: the agent, the membership, the member's sign-in, and what the
-- organization asks of one.
CREATE FUNCTION gate.agent_sign_in_stands(p_sign_in uuid) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM agent_sign_in i
    JOIN session s ON s.id = i.session_id
    JOIN agent_credential a ON a.organization_id = i.organization_id AND a.id = i.agent_id
    JOIN membership m ON m.organization_id = i.organization_id AND m.user_id = s.user_id
    WHERE i.id = p_sign_in AND a.user_id = s.user_id AND a.revoked_at IS NULL AND coalesce(a.expires_at > now(), true)
      AND s.revoked_at IS NULL AND s.expires_at > now() AND i.organization_id <> ALL (s.ended_in)
      AND coalesce(s.only_organization = i.organization_id, true)
      AND gate.sign_in_refusal(s, i.organization_id, m.role) IS NULL
      AND NOT gate.keys_rest(i.organization_id, s.user_id)) $$;
REVOKE ALL ON FUNCTION gate.agent_sign_in_stands(uuid) FROM PUBLIC;

-- The agent and the member of a sign-in that stands, for the authorization server.
CREATE FUNCTION gate.agent_sign_in(p_sign_in uuid) RETURNS TABLE (user_id uuid, client_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.user_id, i.client_id FROM agent_sign_in i JOIN session s ON s.id = i.session_id
    WHERE i.id = p_sign_in AND gate.agent_sign_in_stands(p_sign_in) $$;
REVOKE ALL ON FUNCTION gate.agent_sign_in(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.agent_sign_in(uuid) TO intray_app;

-- The agent that an access token for `p_resource` belongs to, while everything stands that it rests on.
CREATE FUNCTION gate.agent_of_token(p_token_hash bytea, p_resource text)
  RETURNS TABLE (organization_id uuid, agent_id uuid, sign_in_id uuid, noted boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT i.organization_id, i.agent_id, i.id, s.last_seen_at >= now() - interval '1 minute'
    FROM agent_oauth_record r JOIN agent_sign_in i ON i.id = r.sign_in_id JOIN session s ON s.id = i.session_id
    WHERE r.kind = 'AccessToken' AND r.id_hash = p_token_hash AND r.expires_at > now()
      AND r.payload ->> 'aud' = p_resource AND gate.agent_sign_in_stands(i.id) $$;
REVOKE ALL ON FUNCTION gate.agent_of_token(bytea,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.agent_of_token(bytea,text) TO intray_app;

-- The use of a token is the use of its session: once a minute.
CREATE FUNCTION gate.note_agent_session(p_sign_in uuid) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE session s SET last_seen_at = now() FROM agent_sign_in i WHERE i.id = p_sign_in AND s.id = i.session_id
    AND s.revoked_at IS NULL AND s.last_seen_at < now() - interval '1 minute' $$;
REVOKE ALL ON FUNCTION gate.note_agent_session(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.note_agent_session(uuid) TO intray_app;

-- Ends a sign-in with all its codes and tokens, and says so in the organization's history, once.
CREATE FUNCTION gate.end_agent_sign_in(p_sign_in uuid, p_why text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ended agent_sign_in%ROWTYPE;
  member uuid;
BEGIN
  SELECT * INTO ended FROM agent_sign_in WHERE id = p_sign_in;
  IF ended.id IS NULL THEN RETURN false; END IF;
  UPDATE session SET revoked_at = now() WHERE id = ended.session_id AND revoked_at IS NULL RETURNING user_id INTO member;
  DELETE FROM agent_oauth_record WHERE sign_in_id = p_sign_in;
  IF member IS NULL THEN RETURN false; END IF;
  PERFORM gate.session_event(member, ended.organization_id, 'agent.signed_out', (SELECT jsonb_build_object(
    'agentId', a.id, 'name', a.name, 'why', p_why) FROM agent_credential a
      WHERE a.organization_id = ended.organization_id AND a.id = ended.agent_id));
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gate.end_agent_sign_in(uuid,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.end_agent_sign_in(uuid,text) TO intray_app;

-- An agent whose member's sign-in ends is looked at again where a call of its is held open.
CREATE FUNCTION gate.tell_agent_session() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('intray_change', json_build_object('o', i.organization_id,
      'c', json_build_array(json_build_array('agent', i.agent_id)))::text)
    FROM agent_sign_in i WHERE i.session_id = NEW.id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION gate.tell_agent_session() FROM PUBLIC;

-- The name of the agent whose session it is, while the agent is one; null: a browser's.
CREATE FUNCTION gate.agent_of_session(s session) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT a.name FROM agent_sign_in i JOIN agent_credential a ON a.organization_id = i.organization_id AND a.id = i.agent_id
    WHERE s.agent_id IS NOT NULL AND i.session_id = s.id AND a.revoked_at IS NULL $$;
REVOKE ALL ON FUNCTION gate.agent_of_session(session) FROM PUBLIC;

-- Agents' sessions are listed beside the browsers', however long they are not used: whoever may end those ends these, too.
-- Web processes of earlier versions go on with gate.sessions and gate.sessions_in.
CREATE FUNCTION gate.sessions_and_agents(p_user uuid, p_idle_ms bigint) RETURNS TABLE (id uuid, method text, user_agent text,
    address text, created_at timestamptz, last_seen_at timestamptz, expires_at timestamptz, agent text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.id, s.method, s.user_agent, s.address, s.created_at, s.last_seen_at, s.expires_at, gate.agent_of_session(s)
    FROM session s WHERE s.user_id = p_user AND s.revoked_at IS NULL AND s.expires_at > now()
      AND CASE WHEN s.agent_id IS NULL THEN s.last_seen_at > now() - p_idle_ms * interval '1 ms'
        ELSE gate.agent_of_session(s) IS NOT NULL END
    ORDER BY s.created_at DESC, s.id $$;
REVOKE ALL ON FUNCTION gate.sessions_and_agents(uuid,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.sessions_and_agents(uuid,bigint) TO intray_app;

CREATE FUNCTION gate.sessions_and_agents_in(p_organization uuid, p_user uuid, p_idle_ms bigint) RETURNS TABLE (id uuid,
    method text, user_agent text, address text, created_at timestamptz, last_seen_at timestamptz, expires_at timestamptz, agent text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT s.id, s.method, s.user_agent, s.address, s.created_at, s.last_seen_at, s.expires_at, gate.agent_of_session(s)
    FROM session s WHERE p_organization = current_organization() AND s.user_id = p_user AND s.revoked_at IS NULL
      AND s.expires_at > now() AND gate.place_of(s) = p_organization
      AND CASE WHEN s.agent_id IS NULL THEN s.last_seen_at > now() - p_idle_ms * interval '1 ms'
        ELSE gate.agent_of_session(s) IS NOT NULL END
    ORDER BY s.created_at DESC, s.id $$;
REVOKE ALL ON FUNCTION gate.sessions_and_agents_in(uuid,uuid,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.sessions_and_agents_in(uuid,uuid,bigint) TO intray_app;

-- Whom a provider signs in counts with those who hold it, from the moment that it means them.
CREATE FUNCTION remember_saml_person() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE provider record;
BEGIN
  -- Waits for who describes the provider just now.
  SELECT p.organization_id, p.id, p.held_by INTO provider FROM saml_provider p WHERE 'saml:' || p.id = NEW.issuer
    FOR NO KEY UPDATE;
  IF FOUND THEN
    INSERT INTO saml_maker (organization_id, user_id, maker, provider_id)
      SELECT provider.organization_id, NEW.user_id, holder, provider.id FROM unnest(provider.held_by) holder
        WHERE holder <> NEW.user_id ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION remember_saml_person() FROM PUBLIC;

CREATE FUNCTION spread_saml_holders() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO saml_maker (organization_id, user_id, maker, provider_id)
    SELECT NEW.organization_id, i.user_id, holder, NEW.id FROM identity i CROSS JOIN unnest(NEW.held_by) holder
      WHERE i.issuer = 'saml:' || NEW.id AND holder <> i.user_id ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION spread_saml_holders() FROM PUBLIC;

-- An owner who vouches for a person answers for what a provider that is gone said of them; not for one that is there, whose
-- holders can still sign in as the person.
CREATE FUNCTION forget_saml_makers() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM saml_maker s WHERE s.organization_id = NEW.organization_id AND s.user_id = NEW.user_id
    AND NOT EXISTS (SELECT FROM saml_provider p WHERE p.organization_id = s.organization_id AND p.id = s.provider_id);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION forget_saml_makers() FROM PUBLIC;

-- Another maker says that a provider is the organization's, with its keys and rules as they are. Sessions of before end:
-- its holders may have opened them. p_confirmer null: the operator. `same`: the confirmer's line is a holder's, by
-- invitations alone, since the provider may have signed the confirmer in too; the caller shows that this session is the
-- person's own. Null: there is none to confirm.
CREATE FUNCTION gate.confirm_saml_provider(p_organization uuid, p_provider uuid, p_confirmer uuid) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE holders uuid[];
BEGIN
  IF p_organization IS DISTINCT FROM current_organization() THEN RETURN NULL; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || p_organization::text, 0));
  SELECT p.held_by INTO holders FROM saml_provider p WHERE p.organization_id = p_organization AND p.id = p_provider
    FOR NO KEY UPDATE;
  IF coalesce(cardinality(holders), 0) = 0 THEN RETURN NULL; END IF;
  IF p_confirmer IS NOT NULL AND EXISTS (SELECT FROM unnest(holders) holder
    WHERE counts_by_line(p_organization, holder, p_confirmer)) THEN RETURN 'same'; END IF;
  UPDATE saml_provider SET held_by = '{}' WHERE organization_id = p_organization AND id = p_provider;
  DELETE FROM saml_maker WHERE organization_id = p_organization AND provider_id = p_provider;
  UPDATE session SET revoked_at = now() WHERE only_organization = p_organization AND provider = 'saml:' || p_provider
    AND revoked_at IS NULL;
  RETURN 'done';
END $$;
REVOKE ALL ON FUNCTION gate.confirm_saml_provider(uuid,uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.confirm_saml_provider(uuid,uuid,uuid) TO intray_app;

-- As gate.open_session. `again` of the proof: the browser was signed in, so that the provider was asked to ask anew. A
-- provider that does not say when it asked is believed that alone.
CREATE FUNCTION gate.open_oidc_session(p_secret_hash bytea, p_user uuid, p_lifetime_ms bigint, p_method text,
    p_user_agent text, p_address text, p_network text, p_browser text, p_epoch integer, p_proof jsonb) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE opened uuid;
BEGIN
  opened := gate.open_session(p_secret_hash, p_user, p_lifetime_ms, p_method, p_user_agent, p_address, p_network,
    p_browser, p_epoch, p_proof);
  UPDATE session SET factor_at = CASE
      WHEN p_proof->>'authenticatedAt' IS NOT NULL THEN least(now(), (p_proof->>'authenticatedAt')::timestamptz)
      WHEN (p_proof->>'again')::boolean THEN now() END
    WHERE id = opened;
  RETURN opened;
END $$;
REVOKE ALL ON FUNCTION gate.open_oidc_session(bytea,uuid,bigint,text,text,text,text,text,integer,jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.open_oidc_session(bytea,uuid,bigint,text,text,text,text,text,integer,jsonb) TO intray_app;

-- With a timer that is due, or a calendar whose change the timers have not followed.
CREATE FUNCTION gate.organizations_with_due_timers() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.organization_id FROM request_timer t WHERE t.fired_at IS NULL AND t.due_at <= now()
  UNION SELECT w.organization_id FROM working_calendar w WHERE w.moved_version < w.version$$;
REVOKE ALL ON FUNCTION gate.organizations_with_due_timers() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_due_timers() TO intray_engine;

CREATE FUNCTION gate.receipt_public_keys() RETURNS TABLE (kid uuid, public_key jsonb)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.kid, k.public_key FROM receipt_key k ORDER BY k.made_at DESC, k.kid$$;
REVOKE ALL ON FUNCTION gate.receipt_public_keys() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.receipt_public_keys() TO intray_app;

CREATE FUNCTION gate.receipt_signing_key() RETURNS TABLE (kid uuid, sealed_private_key text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.kid, k.sealed_private_key FROM receipt_key k WHERE k.retired_at IS NULL$$;
REVOKE ALL ON FUNCTION gate.receipt_signing_key() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.receipt_signing_key() TO intray_app;

-- Keeps the first key. Of two that are made at once one stays.
CREATE FUNCTION gate.keep_receipt_key(p_kid uuid, p_public jsonb, p_sealed text) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO receipt_key (kid, public_key, sealed_private_key) VALUES (p_kid, p_public, p_sealed) ON CONFLICT DO NOTHING$$;
REVOKE ALL ON FUNCTION gate.keep_receipt_key(uuid,jsonb,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.keep_receipt_key(uuid,jsonb,text) TO intray_app;

-- Puts a key in the place of the current one, whose private half goes.
CREATE FUNCTION gate.replace_receipt_key(p_kid uuid, p_public jsonb, p_sealed text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  LOCK TABLE receipt_key IN SHARE ROW EXCLUSIVE MODE;
  UPDATE receipt_key SET retired_at = now(), sealed_private_key = NULL WHERE retired_at IS NULL;
  INSERT INTO receipt_key (kid, public_key, sealed_private_key) VALUES (p_kid, p_public, p_sealed);
END$$;
REVOKE ALL ON FUNCTION gate.replace_receipt_key(uuid,jsonb,text) FROM PUBLIC;

-- How the person behind a session signed in, and when they last showed that it is them, for the line of what they decide.
CREATE FUNCTION gate.session_proof(p_session uuid) RETURNS jsonb
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT jsonb_build_object('method', s.method, 'provider', s.provider, 'amr', s.amr, 'acr', s.acr,
    'authenticatedAt', s.authenticated_at, 'factorAt', s.factor_at) FROM session s WHERE s.id = p_session$$;
REVOKE ALL ON FUNCTION gate.session_proof(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.session_proof(uuid) TO intray_app;

CREATE FUNCTION gate.organizations_with_absences() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT a.organization_id FROM away a WHERE a.ends_at <= now() OR (NOT a.told AND a.starts_at <= now()) $$;
REVOKE ALL ON FUNCTION gate.organizations_with_absences() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_absences() TO intray_engine;

-- An account that nobody had proven is another person's now (gate.replace_account): whoever held it chooses nobody any more.
CREATE FUNCTION gate.forget_absences() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM away a WHERE a.organization_id = NEW.organization_id AND NEW.user_id IN (a.user_id, a.delegate, a.set_by);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION gate.forget_absences() FROM PUBLIC;

-- With a request that rules have still to be asked about.
CREATE FUNCTION gate.organizations_with_automatic_work() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT d.organization_id FROM automatic_decision d WHERE d.state = 'waiting'$$;
REVOKE ALL ON FUNCTION gate.organizations_with_automatic_work() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_automatic_work() TO intray_engine;

CREATE FUNCTION gate.organizations_with_ended_snoozes() RETURNS TABLE (id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT DISTINCT z.organization_id FROM request_snooze z WHERE z.woken_at IS NULL AND z.ends_at <= now() $$;
REVOKE ALL ON FUNCTION gate.organizations_with_ended_snoozes() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.organizations_with_ended_snoozes() TO intray_engine;

-- Keeps a client that registers. Beyond `p_most_of_one` of its network, and `p_most` of all, the oldest go that nobody let in:
-- of all, those of the networks with most. Web processes of earlier versions call the older function, which keeps no network.
CREATE FUNCTION gate.register_agent_client(p_id text, p_metadata jsonb, p_network text, p_most_of_one integer,
    p_most integer, p_unused_ms bigint) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM agent_client WHERE id IN (SELECT c.id FROM agent_client c
    WHERE c.used_at IS NULL AND c.created_at < now() - p_unused_ms * interval '1 ms' LIMIT 100 FOR UPDATE SKIP LOCKED);
  DELETE FROM agent_client WHERE id IN (SELECT c.id FROM agent_client c
    WHERE c.used_at < now() - interval '91 days' LIMIT 100 FOR UPDATE SKIP LOCKED);
  UPDATE agent_client SET network = NULL WHERE used_at IS NOT NULL AND network IS NOT NULL;
  DELETE FROM agent_client WHERE used_at IS NULL AND id IN (SELECT c.id FROM agent_client c
    WHERE c.used_at IS NULL AND c.network = p_network ORDER BY c.created_at DESC OFFSET p_most_of_one - 1);
  DELETE FROM agent_client WHERE used_at IS NULL AND id IN (SELECT c.id FROM agent_client c
    WHERE c.used_at IS NULL ORDER BY count(*) OVER (PARTITION BY c.network), c.created_at DESC OFFSET p_most - 1);
  INSERT INTO agent_client (id, metadata, network) VALUES (p_id, p_metadata, p_network) $$;
REVOKE ALL ON FUNCTION gate.register_agent_client(text,jsonb,text,integer,integer,bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.register_agent_client(text,jsonb,text,integer,integer,bigint) TO intray_app;

-- The names of everybody else where the account that an invitation's link makes will be a member: in the organization of the
-- invitation, and where a mailed link replaces an account that nobody has proved, in those of that account. By turns with all
-- that makes members there, until the transaction ends: of two who join at once, the second sees the first.
CREATE FUNCTION gate.names_beside(p_token_hash bytea) RETURNS SETOF text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  invited record;
  places uuid[];
  place uuid;
BEGIN
  SELECT * INTO invited FROM gate.open_invitation(p_token_hash);
  IF NOT FOUND THEN RETURN; END IF;
  SELECT array_agg(o ORDER BY o) INTO places FROM (
    SELECT invited.organization_id AS o
    UNION SELECT m.organization_id FROM "user" u JOIN membership m ON m.user_id = u.id
      WHERE u.email = invited.email AND u.proven_at IS NULL AND invited.mailed
    UNION SELECT s.organization_id FROM "user" u JOIN suspended_member s ON s.user_id = u.id
      WHERE u.email = invited.email AND u.proven_at IS NULL AND invited.mailed) AS its;
  FOREACH place IN ARRAY places LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended('maker ' || place::text, 0));
  END LOOP;
  RETURN QUERY SELECT u.name FROM "user" u WHERE u.email <> invited.email AND u.id IN (
    SELECT m.user_id FROM membership m WHERE m.organization_id = ANY (places)
    UNION ALL SELECT s.user_id FROM suspended_member s WHERE s.organization_id = ANY (places));
END $$;
REVOKE ALL ON FUNCTION gate.names_beside(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gate.names_beside(bytea) TO intray_app;

RESET ROLE;

-- The owner runs commands by these.
GRANT EXECUTE ON FUNCTION
  append_event(text,jsonb,uuid,uuid,jsonb),
  gate.setup_done(),
  gate.organization_by_slug(text),
  gate.demo_people(),
  gate.organizations_with_operator_servers(),
  gate.delete_organization(uuid,text,bigint),
  gate.remove_second_factor(uuid,boolean),
  gate.all_organizations(),
  gate.figures(integer),
  search_ended_requests(text,text),
  search_ended_tasks(text,text),
  append_events(jsonb),
  search_ended_tasks(text),
  search_ended_requests(text),
  gate.replace_account(uuid,text,text,text),
  gate.accounts_made_by_link(),
  gate.account_notices(uuid,uuid),
  gate.keys_rest(uuid,uuid),
  exports_of_task(uuid),
  exports_of_person(uuid),
  gate.content_keys(uuid),
  note_content_keys(),
  refuse_key_loss(),
  keep_texts_of_requests(),
  refuse_old_engine(),
  refuse_connection_to_old_engine(),
  gate.confirm_saml_provider(uuid,uuid,uuid),
  gate.replace_receipt_key(uuid,jsonb,text)
TO CURRENT_USER;
REVOKE CREATE ON SCHEMA gate, public FROM intray_gate;

-- What follows from a write. Some of these functions are for their owner alone.
CREATE TRIGGER state_machine BEFORE UPDATE OF state ON input_request FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION refuse_wrong_move('open>answered', 'open>withdrawn', 'open>expired', 'open>undeliverable',
    'answered>settled', 'answered>open', 'answered>withdrawn', 'answered>expired', 'answered>undeliverable',
    'undeliverable>open');
CREATE TRIGGER copy_from_task BEFORE INSERT ON input_request FOR EACH ROW EXECUTE FUNCTION copy_from_task();
CREATE CONSTRAINT TRIGGER count_opened AFTER INSERT ON task DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.finished_at IS NULL) EXECUTE FUNCTION count_open_task();
CREATE CONSTRAINT TRIGGER count_ended AFTER UPDATE OF finished_at ON task DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL) EXECUTE FUNCTION count_open_task();
CREATE CONSTRAINT TRIGGER count_deleted AFTER DELETE ON task DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.finished_at IS NULL) EXECUTE FUNCTION count_open_task();
CREATE TRIGGER keep_text_of_new AFTER INSERT ON task FOR EACH ROW EXECUTE FUNCTION keep_task_text();
CREATE TRIGGER keep_text AFTER UPDATE OF status_message, finished_at ON task FOR EACH ROW
  WHEN (OLD.status_message IS DISTINCT FROM NEW.status_message
    OR (OLD.finished_at IS NULL) <> (NEW.finished_at IS NULL)) EXECUTE FUNCTION keep_task_text();
CREATE TRIGGER keep_text_of_new AFTER INSERT ON input_request FOR EACH ROW EXECUTE FUNCTION keep_request_text();
CREATE TRIGGER keep_text AFTER UPDATE OF state ON input_request FOR EACH ROW
  WHEN ((OLD.state IN ('open', 'answered')) <> (NEW.state IN ('open', 'answered')))
  EXECUTE FUNCTION keep_request_text();
-- What a request is searched by follows its text.
CREATE TRIGGER copy_from_task_reworded BEFORE UPDATE OF message ON input_request FOR EACH ROW
  WHEN (OLD.message <> NEW.message) EXECUTE FUNCTION copy_from_task();
CREATE TRIGGER keep_text_reworded AFTER UPDATE OF message ON input_request FOR EACH ROW
  WHEN (OLD.message <> NEW.message) EXECUTE FUNCTION keep_request_text();
CREATE TRIGGER new_link_is_not_mailed BEFORE UPDATE OF token_hash ON invitation FOR EACH ROW
  WHEN (OLD.token_hash IS DISTINCT FROM NEW.token_hash) EXECUTE FUNCTION new_link_is_not_mailed();
CREATE TRIGGER refuse_unproven_elsewhere BEFORE INSERT ON membership FOR EACH ROW WHEN (NEW.granted_by IS NULL)
  EXECUTE FUNCTION refuse_unproven_elsewhere();
CREATE TRIGGER forget_places AFTER UPDATE OF credentials_epoch ON "user" FOR EACH ROW
  WHEN (OLD.credentials_epoch <> NEW.credentials_epoch) EXECUTE FUNCTION forget_places();
CREATE TRIGGER end_four_eyes BEFORE UPDATE OF four_eyes ON organization
  FOR EACH ROW WHEN (OLD.four_eyes AND NOT NEW.four_eyes) EXECUTE FUNCTION end_four_eyes();
CREATE TRIGGER remember_maker AFTER INSERT ON membership FOR EACH ROW EXECUTE FUNCTION gate.remember_maker();
CREATE TRIGGER date_deletion BEFORE UPDATE OF deletion_requested_at ON organization
  FOR EACH ROW WHEN (NEW.deletion_requested_at IS DISTINCT FROM OLD.deletion_requested_at
    AND NEW.deletion_requested_at IS NOT NULL) EXECUTE FUNCTION date_deletion();
CREATE TRIGGER refuse_suspended AFTER INSERT ON membership FOR EACH ROW EXECUTE FUNCTION refuse_suspended();
CREATE TRIGGER confine_session BEFORE INSERT OR UPDATE OF provider, only_organization, chosen_organization ON session
  FOR EACH ROW EXECUTE FUNCTION confine_session();
CREATE TRIGGER end_saml_provider AFTER DELETE ON saml_provider FOR EACH ROW EXECUTE FUNCTION end_saml_provider();
CREATE TRIGGER join_as_directory_person BEFORE INSERT ON membership
  FOR EACH ROW EXECUTE FUNCTION join_as_directory_person();
CREATE TRIGGER end_views_of_suspended AFTER INSERT ON suspended_member FOR EACH ROW EXECUTE FUNCTION end_views_of_suspended();
CREATE TRIGGER replace_suspended AFTER UPDATE OF credentials_epoch ON "user" FOR EACH ROW
  WHEN (OLD.credentials_epoch <> NEW.credentials_epoch) EXECUTE FUNCTION replace_suspended();
CREATE TRIGGER tell_of_identity AFTER INSERT ON identity FOR EACH ROW EXECUTE FUNCTION tell_of_identity();
CREATE TRIGGER remember_account_owner AFTER INSERT OR UPDATE OF owner_id ON service_account
  FOR EACH ROW EXECUTE FUNCTION gate.remember_account_owner();
CREATE TRIGGER remember_key_maker AFTER INSERT ON api_key
  FOR EACH ROW WHEN (NEW.service_account_id IS NOT NULL) EXECUTE FUNCTION gate.remember_key_maker();
CREATE TRIGGER keep_key_holder AFTER UPDATE ON api_key
  FOR EACH ROW WHEN (OLD.service_account_id IS DISTINCT FROM NEW.service_account_id)
  EXECUTE FUNCTION gate.remember_key_maker();
CREATE TRIGGER note_content_keys AFTER INSERT OR UPDATE OF retired_at ON organization_key FOR EACH ROW
  EXECUTE FUNCTION note_content_keys();
CREATE TRIGGER refuse_key_loss BEFORE DELETE ON organization_key FOR EACH ROW EXECUTE FUNCTION refuse_key_loss();
-- Search texts follow what is sealed and opened again. Nothing else changes arguments.
CREATE TRIGGER keep_text_of_content AFTER UPDATE OF arguments, label ON task FOR EACH ROW
  WHEN (OLD.arguments::text <> NEW.arguments::text OR OLD.label IS DISTINCT FROM NEW.label) EXECUTE FUNCTION keep_task_text();
CREATE TRIGGER keep_texts_of_requests AFTER UPDATE OF arguments, label ON task FOR EACH ROW
  WHEN (OLD.arguments::text <> NEW.arguments::text OR OLD.label IS DISTINCT FROM NEW.label)
  EXECUTE FUNCTION keep_texts_of_requests();
CREATE TRIGGER wake_engines AFTER INSERT ON event
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER wake_engines AFTER INSERT ON change
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER wake_engines AFTER INSERT OR UPDATE ON bulk_operation
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER wake_engines AFTER INSERT OR UPDATE ON webhook_delivery
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER wake_engines AFTER INSERT OR UPDATE ON audit_stream
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER wake_engines AFTER INSERT ON account_notice
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER wake_engines AFTER INSERT ON password_reset
  FOR EACH STATEMENT WHEN (session_user <> 'intray_engine') EXECUTE FUNCTION wake_engines();
CREATE TRIGGER refuse_old_engine BEFORE INSERT OR UPDATE ON engine
  FOR EACH ROW WHEN (NOT NEW.opens_content) EXECUTE FUNCTION refuse_old_engine();
CREATE TRIGGER refuse_connection_to_old_engine BEFORE UPDATE OF watched_by ON connection
  FOR EACH ROW WHEN (NEW.watched_by IS DISTINCT FROM OLD.watched_by AND NEW.watched_by IS NOT NULL)
  EXECUTE FUNCTION refuse_connection_to_old_engine();
CREATE TRIGGER revoke_agents_of_member AFTER DELETE ON membership
  FOR EACH ROW EXECUTE FUNCTION gate.revoke_agents_of_member();
CREATE TRIGGER hint_agents_task AFTER UPDATE OF finished_at ON task FOR EACH ROW
  WHEN (NEW.agent_id IS NOT NULL AND NEW.finished_at IS NOT NULL AND OLD.finished_at IS NULL)
  EXECUTE FUNCTION hint_agents_task();
CREATE TRIGGER state_machine BEFORE UPDATE OF state ON task FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION refuse_wrong_move('queued>starting', 'queued>failed', 'queued>cancelled', 'starting>queued',
    'starting>working', 'starting>input_required', 'starting>completed', 'starting>failed', 'starting>cancelled',
    'starting>start_unknown', 'start_unknown>working', 'start_unknown>input_required', 'start_unknown>failed',
    'working>starting', 'working>input_required', 'working>completed', 'working>failed', 'working>cancelled',
    'working>lost', 'working>expired', 'input_required>working', 'input_required>starting', 'input_required>completed',
    'input_required>failed', 'input_required>cancelled', 'input_required>lost', 'input_required>expired');
CREATE TRIGGER tell_agent_session AFTER UPDATE OF revoked_at, ended_in ON session FOR EACH ROW WHEN (NEW.agent_id IS NOT NULL)
  EXECUTE FUNCTION gate.tell_agent_session();
CREATE TRIGGER keep_saml_holders BEFORE INSERT OR UPDATE ON saml_provider
  FOR EACH ROW EXECUTE FUNCTION keep_saml_holders();
CREATE TRIGGER spread_saml_holders AFTER INSERT OR UPDATE ON saml_provider
  FOR EACH ROW WHEN (cardinality(NEW.held_by) > 0) EXECUTE FUNCTION spread_saml_holders();
CREATE TRIGGER remember_saml_person AFTER INSERT ON identity
  FOR EACH ROW WHEN (NEW.issuer LIKE 'saml:%') EXECUTE FUNCTION remember_saml_person();
CREATE TRIGGER forget_saml_makers AFTER UPDATE OF vouched_at, invited_by ON maker
  FOR EACH ROW WHEN (NEW.vouched_at IS NOT NULL AND NEW.vouched_at IS DISTINCT FROM OLD.vouched_at)
  EXECUTE FUNCTION forget_saml_makers();
CREATE TRIGGER skip_attempt_without_approval BEFORE INSERT ON task FOR EACH ROW
  WHEN (NEW.retry_of IS NOT NULL AND NEW.gate IS NULL) EXECUTE FUNCTION skip_attempt_without_approval();
CREATE TRIGGER refuse_programs_answer BEFORE INSERT ON answer FOR EACH ROW
  WHEN (NEW.answered_by ->> 'kind' IS DISTINCT FROM 'member') EXECUTE FUNCTION refuse_programs_answer();
CREATE TRIGGER end_provider_absence AFTER INSERT ON session FOR EACH ROW
  WHEN (NEW.provider IS NOT NULL AND NEW.agent_id IS NULL) EXECUTE FUNCTION end_provider_absence();
CREATE TRIGGER refuse_to_send_what_is_fetched BEFORE UPDATE ON delivery FOR EACH ROW
  WHEN (NEW.state = 'sending' AND OLD.state <> 'sending' AND NEW.rung IS DISTINCT FROM 'fetched')
  EXECUTE FUNCTION refuse_to_send_what_is_fetched();
CREATE TRIGGER approval_holds BEFORE UPDATE OF state ON input_request FOR EACH ROW
  WHEN (NEW.state = 'answered' AND OLD.state <> 'answered' AND NEW.approval IS NOT NULL) EXECUTE FUNCTION refuse_unvoted();
CREATE TRIGGER timers_end AFTER UPDATE OF state ON input_request FOR EACH ROW
  WHEN (OLD.state = 'open' AND NEW.state <> 'open' AND NEW.approval IS NOT NULL) EXECUTE FUNCTION drop_request_timers();
CREATE TRIGGER forget_absences AFTER UPDATE OF inherited ON membership FOR EACH ROW WHEN (NEW.inherited)
  EXECUTE FUNCTION gate.forget_absences();
CREATE TRIGGER persons_vote_once BEFORE INSERT ON vote FOR EACH ROW WHEN (NEW.ended_at IS NULL)
  EXECUTE FUNCTION refuse_second_vote();
CREATE TRIGGER policy_is_approved BEFORE INSERT ON policy_version FOR EACH ROW EXECUTE FUNCTION refuse_unapproved_policy();
CREATE TRIGGER two_person_policy_ends BEFORE UPDATE OF two_person_policy ON organization
  FOR EACH ROW WHEN (OLD.two_person_policy AND NOT NEW.two_person_policy) EXECUTE FUNCTION refuse_end_of_two_person_policy();
CREATE TRIGGER state_machine BEFORE UPDATE OF state ON delivery FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION refuse_wrong_move('held>pending', 'held>undone', 'held>failed', 'pending>sending', 'pending>accepted',
    'pending>confirmed', 'pending>failed', 'pending>undone', 'sending>accepted', 'sending>pending', 'sending>confirmed',
    'sending>failed', 'accepted>confirmed', 'accepted>pending', 'accepted>failed');
CREATE TRIGGER needs_info_ends BEFORE UPDATE OF state, reworded_at ON input_request FOR EACH ROW
  WHEN (OLD.needs_info IS NOT NULL AND (NEW.state <> 'open' OR NEW.reworded_at IS DISTINCT FROM OLD.reworded_at))
  EXECUTE FUNCTION end_needs_info();
CREATE TRIGGER snoozes_end AFTER UPDATE OF assignee_user_id, assigned_at, reworded_at, approval ON input_request FOR EACH ROW
  WHEN (NEW.reworded_at IS DISTINCT FROM OLD.reworded_at OR open_stage(NEW.approval) <> open_stage(OLD.approval)
    OR (NEW.assignee_user_id IS NOT NULL AND (NEW.assignee_user_id IS DISTINCT FROM OLD.assignee_user_id
      OR NEW.assigned_at IS DISTINCT FROM OLD.assigned_at)))
  EXECUTE FUNCTION end_snoozes();
CREATE TRIGGER group_is_approved BEFORE INSERT OR UPDATE OR DELETE ON organization_group
  FOR EACH ROW EXECUTE FUNCTION refuse_unapproved_group();
CREATE TRIGGER group_member_is_approved BEFORE INSERT OR DELETE ON organization_group_member
  FOR EACH ROW EXECUTE FUNCTION refuse_unapproved_member();
CREATE TRIGGER decide_by_of_new BEFORE INSERT ON input_request FOR EACH ROW
  WHEN (NEW.approval ->> 'dueAt' IS NOT NULL) EXECUTE FUNCTION keep_decide_by();
CREATE TRIGGER decide_by_moved BEFORE UPDATE OF approval ON input_request FOR EACH ROW
  WHEN (OLD.approval ->> 'dueAt' IS DISTINCT FROM NEW.approval ->> 'dueAt') EXECUTE FUNCTION keep_decide_by();
CREATE TRIGGER ballot_of_new BEFORE INSERT ON input_request FOR EACH ROW
  WHEN (NEW.approval IS NOT NULL) EXECUTE FUNCTION keep_ballot();
CREATE TRIGGER ballot_moved BEFORE UPDATE OF approval ON input_request FOR EACH ROW
  WHEN (OLD.approval IS DISTINCT FROM NEW.approval) EXECUTE FUNCTION keep_ballot();
REVOKE intray_gate FROM CURRENT_USER;

-- Who sees and changes which rows.

ALTER TABLE organization ENABLE ROW LEVEL SECURITY;
ALTER TABLE organization FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organization USING (id = current_organization()) WITH CHECK (id = current_organization());
CREATE POLICY gate ON organization TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE ON organization TO intray_app;
GRANT SELECT, UPDATE (four_eyes, four_eyes_until) ON organization TO intray_engine;
GRANT SELECT, INSERT, UPDATE, DELETE ON organization TO intray_gate;

ALTER TABLE "user" ENABLE ROW LEVEL SECURITY;
CREATE POLICY member ON "user" FOR SELECT USING (EXISTS ( SELECT
   FROM membership m
  WHERE ((m.user_id = "user".id) AND (m.organization_id = current_organization()))));
CREATE POLICY gate ON "user" TO intray_gate USING (true) WITH CHECK (true);
CREATE POLICY suspended ON "user" FOR SELECT USING (EXISTS ( SELECT
   FROM suspended_member s
  WHERE ((s.user_id = "user".id) AND (s.organization_id = current_organization()))));
GRANT SELECT (id, email, name, created_at, proven_at) ON "user" TO intray_app;
GRANT SELECT (id, email, name, created_at) ON "user" TO intray_engine;
GRANT SELECT, INSERT, UPDATE, DELETE ON "user" TO intray_gate;

ALTER TABLE membership ENABLE ROW LEVEL SECURITY;
ALTER TABLE membership FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON membership USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON membership TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON membership TO intray_app, intray_gate;
GRANT SELECT ON membership TO intray_engine;

ALTER TABLE session ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON session TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON session TO intray_gate;

ALTER TABLE password_link ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON password_link TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON password_link TO intray_gate;

ALTER TABLE throttle ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON throttle TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON throttle TO intray_gate;

ALTER TABLE api_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_key FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON api_key USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON api_key TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON api_key TO intray_app, intray_gate;
GRANT SELECT (organization_id, id, name, role, created_by, created_at, revoked_at, expires_at, warned_days, rotated_at, permissions, service_account_id), UPDATE (warned_days) ON api_key TO intray_engine;

ALTER TABLE server ENABLE ROW LEVEL SECURITY;
ALTER TABLE server FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON server USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON server FOR SELECT TO intray_gate USING (operator_entry IS NOT NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON server TO intray_app, intray_engine;
GRANT SELECT (organization_id, removed_at, operator_entry) ON server TO intray_gate;

ALTER TABLE connection ENABLE ROW LEVEL SECURITY;
ALTER TABLE connection FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON connection USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON connection FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON connection TO intray_app, intray_engine;
GRANT SELECT (organization_id, id, server_id, user_id) ON connection TO intray_gate;

ALTER TABLE task ENABLE ROW LEVEL SECURITY;
ALTER TABLE task FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON task USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON task FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON task TO intray_app, intray_engine;
GRANT SELECT (organization_id, id, connection_id, tool, arguments, label, state, watched, visibility, status_message, finished_at) ON task TO intray_gate;

ALTER TABLE task_watch ENABLE ROW LEVEL SECURITY;
ALTER TABLE task_watch FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON task_watch USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON task_watch TO intray_app, intray_engine;

ALTER TABLE input_request ENABLE ROW LEVEL SECURITY;
ALTER TABLE input_request FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON input_request USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON input_request FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON input_request TO intray_app, intray_engine;
GRANT SELECT (organization_id, id, task_id, state, message, assignee_user_id, created_at, expires_at, search, origin), UPDATE (assignee_user_id, search, assigned_by, assigned_at, assignment_note) ON input_request TO intray_gate;

ALTER TABLE ask ENABLE ROW LEVEL SECURITY;
ALTER TABLE ask FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON ask USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON ask TO intray_app, intray_engine;

ALTER TABLE answer ENABLE ROW LEVEL SECURITY;
ALTER TABLE answer FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON answer USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON answer TO intray_app, intray_engine;

ALTER TABLE delivery ENABLE ROW LEVEL SECURITY;
ALTER TABLE delivery FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON delivery USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON delivery FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON delivery TO intray_app, intray_engine;
GRANT SELECT (organization_id, input_request_id, task_id, state, deliver_after, flagged) ON delivery TO intray_gate;

ALTER TABLE draft ENABLE ROW LEVEL SECURITY;
ALTER TABLE draft FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON draft USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON draft TO intray_app;
GRANT SELECT, UPDATE (content, comment), DELETE ON draft TO intray_engine;

ALTER TABLE claim ENABLE ROW LEVEL SECURITY;
ALTER TABLE claim FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON claim USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON claim TO intray_app;
GRANT SELECT, DELETE ON claim TO intray_engine, intray_gate;

ALTER TABLE event ENABLE ROW LEVEL SECURITY;
ALTER TABLE event FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON event FOR SELECT TO intray_gate USING (true);
GRANT SELECT ON event TO intray_app, intray_engine;
GRANT SELECT, INSERT, UPDATE (data) ON event TO intray_gate;

ALTER TABLE event_head ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_head FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event_head USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON event_head FOR SELECT TO intray_gate USING (true);
GRANT SELECT ON event_head TO intray_app, intray_engine;
GRANT SELECT, INSERT, UPDATE ON event_head TO intray_gate;

ALTER TABLE protocol_message ENABLE ROW LEVEL SECURITY;
ALTER TABLE protocol_message FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON protocol_message USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON protocol_message FOR SELECT TO intray_gate USING (true);
GRANT SELECT ON protocol_message TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON protocol_message TO intray_engine;
GRANT SELECT (organization_id, id, "at") ON protocol_message TO intray_gate;

ALTER TABLE change ENABLE ROW LEVEL SECURITY;
ALTER TABLE change FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON change USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON change TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON change TO intray_app, intray_engine;
GRANT SELECT, UPDATE, DELETE ON change TO intray_gate;

GRANT SELECT ON engine TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON engine TO intray_engine;
GRANT SELECT (id, opens_content) ON engine TO intray_gate;

ALTER TABLE found_task ENABLE ROW LEVEL SECURITY;
ALTER TABLE found_task FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON found_task USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON found_task TO intray_app, intray_engine;

ALTER TABLE saved_view ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_view FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON saved_view USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON saved_view TO intray_app;

ALTER TABLE invitation ENABLE ROW LEVEL SECURITY;
ALTER TABLE invitation FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON invitation USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON invitation FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON invitation TO intray_app;
GRANT SELECT, UPDATE (revoked_at) ON invitation TO intray_gate;

ALTER TABLE installation ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON installation TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON installation TO intray_gate;

ALTER TABLE identity ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON identity TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON identity TO intray_gate;

ALTER TABLE second_factor ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON second_factor TO intray_gate USING (true) WITH CHECK (true);
CREATE POLICY reseal ON second_factor TO CURRENT_USER USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON second_factor TO intray_gate;

ALTER TABLE recovery_code ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON recovery_code TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON recovery_code TO intray_gate;

ALTER TABLE passkey ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON passkey TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON passkey TO intray_gate;

ALTER TABLE passkey_challenge ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON passkey_challenge TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON passkey_challenge TO intray_gate;

ALTER TABLE pending_sign_in ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON pending_sign_in TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON pending_sign_in TO intray_gate;

ALTER TABLE oauth_client ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth_client FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON oauth_client USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON oauth_client TO intray_app;
GRANT SELECT ON oauth_client TO intray_engine;

ALTER TABLE oauth_flow ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth_flow FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON oauth_flow USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON oauth_flow TO intray_app;
GRANT SELECT, DELETE ON oauth_flow TO intray_gate;

ALTER TABLE oauth_grant ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth_grant FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON oauth_grant USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON oauth_grant TO intray_app;
GRANT SELECT, UPDATE ON oauth_grant TO intray_engine, intray_gate;

ALTER TABLE quota ENABLE ROW LEVEL SECURITY;
ALTER TABLE quota FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON quota USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT ON quota TO intray_app, intray_engine;

ALTER TABLE event_follower ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_follower FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event_follower USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON event_follower FOR SELECT TO intray_gate USING (true);
GRANT SELECT ON event_follower TO intray_app, intray_gate;
GRANT SELECT, INSERT, UPDATE ON event_follower TO intray_engine;

ALTER TABLE bulk_operation ENABLE ROW LEVEL SECURITY;
ALTER TABLE bulk_operation FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON bulk_operation USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON bulk_operation FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON bulk_operation TO intray_app;
GRANT SELECT, UPDATE, DELETE ON bulk_operation TO intray_engine;
GRANT SELECT (organization_id, state, created_at) ON bulk_operation TO intray_gate;

ALTER TABLE bulk_item ENABLE ROW LEVEL SECURITY;
ALTER TABLE bulk_item FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON bulk_item USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON bulk_item TO intray_app;
GRANT SELECT, UPDATE, DELETE ON bulk_item TO intray_engine;

ALTER TABLE race ENABLE ROW LEVEL SECURITY;
ALTER TABLE race FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON race USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON race FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON race TO intray_app, intray_engine;
GRANT SELECT (organization_id, state, settled_at) ON race TO intray_gate;

ALTER TABLE server_stat ENABLE ROW LEVEL SECURITY;
ALTER TABLE server_stat FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON server_stat USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT ON server_stat TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON server_stat TO intray_engine;

ALTER TABLE server_tool_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE server_tool_version FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON server_tool_version USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON server_tool_version TO intray_app, intray_engine;

ALTER TABLE statistic ENABLE ROW LEVEL SECURITY;
ALTER TABLE statistic FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON statistic USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT ON statistic TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON statistic TO intray_engine;

ALTER TABLE statistic_sample ENABLE ROW LEVEL SECURITY;
ALTER TABLE statistic_sample FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON statistic_sample USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT ON statistic_sample TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON statistic_sample TO intray_engine;

ALTER TABLE mail ENABLE ROW LEVEL SECURITY;
ALTER TABLE mail FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON mail USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON mail FOR SELECT TO intray_gate USING (true);
GRANT SELECT ON mail TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON mail TO intray_engine;
GRANT SELECT (organization_id, state, not_before) ON mail TO intray_gate;

ALTER TABLE notice ENABLE ROW LEVEL SECURITY;
ALTER TABLE notice FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON notice USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON notice FOR SELECT TO intray_gate USING (true);
GRANT SELECT, UPDATE (read_at, mail_after) ON notice TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON notice TO intray_engine;
GRANT SELECT (organization_id, mail_after, mail_id) ON notice TO intray_gate;

ALTER TABLE notice_preference ENABLE ROW LEVEL SECURITY;
ALTER TABLE notice_preference FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON notice_preference USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON notice_preference TO intray_app;
GRANT SELECT ON notice_preference TO intray_engine;

ALTER TABLE webhook_endpoint ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_endpoint FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON webhook_endpoint USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON webhook_endpoint FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_endpoint TO intray_app;
GRANT SELECT, UPDATE (sealed_previous_secret, previous_until, disabled_reason, failing_since) ON webhook_endpoint TO intray_engine;
GRANT SELECT (organization_id, id, disabled_reason) ON webhook_endpoint TO intray_gate;

ALTER TABLE webhook_delivery ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_delivery FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON webhook_delivery USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON webhook_delivery FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE ON webhook_delivery TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_delivery TO intray_engine;
GRANT SELECT (organization_id, endpoint_id, state, not_before) ON webhook_delivery TO intray_gate;

ALTER TABLE open_tasks ENABLE ROW LEVEL SECURITY;
ALTER TABLE open_tasks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON open_tasks USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON open_tasks TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT ON open_tasks TO intray_app, intray_engine;
GRANT SELECT, INSERT, UPDATE ON open_tasks TO intray_gate;

ALTER TABLE open_task_text ENABLE ROW LEVEL SECURITY;
ALTER TABLE open_task_text FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON open_task_text USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON open_task_text TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT ON open_task_text TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON open_task_text TO intray_gate;

ALTER TABLE ended_task_text ENABLE ROW LEVEL SECURITY;
ALTER TABLE ended_task_text FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON ended_task_text USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON ended_task_text TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON ended_task_text TO intray_gate;

ALTER TABLE open_request_text ENABLE ROW LEVEL SECURITY;
ALTER TABLE open_request_text FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON open_request_text USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON open_request_text TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT ON open_request_text TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON open_request_text TO intray_gate;

ALTER TABLE stream_message ENABLE ROW LEVEL SECURITY;
ALTER TABLE stream_message FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON stream_message USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON stream_message FOR SELECT TO intray_gate USING (true);
GRANT SELECT ON stream_message TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON stream_message TO intray_engine;
GRANT SELECT (organization_id, connection_id, handled_at) ON stream_message TO intray_gate;

ALTER TABLE acknowledgement ENABLE ROW LEVEL SECURITY;
ALTER TABLE acknowledgement FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON acknowledgement USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON acknowledgement FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON acknowledgement TO intray_app;
GRANT SELECT, UPDATE (note, free_since), DELETE ON acknowledgement TO intray_engine;
GRANT SELECT, DELETE ON acknowledgement TO intray_gate;

ALTER TABLE slow_recovery_code ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON slow_recovery_code TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON slow_recovery_code TO intray_gate;

ALTER TABLE sign_in_try ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON sign_in_try TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_try TO intray_gate;

ALTER TABLE known_place ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON known_place TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON known_place TO intray_gate;

ALTER TABLE account_event ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON account_event TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON account_event TO intray_gate;

ALTER TABLE account_notice ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON account_notice TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON account_notice TO intray_gate;

ALTER TABLE maker ENABLE ROW LEVEL SECURITY;
ALTER TABLE maker FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON maker USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON maker TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE (vouched_by, vouched_at) ON maker TO intray_app;
GRANT SELECT ON maker TO intray_engine;
GRANT SELECT, INSERT, UPDATE ON maker TO intray_gate;

ALTER TABLE four_eyes_proposal ENABLE ROW LEVEL SECURITY;
ALTER TABLE four_eyes_proposal FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON four_eyes_proposal USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON four_eyes_proposal FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT (organization_id, id, proposed_by, proposer), UPDATE (state, decided_by, accepter, decided_at) ON four_eyes_proposal TO intray_app;
GRANT SELECT, UPDATE (state, decided_by, decided_at) ON four_eyes_proposal TO intray_engine;
GRANT SELECT ON four_eyes_proposal TO intray_gate;

ALTER TABLE audit_stream ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_stream FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_stream USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON audit_stream FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT (organization_id, id, kind, address, settings, sealed_secret), UPDATE (settings, sealed_secret, paused_at, failures, not_before), DELETE ON audit_stream TO intray_app;
GRANT SELECT, UPDATE (seq, delivered_at, anchored_seq, anchored_at, swept, claim, claimed_until, failures, not_before, failing_since, last_error, last_error_at, reported_at) ON audit_stream TO intray_engine;
GRANT SELECT (organization_id, paused_at, seq, anchored_seq, anchored_at, claimed_until, not_before) ON audit_stream TO intray_gate;

ALTER TABLE suspended_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE suspended_member FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON suspended_member USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON suspended_member TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON suspended_member TO intray_app;
GRANT SELECT ON suspended_member TO intray_engine;
GRANT SELECT, UPDATE, DELETE ON suspended_member TO intray_gate;

ALTER TABLE sign_in_policy ENABLE ROW LEVEL SECURITY;
ALTER TABLE sign_in_policy FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sign_in_policy USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON sign_in_policy FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_policy TO intray_app;
GRANT SELECT ON sign_in_policy TO intray_gate;

ALTER TABLE organization_domain ENABLE ROW LEVEL SECURITY;
ALTER TABLE organization_domain FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organization_domain USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON organization_domain FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON organization_domain TO intray_app;
GRANT SELECT ON organization_domain TO intray_gate;

ALTER TABLE provider_absence ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON provider_absence TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON provider_absence TO intray_gate;

ALTER TABLE logout_token ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON logout_token TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON logout_token TO intray_gate;

ALTER TABLE saml_provider ENABLE ROW LEVEL SECURITY;
ALTER TABLE saml_provider FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON saml_provider USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON saml_provider TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON saml_provider TO intray_app;
GRANT SELECT (organization_id, id, name, certificates, certificate, certificate_ends_at), UPDATE (certificate_ends_at) ON saml_provider TO intray_engine;
GRANT SELECT (organization_id, id, name, created_at, described_by, held_by), UPDATE (described_by, described_at, held_by) ON saml_provider TO intray_gate;

ALTER TABLE saml_request ENABLE ROW LEVEL SECURITY;
ALTER TABLE saml_request FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON saml_request USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON saml_request TO intray_app;

ALTER TABLE saml_response ENABLE ROW LEVEL SECURITY;
ALTER TABLE saml_response FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON saml_response USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON saml_response TO intray_app;

ALTER TABLE directory ENABLE ROW LEVEL SECURITY;
ALTER TABLE directory FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON directory USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON directory FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE ON directory TO intray_app;
GRANT SELECT ON directory TO intray_engine, intray_gate;

ALTER TABLE directory_person ENABLE ROW LEVEL SECURITY;
ALTER TABLE directory_person FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON directory_person USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON directory_person TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON directory_person TO intray_app;
GRANT SELECT ON directory_person TO intray_engine;
GRANT SELECT, UPDATE (joined_at) ON directory_person TO intray_gate;

ALTER TABLE directory_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE directory_group FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON directory_group USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON directory_group TO intray_app;
GRANT SELECT ON directory_group TO intray_engine;

ALTER TABLE directory_group_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE directory_group_member FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON directory_group_member USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, DELETE ON directory_group_member TO intray_app;
GRANT SELECT ON directory_group_member TO intray_engine;

ALTER TABLE directory_failure ENABLE ROW LEVEL SECURITY;
ALTER TABLE directory_failure FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON directory_failure USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, DELETE ON directory_failure TO intray_app;
GRANT SELECT ON directory_failure TO intray_engine;

ALTER TABLE password_reset ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON password_reset TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON password_reset TO intray_gate;

ALTER TABLE service_account ENABLE ROW LEVEL SECURITY;
ALTER TABLE service_account FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON service_account USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON service_account TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON service_account TO intray_app;
GRANT SELECT, UPDATE (told_at) ON service_account TO intray_engine;
GRANT SELECT ON service_account TO intray_gate;

ALTER TABLE service_account_maker ENABLE ROW LEVEL SECURITY;
ALTER TABLE service_account_maker FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON service_account_maker USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON service_account_maker TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT ON service_account_maker TO intray_app, intray_engine;
GRANT SELECT, INSERT ON service_account_maker TO intray_gate;

ALTER TABLE organization_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE organization_key FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organization_key USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON organization_key TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT (organization_id, kid, sealed_key), UPDATE (retired_at) ON organization_key TO intray_app;
GRANT SELECT ON organization_key TO intray_engine, intray_gate;

ALTER TABLE content_sealing ENABLE ROW LEVEL SECURITY;
ALTER TABLE content_sealing FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON content_sealing USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON content_sealing TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON content_sealing TO intray_app;
GRANT SELECT, UPDATE ON content_sealing TO intray_engine;
GRANT SELECT ON content_sealing TO intray_gate;

ALTER TABLE agent_credential ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_credential FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON agent_credential USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON agent_credential TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON agent_credential TO intray_app;
GRANT SELECT (organization_id, id, name, role, user_id, created_by, created_at, expires_at, revoked_at, warned_days), UPDATE (warned_days) ON agent_credential TO intray_engine;
GRANT SELECT, UPDATE ON agent_credential TO intray_gate;

ALTER TABLE agent_grant ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_grant FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON agent_grant USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_grant TO intray_app;
GRANT SELECT, UPDATE (digests) ON agent_grant TO intray_engine;

ALTER TABLE agent_call ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_call FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON agent_call USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE (sent_at, fetched_at) ON agent_call TO intray_app;

ALTER TABLE approval_use ENABLE ROW LEVEL SECURITY;
ALTER TABLE approval_use FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON approval_use USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT ON approval_use TO intray_app;
GRANT SELECT, DELETE ON approval_use TO intray_engine;

ALTER TABLE request_callback ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_callback FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON request_callback USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON request_callback FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT ON request_callback TO intray_app;
GRANT SELECT, UPDATE, DELETE ON request_callback TO intray_engine;
GRANT SELECT (organization_id, task_id, state, not_before) ON request_callback TO intray_gate;

ALTER TABLE call_rule_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_rule_version FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_rule_version USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT ON call_rule_version TO intray_app;
GRANT SELECT ON call_rule_version TO intray_engine;

ALTER TABLE agent_client ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON agent_client TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_client TO intray_gate;

ALTER TABLE agent_sign_in ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_sign_in FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON agent_sign_in USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON agent_sign_in TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT ON agent_sign_in TO intray_app;
GRANT SELECT, INSERT ON agent_sign_in TO intray_gate;

ALTER TABLE agent_oauth_record ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON agent_oauth_record TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_oauth_record TO intray_gate;

ALTER TABLE saml_maker ENABLE ROW LEVEL SECURITY;
ALTER TABLE saml_maker FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON saml_maker USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON saml_maker TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT ON saml_maker TO intray_app, intray_engine;
GRANT SELECT, INSERT, DELETE ON saml_maker TO intray_gate;

ALTER TABLE provider_vouch ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON provider_vouch TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON provider_vouch TO intray_gate;

ALTER TABLE elicitation_task ENABLE ROW LEVEL SECURITY;
ALTER TABLE elicitation_task FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON elicitation_task USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT ON elicitation_task TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON elicitation_task TO intray_engine;

ALTER TABLE recipe_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE recipe_version FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON recipe_version USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE (until) ON recipe_version TO intray_app;
GRANT SELECT ON recipe_version TO intray_engine;

ALTER TABLE policy_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE policy_version FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON policy_version USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT ON policy_version TO intray_app;
GRANT SELECT ON policy_version TO intray_engine;

ALTER TABLE vote ENABLE ROW LEVEL SECURITY;
ALTER TABLE vote FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON vote USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE (answer_id, completes, ended_at, ended_as) ON vote TO intray_app;
GRANT SELECT, UPDATE (question_hash, content_digest, content, comment, ended_at, ended_as) ON vote TO intray_engine;

ALTER TABLE working_calendar ENABLE ROW LEVEL SECURITY;
ALTER TABLE working_calendar FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON working_calendar USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON working_calendar FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE ON working_calendar TO intray_app;
GRANT SELECT, INSERT, UPDATE (moved_version) ON working_calendar TO intray_engine;
GRANT SELECT (organization_id, version, moved_version) ON working_calendar TO intray_gate;

ALTER TABLE request_timer ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_timer FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON request_timer USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON request_timer FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE (due_at, paused_at, paused_ms), DELETE ON request_timer TO intray_app;
GRANT SELECT, INSERT, UPDATE (due_at, fired_at, paused_at, paused_ms), DELETE ON request_timer TO intray_engine;
GRANT SELECT (organization_id, due_at, fired_at) ON request_timer TO intray_gate;

ALTER TABLE receipt_key ENABLE ROW LEVEL SECURITY;
CREATE POLICY gate ON receipt_key TO intray_gate USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON receipt_key TO intray_gate;

ALTER TABLE away ENABLE ROW LEVEL SECURITY;
ALTER TABLE away FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON away USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON away TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON away TO intray_app;
GRANT SELECT, UPDATE (told), DELETE ON away TO intray_engine;
GRANT SELECT, DELETE ON away TO intray_gate;

ALTER TABLE policy_proposal ENABLE ROW LEVEL SECURITY;
ALTER TABLE policy_proposal FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON policy_proposal USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT (organization_id, id, base_version, policy, people, proposed_by, proposer, acknowledged, group_ids, group_id, group_change), UPDATE (state, decided_by, approver, decided_at) ON policy_proposal TO intray_app;
GRANT SELECT ON policy_proposal TO intray_engine;

ALTER TABLE automatic_decision ENABLE ROW LEVEL SECURITY;
ALTER TABLE automatic_decision FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON automatic_decision USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON automatic_decision FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT (organization_id, input_request_id), UPDATE (state, reason, people_answer_id, agreed) ON automatic_decision TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON automatic_decision TO intray_engine;
GRANT SELECT (organization_id, state) ON automatic_decision TO intray_gate;

ALTER TABLE automatic_switch ENABLE ROW LEVEL SECURITY;
ALTER TABLE automatic_switch FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON automatic_switch USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE (stopped_at, stopped_by, locked_at) ON automatic_switch TO intray_app;
GRANT SELECT, INSERT (organization_id), UPDATE (locked_at) ON automatic_switch TO intray_engine;

ALTER TABLE request_comment ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_comment FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON request_comment USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE (text, deleted_at) ON request_comment TO intray_app;
GRANT SELECT, UPDATE (text) ON request_comment TO intray_engine;

ALTER TABLE request_snooze ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_snooze FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON request_snooze USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
CREATE POLICY gate ON request_snooze FOR SELECT TO intray_gate USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON request_snooze TO intray_app;
GRANT SELECT, UPDATE (woken_at), DELETE ON request_snooze TO intray_engine;
GRANT SELECT (organization_id, ends_at, woken_at) ON request_snooze TO intray_gate;

ALTER TABLE organization_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE organization_group FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organization_group USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, UPDATE (name, changed_at, changed_by), DELETE ON organization_group TO intray_app;
GRANT SELECT ON organization_group TO intray_engine;

ALTER TABLE organization_group_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE organization_group_member FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organization_group_member USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT, INSERT, DELETE ON organization_group_member TO intray_app;
GRANT SELECT ON organization_group_member TO intray_engine;

ALTER TABLE rule_statistic ENABLE ROW LEVEL SECURITY;
ALTER TABLE rule_statistic FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON rule_statistic USING (organization_id = current_organization()) WITH CHECK (organization_id = current_organization());
GRANT SELECT ON rule_statistic TO intray_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON rule_statistic TO intray_engine;

GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO intray_app, intray_engine;
-- Readiness compares it with the migrations of the process.
GRANT SELECT ON _prisma_migrations TO intray_app;
