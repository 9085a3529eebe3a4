/** Postgres is killed with -9 and started again while tasks are polled, started and answered by two engines. */
import { setTimeout as sleep } from "node:timers/promises";
import { startKillablePostgres } from "../../lib/testing/killable-postgres.ts";
import type { Figure } from "../figure.ts";
import { batches, tookUntil } from "../fleet/leases.ts";
import { startServers } from "../fleet/servers.ts";
import { setStage } from "../fleet/stage.ts";
import { longest, outcome, p, traffic } from "../fleet/traffic.ts";

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
    const ola = await stage.organization("acme");
    const places = await stage.places(ola, servers.urls);
    await stage.seed(ola, places, "rest", 2_000);
    const everywhere = Array.from(
      { length: QUESTIONS },
      (_, at) => places[at % CONNECTIONS] as (typeof places)[0],
    );
    const asking: string[] = [];
    for (const some of batches(everywhere, 200)) asking.push(...(await stage.seed(ola, some, "ask", 2_000)));
    const engines = [await stage.engine(), await stage.engine()];
    await tookUntil("all questions are here", async () => {
      const { rows } = await stage.admin.query(
        "SELECT count(*)::integer AS n FROM input_request WHERE state = 'open'",
      );
      return rows[0].n === QUESTIONS;
    });

    const stop = new AbortController();
    const doing = traffic(stage, ola, { asking, places, everyMs: EVERY_MS, signal: stop.signal });
    const now = () => performance.timeOrigin + performance.now();
    await sleep(8_000);
    const first = now();
    const back: number[] = [];
    for (let outage = 0; outage < OUTAGES; outage++) {
      await postgres.kill();
      await sleep(AWAY_MS);
      await postgres.start();
      back.push(now());
      await sleep(12_000);
    }
    stop.abort();
    const { answers, starts, lost, doubled } = await outcome(servers, await doing);
    const before = answers.filter(({ at }) => at < first - 1_000);
    const after = [...answers, ...starts].filter(({ at }) => at >= first);
    // By when something that was committed before, during or just after the outage has reached its server.
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
      { what: "answers and starts of the run", value: answers.length + starts.length, unit: "" },
      { what: "lost", value: lost, unit: "", goal: { atMost: 0 } },
      { what: "doubled", value: doubled, unit: "", goal: { atMost: 0 } },
    ];
  } finally {
    await stage.close();
    await servers.close();
    await postgres.remove();
  }
}
