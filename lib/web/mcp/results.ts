/** What an agent is told of its task: the tool's result, or how far it is. */
import { type CallToolResult, ProtocolErrorCode, specTypeSchemas } from "@modelcontextprotocol/server";
import { z } from "zod";
import { REPEATED } from "../../agents/set-up-words.ts";
import { env } from "../../base/env.ts";
import type { AgentTaskRow } from "../../lifecycle/agent-calls/agent-call-reads.ts";
import {
  type AgentTask,
  CHANGED,
  TASK_ID,
  type Unfinished,
} from "../../lifecycle/agent-calls/agent-call-schema.ts";
import { pollAfterMs, type WaitingFor, waitingFor } from "../../lifecycle/agent-calls/agent-call-status.ts";
import { hasEnded } from "../../tasks/task-status.ts";
import { holdsMoreThan, isRecord } from "../../text/json.ts";
import { changesOf, changeWords } from "../../text/value-changes.ts";

/** Where a person finds what is waited for. */
function urlOf({ id, question }: Pick<AgentTaskRow, "id" | "question">): string {
  return `${env().url}${question ? `/inbox/${question.id}` : `/tasks/${id}`}`;
}

function whomOf({ state, question }: Pick<AgentTaskRow, "state" | "question">): WaitingFor | null {
  return hasEnded(state) ? null : waitingFor(state, question !== null);
}

/** A question as it is put into a sentence. */
const QUESTION_CHARACTERS = 300;

/** What an unfinished task waits for, in a sentence. */
export function waitSentence(task: AgentTaskRow): string {
  const { question, isAnswered, tool, state, statusMessage } = task;
  if (question) {
    const words = question.message.replace(/\s+/g, " ").trim();
    const cut = words.length > QUESTION_CHARACTERS ? `${words.slice(0, QUESTION_CHARACTERS)}…` : words;
    return `${tool} waits for a person to answer "${cut}" at ${urlOf(task)}`;
  }
  if (isAnswered) return `${tool} has a person's answer, which takes effect in a moment: ${urlOf(task)}`;
  if (waitingFor(state, false) === "person") return `${tool} waits for a person, at ${urlOf(task)}`;
  return `${tool} is under way${statusMessage ? ` (${statusMessage.slice(0, QUESTION_CHARACTERS)})` : ""}: ${urlOf(task)}`;
}

/** The successful result of a call whose task has not ended when its hold time does. */
export function unfinishedResult(task: AgentTaskRow): CallToolResult {
  const message = `Not finished yet: ${waitSentence(task)}.`;
  const next = nextOf(task);
  const structured: Unfinished = {
    taskId: task.id,
    state: task.state,
    waitingFor: waitingFor(task.state, task.question !== null),
    url: urlOf(task),
    retryAfterMs: pollAfterMs(Date.now() - task.createdAt.getTime()),
    message,
    next,
  };
  return { content: [{ type: "text", text: `${message}\n${next}` }], structuredContent: structured };
}

/** What an agent does about an unfinished task. */
function nextOf({ id }: AgentTaskRow): string {
  return [
    `Call wait_for_task with {"taskId": "${id}"} to get its result.`,
    REPEATED,
    "If the user need not wait for it now, say where it can be answered, and look again later.",
  ].join(" ");
}

const errorSchema = z
  .looseObject({
    code: z.union([z.string(), z.number()]).transform(String),
    message: z.string(),
    /** Of a call that was declined: another one is asked for, as `reason` says. A server's own error may have any value here. */
    revise: z.unknown().optional(),
  })
  .catch({ code: "error", message: "The server reported an error." });

/** The result of an ended task, as the tool gave it, or what became of the task instead. */
export function endedResult(task: AgentTaskRow): CallToolResult {
  const known = ended.get(task);
  if (known) return known;
  const result = task.state === "completed" ? toolsOwn(task.result) : whyNone(task);
  const made = withChange(task, { ...result, _meta: { ...result._meta, [TASK_ID]: task.id } });
  ended.set(task, made);
  return made;
}

/** The changes that the model is told of. */
const MOST_TOLD = 50;

/** Tells what a person changed in the call before they approved it: in words, for the model, and exactly, for programs. */
function withChange({ changed }: AgentTaskRow, result: CallToolResult): CallToolResult {
  if (!changed) return result;
  const { by, before, arguments: after } = changed;
  const { changes, isAll } = changesOf(before, after);
  const lines = changes.slice(0, MOST_TOLD).map(changeWords);
  if (!isAll || changes.length > MOST_TOLD) lines.push("and more");
  const text = `${by.name} changed the arguments before approving the call. It was made with:\n${lines.join("\n")}`;
  return {
    ...result,
    content: [...result.content, { type: "text", text }],
    _meta: { ...result._meta, [CHANGED]: { by: { name: by.name }, before, arguments: after } },
  };
}

/** Made once for all calls that wait for a task. */
const ended = new WeakMap<AgentTaskRow, CallToolResult>();

/** What a server sent is checked against the protocol's own schema; what does not fit is shown as text. */
function toolsOwn(result: unknown): CallToolResult {
  const asText = (): CallToolResult => ({
    content: [{ type: "text", text: JSON.stringify(result) }],
    isError: isRecord(result) && result.isError === true,
  });
  // The schema copies all names, and judges an item that is wrong anywhere by each of its kinds.
  if (!isRecord(result) || Object.keys(result).length > MOST_NAMES) return asText();
  const { resultType: _, structuredContent: structured, ...rest } = result;
  if (holdsMoreThan(rest, MOST_JUDGED)) return asText();
  const candidate = { content: [], ...rest };
  if (!Array.isArray(candidate.content) || !candidate.content.every(isContent)) return asText();
  const checked = specTypeSchemas.CallToolResult["~standard"].validate(candidate);
  if (checked instanceof Promise || checked.issues !== undefined) return asText();
  // 2025-11-25 has objects alone here; the tool's text says the same.
  return {
    ...(checked.value as CallToolResult),
    ...(isRecord(structured) && { structuredContent: structured }),
  };
}

/** Members of a result, and values of it beside its structured content, that are judged. */
const MOST_NAMES = 100;
const MOST_JUDGED = 20_000;

const isText = (value: unknown) => typeof value === "string";

/** Whether an item has the parts that its kind cannot lack. */
function isContent(item: unknown): boolean {
  if (typeof item !== "object" || item === null) return false;
  const given = item as Record<string, unknown>;
  switch (given.type) {
    case "text":
      return isText(given.text);
    case "image":
    case "audio":
      return isText(given.data) && isText(given.mimeType);
    case "resource":
      return isText((given.resource as { uri?: unknown } | null | undefined)?.uri);
    case "resource_link":
      return isText(given.uri) && isText(given.name);
    default:
      return false;
  }
}

/** The JSON-RPC error with which the task's server ended it, or null: it ended otherwise. The server's code is not kept. */
export function protocolErrorOf(task: AgentTaskRow): { code: number; message: string } | null {
  if (task.state !== "failed" || task.error === null) return null;
  const { code, message } = errorSchema.parse(task.error);
  return code === "server_error" ? { code: ProtocolErrorCode.InternalError, message } : null;
}

const ENDS = {
  failed: "It failed",
  cancelled: "It was cancelled",
  lost: "The server has lost it, and nobody knows how it ended",
  expired: "The server's time limit for it passed",
} as const;

function whyNone(task: AgentTaskRow): CallToolResult {
  const error = task.error === null ? null : errorSchema.parse(task.error);
  const ended = ENDS[task.state as keyof typeof ENDS] ?? "It ended without a result";
  const message = error ? `${ended}: ${error.message}` : `${ended}.`;
  const mayHaveRun = task.state === "lost" || task.state === "expired";
  const revise = error?.code === "call_declined" && error.revise === true;
  const next = mayHaveRun
    ? "The tool may have run: do not call it again unless the user has made sure that it did not."
    : revise
      ? `Nothing was called. Change the arguments as asked, then call ${task.tool} again: people see both calls.`
      : "It is over. Call the tool again only where the reason allows it.";
  return {
    isError: true,
    content: [{ type: "text", text: `${message}\n${next}` }],
    structuredContent: {
      taskId: task.id,
      state: task.state,
      url: urlOf(task),
      message,
      next,
      ...(revise && { revise, reason: error.reason }),
      ...(error && { error }),
    },
  };
}

/** A task as get_task, wait_for_task and list_tasks tell it. */
export function agentTask(task: AgentTaskRow, result?: CallToolResult): AgentTask {
  return {
    taskId: task.id,
    tool: task.tool,
    label: task.label,
    state: task.state,
    waitingFor: whomOf(task),
    url: urlOf(task),
    statusMessage: task.statusMessage,
    ...(result && { result }),
  };
}

/** The result of get_task and wait_for_task: the task, and its own result once it has ended. */
export function taskResult(task: AgentTaskRow): CallToolResult {
  const own = hasEnded(task.state) ? endedResult(task) : undefined;
  const message = own ? `${task.tool} has ended: ${task.state}.` : `${waitSentence(task)}.`;
  const told = { message, ...(!own && { next: nextOf(task) }) };
  return {
    content: [
      { type: "text", text: JSON.stringify(agentTask(task)) },
      { type: "text", text: Object.values(told).join("\n") },
      ...(own?.content ?? []),
    ],
    structuredContent: { ...agentTask(task, own), ...told },
  };
}
