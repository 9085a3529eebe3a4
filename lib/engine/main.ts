/** The engine process: `npm run engine`, as many as wanted. */
import { ConfigurationError, env } from "../base/env.ts";
import { installLastResort } from "../base/last-resort.ts";
import { onDrain } from "../base/lifecycle.ts";
import { log } from "../base/log.ts";
import { startTracing } from "../tracing/start.ts";
import { touchWhileAlive } from "./heartbeat-file.ts";
import { openEngine } from "./run.ts";

const stopTracing = await startTracing("intray-engine").catch(refuse);
const { engine, close } = await openEngine(log.child({ part: "engine" })).catch(refuse);
const end = async () => {
  await engine.stop();
  await close();
  await stopTracing();
};
onDrain(end);
installLastResort(log.child({ part: "engine" }), end);
await engine.start();
const { aliveFile } = env();
if (aliveFile) touchWhileAlive(aliveFile);
log.info({ part: "engine", id: engine.id }, "the engine runs");

function refuse(error: unknown): never {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
