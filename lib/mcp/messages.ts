/**
 * Schemas of remote messages, both eras. Deliberately loose: unknown fields pass, broken optional fields
 * count as absent, and only a task's essentials are required. Servers in the field deviate from the stricter
 * official schemas; tests compare both.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { detached } from "../base/process/detached.ts";
import { isRecord } from "../text/json.ts";
import { NEED } from "./forms/form.ts";
import { canonicalJson } from "./forms/jcs.ts";
import {
  DEPTH,
  ERROR_CHARACTERS,
  HANDLE_CHARACTERS,
  ID_CHARACTERS,
  INPUT_REQUESTS,
  STATUS_CHARACTERS,
  URL_CHARACTERS,
  URLS,
} from "./limits.ts";
import type { AskAddress, Question, RemoteTask } from "./peer.ts";
import { hideIn, hiding, IN_MESSAGES } from "./wire/hide.ts";

const record = z.record(z.string(), z.unknown());
const RELATED_TASK = "io.modelcontextprotocol/related-task";
/** Values to echo: rejected rather than altered, since an altered key or id could be another question's. */
const echoed = z.string().max(ID_CHARACTERS).refine(canBeKept, "not a text that can be kept");
/** Integers beyond 2^53 are rejected, since parsing already changed them. */
const rpcIdSchema = z.union([echoed, z.int()]);
export const rpcErrorSchema = z.looseObject({
  code: z.number(),
  /** Cut, since regular expressions search the message. */
  message: z.string().transform((message) => detached(message.slice(0, ERROR_CHARACTERS))),
  data: z.unknown().optional(),
});
export type RpcError = { code: number; message: string; data?: unknown };

/** A reply to one of our requests. incoming.ts reads the id. */
export const replySchema = z.object({
  // Not copied: a reply may have a hundred thousand names.
  result: z.custom<Record<string, unknown>>(isRecord).optional(),
  error: rpcErrorSchema.optional(),
});

/** A request (with an id) or a notification (without) from the server. */
export const serverMessageSchema = z.looseObject({
  id: rpcIdSchema.optional(),
  method: z.string(),
  params: record.optional().catch(undefined),
});
export type ServerMessage = z.infer<typeof serverMessageSchema>;

/** Removes characters that Postgres cannot store, so that the stored text equals the next poll's. */
export const text = z
  .string()
  .transform((value) => cut(value, STATUS_CHARACTERS).toWellFormed().replaceAll("\u0000", "\uFFFD"))
  .nullish()
  .catch(null);
/** Whole ms, at most `max`. Servers send fractions, and huge numbers for "forever". */
const duration = (max: number) =>
  z
    .number()
    .nonnegative()
    .transform((ms) => Math.min(max, Math.round(ms)))
    .nullish()
    .catch(null);
const lifetime = duration(100 * 365 * 24 * 3600_000);
const interval = duration(2_147_483_647);
/** Read entry by entry, so that no entry takes the others along. Parsing would leave out a key `__proto__`. */
const inputRequestsSchema = z.custom<Record<string, unknown>>(
  (value) => isRecord(value) && Object.keys(value).length <= INPUT_REQUESTS,
);

const STATUSES = ["working", "input_required", "completed", "failed", "cancelled"] as const;

/** A task of either era. */
export const taskSchema = z
  .object({
    taskId: z.string().min(1).max(HANDLE_CHARACTERS),
    status: z.string().min(1),
    statusMessage: text,
    createdAt: text,
    lastUpdatedAt: text,
    /** 2025-11-25 */
    ttl: lifetime,
    pollInterval: interval,
    /** 2026-07-28 */
    ttlMs: lifetime,
    pollIntervalMs: interval,
    inputRequests: inputRequestsSchema.nullish(),
    result: z.unknown().optional(),
    error: z.unknown().optional(),
  })
  .transform((task): RemoteTask => {
    const questions = questionsOf(task.inputRequests);
    const status = STATUSES.find((known) => known === task.status);
    const remote = {
      taskId: task.taskId,
      // Nothing is concluded of a status that this version of Intray does not know: the task goes on.
      status: status ?? (questions.length > 0 ? "input_required" : "working"),
      statusMessage: status ? (task.statusMessage ?? null) : wordsOf(task.status, task.statusMessage),
      ...(!status && { isUnknown: true }),
      createdAt: task.createdAt ?? null,
      lastUpdatedAt: task.lastUpdatedAt ?? null,
      ttlMs: task.ttlMs ?? task.ttl ?? null,
      pollIntervalMs: task.pollIntervalMs ?? task.pollInterval ?? null,
      questions,
      result: task.result,
      error: task.error,
    };
    // Masked, since the task id may be all that is needed to answer the task.
    return discreet(remote, hiding([task.taskId], IN_MESSAGES));
  });

/** What people read of a status that is none. */
function wordsOf(status: string, message: string | null | undefined): string | null {
  return text.parse(`The server’s status is “${cut(status, 100)}”.${message ? ` ${message}` : ""}`) ?? null;
}

/** Masks secrets in a task's visible texts. The task's id stays, since calls need it. */
export function discreet(task: RemoteTask, hide: (text: string) => string): RemoteTask {
  const { statusMessage, questions, result, error } = task;
  return {
    ...task,
    statusMessage: hideIn(statusMessage, hide),
    questions: questions.map((question) => discreetQuestion(question, hide)),
    result: hideIn(result, hide),
    error: hideIn(error, hide),
  };
}

/**
 * Masks secrets in a question's message, titles, descriptions and needs. The URL and values that an answer may have
 * to repeat stay unchanged.
 */
export function discreetQuestion(question: Question, hide: (text: string) => string): Question {
  const { message, requestedSchema, unreadable } = question;
  return {
    ...question,
    message: hide(message),
    requestedSchema: hideLabels(requestedSchema, hide),
    ...(unreadable && { unreadable: { ...unreadable, reason: hide(unreadable.reason) } }),
  };
}

const LABELS = new Set(["title", "description", "examples", "enumNames", NEED]);

function hideLabels(schema: unknown, hide: (text: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hideLabels(item, hide));
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      const isText = typeof value === "string" || (Array.isArray(value) && typeof value[0] === "string");
      return [name, LABELS.has(name) && isText ? hideIn(value, hide) : hideLabels(value, hide)];
    }),
  );
}

/**
 * The multi round trip of 2026-07-28. Whatever is no elicitation is left out: Intray declared nothing else, and a call that
 * asks for nothing else fails at once.
 */
export const inputRequiredSchema = z
  .looseObject({ inputRequests: inputRequestsSchema.nullish(), requestState: z.string().nullish() })
  .transform(({ inputRequests, requestState }) => ({
    questions: questionsOf(
      Object.fromEntries(
        Object.entries(inputRequests ?? {}).filter(([, entry]) => methodOf(entry) === ELICIT),
      ),
    ),
    /** True if the server asked for anything, even if unsupported. */
    asks: Object.keys(inputRequests ?? {}).length > 0,
    requestState: requestState ?? null,
  }));

const ELICIT = "elicitation/create";

/** Returns a question for each entry, so that a person learns of what can't be shown too. */
function questionsOf(inputRequests: Record<string, unknown> | null | undefined): Question[] {
  return Object.entries(inputRequests ?? {}).map(([key, entry]) => {
    const address = addressUnder(key);
    const method = methodOf(entry);
    if (method === ELICIT) return toQuestion(address, (entry as { params?: unknown }).params);
    const what = method === null ? "something, and does not say what" : quoted(method);
    return unreadable(address, `The server asks for ${what}. Intray can’t give that`, entry);
  });
}

function methodOf(entry: unknown): string | null {
  return z.looseObject({ method: z.string() }).safeParse(entry).data?.method ?? null;
}

/** A key that can't be kept is kept as its digest, and sent back as it came. */
function addressUnder(key: string): AskAddress {
  if (echoed.safeParse(key).success) return { kind: "key", key };
  return { kind: "key", key: `sha256:${digestOf(key)}`, original: key };
}

const elicitSchema = z.looseObject({
  mode: z.string().nullish(),
  message: z.string().nullish(),
  requestedSchema: z.unknown().optional(),
  url: z.unknown().optional(),
});

/** Returns the question; with `unreadable` for an unknown mode, a missing URL, a schema nested too deeply, and the like. */
export function toQuestion(address: AskAddress, params: unknown): Question {
  const { data, error } = elicitSchema.safeParse(params ?? {});
  const cannot = (why: string) => unreadable(address, `The question can’t be shown: ${why}`, params);
  if (error) {
    const at = error.issues[0]?.path[0];
    return cannot(at === undefined ? "its parameters are not an object" : `its ${String(at)} is not a text`);
  }
  // What is null or empty counts as left out.
  const [mode, message] = [data.mode || "form", data.message ?? ""];
  const { requestedSchema = null } = data;
  if (mode !== "form" && mode !== "url")
    return cannot(`its mode is ${quoted(mode)}, which Intray does not know`);
  const url = typeof data.url === "string" ? data.url : null;
  if (mode === "url" && url === null) return cannot("it has no address to visit");
  if (url !== null && url.length > URL_CHARACTERS) return cannot("its address is too long");
  if (deeperThan(requestedSchema, DEPTH)) return cannot("its form is nested too deeply");
  if (!hasFiniteNumbers(requestedSchema)) return cannot("its form has a number that is too large");
  return { address, mode, message, requestedSchema, url };
}

/** What stands for a question that can't be shown. Its message is the server's own if that is a text. */
function unreadable(address: AskAddress, reason: string, received: unknown): Question {
  const message = z.looseObject({ message: z.string().min(1) }).safeParse(received).data?.message ?? reason;
  return {
    address,
    mode: "form",
    message,
    requestedSchema: null,
    url: null,
    unreadable: { reason, digest: digestOf(canonical(received ?? null)) },
  };
}

/** A number that is too large for JavaScript has no canonical form. */
function canonical(value: unknown): string {
  return hasFiniteNumbers(value) ? canonicalJson(value) : JSON.stringify(value);
}

function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(hasFiniteNumbers);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The server's own word, cut short. */
function quoted(word: string): string {
  return JSON.stringify(cut(word, 60));
}

const URL_ELICITATION_REQUIRED = -32042;
const urlsSchema = z.looseObject({ elicitations: z.array(z.unknown()) });
const urlSchema = z.looseObject({ elicitationId: echoed.min(1) });

/** 2025-11-25: returns the URLs to visit before the server accepts the call, keyed by `elicitationId`. */
export function urlsToVisit({ code, data }: RpcError): Question[] {
  const parsed = code === URL_ELICITATION_REQUIRED ? urlsSchema.safeParse(data).data : undefined;
  return (parsed?.elicitations ?? []).slice(0, URLS).flatMap((entry) => {
    const elicitation = urlSchema.safeParse(entry).data;
    if (!elicitation) return [];
    const address = { kind: "key", key: elicitation.elicitationId } as const;
    const question = toQuestion(address, { mode: "url", ...elicitation });
    return question.mode === "url" ? [question] : [];
  });
}

export function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => deeperThan(child, levels - 1));
}

/**
 * Returns the id of a message's task, or null. Accepts both spellings of the key: the specification's, and an
 * older one of Python servers.
 */
export function relatedTaskId(meta: unknown): string | null {
  const values = record.safeParse(meta).data ?? {};
  const ids = RELATED_KEYS.map((key) => handleSchema.safeParse(values[key]).data?.taskId);
  return ids.find((id) => id !== undefined) ?? null;
}

const RELATED_KEYS = [RELATED_TASK, "modelcontextprotocol.io/related-task"];
const handleSchema = z.looseObject({ taskId: z.string().min(1).max(HANDLE_CHARACTERS) });
const CREATED_KEYS = ["modelcontextprotocol.io/task", "io.modelcontextprotocol/task"];

/** Returns the task that some Python servers announce in the `_meta` of an empty CallToolResult, or null. */
export function taskInMeta(result: Record<string, unknown>): RemoteTask | null {
  const meta = record.safeParse(result._meta).data ?? {};
  const created = CREATED_KEYS.map((key) => meta[key]).find((value) => handleSchema.safeParse(value).success);
  if (created === undefined) return null;
  const { taskId } = handleSchema.parse(created);
  return taskSchema.safeParse(created).data ?? taskSchema.parse({ taskId, status: "working" });
}

/** `task` of a question that is put as an elicitation task. An odd ttl counts as none. */
export const asTaskSchema = z.looseObject({ ttl: lifetime });

/** What a server asks of the tasks that Intray keeps for it, with its method. A `_meta` of the request says nothing more. */
export const taskRequestSchema = z.union([
  z.object({
    method: z.enum(["tasks/get", "tasks/result", "tasks/cancel"]),
    taskId: z.string().max(HANDLE_CHARACTERS),
  }),
  z.object({
    method: z.literal("tasks/list"),
    cursor: z
      .string()
      .max(ID_CHARACTERS)
      .nullish()
      .transform((cursor) => cursor ?? null),
  }),
]);

export const progressSchema = z.looseObject({
  progressToken: rpcIdSchema,
  progress: z.number(),
  total: z.number().nullish().catch(null),
  message: text,
});
export const cancelledSchema = z.looseObject({ requestId: rpcIdSchema });
export const completeSchema = z.looseObject({ elicitationId: z.string(), _meta: z.unknown().optional() });
export const statusSchema = z.looseObject({ taskId: z.string().max(HANDLE_CHARACTERS) });

/** `_meta` of FastMCP 3's status notifications, beside `params`: holds the question that follows. */
const announcingSchema = z.looseObject({
  [RELATED_TASK]: z.looseObject({ elicitation: z.looseObject({ message: z.string() }) }),
});

/** Returns the question that a status notification announces, or null. */
export function announcedQuestion(meta: unknown): Question | null {
  const parsed = announcingSchema.safeParse(meta).data?.[RELATED_TASK];
  return parsed ? toQuestion({ kind: "rpc", rpcId: 0 }, parsed.elicitation) : null;
}

/** 2026-07-28: the agreed notifications. Like the official client, drops all ids unless all are texts. */
export const acknowledgedSchema = z.looseObject({
  notifications: z.looseObject({ taskIds: z.array(z.string()).default([]).catch([]) }),
});

/** Returns true if Postgres can store the text unchanged. */
export function canBeKept(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${detached(text.slice(0, characters - 1))}…`;
}
