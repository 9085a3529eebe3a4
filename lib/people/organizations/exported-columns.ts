/**
 * What an export of an organization has of each table. Every column is either here or among those left out
 * (test/guards/left-out-columns.ts): a test fails on a new one until somebody decides.
 */

export interface Part {
  kind: string;
  table: string;
  /** Columns exported as they are. */
  columns: string;
  /** Expressions exported in place of other columns, by name; `r` is the row. */
  made?: Record<string, string>;
  /** The expression that orders the rows, and its type. */
  order: [expression: string, type: "uuid" | "bigint" | "text"];
}

/** By default the kind is the table's name, and the rows are ordered by id. */
const part = (table: string, columns: string, more: Partial<Part> = {}): Part => ({
  kind: table,
  table,
  columns,
  order: ["r.id", "uuid"],
  ...more,
});

const PERSON = `(SELECT u.name FROM "user" u WHERE u.id = r.user_id)`;
const EMAIL = `(SELECT u.email FROM "user" u WHERE u.id = r.user_id)`;

export const PARTS: Part[] = [
  part(
    "organization",
    `id slug name demo set_up created_at decline_reasons undo_window_ms four_eyes four_eyes_until
      two_person_policy deletion_requested_at deletion_requested_by hold_at hold_by hold_reason
      keys_without_end push_text networks networks_version exported_at keep_messages_days
      keep_payloads_days keep_tasks_days onboarding_skipped`,
  ),
  part("quota", "open_tasks open_tasks_each starts_a_minute starts_a_minute_each", {
    order: ["r.organization_id", "uuid"],
  }),
  part(
    "sign_in_policy",
    "providers provider_age_ms key_age_ms acr_values amr_values second_factor_from session_ms idle_ms",
    { order: ["r.organization_id", "uuid"] },
  ),
  part("organization_domain", "id domain token created_at verified_at", { kind: "domain" }),
  part("membership", "id user_id role granted_by inherited single_keys tour_seen density locale created_at", {
    kind: "member",
    made: { name: PERSON, email: EMAIL },
  }),
  part(
    "suspended_member",
    `id user_id role granted_by inherited single_keys tour_seen density locale joined_at suspended_at
      suspended_by cause`,
    { made: { name: PERSON, email: EMAIL } },
  ),
  part("maker", "user_id invited_by vouched_by vouched_at", { order: ["r.user_id", "uuid"] }),
  part(
    "four_eyes_proposal",
    "id proposed_by proposer created_at takes_effect_at state decided_by accepter decided_at",
  ),
  part(
    "invitation",
    "id email role invited_by created_at expires_at accepted_at revoked_at mailed by_directory",
  ),
  part(
    "api_key",
    `id name role created_by service_account_id created_at expires_at previous_until rotated_at
      networks permissions servers tools last_used_at last_used_network last_used_agent revoked_at`,
  ),
  part(
    "agent_credential",
    `id name role user_id oauth_client_id created_by created_at expires_at revoked_at hold_ms
      ask_agent_too client_name client_version first_seen_at last_seen_at last_seen_network calls`,
  ),
  part("agent_grant", "id agent_id server_id tool before ask_agent_too digests created_at"),
  part("service_account", "id name description role owner_id created_at rested_at told_at deleted_at"),
  part("service_account_maker", "service_account_id user_id since", {
    order: ["r.service_account_id::text || ' ' || r.user_id", "text"],
  }),
  part("call_rule_version", "version rules made_at made_by", {
    kind: "call_rules",
    order: ["r.version", "bigint"],
  }),
  part("away", "user_id starts_at ends_at delegate scope reason set_by set_at told", {
    made: { name: PERSON },
    order: ["r.user_id", "uuid"],
  }),
  part("policy_version", "version policy people group_ids made_at made_by automatic_authors", {
    kind: "policy",
    order: ["r.version", "bigint"],
  }),
  part(
    "policy_proposal",
    `id base_version policy people group_ids group_id group_change acknowledged proposed_by proposer
      created_at state decided_by approver decided_at`,
  ),
  part("organization_group", "id name changed_at changed_by"),
  part("organization_group_member", "group_id member_id", {
    order: ["r.group_id::text || ' ' || r.member_id", "text"],
  }),
  part("working_calendar", "version calendar changed_at changed_by", { order: ["r.version", "bigint"] }),
  part("saved_view", "id user_id page name query shared created_at"),
  part(
    "server",
    `id name url era_setting era auth_kind capabilities tools tools_checked_at oauth_scope
      oauth_hosts health_state health_message health_checked_at demo traits operator_entry paused_at
      paused_by pause_reason last_error last_error_at trace builtin tool_prefix created_at removed_at`,
  ),
  part("server_stat", "server_id minutes at calls failures latency", {
    order: ["r.server_id::text || ' ' || r.minutes || ' ' || r.at::text", "text"],
  }),
  part("server_tool_version", "server_id tool described first_seen_at since until used_at used_by", {
    made: { digest: "encode(r.digest, 'hex')" },
    order: ["r.server_id::text || ' ' || r.tool || ' ' || encode(r.digest, 'hex')", "text"],
  }),
  part("recipe_version", "server_id name version recipe made_at made_by until", {
    order: ["r.server_id::text || ' ' || r.name || ' ' || lpad(r.version::text, 10, '0')", "text"],
  }),
  part("connection", "id server_id user_id authorized_by created_at"),
  part("oauth_client", "id server_id issuer client_id secret_expires_at registered redirect_uri created_at"),
  part(
    "oauth_grant",
    `connection_id state issuer resource client_id scope needed_scope renews refresh_at expires_at
      connected_by connected_at refreshed_at`,
    { order: ["r.connection_id", "uuid"] },
  ),
  part(
    "task",
    `id server_id connection_id tool arguments asked_arguments label state watched watch_until
      visibility requested_by requester_user_id agent_id restart_of idempotency_key era tool_hints
      attempt_id attempt_at attempt_repeats attempt_deadline_at adopted durable status_message
      progress outcome outcome_is_error result error server_state requested_ttl_ms ttl_ms expires_at
      poll_interval_ms cancel_requested_at cancel_requested_by cancel_sent_at created_at started_at
      changed_at finished_at race_id attempt attempts retry_of retry_backoff_ms retry_errors
      start_after builtin recipe_version standing_approval_id unknown_since gate gate_rule
      gate_tool_digest gate_expires_at`,
    { made: { gate_digest: "encode(r.gate_digest, 'hex')" } },
  ),
  part("race", "id state winner_task_id settled_at requested_by idempotency_key created_at finished_at"),
  part("found_task", "id connection_id task_id status status_message server_created_at found_at"),
  part(
    "input_request",
    `id task_id connection_id server_id tool key origin state mode message requested_schema url form
      question_hash replaces revises asked_again reworded_at earlier_hashes approval needs_info
      ended_reason assignee_user_id assigned_by assigned_at assignment_note created_at decided_at
      ended_at expires_at amount currency private_amount visibility requester_user_id`,
  ),
  part(
    "approval_use",
    "input_request_id used_at used_by changed idempotency_key outcome outcome_note reported_at",
    { order: ["r.input_request_id", "uuid"] },
  ),
  part(
    "standing_approval",
    `id answer_id input_request_id task_id agent_id server_id tool except_names most_amount user_id
      made_by created_at expires_at most_uses uses needs_admin ended_at revoked_at revoked_by`,
  ),
  part(
    "request_callback",
    "input_request_id task_id state attempts not_before last_attempt ended_at instance_id",
    { made: { host: "substring(r.url from '^https?://([^/?#]+)')" }, order: ["r.input_request_id", "uuid"] },
  ),
  part("aap_instance", "id made_by idempotency_key registration_id created_at", {
    made: { host: "substring(r.url from '^https?://([^/?#]+)')" },
  }),
  part("ask", "id input_request_id task_id key came created_at accepted_at retracted_at elicitation_task_id"),
  part(
    "elicitation_task",
    `id connection_id task_id input_request_id state ttl_ms created_at changed_at announced_at
      looked_at`,
  ),
  part(
    "stream_message",
    `id connection_id stream_task_id params received_at candidates task_id handled_at
      elicitation_task_id`,
  ),
  part(
    "answer",
    `id input_request_id question_hash any_wording action revise changes content comment answered_by
      created_at withdrawn_at`,
  ),
  part(
    "vote",
    `id input_request_id stage question_hash content_digest action revise content comment rejects
      person cast_by cast_at on_behalf_of answer_id completes ended_at ended_as`,
  ),
  part("request_timer", "id input_request_id stage after starts_at due_at fired_at paused_at paused_ms", {
    made: { timer_kind: "r.kind" },
  }),
  part(
    "automatic_decision",
    `input_request_id created_at state reason rule version fingerprint action content_digest
      judged_at answer_id day people_answer_id agreed`,
    { order: ["r.input_request_id", "uuid"] },
  ),
  part("automatic_switch", "stopped_at stopped_by", { order: ["r.organization_id", "uuid"] }),
  part(
    "delivery",
    `id answer_id input_request_id task_id state deliver_after not_before attempts ask_id sent_at
      accepted_at confirmed_at polls_since_accepted unreachable_since_accepted automatic_resends
      flagged in_doubt waiting_since error rung status_before`,
  ),
  part("draft", "input_request_id user_id content comment updated_at", {
    order: ["r.input_request_id::text || r.user_id::text", "text"],
  }),
  part(
    "request_comment",
    "id input_request_id author written_by text mentions asks replies_to created_at deleted_at",
  ),
  part("acknowledgement", "task_id user_id note acknowledged_at", { order: ["r.task_id", "uuid"] }),
  part("claim", "input_request_id user_id claimed_at active_at", { order: ["r.input_request_id", "uuid"] }),
  part("protocol_message", "id task_id at direction method body", { order: ["r.id", "bigint"] }),
  part("bulk_operation", "id action state actor user_id items created_at begun_at ended_at"),
  part(
    "bulk_item",
    "operation_id position task_id state code message new_task_id restarts_before not_before done_at",
    { order: ["r.operation_id::text || lpad(r.position::text, 10, '0')", "text"] },
  ),
  part("event", "seq at type actor task_id input_request_id data", {
    made: {
      payload_digest: "encode(r.payload_digest, 'hex')",
      digest: "encode(r.digest, 'hex')",
      hash: "encode(r.hash, 'hex')",
    },
    order: ["r.seq", "bigint"],
  }),
  part(
    "notice",
    `id user_id cause subject task_id input_request_id server_id in_app created_at read_at
      withdrawn_at mail_after mail_id push_after slack_after teams_after`,
    { made: { notice_kind: "r.kind" } },
  ),
  part("notice_preference", "user_id in_app email push slack teams", {
    made: { notice_kind: "r.kind" },
    order: ["r.user_id::text || r.kind", "text"],
  }),
  part("mail", "id user_id state attempts not_before created_at ended_at error"),
  part("push_device", "id user_id user_agent shows_text created_at seen_at failing_since error sent_at", {
    kind: "device",
  }),
  part("daily_digest", "user_id days hour zone last_day sent_at failing_since error", {
    order: ["r.user_id", "uuid"],
  }),
  part("calendar_feed", "user_id created_at read_at", { order: ["r.user_id", "uuid"] }),
  part(
    "slack_app",
    `id team_id team_name bot_name client_id shows_text set_up_at revoked_at revoked_because
      socket_since socket_error`,
  ),
  part("slack_account", "user_id slack_user_id slack_name linked_at failing_since error sent_at", {
    order: ["r.user_id::text", "text"],
  }),
  part("slack_message", "id user_id matter is_request ts created_at closed_at"),
  part("slack_press", "id slack_user_id created_at done_at outcome"),
  part("teams_app", "id app_id tenant_id shows_text set_up_at revoked_at revoked_because"),
  part("teams_account", "user_id oid name linked_at failing_since error sent_at", {
    order: ["r.user_id::text", "text"],
  }),
  part("teams_conversation", "oid", { order: ["r.oid", "text"] }),
  part("teams_message", "id user_id matter is_request activity_id created_at closed_at"),
  part("teams_press", "id oid created_at done_at outcome"),
  part(
    "webhook_endpoint",
    `id events previous_until disabled_reason failing_since created_at agent_id arguments expires_at
      terminated`,
    { kind: "webhook", made: { host: "substring(r.url from '^https?://([^/?#]+)')" } },
  ),
  part(
    "audit_stream",
    `id paused_at seq delivered_at anchored_seq anchored_at swept failing_since last_error
      last_error_at reported_at created_at`,
    {
      made: {
        stream_kind: "r.kind",
        host: "CASE r.kind WHEN 'syslog' THEN r.address ELSE substring(r.address from '^https?://([^/?#]+)') END",
      },
    },
  ),
  part(
    "saml_provider",
    `id name entity_id sso_url certificates idp_initiated sign_requests email_attribute
      name_attribute groups_attribute groups create_accounts default_role described_by described_at
      held_by created_at`,
  ),
  part("saml_maker", "user_id maker provider_id since", {
    order: ["r.user_id::text || ' ' || r.maker || ' ' || r.provider_id", "text"],
  }),
  part(
    "directory",
    `token_id previous_until made_by made_at rotated_at last_called_at last_called_network
      last_called_agent default_role manages_owners`,
    { order: ["r.organization_id", "uuid"] },
  ),
  part(
    "directory_person",
    `id user_name external_id given_name family_name formatted_name display_name active joined_at
      role_from_groups deleted_at created_at updated_at`,
  ),
  part("directory_group", "id display_name external_id role version created_at updated_at"),
  part("directory_group_member", "group_id person_id", {
    order: ["r.group_id::text || ' ' || r.person_id", "text"],
  }),
  part("directory_failure", "id at call status detail"),
  part(
    "webhook_delivery",
    "id endpoint_id type payload state attempts log not_before created_at ended_at message_id seq",
  ),
];
