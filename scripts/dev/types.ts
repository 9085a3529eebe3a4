/** Says which types are wrong, now and after every change. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { onDrain } from "../../lib/base/process/lifecycle.ts";

// One checker takes half the memory of four, and is as fast on two cores.
const args = ["--noEmit", "--watch", "--preserveWatchOutput", "--pretty", "false", "--checkers", "1"];
// Next writes types of routes there whenever it compiles a page.
args.push("--excludeDirectories", ".next");
const tsc = spawn(process.execPath, ["node_modules/typescript/bin/tsc", ...args], {
  stdio: ["ignore", "inherit", "inherit"],
});
const ended = once(tsc, "exit");
// A page that is asked for meanwhile goes first.
if (tsc.pid) setPriority(tsc.pid, 10);
onDrain(async () => {
  // tsc would finish what it does after a milder signal.
  tsc.kill("SIGKILL");
  await ended;
});
await ended;
process.exit(1);
