/** The three seeded tasks that do not move, each for another reason. */
import { randomUUID } from "node:crypto";
import { uuidv7 } from "../../lib/base/ids.ts";
import { randomFor } from "../../test/chaos/random.ts";
import { type Asked, questionOf } from "./catalogue.ts";
import type { Rows } from "./insert.ts";
import { iso } from "./rows.ts";
import { actorOf, deciders, type Life, requestOf } from "./task-rows.ts";

const MINUTE = 60_000;
const HOUR = 3600_000;

export function stuckRows(life: Omit<Life, "kind" | "createdAt">): Rows[] {
  return [stalled(life), flagged(life), startUnknown(life)];
}

/** Working, without news for nine hours. */
function stalled(life: Omit<Life, "kind" | "createdAt">): Rows {
  const since = life.now - 9 * HOUR;
  const asked = questionFor("release_service");
  const task = taskOf(life, asked, since - 12 * MINUTE, {
    label: "checkout",
    state: "working",
    status_message: "Rolling out: 2 of 3 regions",
    progress: { progress: 2, total: 3, message: "Rolling out" },
    changed_at: iso(since),
  });
  return { task, request: null, answer: null };
}

/** The server took the answer 40 minutes ago, and still asks the same question. */
function flagged(life: Omit<Life, "kind" | "createdAt">): Rows {
  const at = life.now - 40 * MINUTE;
  const asked = questionFor("process_invoice");
  const task = taskOf(life, asked, at - 25 * MINUTE, {
    label: String((asked.args.invoice as { invoice_id: string }).invoice_id),
    state: "input_required",
    changed_at: iso(at - 20 * MINUTE),
  });
  const request = {
    ...requestOf(asked, task, { askedAt: at - 20 * MINUTE, over: false, answered: true, at }),
    state: "answered",
  };
  const answer = {
    id: uuidv7(at),
    delivery_id: uuidv7(at),
    request: request.id,
    task: task.id,
    question_hash: request.question_hash,
    action: "accept",
    content: asked.content,
    comment: null,
    answered_by: actorOf(deciders(life.members).at(-1) ?? life.members[0]!),
    at: iso(at),
    rung: "update",
    flagged: true,
  };
  return { task, request, answer };
}

/** The connection broke during the call, and the server does not list its tasks: outcome unknown. */
function startUnknown(life: Omit<Life, "kind" | "createdAt">): Rows {
  const at = life.now - 2 * HOUR;
  const asked = questionFor("book_flight");
  const task = taskOf(life, asked, at, {
    label: String(asked.args.trip_id),
    state: "start_unknown",
    watched: false,
    sealed_handle: null,
    attempt_id: randomUUID(),
    attempt_at: iso(at),
    changed_at: iso(at + 7_000),
  });
  return { task, request: null, answer: null };
}

function questionFor(tool: string): Asked {
  for (let n = 0; ; n++) {
    const asked = questionOf(randomFor("stuck", n), n);
    if (asked.tool === tool) return asked;
  }
}

function taskOf<More extends object>(
  life: Omit<Life, "kind" | "createdAt">,
  asked: Asked,
  createdAt: number,
  more: More,
) {
  const id = uuidv7(createdAt);
  const place = life.places.get(asked.server)!;
  const requester = life.members[0]!;
  return {
    id,
    server_id: place.serverId,
    connection_id: place.connectionId,
    tool: asked.tool,
    arguments: asked.args,
    watched: true,
    visibility: "organization",
    requested_by: actorOf(requester),
    requester_user_id: requester.id,
    era: place.era,
    sealed_handle: life.seal(id),
    created_at: iso(createdAt),
    ...more,
  };
}
