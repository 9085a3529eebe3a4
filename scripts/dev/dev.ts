/** `npm run dev`: the same parts as `npm start`, run from their sources and reloaded when these change. */
import { type Part, startPart } from "../supervise/part.ts";
import { machineEnvironment } from "../supervise/settings.ts";
import { supervise } from "../supervise/supervise.ts";

// Apart from `npm start`, whose data must not meet an unfinished migration.
process.env.INTRAY_DATA_DIR ||= ".data-dev";

supervise({
  web: "scripts/dev/web.ts",
  prepare: async () => {},
  startPart: startReloadedPart,
  startBeside: () => startPart("types", "scripts/dev/types.ts", machineEnvironment()),
});

/** The web loads changed files by itself, so that no browser loses its connection. Other parts start anew. */
function startReloadedPart(name: string, script: string, environment: NodeJS.ProcessEnv): Part {
  if (name !== "web")
    return startPart(name, script, environment, { preload: "./scripts/dev/end-on-change.ts" });
  const development = { ...environment, NODE_ENV: "development" } as const;
  return startPart(name, script, development, { preload: "./scripts/dev/fresh-imports.ts" });
}
