/** Another client of the sample server's, which has nothing to do with Intray. */

import { createNetwork } from "../lib/base/network.ts";
import { createPeer, openWire } from "../lib/mcp/connect.ts";

/** Starts an invoice as a task of 2025-11-25, and goes away. Returns the server's task id. */
export async function startElsewhere(serverUrl: string, invoiceId: string): Promise<string> {
  const network = createNetwork({ allowHosts: [new URL(serverUrl).host], denyPorts: [] });
  const peer = createPeer("2025-11-25", openWire({ url: `${serverUrl}/mcp`, headers: {} }, network));
  const options = { deadlineMs: 10_000 };
  const session = await peer.open(options);
  const nothing = () => {};
  const deaf = {
    onQuestion: nothing,
    onRetracted: nothing,
    onStatus: nothing,
    onProgress: nothing,
    onEventId: nothing,
    onClosed: nothing,
  };
  const line = { description: "Paper", amount: 10, due_date: "2024-06-30" };
  const invoice = { invoice_id: invoiceId, customer: "Somebody else", lines: [line] };
  const call = { tool: "process_invoice", arguments: { invoice }, ttlMs: null, idempotencyKey: invoiceId };
  const outcome = await peer.start(session, call, deaf, options);
  if (outcome.kind !== "task") throw new Error("the sample server made no task");
  return outcome.task.taskId;
}
