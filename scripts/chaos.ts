/**
 * `npm run chaos -- --minutes N --seed S [--tasks T] [--samples K] [--pace P] [--slack]`: see docs/chaos.md. Exits 1
 * unless nothing was lost.
 */
import { parseArgs } from "node:util";
import { isGood } from "../test/chaos/judgement.ts";
import { runChaos } from "../test/chaos/run.ts";
import { findings, table } from "../test/chaos/table.ts";
import { build } from "./build/build.ts";
import { killSteps } from "./child.ts";

/** 500 tasks in 20 minutes. */
const TASKS_A_MINUTE = 25;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
    tasks: { type: "string" },
    samples: { type: "string", default: "3" },
    pace: { type: "string", default: "1" },
    slack: { type: "boolean", default: false },
  },
});
const minutes = number("minutes", values.minutes);
const seed = number("seed", values.seed);
const tasks = number("tasks", values.tasks ?? String(Math.ceil(minutes * TASKS_A_MINUTE)));
const samples = number("samples", values.samples);
const pace = number("pace", values.pace);

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    if (stop.signal.aborted) return;
    say("Stopping …");
    stop.abort(new Error("Stopped."));
    killSteps();
  });

try {
  await build(say);
  const { account, evidence } = await runChaos({
    minutes,
    seed,
    tasks,
    samples,
    pace,
    hasSlack: values.slack,
    say,
    signal: stop.signal,
  });
  say(`\n${table(account)}\n`);
  say(
    `The same seed plans the same kills and faults (--minutes ${minutes} --seed ${seed} --tasks ${tasks} --samples ${samples} --pace ${pace}${values.slack ? " --slack" : ""}).`,
  );
  say("How they meet the work that goes on is up to the machine, and differs from run to run.");
  if (evidence) say(`\n${findings(account.judgement)}\n\nLogs and evidence: ${evidence}`);
  process.exitCode = isGood(account.judgement) ? 0 : 1;
} catch (error) {
  say(stop.signal.aborted ? "Stopped." : String((error as Error).stack));
  process.exitCode = 1;
}
process.exit();

function number(name: string, text: string): number {
  const value = Number(text);
  if (text !== "" && Number.isFinite(value) && value > 0) return value;
  say(`--${name} is not a number above 0: ${text}`);
  process.exit(2);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
