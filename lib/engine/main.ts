/** The engine process: `npm run engine`, as many as wanted. */
import { ConfigurationError } from "../env.ts";
import { onDrain } from "../lifecycle.ts";
import { log } from "../log.ts";
import { openEngine } from "./run.ts";

const { engine, close } = await openEngine(log.child({ part: "engine" })).catch((error: unknown) => {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
onDrain(async () => {
  await engine.stop();
  await close();
});
await engine.start();
log.info({ part: "engine", id: engine.id }, "the engine runs");
