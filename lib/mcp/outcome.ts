/** The outcomes of 2025-11-25 calls: of `tools/call`, and of the task created by that call. */
import { z } from "zod";
import { taskInMeta, taskSchema, urlsToVisit } from "./messages.ts";
import { type CallOptions, PeerError, type StartOutcome, type TaskResult } from "./peer.ts";
import { hideIn, hidingFor } from "./wire/hide.ts";
import { parseResult, type Reply, readResult } from "./wire/wire.ts";

const anyResult = z.record(z.string(), z.unknown());

/** Reads the outcome of a `tools/call`. URLs to visit (-32042) are questions; the call is then repeated. */
export async function toOutcome(reply: Promise<Reply>, options: CallOptions): Promise<StartOutcome> {
  try {
    const result = readResult(await reply, anyResult, options);
    if (result.task !== undefined) {
      return { kind: "task", task: parseResult("tools/call", taskSchema, result.task) };
    }
    const task = taskInMeta(result);
    return task ? { kind: "task", task } : { kind: "result", result: hideIn(result, hidingFor(options)) };
  } catch (error) {
    const questions = error instanceof PeerError && error.rpcError ? urlsToVisit(error.rpcError) : [];
    if (questions.length === 0) throw error;
    return { kind: "input_required", questions, requestState: null };
  }
}

/**
 * Reads the reply to `tasks/result`, which equals the tool call's own reply. A JSON-RPC error therefore is
 * the task's result, unless the error concerns the request itself.
 */
export function toTaskResult(reply: Reply, options: CallOptions): TaskResult {
  try {
    return { kind: "result", result: hideIn(readResult(reply, anyResult, options), hidingFor(options)) };
  } catch (error) {
    if (error instanceof PeerError && error.code === "rejected" && error.rpcError) {
      return { kind: "error", error: error.rpcError };
    }
    throw error;
  }
}
