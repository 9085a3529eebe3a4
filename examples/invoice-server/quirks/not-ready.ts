import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isJSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import type { Database } from "../database.ts";
import { log } from "../log.ts";
import { findTask } from "../store.ts";
import { taskStatus } from "../task.ts";

/**
 * b: `tasks/result` of a working task is an error instead of a wait; with an open question it asks and waits.
 * 2025-11-25 only. Call it when the transport is connected.
 */
export function refuseUnfinished(transport: Transport, db: Database): void {
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
