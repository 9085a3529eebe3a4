/** The engine process: `npm run engine`, as many as wanted. */
import { onDrain } from "../lifecycle.ts";
import { log } from "../log.ts";
import { openEngine } from "./run.ts";

const { engine, close } = await openEngine(log.child({ part: "engine" }));
onDrain(async () => {
  await engine.stop();
  await close();
});
await engine.start();
log.info({ part: "engine", id: engine.id }, "the engine runs");
