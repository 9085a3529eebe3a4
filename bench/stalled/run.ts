/**
 * One of two engines is stopped (SIGSTOP) for a minute while tasks are polled, started and answered, and then
 * continues. Tests the effects of its held database locks and of its pending writes.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { clock } from "../child.ts";
import type { Figure } from "../figure.ts";
import { fillWithQuestions, startTwo } from "../fleet/asking.ts";
import { refusedSteps, tookUntil, watched } from "../fleet/leases.ts";
import { longest, notDone, outcome, p, traffic } from "../fleet/traffic.ts";
import { withStage } from "../fleet/with-stage.ts";

const PORTS = 50;
const CONNECTIONS = 200;
const EVERY_MS = 100;
const STALLED_MS = 60_000;
const QUESTIONS = 900;

export async function run(): Promise<Figure[]> {
  return withStage(PORTS, async (stage, servers) => {
    const scene = await fillWithQuestions(stage, servers, { connections: CONNECTIONS, questions: QUESTIONS });
    const { engines } = await startTwo(stage, scene);
    const [, stalls] = engines;
    const [first, second] = await watched(stage);
    if (!stalls || !first || !second) throw new Error("there are no two engines");

    const stop = new AbortController();
    const doing = traffic(stage, { ...scene, everyMs: EVERY_MS, signal: stop.signal });
    await sleep(8_000);
    const stalledAt = clock();
    stalls.freeze();
    const took = await tookUntil("the other one has all", async () => {
      const now = await watched(stage);
      return now.find(({ engine }) => engine === first.engine)?.connections === CONNECTIONS;
    });
    await sleep(stalledAt + STALLED_MS - clock());
    const wokenAt = clock();
    stalls.thaw();
    await sleep(12_000);
    stop.abort();
    const result = await outcome(servers, await doing);
    const all = [...result.answers, ...result.starts];
    const within = (from: number, to: number) => all.filter(({ at }) => at >= from && at < to);
    const before = within(0, stalledAt - 1_000);
    const taken = stalledAt + took;
    // Throws if the engine has exited.
    stalls.memory();
    return [
      {
        what: "takeover of 100 of 200 leases of a stalled engine",
        value: took / 1_000,
        unit: "s",
        goal: { atMost: 15 },
      },
      { what: "answer or start at the server, p50 before", value: p(0.5, before), unit: "ms" },
      { what: "answer or start at the server, longest before", value: longest(before), unit: "ms" },
      {
        what: "longest when it stalls",
        value: longest(within(stalledAt - 1_000, taken)) / 1_000,
        unit: "s",
        goal: { atMost: 15 },
      },
      { what: "longest when the other one has all", value: longest(within(taken, wokenAt)), unit: "ms" },
      {
        what: "longest when it goes on",
        value: longest(within(wokenAt, Number.POSITIVE_INFINITY)),
        unit: "ms",
      },
      {
        what: "steps of it that were refused when it went on",
        value: await refusedSteps(stage, second.engine),
        unit: "",
      },
      ...notDone(result),
    ];
  });
}
