import type { Cause, Notice, NoticeKind } from "../notices/schema.ts";
import type { Tone } from "./tasks/outcome.ts";

/** The parts of a notice that its words need. */
export type NoticeAbout = Pick<Notice, "cause" | "inputRequestId" | "assignment"> & {
  task: { id: string; tool: string; label?: string | null } | null;
  server: { id: string; name: string } | null;
};

export const KIND_WORDS: Record<NoticeKind, { label: string; description: string }> = {
  assigned: { label: "Assigned to you", description: "A request that was given to you to answer" },
  request: { label: "Waiting for anyone", description: "A request that you and others may answer" },
  attention: {
    label: "Needs attention",
    description: "Unknown starts, undelivered answers, failing servers and sign-ins",
  },
  failed: { label: "Failed", description: "A task that you started has failed" },
  lost: { label: "Lost", description: "A task that you started is not known to its server any more" },
  done: { label: "Done", description: "A task that you started is done" },
};

const WORDS: Record<Cause, { text: string; tone: Tone }> = {
  "request.waiting": { text: "A request waits for an answer", tone: "wait" },
  "request.assigned": { text: "A request was assigned to you", tone: "wait" },
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
  "audit_stream.failing": { text: "The audit stream has been failing for an hour", tone: "bad" },
};

/** `about` names tool and server, which are untrusted text. `path` leads to the subject. */
export function noticeWords(notice: NoticeAbout): { text: string; tone: Tone; about: string; path: string } {
  const { task, server } = notice;
  const name = task && (task.label ? `${task.tool} · ${task.label}` : task.tool);
  const about = [name, server?.name].filter(Boolean).join(" on ");
  const words = WORDS[notice.cause];
  const by = notice.assignment?.by;
  return { ...words, ...(by && { text: `${by} handed a request over to you` }), about, path: pathOf(notice) };
}

function pathOf({ cause, inputRequestId, task, server }: NoticeAbout): string {
  if (inputRequestId) return `/inbox/${inputRequestId}`;
  if (task) return `/tasks/${task.id}`;
  if (cause === "audit_stream.failing") return "/settings/audit-streams";
  return server ? `/servers/${server.id}` : "/settings/webhooks";
}

/** `12 requests wait for an answer`: many notices of one cause. */
export function manyWords(cause: Cause, count: number): string {
  return MANY[cause].replace("#", String(count));
}

const MANY: Record<Cause, string> = {
  "request.waiting": "# requests wait for an answer",
  "request.assigned": "# requests were assigned to you",
  "request.undeliverable": "Delivery of # answers failed",
  "delivery.flagged": "Servers took # answers and keep asking",
  "task.completed": "# tasks are done",
  "task.failed": "# tasks failed",
  "task.lost": "# tasks are lost",
  "task.expired": "# tasks ran out of time",
  "task.start_unknown": "Nobody knows whether # tasks started",
  "connection.needs_reauth": "Somebody has to sign in again at # servers",
  "connection.needs_scope": "# connections need more rights",
  "server.unhealthy": "# servers are in trouble",
  "webhook.disabled": "# webhooks were switched off",
  "audit_stream.failing": "# audit streams have been failing for an hour",
};

/** The page that shows many notices of one cause. */
export function listPath(cause: Cause): string {
  if (cause === "request.waiting" || cause === "request.assigned") return "/inbox";
  return "/notices";
}

/** The number of unread notices; counting ends at 100. */
export function countWords(unread: number): string {
  return unread < 100 ? String(unread) : "99+";
}
