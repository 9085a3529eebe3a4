/**
 * `npm run check:failover -- --failovers N --mode sync|async --seed S`: see docs/failover.md. Exits 1 unless nothing was lost
 * (sync), and nothing was done twice.
 */
import { parseArgs } from "node:util";
import { findings } from "../test/chaos/table.ts";
import { findPrograms } from "../test/failover/programs.ts";
import { runFailovers } from "../test/failover/run.ts";
import { failoverTable, faultsOf } from "../test/failover/table.ts";
import { build } from "./build/build.ts";
import { killSteps } from "./child.ts";

const { values } = parseArgs({
  options: {
    failovers: { type: "string", default: "10" },
    mode: { type: "string", default: "sync" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
  },
});
const failovers = number("failovers", values.failovers);
const seed = number("seed", values.seed);
const { mode } = values;

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    if (stop.signal.aborted) return;
    say("Stopping …");
    stop.abort(new Error("Stopped."));
    killSteps();
  });

try {
  if (mode !== "sync" && mode !== "async") throw new Error(`--mode is sync or async: ${mode}`);
  const programs = findPrograms();
  await build(say);
  const { account, evidence } = await runFailovers({
    failovers,
    mode,
    seed,
    programs,
    say,
    signal: stop.signal,
  });
  say(`\n${failoverTable(account)}\n`);
  if (evidence) say(`${findings(account.chaos.judgement)}\n\nLogs and evidence: ${evidence}`);
  const { lost, doubled, misdirected } = account.verdict;
  for (const id of [...lost, ...doubled, ...misdirected]) say(`  decision of request ${id}`);
  const faults = faultsOf(account).filter(([, count]) => count > 0);
  for (const [name, count] of faults) say(`Failed: ${name}: ${count}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} catch (error) {
  const { name, message, stack } = error as Error;
  say(stop.signal.aborted ? "Stopped." : name === "ConfigurationError" ? message : String(stack));
  process.exitCode = 1;
}
process.exit();

function number(name: string, text: string): number {
  const value = Number(text);
  if (text !== "" && Number.isInteger(value) && value > 0) return value;
  say(`--${name} is not a whole number above 0: ${text}`);
  process.exit(2);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
