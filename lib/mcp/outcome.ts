/** What became of a call of 2025-11-25: of `tools/call`, and of the task that it made. */
import { z } from "zod";
import { taskInMeta, taskSchema, urlsToVisit } from "./messages.ts";
import { type CallOptions, PeerError, type StartOutcome, type TaskResult } from "./peer.ts";
import { hideIn, hidingFor } from "./wire/hide.ts";
import { parseResult, type Reply, readResult } from "./wire/wire.ts";

const anyResult = z.record(z.string(), z.unknown());

/** What became of a `tools/call`. URLs to visit first (-32042) are questions, after which the call is made again. */
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
 * `tasks/result` answers as the tool's call would have: a JSON-RPC error is the task's end, unless it speaks of the
 * asking itself.
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
