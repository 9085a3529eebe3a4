/**
 * Proves the dashboard and the alert rules on a running installation: `npm run check:ops`. Starts Intray, and a
 * Prometheus (Debian: apt-get install prometheus) that scrapes it; asks every query of the dashboard, makes every alert
 * fire, and prints what came of it. Takes some ten minutes. Fails where a query has no data or an alert stays silent.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type Prometheus, startPrometheus } from "./prometheus.ts";
import { type Scene, setTheScene, TOKEN } from "./scene.ts";
import { TROUBLES, type Trouble } from "./troubles.ts";

const PATIENCE_MS = 420_000;

const dashboardSchema = z.object({
  panels: z.array(
    z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).default([]) }),
  ),
});

const say = (text: string) => process.stdout.write(`${text}\n`);
const wrong: string[] = [];
const scene = await setTheScene();
const prometheus = await startPrometheus(new URL(scene.intray.url).host, TOKEN);
try {
  await work(scene);
  await askDashboard(prometheus);
  say("\n| alert | how it was provoked | fired after | value |\n| --- | --- | ---: | ---: |");
  for (const trouble of TROUBLES) await provoke(trouble);
  const known = new Set(TROUBLES.map(({ alert }) => alert));
  for (const { alert } of prometheus.rules)
    if (!known.has(alert)) wrong.push(`nothing here provokes ${alert}`);
} finally {
  await prometheus.stop();
  await scene.close();
}
for (const line of wrong) say(`WRONG ${line}`);
process.exitCode = wrong.length > 0 ? 1 : 0;

/** Something of everything, while Prometheus looks. */
async function work({ ask, answer, servers }: Scene): Promise<void> {
  for (let round = 0; round < 6; round++) {
    await answer(await ask(servers.fine));
    await sleep(2_000);
  }
  // What is counted from history comes a few seconds later.
  await sleep(10_000);
}

async function askDashboard({ query }: Prometheus): Promise<void> {
  const { panels } = dashboardSchema.parse(JSON.parse(readFileSync("ops/grafana/intray.json", "utf8")));
  say("\n| panel | series | now |\n| --- | ---: | ---: |");
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      const values = await query(expr.replaceAll("$__rate_interval", "1m"));
      say(`| ${title} | ${values.length} | ${short(values)} |`);
      if (values.length === 0) wrong.push(`no data for "${title}": ${expr}`);
    }
  }
}

async function provoke({ alert, what, make, meanwhile }: Trouble): Promise<void> {
  const rule = prometheus.rules.find((one) => one.alert === alert);
  const began = performance.now();
  let end: () => Promise<unknown> = async () => {};
  try {
    if (!rule) throw new Error("there is no such rule");
    end = await make(scene);
    let values: number[] = [];
    while (!(await prometheus.firing()).has(alert)) {
      if (performance.now() - began > PATIENCE_MS) throw new Error("it did not fire");
      await meanwhile?.(scene);
      await sleep(200);
      values = await prometheus.query(rule.expr);
    }
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    say(`| ${alert} | ${what} | ${seconds} s | ${short(values)} |`);
  } catch (error) {
    wrong.push(`${alert}: ${(error as Error).message}`);
    say(`| ${alert} | ${what} | – | – |`);
  } finally {
    await end();
  }
}

function short(values: number[]): string {
  const shown = values.slice(0, 3).map((value) => String(Number(value.toPrecision(3))));
  return values.length > 3 ? `${shown.join(", ")}, …` : shown.join(", ");
}
