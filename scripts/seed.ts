/**
 * `npm run seed -- --requests N [--organization acme] [--settled N] [--server name] [--yes]`: fills an inbox
 * with believable requests, to try out a full one. `npm run seed -- --tasks N [--organization acme] [--yes]`:
 * fills the overview and the task monitor with a month of tasks, three of which are stuck. `npm run seed --
 * --remove [--organization acme]`: removes all seeded data, and nothing else. Works whether or not Intray
 * runs.
 */
import { runSeed } from "./seed/run-seed.ts";

process.exitCode = await runSeed(process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
