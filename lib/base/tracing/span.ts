/**
 * Intray's own spans, in a tracer of its own: Next and other libraries would put whole URLs into theirs.
 * Attributes are ids and words of Intray, never texts of people or servers. Without a tracer all functions do
 * nothing.
 */
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { onePerProcess } from "../process/process-wide.ts";
import { inScope, scope } from "../process/scope.ts";

const current = onePerProcess("tracer", () => ({ tracer: null as Tracer | null }));

export function setTracer(tracer: Tracer | null): void {
  current().tracer = tracer;
}

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /** A `traceparent`; null starts a new trace. Default: the current span. */
  parent?: string | null;
  /** `traceparent`s of related traces; null entries are skipped. */
  links?: (string | null)[];
  /** Start time in ms by performance.now(). Default: now. */
  since?: number;
}

/** Runs `work` in a span, the parent of all spans inside. Notes only an error's class, and rethrows it. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  const begun = begin(name, options);
  if (!begun) return work(null);
  const { span, context } = begun;
  try {
    return await inScope({ ...scope(), trace: context }, () => work(span));
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute("error.type", classOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Records a finished span, once the work turns out to be worth one. */
export function noteSpan(name: string, options: SpanOptions): void {
  begin(name, options)?.span.end();
}

/** Returns the current span as a W3C `traceparent`, or null if nothing is traced. */
export function currentTraceparent(): string | null {
  const context = scope().trace;
  const current = context && trace.getSpanContext(context);
  return current ? `00-${current.traceId}-${current.spanId}-01` : null;
}

function begin(name: string, options: SpanOptions): { span: Span; context: Context } | null {
  const { tracer } = current();
  if (!tracer) return null;
  const { kind = SpanKind.INTERNAL, attributes, parent, links = [], since } = options;
  const around = parent === undefined ? (scope().trace ?? ROOT_CONTEXT) : contextOf(parent);
  const settings = {
    kind,
    attributes,
    links: links.flatMap(linkOf),
    ...(since !== undefined && { startTime: Date.now() - (performance.now() - since) }),
  };
  const span = tracer.startSpan(name, settings, around);
  return { span, context: trace.setSpan(around, span) };
}

function contextOf(traceparent: string | null): Context {
  const parent = parse(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

function linkOf(traceparent: string | null): Link[] {
  const context = parse(traceparent);
  return context ? [{ context }] : [];
}

/** Ignores malformed `traceparent`s and versions other than 00. Always sampled. */
function parse(traceparent: string | null) {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-0[01]$/.exec(traceparent ?? "") ?? [];
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

function classOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === "string" && /^[\w-]{1,50}$/.test(code)) return code;
  return typeof name === "string" ? name.slice(0, 50) : "unknown";
}
