import { type Attributes, SpanKind } from "@opentelemetry/api";
import { scope } from "../../base/process/scope.ts";
import { currentTraceparent, inSpan, type SpanOptions } from "../../base/tracing/span.ts";
import type { CallOptions, Peer } from "../../mcp/peer.ts";
import type { WatcherContext } from "./context.ts";
import type { WatchedTask } from "./watched-task.ts";

/**
 * Wraps a peer so that calls within a traced scope get a span each: calls that change something, and requests
 * made on their way. A server that receives trace context gets the call's own span.
 */
export function traced(peer: Peer, attributes: Attributes): Peer {
  const call = <T>(method: string, options: CallOptions, make: (options: CallOptions) => Promise<T>) => {
    if (!scope().trace) return make(options);
    const settings = { kind: SpanKind.CLIENT, attributes: { "rpc.method": method, ...attributes } };
    return inSpan(method, settings, () =>
      make(
        options.traceparent === undefined
          ? options
          : { ...options, traceparent: currentTraceparent() ?? options.traceparent },
      ),
    );
  };
  const answer = peer.era === "2026-07-28" ? "tasks/update" : "elicitation/create";
  return {
    era: peer.era,
    open: (options) => peer.open(options),
    listen: (...args) => peer.listen(...args),
    listTools: (session, options) => peer.listTools(session, options),
    readResource: (...args) => peer.readResource(...args),
    start: (session, input, listener, options) =>
      call("tools/call", options, (more) => peer.start(session, input, listener, more)),
    resume: (...args) => peer.resume(...args),
    cancelCall: (session, callId, options) =>
      call("notifications/cancelled", options, (more) => peer.cancelCall(session, callId, more)),
    get: (task, options) => peer.get(task, options),
    openResult: (...args) => peer.openResult(...args),
    answer: (task, address, body, options) =>
      call(answer, options, (more) => peer.answer(task, address, body, more)),
    cancel: (task, options) => call("tasks/cancel", options, (more) => peer.cancel(task, more)),
    post: (...args) => peer.post(...args),
    result: (task, remote, options) => peer.result(task, remote, options),
    subscribe: (...args) => peer.subscribe(...args),
    list: (session, limit, options) => peer.list(session, limit, options),
    close: (...args) => peer.close(...args),
  };
}

/** Returns options for a new trace, linked to the task's start, because a trace over weeks is unusable. */
export function spanOf(ctx: WatcherContext, { id, work }: WatchedTask): SpanOptions {
  return { parent: null, links: [work.traceparent], attributes: attributesOf(ctx, id) };
}

/** Does what a person has asked for, as part of that call's trace. `asked`: its `traceparent`; null: it was not traced. */
export function inTraceOf<T>(
  ctx: WatcherContext,
  { id, work }: WatchedTask,
  asked: string | null,
  name: string,
  act: () => Promise<T>,
): Promise<T> {
  if (asked === null) return act();
  const links = asked === work.traceparent ? [] : [work.traceparent];
  return inSpan(name, { parent: asked, links, attributes: attributesOf(ctx, id) }, act);
}

function attributesOf({ organizationId, connectionId }: WatcherContext, taskId: string): Attributes {
  return {
    "intray.organization_id": organizationId,
    "intray.connection_id": connectionId,
    "intray.task_id": taskId,
  };
}
