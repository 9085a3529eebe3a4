/** `tasks/get`, the hot path: the same in both eras. */

import { discreet, taskSchema } from "../messages.ts";
import type { GetOptions, GetReply } from "../peer.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { hidingFor } from "./hide.ts";
import { type Request, readResult, type Wire } from "./wire.ts";

/**
 * Asks for a task. A reply that says what the last one said is not parsed, but only while the task is `working`:
 * the fingerprints of other states carry a mark, so they never match and are always parsed.
 */
export async function getTask(wire: Wire, request: Request, options: GetOptions): Promise<GetReply> {
  const reply = await wire.request(request, options);
  const fingerprint = fingerprintOf(reply.text, reply.id);
  if (fingerprint === options.fingerprint) return { fingerprint, task: null, size: reply.text.length };
  const task = discreet(readResult(reply, taskSchema, options), hidingFor(options));
  return {
    fingerprint: task.status === "working" ? fingerprint : `!${fingerprint}`,
    task,
    size: reply.text.length,
  };
}

/** The server's clock by its `Date` header, minus ours, in ms. */
export function clockOffset(date: string | undefined): number | null {
  const at = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(at) ? null : at - Date.now();
}
