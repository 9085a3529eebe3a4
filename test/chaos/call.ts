/** Describes requests to an MCP server, as far as the bad network needs. */
import { z } from "zod";
import type { CallKind } from "./plan.ts";

export interface Call {
  /** A JSON-RPC method, `answer` for a client's response, or the HTTP method of a request without a body. */
  method: string;
  kind: CallKind;
  /** The JSON-RPC id. */
  id: string | number | null;
  taskId: string | null;
  /** Whether a correct server tolerates a repetition: reads, answers, and calls that carry a key. */
  mayRepeat: boolean;
}

const CHANGES = new Set(["tools/call", "tasks/update", "tasks/cancel", "answer"]);
const STREAMS = new Set(["GET", "tasks/result"]);
/** Never duplicated: sessions must be neither opened nor closed twice. */
const NEVER_TWICE = new Set(["initialize", "notifications/initialized", "DELETE"]);
const KEY = "intray/idempotency-key";

const message = z.looseObject({
  method: z.string().optional(),
  id: z.union([z.string(), z.number()]).nullish(),
  params: z
    .looseObject({
      taskId: z.string().optional(),
      _meta: z.looseObject({ [KEY]: z.string().optional() }).optional(),
    })
    .optional(),
});

export function callIn(httpMethod: string, body: Buffer): Call {
  const parsed = body.length > 0 ? message.safeParse(jsonIn(body)) : null;
  const { method: named, id, params } = parsed?.data ?? {};
  const method = parsed?.success ? (named ?? "answer") : httpMethod;
  const kind = CHANGES.has(method) ? "change" : STREAMS.has(method) ? "stream" : "look";
  const hasKey = params?._meta?.[KEY] !== undefined;
  return {
    method,
    kind,
    id: id ?? null,
    taskId: params?.taskId ?? null,
    mayRepeat: kind !== "stream" && !NEVER_TWICE.has(method) && (method !== "tools/call" || hasKey),
  };
}

function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null; // not JSON: passed on unchanged
  }
}
