/** A call that is held open until its task has ended, or its time is over: what it says, and what it is answered with. */
import {
  type CallToolResult,
  RELATED_TASK_META_KEY,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/server";
import type { AgentTaskRow } from "../../../lifecycle/agent-calls/agent-call-reads.ts";
import type { Era } from "../../../mcp/peer.ts";
import { hasEnded } from "../../../tasks/task-status.ts";
import { HELD_OPEN_MS, HELD_PROGRESS_MS } from "../../tunables.ts";
import { endUnavailable, toProtocolError, unknownTask } from "../errors.ts";
import { endedResult, taskResult, unfinishedResult, waitSentence } from "../results.ts";
import { SERVER_INFO } from "../server-info.ts";
import { callName } from "./given-up.ts";
import type { Held } from "./held-calls.ts";
import type { HeldStream } from "./stream.ts";

/** `call`: the tool's own call. `wait`: wait_for_task. `payload`: `tasks/result`, which waits for the end. */
export type HeldKind = "call" | "wait" | "payload";

export interface HeldCallOptions {
  kind: HeldKind;
  taskId: string;
  era: Era;
  rpcId: string | number;
  /** In ms since the epoch; null: until the task has ended. */
  until: number | null;
  progressToken: string | number | null;
  /** Of the client's session, by which it may say that it has given up. */
  session: string | null;
  stream: HeldStream;
}

export class HeldCall implements Held {
  readonly taskId: string;
  readonly rpcId: string | number;
  /** By which its client gives it up; null: it has no session. */
  readonly name: string | null;
  readonly stream: HeldStream;
  readonly #kind: HeldKind;
  readonly #era: Era;
  readonly #until: number | null;
  readonly #progressToken: string | number | null;
  readonly #began = Date.now();
  #task: AgentTaskRow | null = null;
  #said = "";
  #times = 0;
  #sayAt = 0;

  constructor({ kind, taskId, era, rpcId, until, progressToken, session, stream }: HeldCallOptions) {
    this.taskId = taskId;
    this.rpcId = rpcId;
    this.name = session === null ? null : callName(session, rpcId);
    this.stream = stream;
    this.#kind = kind;
    this.#era = era;
    this.#until = until;
    this.#progressToken = progressToken;
  }

  isOver(now: number): boolean {
    return this.#until !== null && now >= this.#until;
  }

  /** A call without a time limit stays open until its task ends. */
  get hasNoEnd(): boolean {
    return this.#until === null;
  }

  /** Opens the stream once it is due, says that it is alive, and what the call waits for where the client wants to know. */
  tick(now: number): void {
    if (now - this.#began < HELD_OPEN_MS) return;
    this.stream.open();
    const sentence = this.#task ? waitSentence(this.#task) : null;
    if (this.#progressToken === null || sentence === null || (now < this.#sayAt && sentence === this.#said)) {
      this.stream.comment();
      return;
    }
    this.#said = sentence;
    this.#sayAt = now + HELD_PROGRESS_MS;
    this.#times += 1;
    const params = { progressToken: this.#progressToken, progress: this.#times, message: sentence };
    this.stream.say({ jsonrpc: "2.0", method: "notifications/progress", params });
  }

  /** Returns the answer, if there is one now: the task has ended, is not there any more, or the time is over. */
  answer(task: AgentTaskRow | null, now: number): object | null {
    if (!task) return this.failure(unknownTask());
    if (hasEnded(task.state) && task.unopened)
      return this.isOver(now) ? this.failure(endUnavailable()) : null;
    if (hasEnded(task.state)) return this.#result(this.#ended(task));
    this.#task = task;
    return this.isOver(now) ? this.#result(this.#unfinished(task)) : null;
  }

  /** The answer by what was known last, where the task can't be read now; null: nothing is known yet. */
  answerFromMemory(): object | null {
    return this.#task && this.#result(this.#unfinished(this.#task));
  }

  /** To a client that has given the call up. A result, though nobody reads it: the official package takes a stream for broken that ends with anything else. */
  givenUp(): object {
    const text = "The client has given this call up. Its task goes on.";
    return this.#result({ content: [{ type: "text", text }], isError: true });
  }

  failure(error: unknown): object {
    const { code, message, data } = toProtocolError(error);
    return { jsonrpc: "2.0", id: this.rpcId, error: { code, message, ...(data !== undefined && { data }) } };
  }

  #ended(task: AgentTaskRow): CallToolResult {
    if (this.#kind === "wait") return taskResult(task);
    const result = endedResult(task);
    if (this.#kind === "call") return result;
    return { ...result, _meta: { ...result._meta, [RELATED_TASK_META_KEY]: { taskId: task.id } } };
  }

  #unfinished(task: AgentTaskRow): CallToolResult {
    return this.#kind === "wait" ? taskResult(task) : unfinishedResult(task);
  }

  /** As the SDK frames results of each era. */
  #result(result: CallToolResult): object {
    const framed =
      this.#era === "2025-11-25"
        ? result
        : {
            ...result,
            resultType: "complete",
            _meta: { ...result._meta, [SERVER_INFO_META_KEY]: SERVER_INFO },
          };
    return { jsonrpc: "2.0", id: this.rpcId, result: framed };
  }
}
