import { securityEventWords } from "../../people/accounts/security-event-words.ts";
import type { Tone } from "../../text/labels.ts";
import type { Cause, Notice, NoticeKind } from "./notice-schema.ts";

/** The parts of a notice that its words need. */
export type NoticeAbout = Pick<Notice, "inputRequestId" | "assignment" | "apiKey" | "agent"> & {
  cause: Cause;
  task: { id: string; tool: string; label?: string | null } | null;
  server: { id: string; name: string } | null;
};

export const KIND_WORDS: Record<NoticeKind, { label: string; description: string }> = {
  assigned: {
    label: "Assigned to you",
    description: "A request assigned to you, a mention, and a question about a task of yours",
  },
  request: { label: "Waiting for anyone", description: "A request that you and others may answer" },
  attention: {
    label: "Needs attention",
    description: "Unknown starts, undelivered answers, failing servers and sign-ins, API keys that end",
  },
  failed: { label: "Failed", description: "A task that you started has failed" },
  lost: { label: "Lost", description: "A server no longer knows a task that you started" },
  done: { label: "Done", description: "A task that you started is done" },
};

/** The kind that nobody can turn off. */
export const ACCOUNT_WORDS = {
  label: "Account security",
  description: "New ways to sign in, used recovery codes, and sign-ins from somewhere new",
};

const WORDS: Record<Cause, { text: string; tone: Tone }> = {
  "request.waiting": { text: "A request waits for an answer", tone: "wait" },
  "request.reminded": { text: "A request still waits for your vote", tone: "wait" },
  "request.assigned": { text: "A request was assigned to you", tone: "wait" },
  "request.woke": { text: "A request that you snoozed is back", tone: "wait" },
  "request.info_wanted": { text: "Somebody needs information about a task of yours", tone: "wait" },
  "comment.mentioned": { text: "You were mentioned in a comment", tone: "neutral" },
  "comment.info_given": { text: "The information that you asked for is there", tone: "wait" },
  "request.undeliverable": { text: "Delivery of an answer failed", tone: "bad" },
  "delivery.flagged": { text: "A server took an answer and keeps asking", tone: "wait" },
  "task.completed": { text: "A task is done", tone: "good" },
  "task.failed": { text: "A task failed", tone: "bad" },
  "task.lost": { text: "A task is lost", tone: "bad" },
  "task.expired": { text: "A task ran out of time", tone: "bad" },
  "task.start_unknown": { text: "Unknown whether a task started", tone: "wait" },
  "connection.needs_reauth": { text: "Somebody has to sign in again at a server", tone: "bad" },
  "connection.needs_scope": { text: "A call needs more rights than a connection has", tone: "wait" },
  "server.unhealthy": { text: "A server is in trouble", tone: "bad" },
  "webhook.disabled": { text: "A webhook was switched off, nothing got through", tone: "bad" },
  "account.replaced": {
    text: "A member’s account was given to the person who proved its address",
    tone: "wait",
  },
  "organization.four_eyes_ending": {
    text: "An admin proposed to stop requiring a second person for approvals",
    tone: "wait",
  },
  "policy.proposed": { text: "A change of the policy waits for a second admin", tone: "wait" },
  "organization.deleting": { text: "An owner asked to delete the organization in 72 hours", tone: "bad" },
  "member.vouched": { text: "An owner vouched for a member", tone: "neutral" },
  "key.ends_in_14_days": { text: "An API key ends within 14 days", tone: "wait" },
  "key.ends_in_3_days": { text: "An API key ends within 3 days", tone: "wait" },
  "key.ended": { text: "An API key has ended", tone: "bad" },
  "agent.ends_in_14_days": { text: "The secret of an agent ends within 14 days", tone: "wait" },
  "agent.ends_in_3_days": { text: "The secret of an agent ends within 3 days", tone: "wait" },
  "agent.ended": { text: "The secret of an agent has ended", tone: "bad" },
  "audit_stream.failing": { text: "The audit stream has been failing for an hour", tone: "bad" },
  "service_account.rests": { text: "A service account is suspended: it has no owner", tone: "bad" },
  "saml_provider.certificate_ends": { text: "A SAML certificate ends within 30 days", tone: "wait" },
  "slack.revoked": { text: "Slack no longer accepts Intray’s token", tone: "bad" },
  "teams.revoked": { text: "Microsoft no longer accepts the secret for Teams", tone: "bad" },
};

/** `about` names tool and server, which are untrusted text, or the key or agent. `path` leads to the subject. */
export function noticeWords(notice: NoticeAbout): { text: string; tone: Tone; about: string; path: string } {
  const { task, server, apiKey, agent } = notice;
  const name = task && (task.label ? `${task.tool} · ${task.label}` : task.tool);
  const about = [name ?? apiKey?.name ?? agent?.name, server?.name].filter(Boolean).join(" on ");
  const words = WORDS[notice.cause];
  const by = notice.assignment?.by;
  return { ...words, ...(by && { text: `${by} handed a request over to you` }), about, path: pathOf(notice) };
}

/** The words of any notice in a list. */
export function listedWords(notice: Notice): ReturnType<typeof noticeWords> {
  const { cause, account } = notice;
  if (!isOfOrganization(cause)) return accountWords(cause, account?.data ?? {}, account?.more ?? 0);
  return noticeWords({ ...notice, cause });
}

/** Words about an account. `about` has names and addresses, which are untrusted text. */
export function accountWords(
  cause: string,
  data: Record<string, unknown>,
  more: number,
): ReturnType<typeof noticeWords> {
  const { what, about, bad } = securityEventWords({ type: cause, data, times: 1 });
  const text = more > 0 ? `${what}, and ${more} more like this` : what;
  return { text, about, tone: bad ? "wait" : "neutral", path: "/settings/security" };
}

function isOfOrganization(cause: Notice["cause"]): cause is Cause {
  return cause in WORDS;
}

function pathOf({ cause, inputRequestId, task, server, agent }: NoticeAbout): string {
  if (inputRequestId) return `/inbox/${inputRequestId}`;
  if (task) return `/tasks/${task.id}`;
  if (cause.startsWith("key.") || cause === "service_account.rests") return "/settings/api-keys";
  if (agent) return `/servers/agents/${agent.id}`;
  if (cause === "audit_stream.failing") return "/settings/audit-streams";
  if (server) return `/servers/${server.id}`;
  return SETTINGS[cause] ?? "/settings/webhooks";
}

const SETTINGS: Partial<Record<Cause, string>> = {
  "organization.four_eyes_ending": "/settings/organization",
  "policy.proposed": "/settings/policy",
  "organization.deleting": "/settings/organization",
  "member.vouched": "/settings/members",
  "account.replaced": "/settings/members",
  "saml_provider.certificate_ends": "/settings/saml",
  "slack.revoked": "/settings/slack",
  "teams.revoked": "/settings/teams",
};

/** `12 requests wait for an answer`: many notices of one cause. */
export function manyWords(cause: Cause, count: number): string {
  return MANY[cause].replace("#", String(count));
}

const MANY: Record<Cause, string> = {
  "request.waiting": "# requests wait for an answer",
  "request.reminded": "# requests still wait for your vote",
  "request.assigned": "# requests were assigned to you",
  "request.woke": "# requests that you snoozed are back",
  "request.info_wanted": "# requests need information from you",
  "comment.mentioned": "You were mentioned in # comments",
  "comment.info_given": "Information that you asked for is there for # requests",
  "request.undeliverable": "Delivery of # answers failed",
  "delivery.flagged": "Servers took # answers and keep asking",
  "task.completed": "# tasks are done",
  "task.failed": "# tasks failed",
  "task.lost": "# tasks are lost",
  "task.expired": "# tasks ran out of time",
  "task.start_unknown": "It is unknown whether # tasks started",
  "connection.needs_reauth": "Somebody has to sign in again at # servers",
  "connection.needs_scope": "# connections need more rights",
  "server.unhealthy": "# servers are in trouble",
  "webhook.disabled": "# webhooks were switched off",
  "account.replaced": "# accounts were given to the people who proved their addresses",
  "organization.four_eyes_ending": "# proposals to stop requiring a second person for approvals",
  "policy.proposed": "# changes of the policy wait for a second admin",
  "organization.deleting": "# organizations are to be deleted",
  "member.vouched": "Owners vouched for # members",
  "key.ends_in_14_days": "# API keys end within 14 days",
  "key.ends_in_3_days": "# API keys end within 3 days",
  "key.ended": "# API keys have ended",
  "agent.ends_in_14_days": "Secrets of # agents end within 14 days",
  "agent.ends_in_3_days": "Secrets of # agents end within 3 days",
  "agent.ended": "Secrets of # agents have ended",
  "audit_stream.failing": "# audit streams have been failing for an hour",
  "service_account.rests": "# service accounts are suspended: they have no owner",
  "saml_provider.certificate_ends": "SAML certificates of # providers end within 30 days",
  "slack.revoked": "# Slack apps are no longer accepted",
  "teams.revoked": "# Teams apps are no longer accepted",
};

/** The page that shows many notices of one cause. */
export function listPath(cause: Cause): string {
  if (["request.waiting", "request.assigned", "request.reminded", "request.woke"].includes(cause))
    return "/inbox";
  return "/notices";
}
