/** Two engines are restarted one after the other while tasks are polled, started and answered. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../figure.ts";
import { batches, tookUntil, watched } from "../fleet/leases.ts";
import { longest, outcome, p, traffic } from "../fleet/traffic.ts";
import { withStage } from "../fleet/with-stage.ts";

const PORTS = 50;
const CONNECTIONS = 200;
const EVERY_MS = 100;
const QUESTIONS = 450;

export async function run(): Promise<Figure[]> {
  return withStage(PORTS, async (stage, servers) => {
    const ola = await stage.organization("acme");
    const urls = Array.from({ length: CONNECTIONS }, (_, at) => servers.urls[at % PORTS] ?? "");
    const places = await stage.places(ola, urls);
    await stage.seed(ola, places, "rest", 2_000);
    const everywhere = Array.from(
      { length: QUESTIONS },
      (_, at) => places[at % CONNECTIONS] as (typeof places)[0],
    );
    const asking: string[] = [];
    for (const some of batches(everywhere, 200)) asking.push(...(await stage.seed(ola, some, "ask", 2_000)));
    const first = await stage.engine();
    await tookUntil("all questions are here", async () => {
      const { rows } = await stage.admin.query(
        "SELECT count(*)::integer AS n FROM input_request WHERE state = 'open'",
      );
      return rows[0].n === QUESTIONS;
    });

    const second = await stage.engine();
    const even = await tookUntil("both have as many", async () => {
      const counts = (await watched(stage)).map(({ connections }) => connections);
      return Math.max(...counts) - Math.min(...counts) <= CONNECTIONS / 20 && sum(counts) === CONNECTIONS;
    });

    const stop = new AbortController();
    const doing = traffic(stage, ola, { asking, places, everyMs: EVERY_MS, signal: stop.signal });
    await sleep(10_000);
    const begun = performance.timeOrigin + performance.now();
    const drained: number[] = [];
    for (const engine of [first, second]) {
      const began = performance.now();
      await engine.drain();
      drained.push(performance.now() - began);
      await stage.engine();
      await sleep(8_000);
    }
    const over = performance.timeOrigin + performance.now();
    await sleep(2_000);
    stop.abort();
    const { answers, starts, lost, doubled } = await outcome(servers, await doing);
    const before = answers.filter(({ at }) => at < begun - 2_000);
    const during = answers.filter(({ at }) => at >= begun && at < over);
    return [
      { what: "200 leases evened out when a second engine starts", value: even / 1000, unit: "s" },
      { what: "answer at the server, p50 before the restart", value: p(0.5, before), unit: "ms" },
      { what: "answer at the server, longest before the restart", value: longest(before), unit: "ms" },
      { what: "answer at the server, p99 during the restart", value: p(0.99, during), unit: "ms" },
      {
        what: "answer at the server, longest during the restart",
        value: longest(during),
        unit: "ms",
        goal: { atMost: 2_000 },
      },
      {
        what: "start at the server, longest during the restart",
        value: longest(starts.filter(({ at }) => at >= begun && at < over)),
        unit: "ms",
      },
      { what: "an engine with 100 leases drains", value: Math.max(...drained), unit: "ms" },
      { what: "answers and starts of the run", value: answers.length + starts.length, unit: "" },
      { what: "lost", value: lost, unit: "", goal: { atMost: 0 } },
      { what: "doubled", value: doubled, unit: "", goal: { atMost: 0 } },
    ];
  });
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
