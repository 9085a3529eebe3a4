/** Counts the answers that are no call of the API: pages by their pattern, and files. Calls are counted as they are made. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { countAnswer } from "../lib/web/metrics.ts";

const routeSchema = z.object({ page: z.string(), regex: z.string() });
const manifestSchema = z.object({ staticRoutes: z.array(routeSchema), dynamicRoutes: z.array(routeSchema) });

/** Made by route() of lib/web/route.ts, or next-auth's. */
const CALLS = /^\/(api|oauth)\/|^\/(healthz|readyz|metrics)$/;

/** Reads which pages the build has; call the result with every request. */
export function pageCounter(): (request: IncomingMessage, response: ServerResponse) => void {
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
  return (request, response) => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    if (CALLS.test(path)) return;
    const began = performance.now();
    response.once("close", () =>
      countAnswer(request.method ?? "GET", patternOf(path), response.statusCode, performance.now() - began),
    );
  };
}
