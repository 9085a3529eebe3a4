/**
 * The remote messages Intray reads, both eras. Loose on purpose: unknown fields pass, optional ones that are
 * broken count as absent, and what a task cannot do without is required. The official schemas are stricter than
 * the servers in the field; the tests hold these against them.
 */
import { z } from "zod";
import { detached } from "../base/detached.ts";
import {
  DEPTH,
  ERROR_CHARACTERS,
  HANDLE_CHARACTERS,
  ID_CHARACTERS,
  STATUS_CHARACTERS,
  URL_CHARACTERS,
  URLS,
} from "./limits.ts";
import type { Question, RemoteTask } from "./peer.ts";
import { hideIn, hiding, IN_MESSAGES } from "./wire/hide.ts";
import { parseJson } from "./wire/json.ts";

const record = z.record(z.string(), z.unknown());
/** What is echoed exactly, or not at all: an altered key or id could be that of another question. */
const echoed = z.string().max(ID_CHARACTERS).refine(canBeKept, "not a text that can be kept");
/** Integers beyond 2^53 are another number already when they are read. */
const rpcIdSchema = z.union([echoed, z.int()]);
export const rpcErrorSchema = z.looseObject({
  code: z.number(),
  /** Words of it are looked for, so it must be short. */
  message: z.string().transform((message) => detached(message.slice(0, ERROR_CHARACTERS))),
  data: z.unknown().optional(),
});
export type RpcError = { code: number; message: string; data?: unknown };

/** A reply to a request of ours. The id is null where the server could not read ours. */
export const replySchema = z.looseObject({
  id: rpcIdSchema.nullish(),
  result: record.optional(),
  error: rpcErrorSchema.optional(),
});

/** A request (with an id) or a notification (without) from the server. */
export const serverMessageSchema = z.looseObject({
  id: rpcIdSchema.optional(),
  method: z.string(),
  params: record.optional().catch(undefined),
});
export type ServerMessage = z.infer<typeof serverMessageSchema>;

/** Without what Postgres can't keep: what is stored must be equal to what the next poll says. */
const text = z
  .string()
  .transform((value) => cut(value, STATUS_CHARACTERS).toWellFormed().replaceAll("\u0000", "\uFFFD"))
  .nullish()
  .catch(null);
/** Whole ms, at most `max`: servers name fractions, and "for ever" as the largest number they know. */
const duration = (max: number) =>
  z
    .number()
    .nonnegative()
    .transform((ms) => Math.min(max, Math.round(ms)))
    .nullish()
    .catch(null);
const lifetime = duration(100 * 365 * 24 * 3600_000);
const interval = duration(2_147_483_647);
const inputRequestsSchema = z.record(
  echoed,
  z.looseObject({ method: z.string(), params: record.optional() }),
);

/** A task of either era. */
export const taskSchema = z
  .looseObject({
    taskId: z.string().min(1).max(HANDLE_CHARACTERS),
    status: z.enum(["working", "input_required", "completed", "failed", "cancelled"]),
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
    const remote = {
      taskId: task.taskId,
      status: task.status,
      statusMessage: task.statusMessage ?? null,
      createdAt: task.createdAt ?? null,
      lastUpdatedAt: task.lastUpdatedAt ?? null,
      ttlMs: task.ttlMs ?? task.ttl ?? null,
      pollIntervalMs: task.pollIntervalMs ?? task.pollInterval ?? null,
      questions: questionsOf(task.inputRequests),
      result: task.result,
      error: task.error,
    };
    // Its id may be all that it takes to answer it.
    return discreet(remote, hiding([task.taskId], IN_MESSAGES));
  });

/** The task without secrets in what is shown of it; its id, which we need, stays. */
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
 * The question without secrets in what is only read of it: its message, titles and descriptions. A URL, and values that
 * an answer may have to repeat, stay as they are.
 */
export function discreetQuestion(question: Question, hide: (text: string) => string): Question {
  const { message, requestedSchema } = question;
  return { ...question, message: hide(message), requestedSchema: hideLabels(requestedSchema, hide) };
}

const LABELS = new Set(["title", "description", "enumNames"]);

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

/** Multi round trip of 2026-07-28. */
export const inputRequiredSchema = z
  .looseObject({ inputRequests: inputRequestsSchema.nullish(), requestState: z.string().nullish() })
  .transform(({ inputRequests, requestState }) => ({
    questions: questionsOf(inputRequests),
    /** Asked for anything at all, if only for what we cannot give. */
    asks: Object.keys(inputRequests ?? {}).length > 0,
    requestState: requestState ?? null,
  }));

/** The elicitations among `inputRequests`. We declare nothing else, so other kinds have no one to answer them. */
function questionsOf(inputRequests: z.infer<typeof inputRequestsSchema> | null | undefined): Question[] {
  return Object.entries(inputRequests ?? {}).flatMap(([key, { method, params }]) => {
    const question = method === "elicitation/create" ? toQuestion({ kind: "key", key }, params) : null;
    return question ? [question] : [];
  });
}

const elicitSchema = z.looseObject({
  mode: z.enum(["form", "url"]).default("form"),
  message: z.string().default(""),
  requestedSchema: z.unknown().optional(),
  url: z.string().max(URL_CHARACTERS).nullish(),
});

/** A question, or null where nobody could be shown one: an unknown mode, a url mode without a URL that can be. */
export function toQuestion(address: Question["address"], params: unknown): Question | null {
  const parsed = elicitSchema.safeParse(params ?? {});
  if (!parsed.success) return null;
  const { mode, message, requestedSchema = null, url = null } = parsed.data;
  if ((mode === "url" && url === null) || deeperThan(requestedSchema, DEPTH)) return null;
  return { address, mode, message, requestedSchema, url };
}

const URL_ELICITATION_REQUIRED = -32042;
const urlsSchema = z.looseObject({
  elicitations: z.array(z.looseObject({ elicitationId: echoed.min(1) })),
});

/** 2025-11-25: the URLs that a server wants visited before it takes the call, by their `elicitationId`. */
export function urlsToVisit({ code, data }: RpcError): Question[] {
  const parsed = code === URL_ELICITATION_REQUIRED ? urlsSchema.safeParse(data).data : undefined;
  return (parsed?.elicitations ?? []).slice(0, URLS).flatMap((elicitation) => {
    const address = { kind: "key", key: elicitation.elicitationId } as const;
    const question = toQuestion(address, { mode: "url", ...elicitation });
    return question?.mode === "url" ? [question] : [];
  });
}

export function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => deeperThan(child, levels - 1));
}

/** The task a message belongs to. Both spellings: the specification's, and the one older Python servers send. */
export function relatedTaskId(meta: unknown): string | null {
  const values = record.safeParse(meta).data ?? {};
  const ids = RELATED_KEYS.map((key) => handleSchema.safeParse(values[key]).data?.taskId);
  return ids.find((id) => id !== undefined) ?? null;
}

const RELATED_KEYS = ["io.modelcontextprotocol/related-task", "modelcontextprotocol.io/related-task"];
const handleSchema = z.looseObject({ taskId: z.string().min(1).max(HANDLE_CHARACTERS) });
const CREATED_KEYS = ["modelcontextprotocol.io/task", "io.modelcontextprotocol/task"];

/** The task that some Python servers announce in the `_meta` of an empty CallToolResult, or null. */
export function taskInMeta(result: Record<string, unknown>): RemoteTask | null {
  const meta = record.safeParse(result._meta).data ?? {};
  const created = CREATED_KEYS.map((key) => meta[key]).find((value) => handleSchema.safeParse(value).success);
  if (created === undefined) return null;
  const { taskId } = handleSchema.parse(created);
  return taskSchema.safeParse(created).data ?? taskSchema.parse({ taskId, status: "working" });
}

export const progressSchema = z.looseObject({
  progressToken: rpcIdSchema,
  progress: z.number(),
  total: z.number().nullish().catch(null),
  message: text,
});
export const cancelledSchema = z.looseObject({ requestId: rpcIdSchema });
export const completeSchema = z.looseObject({ elicitationId: z.string(), _meta: z.unknown().optional() });
export const statusSchema = z.looseObject({
  taskId: z.string(),
  status: z.string().optional().catch(undefined),
});

/** 2026-07-28: which notifications a server agreed to send. Like the official reading: all ids are texts, or none counts. */
export const acknowledgedSchema = z.looseObject({
  notifications: z.looseObject({ taskIds: z.array(z.string()).default([]).catch([]) }),
});

/** The text as a request or notification, or null for a reply, which is not parsed where that can be told. */
export function asServerMessage(text: string): ServerMessage | null {
  if (!text.includes('"method"')) return null;
  return serverMessageSchema.safeParse(parseJson(text)).data ?? null;
}

/** Postgres gives it back as it is. */
export function canBeKept(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${detached(text.slice(0, characters - 1))}…`;
}
