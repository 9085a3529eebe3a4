/** An open `events/stream`: a place in the history and a socket. Hints wake it, and it is nobody's once its agent may not be told. */

import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { log } from "../../../base/log.ts";
import { drainSignal } from "../../../base/process/lifecycle.ts";
import { inScope } from "../../../base/process/scope.ts";
import { readAgentEvents, type Subscribed } from "../../../outbound/agent-events/agent-event-reads.ts";
import { FORBIDDEN } from "../../../outbound/agent-events/subscription-writes.ts";
import type { AgentCaller } from "../../auth/agent.ts";
import { database } from "../../database.ts";
import { watch } from "../../live/live.ts";
import { EVENT_HEARTBEAT_MS, EVENT_STREAM_READ_MS } from "../../tunables.ts";
import { refusalOf } from "./held-calls.ts";
import { HeldStream } from "./stream.ts";

export interface StreamWish {
  subscribed: Subscribed;
  after: bigint;
  truncated: boolean;
}

const EVENTS_AT_ONCE = 50;

/** Open streams of each agent in this process. */
const open = new Map<string, number>();

export function countStreams(agentId: string): number {
  return open.get(agentId) ?? 0;
}

/** Answers a request with events until its client leaves, the process ends, or the agent is refused. `id`: of the JSON-RPC request. */
export function streamEvents(
  response: ServerResponse,
  caller: AgentCaller,
  address: string,
  { subscribed, after, truncated }: StreamWish,
  id: string | number,
): void {
  const { organizationId } = caller.principal;
  const stream = new HeldStream(response, null);
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  const say = (kind: string, params: object) =>
    stream.say({ jsonrpc: "2.0", method: `notifications/events/${kind}`, params: { ...params, _meta } });
  let cursor = after;
  let isOver = false;
  let isWanted = true;
  let isReading = false;

  const leave = () => {
    if (isOver) return;
    isOver = true;
    clearInterval(heart);
    unwatch();
    drainSignal().removeEventListener("abort", end);
    const left = countStreams(caller.agent.id) - 1;
    if (left > 0) open.set(caller.agent.id, left);
    else open.delete(caller.agent.id);
  };
  const end = () => {
    leave();
    const result = { resultType: "complete", _meta };
    stream.end({ jsonrpc: "2.0", id, result }, ignore, ignore);
  };
  /** Returns true if the agent is none any more: then its client was told that, and nothing else. */
  const isRefused = async () => {
    const refused = await refusalOf(caller, address);
    if (!refused || isOver) return isOver;
    const error = { code: FORBIDDEN, message: "Forbidden", data: { reason: refused.detail } };
    say("terminated", { error });
    end();
    return true;
  };
  const step = async () => {
    const db = await database();
    const read = await db.withOrganization(organizationId, (tx) =>
      readAgentEvents(tx, subscribed, cursor, EVENTS_AT_ONCE),
    );
    // After the read: what happened once the agent was revoked is not told.
    if (read.events.length > 0 && (await isRefused())) return;
    if (isOver) return;
    for (const { seq, event } of read.events) say("event", { ...event, cursor: String(seq) });
    cursor = read.reached;
    if (read.hasMore) isWanted = true;
  };
  const want = async () => {
    isWanted = true;
    if (isReading) return;
    isReading = true;
    while (isWanted && !isOver) {
      isWanted = false;
      await step().catch((error: unknown) => {
        log.warn({ err: error }, "The events of a stream could not be read");
        isWanted = true;
      });
      await pause(EVENT_STREAM_READ_MS);
    }
    isReading = false;
  };
  const beat = async () => {
    if (await isRefused()) return;
    say("heartbeat", { cursor: String(cursor) });
    // In case a hint was lost.
    await want();
  };

  open.set(caller.agent.id, countStreams(caller.agent.id) + 1);
  response.once("close", leave);
  drainSignal().addEventListener("abort", end, { once: true });
  const heart = setInterval(() => {
    beat().catch((error: unknown) => {
      // While the database is down nothing can be told either, so the stream stays open.
      log.warn({ err: error }, "The agent of an event stream could not be checked");
    });
  }, EVENT_HEARTBEAT_MS);
  const unwatch = inScope({ requestId: null, trace: null }, () =>
    watch(organizationId, {
      hear(topic, of) {
        if (of === null || topic === "task" || topic === "input_request") void want();
        else if (topic === "member" || (topic === "agent" && of === caller.agent.id))
          void isRefused().catch(later);
      },
    }),
  );
  say("active", { cursor: String(cursor), truncated });
  void want();
  // If the client left before, no event tells us.
  if (response.destroyed || response.closed) leave();
}

function ignore(): void {}

/** The next heartbeat looks again. */
function later(error: unknown): void {
  log.debug({ err: error }, "The agent of an event stream could not be checked");
}
