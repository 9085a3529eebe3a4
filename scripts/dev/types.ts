/** Says which types are wrong, now and after every change. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { onDrain } from "../../lib/base/lifecycle.ts";

// One checker takes a third of the memory of four, and is as fast on two cores.
const args = ["--noEmit", "--watch", "--preserveWatchOutput", "--pretty", "false", "--checkers", "1"];
// Next writes types of routes there whenever it compiles a page.
args.push("--excludeDirectories", ".next");
const tsc = spawn(process.execPath, ["node_modules/typescript/bin/tsc", ...args], {
  stdio: ["ignore", "inherit", "inherit"],
});
const ended = once(tsc, "exit");
onDrain(async () => {
  // It writes nothing, and takes its time over a milder signal.
  tsc.kill("SIGKILL");
  await ended;
});
await ended;
process.exit(1);
