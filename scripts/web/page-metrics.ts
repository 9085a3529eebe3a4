/**
 * Counts the answers that are no calls of the API: pages by their pattern, and files. Calls are counted by
 * their handlers. Also sets `Server-Timing` on pages: the time until the first byte.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { inScope, Spent } from "../../lib/base/process/scope.ts";
import { sessionCookieName } from "../../lib/web/auth/session-cookie.ts";
import { callerIn } from "../../lib/web/http/client-address.ts";
import { countAnswer } from "../../lib/web/http/metrics.ts";
import { serverTiming } from "../../lib/web/http/observe.ts";

const routeSchema = z.object({ page: z.string(), regex: z.string() });
const manifestSchema = z.object({ staticRoutes: z.array(routeSchema), dynamicRoutes: z.array(routeSchema) });

/** Paths answered by route() of lib/web/http/route.ts, or by next-auth. */
const CALLS = /^\/(api|oauth)\/|^\/(healthz|readyz|metrics)$/;

/** Reads the build's routes once; the result answers every request by `handle`. */
export function pageCounter(): (
  request: IncomingMessage,
  response: ServerResponse,
  handle: () => void,
) => void {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(".next/routes-manifest.json", "utf8")));
  // A page without parameters goes before one with them, as in Next.
  const routes = [...manifest.staticRoutes, ...manifest.dynamicRoutes].map(({ page, regex }) => ({
    pattern: page.replace(/\[(\w+)\]/g, "{$1}"),
    regex: new RegExp(regex),
  }));
  const patternOf = (path: string) => {
    if (path.startsWith("/_next/") || /\.[a-zA-Z0-9]{2,5}$/.test(path)) return "files";
    return routes.find(({ regex }) => regex.test(path))?.pattern ?? "other";
  };
  return (request, response, handle) => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    if (CALLS.test(path)) return handle();
    const began = performance.now();
    const pattern = patternOf(path);
    response.once("close", () =>
      countAnswer(request.method ?? "GET", pattern, response.statusCode, performance.now() - began),
    );
    if (pattern === "files") return handle();
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const forwardedFor = [request.headers["x-forwarded-for"] ?? []].flat().join(",");
    const scope = { requestId: null, trace: null, caller: callerIn(forwardedFor, gone.signal) };
    // Timings could tell strangers whether a searched thing exists.
    if (!request.headers.cookie?.includes(sessionCookieName())) return inScope(scope, handle);
    const spent = new Spent();
    const writeHead = response.writeHead.bind(response);
    response.writeHead = (...head: unknown[]) => {
      if (!response.headersSent)
        response.setHeader("server-timing", serverTiming(performance.now() - began, spent));
      return Reflect.apply(writeHead, response, head);
    };
    inScope({ ...scope, spent }, handle);
  };
}
