/** `node scripts/run.mjs <script> [arguments]`: prepares this folder and runs the script, if given. */
import { bootstrap } from "./bootstrap.mjs";

await bootstrap(process.argv[2], { args: process.argv.slice(3) });
