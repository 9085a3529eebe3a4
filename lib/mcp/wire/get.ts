/** `tasks/get`, the hot path, identical in both eras. */

import { discreet, taskSchema } from "../messages.ts";
import type { GetOptions, GetReply } from "../peer.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { hidingFor } from "./hide.ts";
import { type Request, readResult, type Wire } from "./wire.ts";

/** Marks a fingerprint that never matches. */
const PARSED = "!";

/**
 * Requests a task. A reply equal to the last one is not parsed, but only while the task is `working`:
 * fingerprints of other states carry a mark, so they never match and are always parsed.
 */
export async function getTask(wire: Wire, request: Request, options: GetOptions): Promise<GetReply> {
  const known = options.fingerprint?.startsWith(PARSED) ? null : options.fingerprint;
  const reply = await wire.request({ ...request, known }, options);
  const fingerprint = reply.message ? fingerprintOf(reply.text, reply.id) : (options.fingerprint ?? "");
  if (fingerprint === options.fingerprint) return { fingerprint, task: null, size: reply.text.length };
  const task = discreet(readResult(reply, taskSchema, options), hidingFor(options));
  return {
    fingerprint: task.status === "working" ? fingerprint : PARSED + fingerprint,
    task,
    size: reply.text.length,
  };
}

/** Returns the server's clock (its `Date` header) minus ours in ms, or null. */
export function clockOffset(date: string | undefined): number | null {
  const at = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(at) ? null : at - Date.now();
}
