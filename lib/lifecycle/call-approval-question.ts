/**
 * The approval in front of a call (gate): a question of Intray's own on the task itself. Until a person approves, no engine
 * watches the task and nothing is sent; the database refuses a start. lib/policy/call-rules judges which calls have
 * one, call-approval.ts carries out the decision.
 */
import { createHash } from "node:crypto";
import type { Actor } from "../access/access-schema.ts";
import { listedDigest } from "../agents/kept-tools.ts";
import { contentOf } from "../base/content/content-keys.ts";
import type { Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import type { NewEvent } from "../history/events/event-writes.ts";
import { canonicalJson } from "../mcp/forms/jcs.ts";
import type { Verdict } from "../policy/call-rules/call-rule-schema.ts";
import { insertOwnQuestion } from "../requests/own-question-writes.ts";
import type { GateRule } from "../tasks/task-schema.ts";
import type { GATE_STATES } from "../tasks/task-status.ts";

export interface Gate {
  /** The rule that wants a person; null where something else does. */
  rule: GateRule | null;
  /** The question, e.g. `Make this call?`. */
  message: string;
  /** When the approval can no longer be given. Null: it has no end. */
  expiresAt: Date | null;
  /** Why the rules ask; undefined: something else does. */
  why?: Verdict["why"];
}

/** The key of the question, among those of its task. */
const GATE_KEY = "gate";

/** SHA-256 of exactly this call, as it is kept (keyed where the organization seals): an approval is for nothing else. */
export function callDigest(tx: Tx, { serverId, tool, arguments: args }: GatedCall): Uint8Array<ArrayBuffer> {
  const digest = createHash("sha256")
    .update(canonicalJson({ v: 1, serverId, tool, arguments: args }))
    .digest("hex");
  return Uint8Array.from(Buffer.from(contentOf(tx).hash(digest), "hex"));
}

interface GatedCall {
  serverId: string;
  tool: string;
  arguments: Record<string, unknown>;
}

/**
 * Throws `denied_by_rule` where nobody could give the approval: a second person has to, and no other person sees a private task.
 * Without this the call would wait until its time is up.
 */
export async function refuseWithoutApprover(tx: Tx, gate: Gate, isPrivate: boolean): Promise<void> {
  if (!isPrivate) return;
  const { fourEyes } = await tx.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { fourEyes: true },
  });
  if (!fourEyes) return;
  throw new AppError(
    "denied_by_rule",
    "This call needs the approval of a second person, and goes through a connection that only one person sees. It was not made.",
    { extra: { rule: gate.rule } },
  );
}

/** The columns of a task whose call waits for an approval. */
export interface GateColumns {
  state: (typeof GATE_STATES)[number];
  rule: GateRule | null;
  digest: Uint8Array;
  toolDigest: string | null;
  expiresAt: Date | null;
}

export async function gateColumns(tx: Tx, { rule, expiresAt }: Gate, call: GatedCall): Promise<GateColumns> {
  return {
    state: "waiting",
    // The tool as people see it while they decide: one that changes meanwhile is not called (call-approval.ts).
    toolDigest: (await listedDigest(tx, call.serverId, call.tool)) ?? null,
    rule,
    digest: callDigest(tx, call),
    expiresAt,
  };
}

/** Stores the question of a gated task that this transaction has made. Returns its line of history. */
export async function askBefore(
  tx: Tx,
  task: { id: string; connectionId: string; tool: string; arguments: Record<string, unknown> },
  { message, expiresAt }: Gate,
  actor: Actor,
): Promise<NewEvent> {
  const question = { task, key: GATE_KEY, message, form: null, expiresAt, actor };
  return (await insertOwnQuestion(tx, question)).event;
}
