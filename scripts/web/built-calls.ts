/**
 * The calls of the API as Next has built them, for serving them without Next (lib/web/http/call-server.ts): the very modules
 * that Next itself loads, so that nothing of them is there twice.
 */
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Handlers } from "../../lib/web/http/call-server.ts";

/** The API and the probes. Signing in is next-auth's, which needs Next; so does a path that is no call. */
const CALL = /^(\/api\/(?:aap\/)?v1\/.+|\/healthz|\/readyz)\/route$/;
/** Where each route's module is, in the folder of this file. */
const MANIFEST = ".next/server/app-paths-manifest.json";

interface BuiltRoute {
  routeModule: {
    ensureUserland(): Promise<unknown>;
    /** What app/…/route.ts exports. */
    userland: Handlers;
  };
}

/** The calls by their folders, as `/api/v1/tasks/[id]`. */
export function builtCalls(): string[] {
  return [...files().keys()];
}

export async function loadBuiltCall(page: string): Promise<Handlers> {
  const file = files().get(page);
  if (file === undefined) throw new Error(`${page} is no call`);
  const built = (await require(file)) as BuiltRoute;
  await built.routeModule.ensureUserland();
  return built.routeModule.userland;
}

const require = createRequire(import.meta.url);
let found: Map<string, string> | null = null;

function files(): Map<string, string> {
  if (found) return found;
  // By its real path, which the tracer of the image (scripts/build/image.ts) does not follow: it has all of .next anyway.
  const path = realpathSync(MANIFEST);
  const manifest = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(path, "utf8")));
  found = new Map(
    Object.entries(manifest).flatMap(([key, file]) => {
      const page = CALL.exec(key)?.[1];
      return page === undefined ? [] : [[page, join(dirname(path), file)] as const];
    }),
  );
  return found;
}
