/** The rows of one seeded task: its questions, its outcome, and its share of the figures. */
import { uuidv7 } from "../../lib/base/ids.ts";
import { questionHash } from "../../lib/mcp/forms/question-hash.ts";
import { normaliseForm } from "../../lib/mcp/forms/read-form.ts";
import type { FailureKind, Rung } from "../../lib/requests/statistics/measures.ts";
import { labelOf } from "../../lib/tasks/task-status.ts";
import { between, pick, type Random, randomFor } from "../../test/chaos/random.ts";
import { type Asked, questionOf } from "./catalogue.ts";
import { iso, type Member, one } from "./rows.ts";
import type { Place } from "./servers.ts";

const MINUTE = 60_000;
const HOUR = 3600_000;

type State = "working" | "input_required" | "completed" | "failed" | "cancelled" | "lost" | "expired";
const ENDS = { completed: 0.935, failed: 0.033, cancelled: 0.022, expired: 0.006, lost: 0.004 } as const;
const FAILURES: Partial<Record<FailureKind, number>> = {
  task_failed: 0.5,
  server_error: 0.22,
  rejected: 0.2,
  result_missing: 0.08,
};
const WORDS: Record<string, string> = {
  task_failed: "The ledger is closed for this period.",
  server_error: "The server broke down over the call: upstream timed out",
  rejected: "No budget line for this cost center.",
  result_missing: "The server did not hand over the result.",
  lost: "The server does not know the task any more.",
  expired: "The task's time ran out.",
};
/** The median time of decisions on a server. */
const USUAL_MS: Record<string, number> = {
  ERP: 8 * MINUTE,
  Procurement: 22 * MINUTE,
  CRM: 3 * MINUTE,
  People: 110 * MINUTE,
  Deploy: 2 * MINUTE,
  Travel: 35 * MINUTE,
  Contracts: 5 * HOUR,
};
/** Longest that a seeded question stays open, below the limit for waiting long. */
const OLDEST_MS = 7 * HOUR;
/** Longest that a seeded running task is quiet, so that it is not stalled for five hours more. */
const QUIETEST_MS = 50 * MINUTE;

export type TaskRows = ReturnType<typeof taskRowsOf>;

export interface Life {
  /** `waiting`, `working`: the state now; `ended`: the task is over. */
  kind: "waiting" | "working" | "ended";
  createdAt: number;
  now: number;
  members: Member[];
  places: Map<string, Place>;
  seal: (taskId: string) => string;
}

/** The rows of the n-th task, the same for the same `n` except ids and times. */
export function taskRowsOf(n: number, life: Life) {
  const random = randomFor("task", n);
  const asked = questionOf(random, n);
  const place = life.places.get(asked.server)!;
  const asks = life.kind === "waiting" || (life.kind === "ended" && random() < 0.45);
  const createdAt = life.kind === "ended" ? life.createdAt : life.now - youth(random, life.kind);
  const askedAt = createdAt + between(random, 800, 9_000);
  const took = USUAL_MS[asked.server]! * Math.exp(1.1 * normal(random));
  const worked = 8 * MINUTE * Math.exp(normal(random));
  const over = life.kind === "ended" ? pick(random, ENDS)! : null;
  const answered = asks && over !== null && over !== "expired" && random() < 0.98;
  const latest = life.now - 20_000;
  const planned = (asks ? askedAt + took : createdAt) + worked;
  const endedAt = planned < latest ? planned : between(random, createdAt + 15_000, latest);
  const answeredAt = Math.min(askedAt + took, endedAt - 2_000);
  const id = uuidv7(createdAt);
  const state: State = over ?? (life.kind === "waiting" ? "input_required" : "working");
  const requester = one(random, life.members);
  const refused = answered && random() < 0.1;
  const kind = failureKindOf(random, state);
  const task = {
    id,
    server_id: place.serverId,
    connection_id: place.connectionId,
    tool: asked.tool,
    arguments: asked.args,
    label: labelOf(asked.args),
    state,
    watched: over === null,
    visibility: random() < 0.03 ? "private" : "organization",
    requested_by: actorOf(requester),
    requester_user_id: requester.id,
    era: place.era,
    sealed_handle: over === null ? life.seal(id) : null,
    status_message: over === null && !asks ? one(random, DOING) : null,
    progress:
      over === null && !asks ? { progress: Math.floor(random() * 90) + 5, total: 100, message: null } : null,
    outcome: state === "completed" ? outcomeOf(random, asks, refused, kind) : null,
    outcome_is_error: kind === "tool_error",
    result: state === "completed" ? { content: [{ type: "text", text: "Done." }] } : null,
    error: state !== "completed" && kind ? { code: kind, message: WORDS[kind] } : null,
    created_at: iso(createdAt),
    changed_at: iso(over ? endedAt : asks ? askedAt : between(random, createdAt, life.now)),
    finished_at: over ? iso(endedAt) : null,
  };
  const request = asks
    ? requestOf(asked, task, { askedAt, over: over !== null, answered, at: answered ? answeredAt : endedAt })
    : null;
  const by = one(random, deciders(life.members));
  const answer = answered
    ? {
        id: uuidv7(answeredAt),
        delivery_id: uuidv7(answeredAt),
        request: request!.id,
        task: id,
        question_hash: request!.question_hash,
        action: refused ? "decline" : "accept",
        content: refused || !asked.schema ? null : asked.content,
        comment: refused ? one(random, ["Wrong amount", "Not ours", "Duplicate"]) : null,
        answered_by: actorOf(by),
        at: iso(answeredAt),
        rung: rungOf(random, place.era),
      }
    : null;
  const figures = {
    createdAt,
    askedAt: asks ? askedAt : null,
    answeredAt: answered ? answeredAt : null,
    endedAt: over ? endedAt : null,
    end: over,
    kind,
    rung: answer?.rung ?? null,
  };
  return { task, request, answer, figures };
}

const DOING = [
  "Reading documents",
  "Matching lines",
  "Waiting for the bank",
  "Rolling out",
  "Comparing offers",
];

function youth(random: Random, kind: "waiting" | "working"): number {
  return kind === "waiting" ? 2 * MINUTE + random() ** 2.2 * OLDEST_MS : MINUTE + random() * QUIETEST_MS;
}

function failureKindOf(random: Random, state: State): FailureKind | null {
  if (state === "failed") return pick(random, FAILURES) ?? "task_failed";
  if (state === "completed") return random() < 0.008 ? "tool_error" : null;
  return state === "lost" || state === "expired" ? state : null;
}

function outcomeOf(random: Random, asks: boolean, refused: boolean, kind: FailureKind | null): string {
  if (kind === "tool_error") return "Nothing was booked";
  if (asks) return refused ? "REJECTED" : one(random, ["PAID", "APPROVED", "BOOKED", "DONE"]);
  return one(random, ["DONE", "BOOKED", "Nothing to do"]);
}

function rungOf(random: Random, era: string): Rung {
  if (era === "2026-07-28") return random() < 0.97 ? "update" : "retry";
  return pick<Rung>(random, { same_session: 0.7, asked_again: 0.22, new_session: 0.08 }) ?? "same_session";
}

const forms = new Map<string, unknown>();

export function requestOf(
  asked: Asked,
  task: { id: string; connection_id: string },
  { askedAt, over, answered, at }: { askedAt: number; over: boolean; answered: boolean; at: number },
) {
  if (!forms.has(asked.tool)) forms.set(asked.tool, normaliseForm(asked.schema ?? undefined));
  const mode = asked.schema ? ("form" as const) : ("url" as const);
  const question = {
    mode,
    message: asked.message,
    requestedSchema: asked.schema ?? undefined,
    url: asked.url ?? null,
  };
  return {
    id: uuidv7(askedAt),
    task_id: task.id,
    connection_id: task.connection_id,
    state: over ? (answered ? "settled" : "withdrawn") : "open",
    ended_reason: over && !answered ? "task_ended" : null,
    mode,
    message: asked.message,
    requested_schema: asked.schema,
    url: asked.url ?? null,
    form: forms.get(asked.tool),
    question_hash: questionHash({ taskId: task.id, ...question }),
    amount: null,
    currency: null,
    assignee_user_id: null,
    created_at: iso(askedAt),
    ended_at: over ? iso(at) : null,
    expires_at: null,
  };
}

export const actorOf = (member: Member) => ({ kind: "member", id: member.id, name: member.name });

export function deciders(members: Member[]): Member[] {
  return members.filter((member) => member.role !== "viewer");
}

/** A random number around 0, roughly normal by the central limit theorem. */
function normal(random: Random): number {
  return random() + random() + random() + random() + random() + random() - 3;
}
