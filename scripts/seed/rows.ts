/** The rows of one seeded question: its task, its request and, if settled, its answer. */

import { uuidv7 } from "../../lib/base/ids.ts";
import { questionHash } from "../../lib/mcp/forms/question-hash.ts";
import { normaliseForm } from "../../lib/mcp/forms/read-form.ts";
import { labelOf } from "../../lib/tasks/task-status.ts";
import { amountOf } from "../../lib/text/amount.ts";
import { type Random, randomFor } from "../../test/chaos/random.ts";
import { type Asked, questionOf } from "./catalogue.ts";
import type { Place } from "./servers.ts";

export interface Member {
  id: string;
  name: string;
  role: string;
}

const DAY = 86_400_000;
const actor = (member: Member) => ({ kind: "member", id: member.id, name: member.name });
const normalise = new Map<string, unknown>();

/**
 * The rows of the n-th question, the same for the same `n` except ids and times, which count back from `now`.
 * `along`: the share of its kind written before, from 0 to 1. The oldest come first, so that they lie on disk
 * in the usual order.
 */
export function rowsOf(
  n: number,
  kind: "open" | "settled",
  along: number,
  members: Member[],
  places: (server: string) => Place,
  now: number,
) {
  const random = randomFor("seed", kind, n);
  const asked = questionOf(random, n);
  const { serverId, connectionId } = places(asked.server);
  const createdAt = now - (kind === "open" ? waited(along) : Math.floor((1 - along) * 365 * DAY));
  const taskId = uuidv7(createdAt - 2_000);
  const id = uuidv7(createdAt);
  const requester = one(random, members);
  const approvers = members.filter((member) => member.role !== "viewer");
  const isPrivate = random() < 0.03;
  const assignee = random() < 0.12 ? one(random, approvers) : null;
  const isOver = kind === "settled";
  const answeredAt = iso(Math.min(now, createdAt + random() * 3 * DAY));
  const taken = random() < 0.9;
  const mode = asked.schema ? "form" : "url";
  const question = {
    mode,
    message: asked.message,
    requestedSchema: asked.schema ?? undefined,
    url: asked.url ?? null,
  } as const;
  const amount = amountOf(asked.args, asked.message);
  const task = {
    id: taskId,
    server_id: serverId,
    connection_id: connectionId,
    tool: asked.tool,
    arguments: asked.args,
    label: labelOf(asked.args),
    state: isOver ? (taken ? "completed" : "cancelled") : "input_required",
    watched: !isOver,
    visibility: isPrivate ? "private" : "organization",
    requested_by: actor(requester),
    requester_user_id: requester.id,
    created_at: iso(createdAt - 2_000),
    changed_at: isOver ? answeredAt : iso(createdAt),
    finished_at: isOver ? answeredAt : null,
  };
  const request = {
    id,
    task_id: taskId,
    connection_id: connectionId,
    state: isOver ? (taken ? "settled" : "withdrawn") : "open",
    ended_reason: isOver && !taken ? "task_cancelled" : null,
    mode,
    message: asked.message,
    requested_schema: asked.schema,
    url: asked.url ?? null,
    form: formOf(asked),
    question_hash: questionHash({ taskId, ...question }),
    amount: amount?.value ?? null,
    currency: amount?.currency ?? null,
    assignee_user_id: assignee?.id ?? null,
    created_at: iso(createdAt),
    ended_at: isOver ? answeredAt : null,
    expires_at: random() < 0.3 ? iso(now + 600_000 + random() ** 3 * 30 * DAY) : null,
  };
  const claim = !isOver && random() < 0.004 ? { request: id, user: one(random, approvers).id } : null;
  const answer =
    isOver && taken
      ? answerTo(asked, {
          request: id,
          task: taskId,
          at: answeredAt,
          hash: request.question_hash,
          by: one(random, approvers),
          random,
        })
      : null;
  return { task, request, claim, answer };
}

function answerTo(
  asked: Asked,
  {
    request,
    task,
    at,
    hash,
    by,
    random,
  }: { request: string; task: string; at: string; hash: string; by: Member; random: Random },
) {
  const accepted = random() < 0.9;
  return {
    id: uuidv7(Date.parse(at)),
    delivery_id: uuidv7(Date.parse(at)),
    request,
    task,
    question_hash: hash,
    action: accepted ? "accept" : "decline",
    content: accepted && asked.schema ? asked.content : null,
    comment: accepted
      ? null
      : one(random, ["Wrong amount", "Not ours", "Duplicate", "Needs a purchase order"]),
    answered_by: actor(by),
    at,
  };
}

/** The waiting time in ms: mostly short; one in a thousand waits for weeks. */
function waited(along: number): number {
  return Math.floor(Math.min(60 * DAY, 60_000 - Math.log(along) * 4 * DAY));
}

function formOf({ tool, schema }: Asked): unknown {
  if (!normalise.has(tool)) normalise.set(tool, normaliseForm(schema ?? undefined));
  return normalise.get(tool);
}

export function one<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

export function iso(time: number): string {
  return new Date(time).toISOString();
}
