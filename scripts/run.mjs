/** `node scripts/run.mjs <script> [arguments]`: prepares this folder and runs the script, if given. */
import { bootstrap } from "./bootstrap.mjs";

/** They have children of their own, and end them when the channel says that this process was killed outright. */
const SUPERVISORS = ["scripts/supervise.ts", "scripts/dev/dev.ts"];

const [script, ...args] = process.argv.slice(2);
await bootstrap(script, { args, channel: SUPERVISORS.includes(script ?? "") });
