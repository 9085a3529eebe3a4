import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isJSONRPCRequest, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Database } from "../database.ts";
import { type Rules, rules } from "../invoices/rules.ts";
import { log } from "../log.ts";
import type { ModernRequests } from "../protocol/era-2026-07-28.ts";
import { findTask } from "../store.ts";
import { taskStatus } from "../task.ts";
import { applyTwice, neverEnd, rejectUnlessApproved } from "./rules.ts";
import {
  announceInMeta,
  fiveDays,
  isBody,
  listRunning,
  type Rewrite,
  tellInText,
  updateAlways,
} from "./wire.ts";

/**
 * The quirks of the original demonstration, for tests: their switches, and where they apply. See README.md.
 */

const LETTERS = ["a", "b", "c", "d", "e", "f", "g", "h", "i"] as const;
export type Quirk = (typeof LETTERS)[number];

/** Reads INVOICE_QUIRKS. Refused outside tests, so that nobody pays invoices with quirks by accident. */
export function readQuirks(env: NodeJS.ProcessEnv): ReadonlySet<Quirk> {
  const letters = (env.INVOICE_QUIRKS ?? "").split(",").filter((letter) => letter !== "");
  const unknown = letters.filter((letter) => !LETTERS.some((known) => known === letter));
  if (unknown.length > 0) throw new Error(`INVOICE_QUIRKS is not valid: ${unknown.join(", ")}`);
  if (letters.length > 0 && env.INVOICE_TEST !== "1")
    throw new Error("INVOICE_QUIRKS makes a server that misbehaves: set INVOICE_TEST=1 too");
  return new Set(letters as Quirk[]);
}

const ruleQuirks: Partial<Record<Quirk, (rules: Rules) => Rules>> = {
  c: rejectUnlessApproved,
  f: applyTwice,
  g: neverEnd,
};
/** Quirks that also apply to 2026-07-28. */
const wireQuirks: Partial<Record<Quirk, Rewrite>> = { d: tellInText, e: updateAlways, i: fiveDays };
/** Applied in this order: `a` removes the task that the others change. */
const legacyQuirks: Partial<Record<Quirk, Rewrite>> = { ...wireQuirks, h: listRunning, a: announceInMeta };

export function quirkyRules(quirks: ReadonlySet<Quirk>): Rules {
  return chosen(ruleQuirks, quirks).reduce((changed, quirk) => quirk(changed), rules);
}

export function quirkyRequests(requests: ModernRequests, quirks: ReadonlySet<Quirk>): ModernRequests {
  if (quirks.size === 0) return requests;
  const rewrite = inTurn(chosen(wireQuirks, quirks));
  return {
    ...requests,
    tools: () => rewrite({ tools: requests.tools() }).tools as ReturnType<ModernRequests["tools"]>,
    call: async (params, ctx) => rewrite(await requests.call(params, ctx)),
    get: async (taskId) => rewrite(await requests.get(taskId)),
  };
}

/** Applies the quirks to a session of 2025-11-25, once its transport is connected. */
export function quirkySession(transport: Transport, db: Database, quirks: ReadonlySet<Quirk>): void {
  if (quirks.size === 0) return;
  const rewrite = inTurn(chosen(legacyQuirks, quirks));
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(rewritten(message, rewrite), options);
  if (quirks.has("b")) refuseUnfinished(transport, db);
}

function rewritten(message: JSONRPCMessage, rewrite: Rewrite): JSONRPCMessage {
  if ("result" in message && isBody(message.result)) return { ...message, result: rewrite(message.result) };
  if ("params" in message && isBody(message.params)) return { ...message, params: rewrite(message.params) };
  return message;
}

function chosen<T>(of: Partial<Record<Quirk, T>>, quirks: ReadonlySet<Quirk>): T[] {
  return Object.entries(of).flatMap(([letter, quirk]) => (quirks.has(letter as Quirk) ? [quirk] : []));
}

function inTurn(rewrites: Rewrite[]): Rewrite {
  return (body) => rewrites.reduce((changed, rewrite) => rewrite(changed), body);
}

/**
 * b: `tasks/result` of a working task is an error instead of a wait; with an open question it asks and waits.
 * 2025-11-25 only. Call it when the transport is connected.
 */
function refuseUnfinished(transport: Transport, db: Database): void {
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if (!isJSONRPCRequest(message) || message.method !== "tasks/result") return receive?.(message, extra);
    const { id, params } = message;
    findTask(db, String(params?.taskId))
      .then((task) => {
        if (!task || taskStatus(task, "2025-11-25") !== "working") return receive?.(message, extra);
        const error = { code: -32602, message: "Task not completed yet (current state: working)" };
        return transport.send({ jsonrpc: "2.0", id, error }, { relatedRequestId: id });
      })
      .catch((error: unknown) => log.error("tasks/result", error));
  };
}
