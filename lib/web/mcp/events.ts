/**
 * MCP Events (SEP-3415, `io.modelcontextprotocol/events`), a beta: what happens to an agent's tasks and requests, by polling, by
 * streams and by webhooks. Offered where the operator sets INTRAY_DRAFTS (docs/decisions/093). The history is what is told: nothing of a
 * subscription is in memory.
 */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import {
  lineBefore,
  newestLine,
  readAgentEvents,
  type Subscribed,
} from "../../outbound/agent-events/agent-event-reads.ts";
import {
  type AgentEventName,
  agentEventArgumentsSchema,
  agentEventNameSchema,
  MOST_SUBSCRIPTIONS,
} from "../../outbound/agent-events/agent-event-schema.ts";
import {
  dropSubscription,
  isVerified,
  saveSubscription,
  subscriptionName,
} from "../../outbound/agent-events/subscription-writes.ts";
import { verifyCallback } from "../../outbound/agent-events/verify-callback.ts";
import { isSecret } from "../../outbound/webhooks/sign.ts";
import { checkAddress } from "../../outbound/webhooks/webhook-writes.ts";
import { throttle } from "../http/throttle.ts";
import { network, sealing } from "../services.ts";
import { within } from "../tenant.ts";
import { CHALLENGES_OF_HOST, EVENT_STREAMS_PER_AGENT, EVENTS_POLL_MS, SUBSCRIPTION_MS } from "../tunables.ts";
import type { Exchange } from "./exchange.ts";
import { countStreams } from "./held/event-stream.ts";
import { parse, readTask } from "./tasks.ts";

/** What `capabilities.extensions` says of it. */
export const EVENT_CAPABILITIES = { "io.modelcontextprotocol/events": {} };

/** Codes that the extension asks for. They are provisional there. */
const NOT_FOUND = -32023;
const RESOURCE_EXHAUSTED = -32025;
const UNSUPPORTED = -32026;
const CALLBACK_ENDPOINT_ERROR = -32027;

const MOST_EVENTS = 100;
const USUAL_EVENTS = 50;

const string = { type: "string" };
const ids = { taskId: string, tool: string, state: string };
const DESCRIPTIONS: Record<AgentEventName, { description: string; properties: object }> = {
  "task.ended": {
    description:
      "A task that this agent started has ended. Call wait_for_task with its taskId to get the result.",
    properties: { ...ids, isError: { type: "boolean" } },
  },
  "task.input_required": {
    description: "A task that this agent started waits for a person, who answers in Intray.",
    properties: { ...ids, inputRequestId: string },
  },
  "request.ended": {
    description:
      "A question to a person about a task of this agent is over: it was answered, or cannot be answered any more.",
    properties: { ...ids, inputRequestId: string },
  },
};

const INPUT_SCHEMA = {
  type: "object",
  properties: { taskId: { ...string, description: "Only this task. Without it: all tasks of the agent." } },
  additionalProperties: false,
};

function listed(name: AgentEventName) {
  const { description, properties } = DESCRIPTIONS[name];
  const payloadSchema = { type: "object", properties, required: ["taskId", "tool", "state"] };
  return {
    name,
    description,
    delivery: ["poll", "push", "webhook"],
    inputSchema: INPUT_SCHEMA,
    payloadSchema,
  };
}

const LISTED = agentEventNameSchema.options.map(listed);

const cursor = z.string().nullish();
const milliseconds = z.int().min(0);
const subscribed = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).nullish(),
});
const streamParams = subscribed.extend({ cursor, maxAgeMs: milliseconds.nullish() });
const pollParams = streamParams.extend({
  maxEvents: z.int().min(1).nullish(),
});
const address = z.string().max(2_000);
const mode = z.string().default("webhook");
const subscribeParams = streamParams.extend({
  delivery: z.looseObject({ mode, url: address, secret: z.string() }),
  /** Null wishes for a subscription without an end, which is not granted. */
  ttlMs: milliseconds.nullish(),
});
const unsubscribeParams = subscribed.extend({ delivery: z.looseObject({ mode, url: address }) });

const ANSWERS = new Map<string, (exchange: Exchange, params: unknown) => object | Promise<object>>([
  ["events/list", () => ({ events: LISTED })],
  ["events/poll", poll],
  ["events/stream", stream],
  ["events/subscribe", subscribe],
  ["events/unsubscribe", unsubscribe],
]);

export const EVENT_METHODS = [...ANSWERS.keys()];

/** Returns the answer to one of `EVENT_METHODS`; null for any other method. */
export async function eventsMethod(
  exchange: Exchange,
  method: string,
  params: unknown,
): Promise<object | null> {
  const answer = ANSWERS.get(method);
  return answer ? { resultType: "complete", ...(await answer(exchange, params ?? {})) } : null;
}

async function poll(exchange: Exchange, params: unknown): Promise<object> {
  const { maxEvents, ...asked } = parse(pollParams, params);
  const filter = await subscribedTo(exchange, asked);
  return within(exchange.caller, async (tx) => {
    const { after, truncated } = await beginningOf(tx, asked);
    const limit = Math.min(maxEvents ?? USUAL_EVENTS, MOST_EVENTS);
    const { events, reached, hasMore } = await readAgentEvents(tx, filter, after, limit);
    return {
      events: events.map(({ event }) => event),
      cursor: String(reached),
      truncated,
      hasMore,
      nextPollMs: EVENTS_POLL_MS,
    };
  });
}

/** Answered by held/event-stream.ts. */
async function stream(exchange: Exchange, params: unknown): Promise<object> {
  const asked = parse(streamParams, params);
  const filter = await subscribedTo(exchange, asked);
  if (countStreams(filter.agentId) >= EVENT_STREAMS_PER_AGENT)
    throw new ProtocolError(RESOURCE_EXHAUSTED, "This agent has too many streams open here.", {
      limit: "streams",
      max: EVENT_STREAMS_PER_AGENT,
    });
  const beginning = await within(exchange.caller, (tx) => beginningOf(tx, asked));
  exchange.stream = { subscribed: filter, ...beginning };
  return {};
}

async function subscribe(exchange: Exchange, params: unknown): Promise<object> {
  const { delivery, ttlMs, ...asked } = parse(subscribeParams, params);
  const { url, secret } = delivery;
  const filter = await subscribedTo(exchange, asked);
  if (delivery.mode !== "webhook")
    throw new ProtocolError(UNSUPPORTED, "Subscribe for webhooks, or poll.", {
      feature: "deliveryMode",
      value: delivery.mode,
    });
  const host = hostOfCallback(url);
  if (!isSecret(secret))
    throw invalid("delivery.secret has to be whsec_ and the base64 of 24 to 64 random bytes.");
  const { organizationId } = exchange.caller.principal;
  if (!(await within(exchange.caller, (tx) => isVerified(tx, filter.agentId, url)))) {
    await throttle(`event callback ${organizationId} ${host}`, CHALLENGES_OF_HOST);
    const subscription = subscriptionName(organizationId, filter, url);
    const reason = await verifyCallback(network(), { url, secret, subscription });
    if (reason)
      throw new ProtocolError(CALLBACK_ENDPOINT_ERROR, "The callback did not show that it wants events.", {
        reason,
      });
  }
  return within(exchange.caller, async (tx, principal) => {
    const { after, truncated } = await beginningOf(tx, asked);
    const saved = await saveSubscription(tx, principal, sealing(), {
      ...{ ...filter, url, secret, after },
      ttlMs: Math.min(Math.max(ttlMs ?? SUBSCRIPTION_MS.usual, SUBSCRIPTION_MS.least), SUBSCRIPTION_MS.most),
    });
    if (!saved)
      throw new ProtocolError(RESOURCE_EXHAUSTED, "This agent has too many subscriptions.", {
        limit: "subscriptions",
        max: MOST_SUBSCRIPTIONS,
      });
    return {
      id: saved.subscription,
      refreshBefore: saved.expiresAt.toISOString(),
      cursor: String(saved.cursor),
      truncated: saved.isNew && truncated,
    };
  });
}

async function unsubscribe(exchange: Exchange, params: unknown): Promise<object> {
  const { delivery, ...asked } = parse(unsubscribeParams, params);
  const filter = { agentId: exchange.caller.agent.id, ...namedIn(asked) };
  const subscription = subscriptionName(exchange.caller.principal.organizationId, filter, delivery.url);
  const isGone = await within(exchange.caller, (tx, principal) =>
    dropSubscription(tx, principal, subscription),
  );
  if (!isGone) throw new ProtocolError(NOT_FOUND, "There is no such subscription.", { kind: "subscription" });
  return {};
}

/** What the agent asks for. A task that is not its own is as one that is not there. */
async function subscribedTo(exchange: Exchange, asked: z.infer<typeof subscribed>): Promise<Subscribed> {
  const named = namedIn(asked);
  const { taskId } = named.arguments;
  if (taskId !== undefined) await readTask(exchange, taskId);
  return { agentId: exchange.caller.agent.id, ...named };
}

function namedIn({ name, arguments: args }: z.infer<typeof subscribed>): Omit<Subscribed, "agentId"> {
  const known = agentEventNameSchema.safeParse(name);
  if (!known.success) throw new ProtocolError(NOT_FOUND, "There is no such event.", { kind: "event" });
  return { name: known.data, arguments: parse(agentEventArgumentsSchema, args ?? {}) };
}

/** The line after which the events begin. `truncated`: later than the cursor says. */
async function beginningOf(
  tx: Tx,
  { cursor: given, maxAgeMs }: { cursor?: string | null; maxAgeMs?: number | null },
): Promise<{ after: bigint; truncated: boolean }> {
  const newest = await newestLine(tx);
  if (given == null) return { after: newest, truncated: false };
  if (!/^\d{1,18}$/.test(given)) throw invalid("The cursor is not one of ours.");
  const after = BigInt(given);
  // As of a database that was restored from a backup.
  if (after > newest) return { after: newest, truncated: true };
  const floor = maxAgeMs == null ? 0n : await lineBefore(tx, new Date(Date.now() - maxAgeMs));
  return floor > after ? { after: floor, truncated: true } : { after, truncated: false };
}

/** Judged as a webhook's address. Throws -32602 for one that is not public, or without TLS. */
function hostOfCallback(url: string): string {
  try {
    return checkAddress(network(), url);
  } catch (error) {
    if (error instanceof AppError) throw invalid("delivery.url has to be a public https address.");
    throw error;
  }
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
