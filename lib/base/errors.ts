/** Expected failures. Every other error is a bug: logged with an id, shown as generic text. */

import { isErrorNamed } from "./process/process-wide.ts";

const STATUS = {
  invalid_input: 422,
  invalid_arguments: 422,
  invalid_content: 422,
  reason_required: 422,
  invalid_json: 400,
  address_not_allowed: 422,
  webhook_verification_failed: 422,
  slack_refused: 422,
  teams_refused: 422,
  unsupported_form: 422,
  document_too_large: 422,
  document_not_shown: 422,
  content_sealed: 422,
  engine_outdated: 409,
  unknown_tool: 422,
  invalid_metadata: 422,
  wrong_password: 422,
  wrong_code: 422,
  passkey_refused: 422,
  unauthenticated: 401,
  key_expired: 401,
  key_rests: 401,
  single_sign_on_required: 401,
  sign_in_again_required: 401,
  sign_in_too_weak: 401,
  second_factor_required: 401,
  forbidden: 403,
  address_not_allowed_for_key: 403,
  address_not_allowed_for_organization: 403,
  cross_site: 403,
  service_account_rests: 403,
  four_eyes: 403,
  not_an_approver: 403,
  denied_by_rule: 403,
  same_maker: 403,
  step_up_required: 403,
  organization_session: 403,
  nothing_to_vouch: 409,
  view_only: 403,
  wrong_account: 403,
  account_unproven: 403,
  demo_account: 409,
  suspended: 409,
  wrong_setup_token: 403,
  setup_closed: 403,
  not_found: 404,
  method_not_allowed: 405,
  acknowledged_by_other: 409,
  addresses_changed: 409,
  already_answered: 409,
  already_asked: 409,
  already_sent: 409,
  already_voted: 409,
  content_differs: 409,
  approval_differs: 409,
  call_hidden: 409,
  stage_full: 409,
  assigned_to_other: 409,
  approval_unusable: 409,
  instance_deleted: 409,
  already_set_up: 409,
  already_invited: 409,
  already_member: 409,
  cannot_connect: 409,
  cannot_list: 409,
  claimed_by_other: 409,
  connection_changed: 409,
  defined_by_directory: 409,
  defined_by_operator: 409,
  engine_busy: 409,
  group_in_use: 409,
  export_first: 409,
  hosts_not_allowed: 409,
  idempotency_mismatch: 409,
  domain_not_proven: 409,
  domain_taken: 409,
  last_owner: 409,
  legal_hold: 409,
  not_alike: 409,
  not_connected: 409,
  not_stuck: 409,
  name_taken: 409,
  not_repeatable: 422,
  not_start_unknown: 409,
  nothing_to_resend: 409,
  organization_changed: 409,
  own_address_outside: 409,
  question_changed: 409,
  server_in_use: 409,
  server_paused: 409,
  start_not_settled: 409,
  start_under_way: 409,
  started_again: 409,
  task_ended: 409,
  task_known: 409,
  tool_changed: 409,
  version_changed: 409,
  tasks_open: 409,
  second_factor_on: 409,
  second_factor_off: 409,
  passkey_known: 409,
  no_password: 409,
  no_requester: 409,
  too_many_comments: 409,
  too_many_devices: 409,
  too_many_views: 409,
  too_many_webhooks: 409,
  too_many_keys: 409,
  too_many_service_accounts: 409,
  too_many_agents: 409,
  too_many_invitations: 409,
  too_many_servers: 409,
  too_many_recipes: 409,
  not_read_only: 409,
  too_many_passkeys: 409,
  too_many_domains: 409,
  would_lock_out: 409,
  too_many_audit_streams: 409,
  too_many_saml_providers: 409,
  nothing_to_confirm: 409,
  other_idp: 409,
  count_differs: 409,
  nothing_suits: 409,
  operation_stopped: 409,
  too_many_tasks: 422,
  link_expired: 410,
  no_longer_open: 410,
  too_large: 413,
  version_required: 428,
  unsupported_media_type: 415,
  throttled: 429,
  quota_exceeded: 429,
  // As nginx notes it: nobody reads this answer, and nothing of ours failed.
  caller_left: 499,
  server_unavailable: 502,
  dns_unavailable: 502,
  database_unavailable: 503,
  database_busy: 503,
  content_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUS;

export interface FieldError {
  field: string;
  message: string;
}

/**
 * A coded failure. `code` is stable and part of the API. `detail` is for the person who caused the failure.
 * `extra` goes into the problem document beside them (e.g. who answered first).
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors: FieldError[] | undefined;
  readonly extra: Record<string, unknown> | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    more: {
      errors?: FieldError[];
      extra?: Record<string, unknown>;
      retryAfterMs?: number;
      cause?: unknown;
    } = {},
  ) {
    super(`${code}: ${detail}`, { cause: more.cause });
    this.name = "AppError";
    this.code = code;
    this.detail = detail;
    this.errors = more.errors?.map(cut);
    this.extra = more.extra;
    this.retryAfterMs = more.retryAfterMs;
  }

  get status(): number {
    return STATUS[this.code];
  }

  static override [Symbol.hasInstance](value: unknown): value is AppError {
    return isErrorNamed(value, "AppError");
  }
}

/** A field's path and its words may repeat what the caller sent. */
function cut({ field, message, ...rest }: FieldError): FieldError {
  return { ...rest, field: field.slice(0, FIELD_CHARACTERS), message: message.slice(0, MESSAGE_CHARACTERS) };
}

/** Of a field's path in an error. */
export const FIELD_CHARACTERS = 300;
const MESSAGE_CHARACTERS = 1_000;

/** Unknown, foreign and invisible ids all get the same answer. */
export function notFound(what: string): AppError {
  return new AppError("not_found", `There is no such ${what}, or you may not see it.`);
}
