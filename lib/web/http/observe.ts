/** Observes every call: a figure, a log line, a span, and the id that all of them name. */
import { type Span, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { log } from "../../base/log.ts";
import { inScope, type Spent } from "../../base/process/scope.ts";
import { inSpan } from "../../base/tracing/span.ts";
import { callerIn } from "./client-address.ts";
import { countAnswer } from "./metrics.ts";

/** Next passes undefined for an address without parameters. */
type Params = Promise<Record<string, string | string[]> | undefined>;

/** Answers a call under its id, and adds up the time and queries that it spends. `answer` must not throw. */
export async function observe(
  request: Request,
  params: Params,
  requestId: string,
  spent: Spent,
  answer: () => Promise<Response>,
): Promise<Response> {
  const { method } = request;
  const route = patternOf(new URL(request.url).pathname, (await params) ?? {});
  const options = {
    kind: SpanKind.SERVER,
    // The caller's trace, if the caller is traced.
    parent: request.headers.get("traceparent"),
    attributes: { "http.request.method": method, "http.route": route, "intray.request_id": requestId },
  };
  const began = performance.now();
  // Of a write something may be done already, or have to be noted.
  const left = method === "GET" ? { left: request.signal } : {};
  const caller = callerIn(request.headers.get("x-forwarded-for"), request.signal);
  return inScope({ requestId, trace: null, spent, caller, ...left }, () =>
    inSpan(`${method} ${route}`, options, async (span) => {
      const response = await answer();
      const { status } = response;
      const ms = performance.now() - began;
      countAnswer(method, route, status, ms);
      // Reads are frequent, and their figures suffice.
      const level = method === "GET" && status < 500 ? "debug" : "info";
      log[level]({ method, route, status, ms: Math.round(ms) }, "answered");
      noteStatus(span, status);
      return response;
    }),
  );
}

function noteStatus(span: Span | null, status: number): void {
  span?.setAttribute("http.response.status_code", status);
  if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * The pattern of an address, e.g. `/api/v1/tasks/{id}/cancel`, for figures and traces: the address itself
 * holds ids, and any other text of the caller.
 */
export function patternOf(
  pathname: string,
  /** Next passes undefined for an address without parameters. */
  params: Record<string, string | string[]> | undefined,
): string {
  const parts = pathname.split("/").map(decoded);
  // From the end, since a fixed part may read like the value of a later parameter.
  for (const [name, value] of Object.entries(params ?? {}).reverse()) {
    // A catch-all parameter makes the pattern meaningless.
    if (Array.isArray(value)) return "other";
    const at = parts.lastIndexOf(decoded(value));
    if (at < 0) return "other";
    parts[at] = `{${name}}`;
  }
  return parts.join("/");
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The Server-Timing header, which browsers' tools and curl show: the time of an answer, and the share of the database.
 * Holds only durations and a number of the caller's own call. `ms`: since the request arrived.
 */
export function serverTiming(ms: number, spent: Spent): string {
  const queries = spent.queries === 1 ? "1 query" : `${spent.queries} queries`;
  return `total;dur=${ms.toFixed(1)}, db;dur=${spent.ms.toFixed(1)};desc="${queries}"`;
}
