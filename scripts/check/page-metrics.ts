/**
 * Counts the answers that are no call of the API: pages by their pattern, and files. Calls are counted as they are made.
 * And has a page say in `Server-Timing` what it took until its first byte.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { inScope } from "../../lib/base/scope.ts";
import { sessionCookieName } from "../../lib/web/auth/session-cookie.ts";
import { countAnswer } from "../../lib/web/http/metrics.ts";
import { serverTiming } from "../../lib/web/http/server-timing.ts";

const routeSchema = z.object({ page: z.string(), regex: z.string() });
const manifestSchema = z.object({ staticRoutes: z.array(routeSchema), dynamicRoutes: z.array(routeSchema) });

/** Made by route() of lib/web/http/route.ts, or next-auth's. */
const CALLS = /^\/(api|oauth)\/|^\/(healthz|readyz|metrics)$/;

/** Reads which pages the build has; the result answers every request by `handle`. */
export function pageCounter(): (
  request: IncomingMessage,
  response: ServerResponse,
  handle: () => void,
) => void {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(".next/routes-manifest.json", "utf8")));
  // A page without parameters goes before one with them, as Next has it.
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
    // Who has no session is told nothing of what was looked for.
    if (pattern === "files" || !request.headers.cookie?.includes(sessionCookieName())) return handle();
    const spent = { queries: 0, ms: 0 };
    const writeHead = response.writeHead.bind(response);
    response.writeHead = (...head: unknown[]) => {
      if (!response.headersSent)
        response.setHeader("server-timing", serverTiming(performance.now() - began, spent));
      return Reflect.apply(writeHead, response, head);
    };
    inScope({ requestId: null, trace: null, spent }, handle);
  };
}
