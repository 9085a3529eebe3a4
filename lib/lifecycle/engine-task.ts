/** What an engine knows of a task that it watches, as it was read: the task, its live requests, their asks and answers. */
import { z } from "zod";
import { type Content, PLAIN } from "../base/content/content.ts";
import { deliveryFacts } from "../requests/deliveries/delivery-facts.ts";
import { actionSchema } from "../requests/request-schema.ts";
import { calledToolSchema } from "../servers/recipes/recipe-schema.ts";
import { eraSchema } from "../servers/server-schema.ts";
import { taskStateSchema } from "../tasks/task-schema.ts";

const ms = z.number().nullable();

const deliveryWork = deliveryFacts.extend({
  /** Time until due by the database's clock, in ms; 0 or less is due. */
  dueInMs: z.number(),
  epoch: z.number().nullable(),
  askId: z.string().nullable(),
  /** People were told that the answer waits for the server to repeat its question. */
  waits: z.boolean(),
  /** Id of the call that recorded the answer. */
  requestId: z.string().nullable(),
  traceparent: z.string().nullable(),
  action: actionSchema,
  content: z.record(z.string(), z.unknown()).nullable(),
});
export type DeliveryWork = z.infer<typeof deliveryWork>;

const askWork = z.object({
  id: z.string(),
  key: z.string().nullable(),
  sessionDigest: z.string().nullable(),
  rpcId: z.union([z.string(), z.number()]).nullable(),
  accepted: z.boolean(),
  came: z.enum(["first", "asked_again", "new_session"]),
  /** The elicitation task by which the server fetches the answer. Null: Intray sends the answer. */
  kept: z
    .object({
      id: z.string(),
      state: z.enum(["working", "completed", "cancelled"]),
      /** Time until its ttl is over, in ms; null without one. */
      endsInMs: ms,
    })
    .nullable(),
});
export type AskWork = z.infer<typeof askWork>;

/** The elicitation task by which the server fetches the answer: the newest ask's. Null: Intray sends the answer. */
export function keptTask({ asks }: { asks: AskWork[] }): AskWork["kept"] {
  return asks.find(({ kept }) => kept?.state !== "cancelled")?.kept ?? null;
}

const requestWork = z.object({
  id: z.string(),
  key: z.string(),
  state: z.enum(["open", "answered"]),
  questionHash: z.string(),
  mode: z.string(),
  /** Time since capture, in ms. */
  ageMs: z.number(),
  /** The request replaced another one. */
  replaced: z.boolean(),
  /** Time since an ever-changing question was last reworded, in ms; null if the text is stable. */
  rewordedAgoMs: ms,
  rewordings: z.number(),
  delivery: deliveryWork.nullable(),
  /** Asks that were not retracted, newest first. */
  asks: z.array(askWork),
});
export type RequestWork = z.infer<typeof requestWork>;

const hints = z
  .object({
    annotations: z.record(z.string(), z.unknown()).nullable(),
    taskSupport: z.enum(["required", "optional", "forbidden"]),
    honoursIdempotencyKey: z.boolean(),
    inputSchema: z.record(z.string(), z.unknown()).nullish(),
    /** Of a recipe: the tools that it calls. */
    calls: z.record(z.string(), calledToolSchema).optional(),
  })
  .nullable();

export const taskWork = z.object({
  id: z.string(),
  /** Id of the call that started the task. */
  requestId: z.string().nullable(),
  traceparent: z.string().nullable(),
  /** The server receives trace context. */
  traced: z.boolean(),
  state: taskStateSchema,
  tool: z.string(),
  /** Arguments of the call; null once the server has made a task, because the call is never repeated then. */
  arguments: z.record(z.string(), z.unknown()).nullable(),
  toolHints: hints,
  /** The version of the recipe that `tool` names; null: the tool is the server's. */
  recipeVersion: z.number().nullable(),
  /** The era in which the task is polled and answered: of a recipe's always 2026-07-28. */
  era: eraSchema.nullable(),
  /** Time until a delayed start, in ms; 0 or less if due, null if not delayed. */
  startsInMs: ms,
  attemptId: z.string().nullable(),
  attemptDueInMs: ms,
  sealedHandle: z.string().nullable(),
  sealedSession: z.string().nullable(),
  sealedRequestState: z.string().nullable(),
  /** False for an open call without a task at the server. */
  durable: z.boolean(),
  /** Time since the attempt was committed, in ms. */
  attemptAgoMs: ms,
  statusMessage: z.string().nullable(),
  /** As `RemoteTask.isUnknown`. */
  isUnknown: z.boolean(),
  serverState: z.string().nullable(),
  requestedTtlMs: ms,
  ttlMs: ms,
  /** Time until the ttl is over, in ms; negative afterwards, null without a ttl. */
  expiresInMs: ms,
  /** People see that time limit. */
  hasTimeLimit: z.boolean(),
  ageMs: z.number(),
  quietMs: z.number(),
  pollIntervalMs: ms,
  cancelRequested: z.boolean(),
  cancelSent: z.boolean(),
  /** Time since the cancel was stored as sent, in ms; null before. */
  cancelSentAgoMs: ms,
  /** Time until the end of watching the server's state after the task's end here, in ms. */
  watchEndsInMs: ms,
  refreshRequestedAt: z.string().nullable(),
  unchangedPolls: z.number(),
  /** The task has asked the maximum number of questions. */
  full: z.boolean(),
  requests: z.array(requestWork),
});
export type TaskWork = z.infer<typeof taskWork> & {
  /** How the organization keeps content; undefined: plainly. */
  content?: Content;
  /** Nothing is known of the task but that it is to be looked at (`unreadWork`). */
  unread?: true;
};

/** Stands for a task until it is read. */
export function unreadWork(id: string): TaskWork {
  return { ...UNREAD, id };
}

const UNREAD: Omit<TaskWork, "id"> = {
  unread: true,
  requestId: null,
  traceparent: null,
  traced: false,
  state: "queued",
  tool: "",
  arguments: null,
  toolHints: null,
  recipeVersion: null,
  era: null,
  startsInMs: null,
  attemptId: null,
  attemptDueInMs: null,
  sealedHandle: null,
  sealedSession: null,
  sealedRequestState: null,
  durable: true,
  attemptAgoMs: null,
  statusMessage: null,
  isUnknown: false,
  serverState: null,
  requestedTtlMs: null,
  ttlMs: null,
  expiresInMs: null,
  hasTimeLimit: false,
  ageMs: 0,
  quietMs: 0,
  pollIntervalMs: null,
  cancelRequested: false,
  cancelSent: false,
  cancelSentAgoMs: null,
  watchEndsInMs: null,
  refreshRequestedAt: null,
  unchangedPolls: 0,
  full: false,
  requests: [],
};

/** A watched task whose content can't be read now: nothing is sent for it, and nothing about it ends. */
export interface UnopenedWork {
  id: string;
  unopened: true;
}

export function isUnopened(work: TaskWork | UnopenedWork): work is UnopenedWork {
  return "unopened" in work;
}

/** Whether a question's hash, as just computed, and one of a stored request are of one question. */
export function isSameQuestion(
  work: TaskWork,
  hash: string,
  request: Pick<RequestWork, "questionHash">,
): boolean {
  return (work.content ?? PLAIN).isSameHash(hash, request.questionHash);
}
