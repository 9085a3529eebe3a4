/** Two engines are restarted one after the other while they poll, start and answer tasks. */
import { setTimeout as sleep } from "node:timers/promises";
import { clock } from "../child.ts";
import type { Figure } from "../figure.ts";
import { fillWithQuestions, startTwo } from "../fleet/asking.ts";
import { longest, notDone, outcome, p, traffic } from "../fleet/traffic.ts";
import { withStage } from "../fleet/with-stage.ts";

const PORTS = 50;
const CONNECTIONS = 200;
const EVERY_MS = 100;
const QUESTIONS = 450;

export async function run(): Promise<Figure[]> {
  return withStage(PORTS, async (stage, servers) => {
    const scene = await fillWithQuestions(stage, servers, { connections: CONNECTIONS, questions: QUESTIONS });
    const { engines, evenMs } = await startTwo(stage, scene);

    const stop = new AbortController();
    const doing = traffic(stage, { ...scene, everyMs: EVERY_MS, signal: stop.signal });
    await sleep(10_000);
    const begun = clock();
    const drained: number[] = [];
    for (const engine of engines) {
      const began = clock();
      await engine.drain();
      drained.push(clock() - began);
      await stage.engine();
      await sleep(8_000);
    }
    const over = clock();
    await sleep(2_000);
    stop.abort();
    const result = await outcome(servers, await doing);
    const { answers, starts } = result;
    const before = answers.filter(({ at }) => at < begun - 2_000);
    const during = answers.filter(({ at }) => at >= begun && at < over);
    return [
      { what: "200 leases evened out when a second engine starts", value: evenMs / 1000, unit: "s" },
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
      ...notDone(result),
    ];
  });
}
