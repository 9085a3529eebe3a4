/** A child of aside.ts: calls one function of one module, again and again, until its parent ends. */
import { Worker } from "node:worker_threads";

const [module = "", name = "", mostMs = ""] = process.argv.slice(2);
const work = (await import(module))[name] as (...args: unknown[]) => unknown;

/** The processor time in µs at which the current call is killed; 0 if none runs. */
const end = new Float64Array(new SharedArrayBuffer(8));
const spent = () => Object.values(process.cpuUsage()).reduce((sum, each) => sum + each);

// On a thread of its own, since a call may never come back. One whose parent is gone would go on for ever.
new Worker(
  `const { workerData: { end, parent } } = require("node:worker_threads");
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    if ((end[0] > 0 && user + system > end[0]) || process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  }, 50);`,
  { eval: true, workerData: { end, parent: process.ppid } },
).unref();

// A terminal's signals are for the parent.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
process.on("disconnect", () => process.exit());
process.on("message", async (args: unknown[]) => {
  end[0] = spent() + Number(mostMs) * 1000;
  try {
    process.send?.({ value: await work(...args) });
  } catch (error) {
    process.send?.({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  end[0] = 0;
});
process.send?.({ ready: true });
