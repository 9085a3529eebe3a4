/**
 * `npm run bench [-- part …] [--runs 1] [--json bench-results.json]`: measures Intray's targets
 * (docs/performance.md), each part in its own process, one after the other. Prints a table and writes JSON;
 * of several runs the medians. Exits with 1 if a goal is missed. Reports the machine's load: on a busy
 * machine only the ratios are meaningful.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Figure, medians, meets } from "./figure.ts";
import { killGroup } from "./kill-group.ts";
import { PARTS } from "./parts.ts";
import { table } from "./table.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "1" },
    json: { type: "string", default: "bench-results.json" },
  },
});
const unknown = positionals.find((name) => !PARTS.some((part) => part.name === name));
if (unknown) {
  console.error(`There is no part "${unknown}". There are: ${PARTS.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const RUN_PART = fileURLToPath(new URL("./run-part.ts", import.meta.url));

/** Ends the running part with all its processes and data; does nothing between parts. */
let endPart = () => {};
process.on("exit", () => endPart());
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));

/**
 * Runs a part in its own process group, with a folder for its data: neither outlives the part, whoever kills
 * it.
 */
async function runPart(name: string): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "intray-bench-"));
  // Postgres may run as another user.
  chmodSync(folder, 0o711);
  const child = spawn(process.execPath, ["--expose-gc", RUN_PART, name], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    detached: true,
    env: { ...process.env, TMPDIR: folder },
  });
  endPart = () => {
    endPart = () => {};
    killGroup(child.pid as number);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  let figures: Figure[] | null = null;
  child.on("message", (message) => {
    figures = message as Figure[];
  });
  const [code, signal] = await once(child, "exit");
  endPart();
  if (code !== 0 || figures === null) throw new Error(`The part ${name} failed (${code ?? signal})`);
  return figures;
}

const chosen = PARTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const results: { part: string; figures: Figure[]; load: number }[] = [];
for (const { name, about } of chosen) {
  console.log(`\n── ${name}: ${about}`);
  const runs: Figure[][] = [];
  for (let run = 0; run < Number(values.runs); run++) runs.push(await runPart(name));
  const figures = medians(runs);
  results.push({ part: name, figures, load: loadavg()[0] ?? 0 });
  console.log(table(figures));
}

const machine = { cores: availableParallelism(), model: cpus()[0]?.model, node: process.version };
const report = { at: new Date().toISOString(), runs: Number(values.runs), machine, results };
writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
const all = results.flatMap(({ figures }) => figures);
const missed = all.filter((figure) => meets(figure) === false);
console.log(
  `\n${all.filter((figure) => meets(figure)).length} goals met, ${missed.length} missed. ` +
    `Load ${loadavg()[0]?.toFixed(1)} on ${machine.cores} cores. Written to ${values.json}.`,
);
process.exit(missed.length === 0 ? 0 : 1);
