/**
 * The engine's memory per watched task, per stream and per origin: the growth from fewer to more of them, in
 * one engine. Tasks by the heap after a collection; streams and origins by resident memory, because sockets
 * live outside the heap.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Era } from "../../lib/mcp/peer.ts";
import type { Figure } from "../figure.ts";
import { startMeasuredEngine } from "../hot-path/engine.ts";
import { createScene } from "../hot-path/scene.ts";
import { startSimulated } from "../hot-path/simulated.ts";
import { untilEven } from "../hot-path/watch.ts";

const KIB = 1_024;
/** A long interval, so that the figures show held memory rather than garbage. */
const POLL_MS = 20_000;
/** V8 returns the memory of the first polls gradually. */
const SETTLE_MS = 20_000;
const PER_ORIGIN = 5;

export async function run(): Promise<Figure[]> {
  const task = await growth({ tasks: [5_000, 15_000], era: "2026-07-28" });
  const stream = await growth({ tasks: [1_000, 3_000], era: "2025-11-25", streams: true });
  // Many origins, because other work varies the figure by 20 MB.
  const origin = await growth({ tasks: [2_000, 20_000], era: "2026-07-28", perOrigin: PER_ORIGIN });
  return [
    { what: "memory a watched task", value: task.heap / KIB, unit: "KiB", goal: { atMost: 1 } },
    { what: "the same, with what is outside of the heap", value: task.ram / KIB, unit: "KiB" },
    {
      what: "memory a held stream",
      value: (stream.ram - task.heap) / KIB,
      unit: "KiB",
      goal: { atMost: 32 },
    },
    {
      what: "memory an origin",
      value: (origin.ram - PER_ORIGIN * task.heap) / KIB,
      unit: "KiB",
      goal: { atMost: 64 },
    },
  ];
}

interface Kind {
  /** The number of tasks before and after the growth. */
  tasks: [from: number, to: number];
  era: Era;
  streams?: boolean;
  /** Tasks per origin; by default all tasks are at one. */
  perOrigin?: number;
}

/** Returns bytes per additional task, or per additional origin if `perOrigin` is given. */
async function growth({
  tasks,
  era,
  streams = false,
  perOrigin,
}: Kind): Promise<{ heap: number; ram: number }> {
  const [from, to] = tasks;
  const origins = perOrigin ? to / perOrigin : 1;
  const scene = await createScene();
  const server = await startSimulated({ pollMs: POLL_MS, streams, origins });
  const engine = await startMeasuredEngine(scene.fixture.engineEnvironment, { inspected: true });
  const read = async (count: number) => {
    await untilEven(server, count, POLL_MS);
    await engine.inspector?.memory();
    await pause(SETTLE_MS);
    return (await engine.inspector?.memory()) ?? { heapUsed: 0, external: 0, rss: 0 };
  };
  const first = perOrigin ? from / perOrigin : 1;
  const grow = async () => {
    await scene.addTasks(from, server.urls.slice(0, first), era, POLL_MS);
    const before = await read(from);
    await scene.addTasks(to - from, perOrigin ? server.urls.slice(first) : server.urls, era, POLL_MS);
    return { before, after: await read(to) };
  };
  const { before, after } = await grow().finally(async () => {
    await engine.stop();
    await server.stop();
    await scene.close();
  });
  const more = perOrigin ? origins - first : to - from;
  return { heap: (after.heapUsed - before.heapUsed) / more, ram: (after.rss - before.rss) / more };
}
