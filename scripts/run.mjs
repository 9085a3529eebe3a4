/**
 * `node scripts/run.mjs <script> [arguments]`: prepares this folder and runs a script; without one it only
 * prepares.
 */
import { bootstrap } from "./bootstrap.mjs";

await bootstrap(process.argv[2], { args: process.argv.slice(3) });
