/**
 * Functions that see past row security, each looked at by hand: fixed search path, owned by a role that nobody is, executed by
 * nobody in particular, and bound to the organization of the transaction, or named below with the reason why not. A new function
 * without all that fails here.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { databaseForFile } from "../../../test/for-file.ts";

/** Found by the hash of a secret, which only who has it can give, before an organization is known. */
const BY_SECRET = `
  agent_by_secret agent_of_token agent_question agent_record answer_agent_question keep_agent_record
  remove_agent_record use_agent_record api_key create_invited_account create_session find_api_key find_directory invitation join_with_account
  key_behind key_rests make_challenge member_of_calendar_feed names_beside note_session_use open_invitation open_pending_sign_in
  open_oidc_session open_saml_session open_session passkey password_link_in_force refused_session revoke_session session
  session_in_force session_person set_password take_challenge take_pending_sign_in try_pending_sign_in
  use_passkey`;

/** An account's own, which has no organization: asked with the id of the user or session that the web has authenticated. */
const OF_AN_ACCOUNT = `
  account_event account_events account_notices add_passkey app_code_wait begin_view change_password
  confirm_second_factor credentials_epoch end_sessions factor_is_fresh give_factor hold_session identities
  keep_identity link_identity may_join only_organization organizations_of organizations_of_session passkeys
  password_hash person prove_by_identity read_account_notice read_own_account_notice recovery_codes_left
  recovery_hash rehash_password remove_passkey remove_second_factor replace_account replace_by_identity
  replace_recovery_codes second_factor second_factor_shown second_factor_state session_proof sessions sessions_and_agents sessions_ended
  start_second_factor tell_person try_app_code unlink_saml use_code use_is_due use_recovery_code`;

/** Finds whom somebody means who signs in or is told to: by an address, a provider's subject or a name, before there is a session. */
const SIGNING_IN = `
  account_by_email ask_password_reset begin_try create_account directory_account identity is_invited
  lock_tries place place_of place_of_session provider_logout providers_of_domain saml_provider
  saml_providers_of user_by_email was_right`;

/** About an organization that the web found by the caller's credential or session: where a session may work, where a call may come from. */
const OF_A_FOUND_ORGANIZATION = `
  agent_by_id agent_of_session agent_sign_in agent_sign_in_stands choose_organization end_agent_sign_in note_agent_session content_keys end_view is_ended_in is_of_one_organization keys_rest note_agent_use
  note_key_use
  organization_networks refusal_of session_event sign_in_demand sign_in_refusal`;

/** About the whole installation: set-up, demonstration, counts of calls, figures without names, the keys of receipts and pushes, whose private halves are sealed, and whose sockets at Slack are to be held. */
const OF_THE_INSTALLATION = `
  agent_client demo_people figures keep_push_key keep_receipt_key organizations_with_slack_sockets push_public_key receipt_public_keys receipt_signing_key register_agent_client set_up setup_done setup_possible sweep_throttle take_calls throttle`;

/** For the engine and the owner alone: which organizations have work, and work that belongs to none. */
const NOT_FOR_THE_WEB = `
  accounts_made_by_link all_organizations connections_with_open_work delete_due_organization
  delete_organization end_account_mail end_password_reset next_due organization_by_slug organizations
  organizations_behind organizations_to_delete organizations_with_absences organizations_with_acknowledgements
  organizations_with_audit_streams organizations_with_automatic_work organizations_with_bulk_work organizations_with_content_to_convert organizations_with_decided_races organizations_with_digests
  organizations_with_due_proposals organizations_with_due_timers organizations_with_event_subscriptions organizations_with_ended_snoozes organizations_with_ending_agents organizations_with_ending_keys organizations_with_mail
  organizations_with_old_data organizations_with_pushes organizations_with_operator_servers organizations_with_own_questions
  organizations_with_lost_presses organizations_with_request_callbacks organizations_with_resting_accounts organizations_with_saml organizations_with_slack_messages organizations_with_teams_messages
  organizations_with_webhooks organizations_without_hold password_resets_waiting people_with_mail push_signing_key replace_receipt_key session_works_in
  sweep_account_notices take_account_mail take_changes take_password_reset`;

const names = (text: string) =>
  text
    .trim()
    .split(/\s+/)
    .map((name) => `gate.${name}`);
const JUSTIFIED = [
  BY_SECRET,
  OF_AN_ACCOUNT,
  SIGNING_IN,
  OF_A_FOUND_ORGANIZATION,
  OF_THE_INSTALLATION,
  NOT_FOR_THE_WEB,
];

interface Definer {
  name: string;
  owner: string;
  config: string[] | null;
  isPublic: boolean;
  app: boolean;
  trigger: boolean;
  source: string;
}

const database = databaseForFile();
let all: Definer[];
beforeAll(async () => {
  ({ rows: all } = await withClient(database.adminUrl, (client) =>
    client.query(`SELECT n.nspname || '.' || p.proname AS name, pg_get_userbyid(p.proowner) AS owner, p.proconfig AS config,
        has_function_privilege('public', p.oid, 'EXECUTE') AS "isPublic", p.prosrc AS source,
        has_function_privilege('intray_app', p.oid, 'EXECUTE') AS app, p.prorettype = 'trigger'::regtype AS trigger
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE p.prosecdef AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`),
  ));
});

describe("a SECURITY DEFINER function", () => {
  test("has a fixed search path, an owner that nobody signs in as, and is executed by nobody in particular", async () => {
    expect(all.length).toBeGreaterThan(150);
    for (const { name, owner, config, isPublic } of all)
      expect({ name, owner, config, isPublic }).toEqual({
        name,
        owner: "intray_gate",
        config: ["search_path=public, pg_temp"],
        isPublic: false,
      });
    const { rows } = await withClient(database.adminUrl, (client) =>
      client.query(
        "SELECT rolcanlogin AS login, rolsuper AS super FROM pg_roles WHERE rolname = 'intray_gate'",
      ),
    );
    expect(rows).toEqual([{ login: false, super: false }]);
  });

  test("is bound to the organization of the transaction, or there is a reason why not", () => {
    // A trigger acts on a row that row security has let through, and is called by no name.
    const unbound = all.filter(
      ({ trigger, source }) => !trigger && !source.includes("current_organization()"),
    );
    const found = new Set(unbound.map(({ name }) => name));
    // That of an engine of before, which calls the one that is bound.
    found.delete("public.drop_event_payloads");
    expect([...found].sort()).toEqual(JUSTIFIED.flatMap(names).sort());
  });

  test("for the engine and the owner is closed to the web, and a trigger's is nobody's to call", () => {
    const closed = new Set(names(NOT_FOR_THE_WEB));
    const open = all.filter(({ name, app, trigger }) => app && (trigger || closed.has(name)));
    expect(open.map(({ name }) => name)).toEqual([]);
  });
});
