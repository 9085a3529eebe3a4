/**
 * A server's tools, by a recipe, as a peer with durable tasks and questions: the engine starts, polls, answers and cancels
 * them as any others of 2026-07-28. Keeps nothing: the handle is the task's id.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { STATUS_CHARACTERS } from "../../mcp/limits.ts";
import type {
  AnswerBody,
  AskAddress,
  CallOptions,
  GetOptions,
  GetReply,
  Peer,
  RemoteTask,
  Session,
  StartInput,
  StartOutcome,
  StreamListener,
  TaskRef,
  TaskResult,
} from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import type { ToolCalls } from "../../mcp/tool-calls.ts";
import { charactersIn } from "../../text/json.ts";
import { RuleFailure } from "../../text/rules/language.ts";
import { choiceOf } from "./choices.ts";
import {
  argumentsFor,
  type Handle,
  handleIn,
  judge,
  questionAt,
  type ToolResult,
  toResult,
} from "./judge.ts";
import type { CalledTool, Recipe } from "./recipe-schema.ts";

/**
 * The recipe does not fit what the server says. The message is for people. The server is well: nothing about it is
 * learned from this.
 */
export class RecipeFailure extends PeerError {
  constructor(message: string, cause?: unknown) {
    super("bad_reply", "yes", message, { cause });
    this.name = "RecipeFailure";
  }
}

const handleSchema = z.strictObject({ recipe: z.string(), handle: z.json() });

/** The task's id: not the handle alone, which stands in the server's texts, where ids of tasks are masked as secrets. */
function taskIdOf(recipe: Recipe, handle: Handle): string {
  return JSON.stringify({ recipe: recipe.name, handle });
}

function handleOf({ taskId }: TaskRef): Handle {
  return handleSchema.parse(JSON.parse(taskId)).handle as Handle;
}

export class RecipePeer implements Peer {
  readonly era = "2026-07-28";
  #calls: ToolCalls;
  #recipe: Recipe;
  #tools: Record<string, CalledTool>;

  /** `tools`: what is known of the tools that the recipe calls. */
  constructor(calls: ToolCalls, recipe: Recipe, tools: Record<string, CalledTool>) {
    this.#calls = calls;
    this.#recipe = recipe;
    this.#tools = tools;
  }

  /** Whether the call that this answer would be may be made twice, by the tool's own claim. */
  isRepeatable(key: string, answer: AnswerBody): boolean {
    const question = questionAt(this.#recipe, key);
    const chosen = question ? choiceOf(question, answer) : null;
    if (!chosen || "problem" in chosen) return true; // no call is made
    return this.#isIdempotent(chosen.choice.tool);
  }

  /** The same of the call that cancels. */
  get isCancelRepeatable(): boolean {
    const { cancel } = this.#recipe;
    return !cancel || this.#isIdempotent(cancel.tool);
  }

  #isIdempotent(tool: string): boolean {
    return this.#tools[tool]?.annotations?.idempotentHint === true;
  }

  async start(
    _session: Session | null,
    { arguments: args, idempotencyKey }: StartInput,
    _listener: StreamListener,
    options: CallOptions,
  ): Promise<StartOutcome> {
    const { start, status } = this.#recipe;
    const given = start.arguments
      ? valued(() => argumentsFor("start", start.arguments!, { arguments: args }))
      : args;
    const call = { ...this.#called(start.tool, given), idempotencyKey };
    const reply = await this.#calls.call(call, options);
    const result = toResult(reply);
    if (result?.isError) return { kind: "result", result: reply };
    if (!result) throw new RecipeFailure(`${start.tool} was called, and its reply makes no sense.`);
    const handle = valued(
      () => handleIn(this.#recipe, args, result),
      `${start.tool} was called, but the recipe finds no handle in its reply`,
    );
    return {
      kind: "task",
      task: { ...NOTHING_SAID, taskId: taskIdOf(this.#recipe, handle), pollIntervalMs: status.everyMs },
    };
  }

  async get(task: TaskRef, { fingerprint, ...options }: GetOptions): Promise<GetReply> {
    const { status } = this.#recipe;
    const handle = handleOf(task);
    const given = valued(() => argumentsFor("call", status.arguments, { handle }));
    const reply = await this.#calls
      .call(this.#called(status.tool, given), options)
      .catch((error: unknown) => Promise.reject(asMisfit(error, status.tool)));
    const result = toResult(reply);
    if (!result) throw new RecipeFailure(`The reply of ${status.tool} makes no sense.`);
    if (result.isError) throw new RecipeFailure(`${status.tool} failed: ${textOf(result)}`);
    const judged = valued(
      () => judge(this.#recipe, handle, result),
      `The recipe can’t be applied to the reply of ${status.tool}`,
    );
    const ended = judged.status === "completed" || judged.status === "failed";
    const remote: RemoteTask = {
      ...NOTHING_SAID,
      taskId: task.taskId,
      status: judged.status,
      statusMessage: judged.statusMessage,
      isUnknown: !judged.known,
      questions: judged.questions,
      pollIntervalMs: status.everyMs,
      ...(ended && { result: reply }),
    };
    const text = JSON.stringify(remote);
    const now = createHash("sha256").update(text).digest("base64url");
    return { fingerprint: now, task: now === fingerprint ? null : remote, size: charactersIn(reply) };
  }

  /** Makes the choice's call. A tool that says that it failed has refused: what it did all the same, the status tells. */
  async answer(task: TaskRef, address: AskAddress, answer: AnswerBody, options: CallOptions): Promise<void> {
    if (address.kind !== "key") throw new TypeError("a recipe addresses its questions by key");
    const question = questionAt(this.#recipe, address.key);
    const chosen = question ? choiceOf(question, answer) : { problem: "The recipe has no such question." };
    if ("problem" in chosen) throw refusal(chosen.problem);
    const { choice, answer: given } = chosen;
    const facts = { handle: handleOf(task), answer: given };
    const args = orRefused(() => argumentsFor("choice", choice.arguments, facts));
    await this.#change(choice.tool, args, options);
  }

  async cancel(task: TaskRef, options: CallOptions): Promise<void> {
    const { cancel } = this.#recipe;
    if (!cancel) throw new PeerError("not_supported", "no", "The recipe has no call that cancels");
    const args = orRefused(() => argumentsFor("call", cancel.arguments, { handle: handleOf(task) }));
    await this.#change(cancel.tool, args, options);
  }

  async result(_task: TaskRef, remote: RemoteTask): Promise<TaskResult> {
    return { kind: "result", result: remote.result ?? null };
  }

  async #change(tool: string, args: Record<string, unknown>, options: CallOptions): Promise<void> {
    const reply = await this.#calls
      .call(this.#called(tool, args), options)
      .catch((error: unknown) => Promise.reject(asRefusal(error, tool)));
    const result = toResult(reply);
    // It says neither that the call was taken nor that it was refused.
    if (!result) throw new PeerError("bad_reply", "yes", `The reply of ${tool} makes no sense`);
    if (result.isError) throw refusal(`${tool} failed: ${textOf(result)}`);
  }

  #called(tool: string, args: Record<string, unknown>) {
    return { tool, arguments: args, inputSchema: this.#tools[tool]?.inputSchema ?? null };
  }

  // What a recipe's tasks have no use for: they have no sessions, streams or lists.

  async open(): Promise<null> {
    return null;
  }

  async post(): Promise<void> {
    throw new PeerError("not_supported", "no", "A recipe has no session");
  }

  async listen(): Promise<null> {
    return null;
  }

  async listTools(): Promise<[]> {
    return [];
  }

  async readResource(): Promise<never> {
    throw new PeerError("not_supported", "no", "A recipe hands out no documents");
  }

  async resume(): Promise<never> {
    throw new PeerError("unreachable", "maybe", "A recipe can’t go on with a reply that broke off");
  }

  async cancelCall(): Promise<void> {}

  async openResult(): Promise<null> {
    return null;
  }

  async subscribe(): Promise<null> {
    return null;
  }

  async pollEvents(): Promise<null> {
    return null;
  }

  async list(): Promise<null> {
    return null;
  }

  async close(): Promise<void> {}
}

const NOTHING_SAID: Omit<RemoteTask, "taskId"> = {
  status: "working",
  statusMessage: null,
  createdAt: null,
  lastUpdatedAt: null,
  ttlMs: null,
  pollIntervalMs: null,
  questions: [],
};

/** Intray's own code, where a server's error would stand. */
const REFUSED = -32000;

/** Nothing was done, or the tool says so: the answer is not taken. */
function refusal(message: string): PeerError {
  return new PeerError("rejected", "yes", "The call was refused", { rpcError: { code: REFUSED, message } });
}

/** An error that the server gives to the status call, as for a tool that it has no more, is told as a tool's own is. */
function asMisfit(error: unknown, tool: string): unknown {
  if (!(error instanceof PeerError) || !error.rpcError || !ABOUT_THE_CALL.has(error.code)) return error;
  return new RecipeFailure(`${tool} failed: ${error.rpcError.message.slice(0, STATUS_CHARACTERS)}`, error);
}

/** What the server can't take, as a call of a tool that it has no more, it can't take later either. */
function asRefusal(error: unknown, tool: string): unknown {
  if (!(error instanceof PeerError) || !NEVER_TAKEN.has(error.code) || error.reached !== "yes") return error;
  return refusal(`${tool} failed: ${error.rpcError?.message ?? error.message}`);
}

const NEVER_TAKEN = new Set<PeerError["code"]>(["not_supported", "header_mismatch"]);
const ABOUT_THE_CALL = new Set<PeerError["code"]>(["rejected", "not_supported", "bad_reply"]);

function valued<T>(read: () => T, what?: string): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RuleFailure)) throw error;
    throw new RecipeFailure(what ? `${what}: ${error.message}` : error.message, error);
  }
}

function orRefused<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RuleFailure) throw refusal(error.message);
    throw error;
  }
}

function textOf({ text }: ToolResult): string {
  return (text || "it gives no reason").slice(0, STATUS_CHARACTERS);
}
