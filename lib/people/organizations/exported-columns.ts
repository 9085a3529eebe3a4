/**
 * What an export of an organization has of each table, and what it leaves out. Every column is listed here: a test fails on a new one
 * until somebody exports it or leaves it out.
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

const byId: Part["order"] = ["r.id", "uuid"];
const PERSON = `(SELECT u.name FROM "user" u WHERE u.id = r.user_id)`;
const EMAIL = `(SELECT u.email FROM "user" u WHERE u.id = r.user_id)`;

export const PARTS: Part[] = [
  {
    kind: "organization",
    table: "organization",
    columns:
      "id slug name demo set_up created_at decline_reasons undo_window_ms four_eyes four_eyes_until two_person_policy deletion_requested_at deletion_requested_by hold_at hold_by hold_reason keys_without_end push_text networks networks_version exported_at keep_messages_days keep_payloads_days keep_tasks_days onboarding_skipped",
    order: byId,
  },
  {
    kind: "quota",
    table: "quota",
    columns: "open_tasks open_tasks_each starts_a_minute starts_a_minute_each",
    order: ["r.organization_id", "uuid"],
  },
  {
    kind: "sign_in_policy",
    table: "sign_in_policy",
    columns:
      "providers provider_age_ms key_age_ms acr_values amr_values second_factor_from session_ms idle_ms",
    order: ["r.organization_id", "uuid"],
  },
  {
    kind: "domain",
    table: "organization_domain",
    columns: "id domain token created_at verified_at",
    order: byId,
  },
  {
    kind: "member",
    table: "membership",
    columns: "id user_id role granted_by inherited single_keys tour_seen density locale created_at",
    made: { name: PERSON, email: EMAIL },
    order: byId,
  },
  {
    kind: "suspended_member",
    table: "suspended_member",
    columns: `id user_id role granted_by inherited single_keys tour_seen density locale joined_at suspended_at suspended_by
      cause`,
    made: { name: PERSON, email: EMAIL },
    order: byId,
  },
  {
    kind: "maker",
    table: "maker",
    columns: "user_id invited_by vouched_by vouched_at",
    order: ["r.user_id", "uuid"],
  },
  {
    kind: "four_eyes_proposal",
    table: "four_eyes_proposal",
    columns: "id proposed_by proposer created_at takes_effect_at state decided_by accepter decided_at",
    order: byId,
  },
  {
    kind: "invitation",
    table: "invitation",
    columns: "id email role invited_by created_at expires_at accepted_at revoked_at mailed by_directory",
    order: byId,
  },
  {
    kind: "api_key",
    table: "api_key",
    columns: `id name role created_by service_account_id created_at expires_at previous_until rotated_at networks permissions servers tools last_used_at
      last_used_network last_used_agent revoked_at`,
    order: byId,
  },
  {
    kind: "agent_credential",
    table: "agent_credential",
    columns: `id name role user_id oauth_client_id created_by created_at expires_at revoked_at hold_ms ask_agent_too client_name
      client_version first_seen_at last_seen_at last_seen_network calls`,
    order: byId,
  },
  {
    kind: "agent_grant",
    table: "agent_grant",
    columns: "id agent_id server_id tool before ask_agent_too digests created_at",
    order: byId,
  },
  {
    kind: "service_account",
    table: "service_account",
    columns: "id name description role owner_id created_at rested_at told_at deleted_at",
    order: byId,
  },
  {
    kind: "service_account_maker",
    table: "service_account_maker",
    columns: "service_account_id user_id since",
    order: ["r.service_account_id::text || ' ' || r.user_id", "text"],
  },
  {
    kind: "call_rules",
    table: "call_rule_version",
    columns: "version rules made_at made_by",
    order: ["r.version", "bigint"],
  },
  {
    kind: "away",
    table: "away",
    columns: "user_id starts_at ends_at delegate scope reason set_by set_at told",
    made: { name: PERSON },
    order: ["r.user_id", "uuid"],
  },
  {
    kind: "policy",
    table: "policy_version",
    columns: "version policy people group_ids made_at made_by automatic_authors",
    order: ["r.version", "bigint"],
  },
  {
    kind: "policy_proposal",
    table: "policy_proposal",
    columns:
      "id base_version policy people group_ids group_id group_change acknowledged proposed_by proposer created_at state decided_by approver decided_at",
    order: byId,
  },
  {
    kind: "organization_group",
    table: "organization_group",
    columns: "id name changed_at changed_by",
    order: byId,
  },
  {
    kind: "organization_group_member",
    table: "organization_group_member",
    columns: "group_id member_id",
    order: ["r.group_id::text || ' ' || r.member_id", "text"],
  },
  {
    kind: "working_calendar",
    table: "working_calendar",
    columns: "version calendar changed_at changed_by",
    order: ["r.version", "bigint"],
  },
  {
    kind: "saved_view",
    table: "saved_view",
    columns: "id user_id page name query shared created_at",
    order: byId,
  },
  {
    kind: "server",
    table: "server",
    columns: `id name url era_setting era auth_kind capabilities tools tools_checked_at oauth_scope oauth_hosts health_state
      health_message health_checked_at demo traits operator_entry paused_at paused_by pause_reason last_error
      last_error_at trace builtin tool_prefix created_at removed_at`,
    order: byId,
  },
  {
    kind: "server_stat",
    table: "server_stat",
    columns: "server_id minutes at calls failures latency",
    order: ["r.server_id::text || ' ' || r.minutes || ' ' || r.at::text", "text"],
  },
  {
    kind: "server_tool_version",
    table: "server_tool_version",
    columns: "server_id tool described first_seen_at since until used_at used_by",
    made: { digest: "encode(r.digest, 'hex')" },
    order: ["r.server_id::text || ' ' || r.tool || ' ' || encode(r.digest, 'hex')", "text"],
  },
  {
    kind: "recipe_version",
    table: "recipe_version",
    columns: "server_id name version recipe made_at made_by until",
    order: ["r.server_id::text || ' ' || r.name || ' ' || lpad(r.version::text, 10, '0')", "text"],
  },
  {
    kind: "connection",
    table: "connection",
    columns: "id server_id user_id authorized_by created_at",
    order: byId,
  },
  {
    kind: "oauth_client",
    table: "oauth_client",
    columns: "id server_id issuer client_id secret_expires_at registered redirect_uri created_at",
    order: byId,
  },
  {
    kind: "oauth_grant",
    table: "oauth_grant",
    columns: `connection_id state issuer resource client_id scope needed_scope renews refresh_at expires_at connected_by
      connected_at refreshed_at`,
    order: ["r.connection_id", "uuid"],
  },
  {
    kind: "task",
    table: "task",
    columns: `id server_id connection_id tool arguments asked_arguments label state watched watch_until visibility requested_by
      requester_user_id agent_id restart_of idempotency_key era tool_hints attempt_id attempt_at attempt_repeats attempt_deadline_at adopted
      durable status_message progress outcome outcome_is_error result error server_state requested_ttl_ms ttl_ms
      expires_at poll_interval_ms cancel_requested_at cancel_requested_by cancel_sent_at created_at started_at
      changed_at finished_at race_id attempt attempts retry_of retry_backoff_ms retry_errors start_after
      builtin recipe_version standing_approval_id unknown_since gate gate_rule gate_tool_digest gate_expires_at`,
    made: { gate_digest: "encode(r.gate_digest, 'hex')" },
    order: byId,
  },
  {
    kind: "race",
    table: "race",
    columns: "id state winner_task_id settled_at requested_by idempotency_key created_at finished_at",
    order: byId,
  },
  {
    kind: "found_task",
    table: "found_task",
    columns: "id connection_id task_id status status_message server_created_at found_at",
    order: byId,
  },
  {
    kind: "input_request",
    table: "input_request",
    columns: `id task_id connection_id server_id tool key origin state mode message requested_schema url form question_hash
      replaces revises asked_again reworded_at earlier_hashes approval needs_info ended_reason assignee_user_id assigned_by assigned_at assignment_note created_at decided_at ended_at expires_at amount currency private_amount visibility
      requester_user_id`,
    order: byId,
  },
  {
    kind: "approval_use",
    table: "approval_use",
    columns: "input_request_id used_at used_by changed idempotency_key outcome outcome_note reported_at",
    order: ["r.input_request_id", "uuid"],
  },
  {
    kind: "standing_approval",
    table: "standing_approval",
    columns: `id answer_id input_request_id task_id agent_id server_id tool except_names most_amount user_id made_by created_at
      expires_at most_uses uses needs_admin ended_at revoked_at revoked_by`,
    order: byId,
  },
  {
    kind: "request_callback",
    table: "request_callback",
    columns: "input_request_id task_id state attempts not_before last_attempt ended_at instance_id",
    made: { host: "substring(r.url from '^https?://([^/?#]+)')" },
    order: ["r.input_request_id", "uuid"],
  },
  {
    kind: "aap_instance",
    table: "aap_instance",
    columns: "id made_by idempotency_key registration_id created_at",
    made: { host: "substring(r.url from '^https?://([^/?#]+)')" },
    order: byId,
  },
  {
    kind: "ask",
    table: "ask",
    columns: "id input_request_id task_id key came created_at accepted_at retracted_at elicitation_task_id",
    order: byId,
  },
  {
    kind: "elicitation_task",
    table: "elicitation_task",
    columns:
      "id connection_id task_id input_request_id state ttl_ms created_at changed_at announced_at looked_at",
    order: byId,
  },
  {
    kind: "stream_message",
    table: "stream_message",
    columns:
      "id connection_id stream_task_id params received_at candidates task_id handled_at elicitation_task_id",
    order: byId,
  },
  {
    kind: "answer",
    table: "answer",
    columns:
      "id input_request_id question_hash any_wording action revise changes content comment answered_by created_at withdrawn_at",
    order: byId,
  },
  {
    kind: "vote",
    table: "vote",
    columns: `id input_request_id stage question_hash content_digest action revise content comment rejects person cast_by cast_at on_behalf_of
      answer_id completes ended_at ended_as`,
    order: byId,
  },
  {
    kind: "request_timer",
    table: "request_timer",
    columns: "id input_request_id stage after starts_at due_at fired_at paused_at paused_ms",
    made: { timer_kind: "r.kind" },
    order: byId,
  },
  {
    kind: "automatic_decision",
    table: "automatic_decision",
    columns: `input_request_id created_at state reason rule version fingerprint action content_digest judged_at answer_id day
      people_answer_id agreed`,
    order: ["r.input_request_id", "uuid"],
  },
  {
    kind: "automatic_switch",
    table: "automatic_switch",
    columns: "stopped_at stopped_by",
    order: ["r.organization_id", "uuid"],
  },
  {
    kind: "delivery",
    table: "delivery",
    columns: `id answer_id input_request_id task_id state deliver_after not_before attempts ask_id sent_at accepted_at
      confirmed_at polls_since_accepted unreachable_since_accepted automatic_resends flagged in_doubt
      waiting_since error rung status_before`,
    order: byId,
  },
  {
    kind: "draft",
    table: "draft",
    columns: "input_request_id user_id content comment updated_at",
    order: ["r.input_request_id::text || r.user_id::text", "text"],
  },
  {
    kind: "request_comment",
    table: "request_comment",
    columns: "id input_request_id author written_by text mentions asks replies_to created_at deleted_at",
    order: byId,
  },
  {
    kind: "acknowledgement",
    table: "acknowledgement",
    columns: "task_id user_id note acknowledged_at",
    order: ["r.task_id", "uuid"],
  },
  {
    kind: "claim",
    table: "claim",
    columns: "input_request_id user_id claimed_at active_at",
    order: ["r.input_request_id", "uuid"],
  },
  {
    kind: "protocol_message",
    table: "protocol_message",
    columns: "id task_id at direction method body",
    order: ["r.id", "bigint"],
  },
  {
    kind: "bulk_operation",
    table: "bulk_operation",
    columns: "id action state actor user_id items created_at begun_at ended_at",
    order: byId,
  },
  {
    kind: "bulk_item",
    table: "bulk_item",
    columns:
      "operation_id position task_id state code message new_task_id restarts_before not_before done_at",
    order: ["r.operation_id::text || lpad(r.position::text, 10, '0')", "text"],
  },
  {
    kind: "event",
    table: "event",
    columns: "seq at type actor task_id input_request_id data",
    made: {
      payload_digest: "encode(r.payload_digest, 'hex')",
      digest: "encode(r.digest, 'hex')",
      hash: "encode(r.hash, 'hex')",
    },
    order: ["r.seq", "bigint"],
  },
  {
    kind: "notice",
    table: "notice",
    columns: `id user_id cause subject task_id input_request_id server_id in_app created_at read_at withdrawn_at
      mail_after mail_id push_after slack_after`,
    made: { notice_kind: "r.kind" },
    order: byId,
  },
  {
    kind: "notice_preference",
    table: "notice_preference",
    columns: "user_id in_app email push slack",
    made: { notice_kind: "r.kind" },
    order: ["r.user_id::text || r.kind", "text"],
  },
  {
    kind: "mail",
    table: "mail",
    columns: "id user_id state attempts not_before created_at ended_at error",
    order: byId,
  },
  {
    kind: "device",
    table: "push_device",
    columns: "id user_id user_agent shows_text created_at seen_at failing_since error sent_at",
    order: byId,
  },
  {
    kind: "daily_digest",
    table: "daily_digest",
    columns: "user_id days hour zone last_day sent_at failing_since error",
    order: ["r.user_id", "uuid"],
  },
  {
    kind: "calendar_feed",
    table: "calendar_feed",
    columns: "user_id created_at read_at",
    order: ["r.user_id", "uuid"],
  },
  {
    kind: "slack_app",
    table: "slack_app",
    columns:
      "id team_id team_name bot_name client_id shows_text set_up_at revoked_at revoked_because socket_since socket_error",
    order: byId,
  },
  {
    kind: "slack_account",
    table: "slack_account",
    columns: "user_id slack_user_id slack_name linked_at failing_since error sent_at",
    order: ["r.user_id::text", "text"],
  },
  {
    kind: "slack_message",
    table: "slack_message",
    columns: "id user_id matter is_request ts created_at closed_at",
    order: byId,
  },
  {
    kind: "slack_press",
    table: "slack_press",
    columns: "id slack_user_id created_at done_at outcome",
    order: byId,
  },
  {
    kind: "webhook",
    table: "webhook_endpoint",
    columns:
      "id events previous_until disabled_reason failing_since created_at agent_id arguments expires_at terminated",
    made: { host: "substring(r.url from '^https?://([^/?#]+)')" },
    order: byId,
  },
  {
    kind: "audit_stream",
    table: "audit_stream",
    columns: `id paused_at seq delivered_at anchored_seq anchored_at swept failing_since last_error last_error_at
      reported_at created_at`,
    made: {
      stream_kind: "r.kind",
      host: "CASE r.kind WHEN 'syslog' THEN r.address ELSE substring(r.address from '^https?://([^/?#]+)') END",
    },
    order: byId,
  },
  {
    kind: "saml_provider",
    table: "saml_provider",
    columns: `id name entity_id sso_url certificates idp_initiated sign_requests email_attribute name_attribute
      groups_attribute groups create_accounts default_role described_by described_at held_by created_at`,
    order: byId,
  },
  {
    kind: "saml_maker",
    table: "saml_maker",
    columns: "user_id maker provider_id since",
    order: ["r.user_id::text || ' ' || r.maker || ' ' || r.provider_id", "text"],
  },
  {
    kind: "directory",
    table: "directory",
    columns: `token_id previous_until made_by made_at rotated_at last_called_at last_called_network last_called_agent
      default_role manages_owners`,
    order: ["r.organization_id", "uuid"],
  },
  {
    kind: "directory_person",
    table: "directory_person",
    columns: `id user_name external_id given_name family_name formatted_name display_name active joined_at
      role_from_groups deleted_at created_at updated_at`,
    order: byId,
  },
  {
    kind: "directory_group",
    table: "directory_group",
    columns: "id display_name external_id role version created_at updated_at",
    order: byId,
  },
  {
    kind: "directory_group_member",
    table: "directory_group_member",
    columns: "group_id person_id",
    order: ["r.group_id::text || ' ' || r.person_id", "text"],
  },
  {
    kind: "directory_failure",
    table: "directory_failure",
    columns: "id at call status detail",
    order: byId,
  },
  {
    kind: "webhook_delivery",
    table: "webhook_delivery",
    columns: "id endpoint_id type payload state attempts log not_before created_at ended_at message_id seq",
    order: byId,
  },
];

/** Columns left out, and why. `*`: the whole table. */
export const LEFT_OUT: Record<string, Record<string, string>> = {
  invitation: { token_hash: "a secret's" },
  api_key: {
    secret_hash: "a secret's",
    previous_secret_hash: "a secret's",
    rotation_hash: "of an Idempotency-Key",
    warned_days: "the engine's own note",
  },
  agent_credential: { secret_hash: "a secret's", warned_days: "the engine's own note" },
  agent_sign_in: { "*": "secrets: what tokens of agents belong to" },
  agent_call: { "*": "which repeated calls are one task: made from tasks" },
  connection: {
    sealed_credentials: "secret",
    epoch: "the engine's own count",
    watched_by: "which engine looks after it",
    log_tail: "what a command wrote to its stderr, for operators alone",
    log_tail_at: "with log_tail",
    circuit_failures: "the engine's own count",
    circuit_open_until: "when the engine looks next",
    late_every_ms: "how slow its server is just now",
    late_instead_of_ms: "with late_every_ms",
    late_answer_ms: "with late_every_ms",
  },
  server: { pauses: "the engine's own count" },
  working_calendar: { moved_version: "the engine's own note" },
  automatic_switch: { locked_at: "the engine's own note" },
  request_timer: { kind: "taken as timer_kind" },
  acknowledgement: { free_since: "the engine's own note" },
  answer: { request_id: "of a log line", traceparent: "of a trace" },
  task: {
    request_id: "of a log line",
    traceparent: "of a trace",
    sealed_handle: "secret",
    sealed_session: "secret",
    sealed_request_state: "secret",
    handle_digest: "a secret's",
    request_digest: "made from the arguments",
  },
  race: { request_digest: "made from the arguments" },
  found_task: { sealed_handle: "secret", sealed_session: "secret", handle_digest: "a secret's" },
  input_request: {
    search: "made from the rest",
    alike: "made from the rest",
    warnings: "judged from the rest",
    judged_hash: "with warnings",
    due_at: "with warnings",
    decide_by: "in approval",
    ballot: "made from approval",
    kept_out: "in approval, and with the task",
  },
  request_callback: { sealed_secret: "secret", url: "may be a secret; its host is exported" },
  aap_instance: {
    sealed_secret: "secret",
    url: "may be a secret; its host is exported",
    request_digest: "a secret is among what it is made of",
  },
  oauth_client: { sealed_secret: "secret" },
  event_follower: { "*": "how far the engine has read the history" },
  open_tasks: { "*": "a count of the tasks" },
  open_task_text: { "*": "what the tasks say, for searches" },
  ended_task_text: { "*": "what the tasks say, for searches" },
  open_request_text: { "*": "what the requests say, for searches" },
  oauth_flow: { "*": "sign-ins that are under way" },
  oauth_grant: {
    sealed_tokens: "secret",
    version: "the engine's own count",
    metadata: "the authorization server's own description",
    claimed_until: "which process renews it",
  },
  event: { actor_id: "made from the rest" },
  organization: { content_keys: "ids of keys" },
  organization_key: { "*": "secret" },
  content_sealing: { "*": "how far the engine has sealed what tasks are about" },
  ask: { session_digest: "a secret's", rpc_id: "names a message of a session" },
  elicitation_task: {
    session_digest: "a secret's",
    rpc_id: "names a message of a session",
    waiting: "names messages of sessions",
    fetched_in: "a secret's",
  },
  stream_message: {
    session_digest: "a secret's",
    named_digest: "a secret's",
    rpc_id: "names a message of a session",
    kind: "without params a question was taken back",
    replayed: "the engine's own note",
  },
  delivery: { epoch: "the engine's own count" },
  task_watch: { "*": "when the engine looks next" },
  quota: { "*": "the operator's" },
  event_head: { "*": "the newest event's hash, which the export has" },
  request_snooze: { "*": "what a member has put off is nobody else's business" },
  notice: { kind: "taken as notice_kind: each line has a kind of its own" },
  notice_preference: { kind: "taken as notice_kind" },
  statistic: { "*": "added up from the history" },
  rule_statistic: { "*": "added up from the history" },
  agent_call_statistic: { "*": "added up from the history" },
  statistic_sample: { "*": "when figures were added up" },
  daily_digest: {
    due_at: "when the engine sends next",
    attempts: "the engine's own count",
    not_before: "when the engine tries next",
  },
  calendar_feed: { secret_hash: "a secret's" },
  push_device: {
    session_id: "a browser's",
    sealed_subscription: "secret",
    endpoint_digest: "a secret's",
    shown: "the engine's own note",
    due_at: "when the engine looks next",
    not_before: "when the engine tries next",
    attempts: "the engine's own count",
    test_id: "of the last test",
    test_asked_at: "of the last test",
    test_sent_at: "of the last test",
    test_shown_at: "of the last test",
  },
  slack_app: {
    sealed_client_secret: "secret",
    sealed_bot_token: "secret",
    sealed_app_token: "secret",
    socket_holder: "a process's",
    socket_until: "a process's",
    sealed_signing_secret: "secret",
    not_before: "when the engine tries next",
  },
  slack_account: {
    channel: "Slack's own",
    due_at: "when the engine looks next",
    not_before: "when the engine tries next",
    attempts: "the engine's own count",
    test_asked_at: "of the last test",
    test_sent_at: "of the last test",
  },
  slack_press: {
    trigger_digest: "Slack's own",
    sealed_press: "gone once it was carried out; the history has the decision",
  },
  slack_message: { digest: "the engine's own note", is_second: "the engine's own note" },
  webhook_endpoint: {
    subscription: "names the row to its receiver",
    seq: "up to which line of the history the engine has looked",
    url: "its path may be a secret; the host is taken",
    sealed_secret: "secret",
    sealed_previous_secret: "secret",
  },
  audit_stream: {
    kind: "taken as stream_kind: each line has a kind of its own",
    address: "a webhook's path may be a secret; the host is taken",
    settings: "beside credentials",
    sealed_secret: "secret",
    claim: "which engine sends just now",
    claimed_until: "with claim",
    failures: "the engine's own count",
    not_before: "when the engine tries next",
  },
  saml_provider: {
    certificate: "Intray's own",
    certificate_ends_at: "when the next of the certificates ends, which are there",
    sealed_key: "secret",
    tested_at: "of the last test",
    test_failure: "of the last test",
    test_report: "of the last test",
  },
  saml_request: { "*": "sign-ins that are under way" },
  saml_response: { "*": "sign-ins that are under way" },
  directory: { secret_hash: "secret", previous_secret_hash: "secret" },
  change: { "*": "hints that are on their way to screens" },
};
