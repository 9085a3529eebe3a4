/** Postgres is killed with -9 and started again while two engines poll, start and answer tasks. */
import { setTimeout as sleep } from "node:timers/promises";
import { startKillablePostgres } from "../../test/setup/killable-postgres.ts";
import { clock } from "../child.ts";
import type { Figure } from "../figure.ts";
import { fillWithQuestions, startTwo } from "../fleet/asking.ts";
import { startServers } from "../fleet/servers.ts";
import { setStage } from "../fleet/stage.ts";
import { longest, notDone, outcome, p, traffic } from "../fleet/traffic.ts";

const CONNECTIONS = 50;
const EVERY_MS = 100;
const QUESTIONS = 600;
const AWAY_MS = 3_000;
const OUTAGES = 2;

export async function run(): Promise<Figure[]> {
  const postgres = await startKillablePostgres();
  const servers = await startServers(CONNECTIONS);
  const stage = await setStage();
  try {
    const scene = await fillWithQuestions(stage, servers, { connections: CONNECTIONS, questions: QUESTIONS });
    const { engines } = await startTwo(stage, scene);

    const stop = new AbortController();
    const doing = traffic(stage, { ...scene, everyMs: EVERY_MS, signal: stop.signal });
    await sleep(8_000);
    const first = clock();
    const back: number[] = [];
    for (let outage = 0; outage < OUTAGES; outage++) {
      await postgres.kill();
      await sleep(AWAY_MS);
      await postgres.start();
      back.push(clock());
      await sleep(12_000);
    }
    stop.abort();
    const result = await outcome(servers, await doing);
    const { answers, starts } = result;
    const before = answers.filter(({ at }) => at < first - 1_000);
    const after = [...answers, ...starts].filter(({ at }) => at >= first);
    // How long after the outage everything committed before, during or just after it has reached its server.
    const settled = after.map(({ at, ms }) => {
      const latest = back.filter((time) => time <= at + ms).at(-1) ?? at;
      return { ms: Math.max(0, at + ms - Math.max(at, latest)) };
    });
    for (const engine of engines) engine.memory();
    return [
      { what: "answer at the server, p50 before Postgres is killed", value: p(0.5, before), unit: "ms" },
      { what: "answer at the server, longest before", value: longest(before), unit: "ms" },
      {
        what: "answer or start at the server, p99 after Postgres is back",
        value: p(0.99, settled),
        unit: "ms",
      },
      {
        what: "answer or start at the server, longest after Postgres is back",
        value: longest(settled),
        unit: "ms",
      },
      ...notDone(result),
    ];
  } finally {
    await stage.close();
    await servers.close();
    await postgres.remove();
  }
}
