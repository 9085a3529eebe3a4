/**
 * The cost of watching: the real engine in its own process on a real Postgres, at a server with nothing new
 * to report, and other clients at the same work in the same run. The server counts the polls; the kernel
 * measures the CPU.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Figure } from "../figure.ts";
import { type MeasuredEngine, startMeasuredEngine } from "../hot-path/engine.ts";
import { createScene, type Scene } from "../hot-path/scene.ts";
import { type SimulatedServer, startSimulated } from "../hot-path/simulated.ts";
import { difference, measure, untilEven, type Window, type Writes, writesSoFar } from "../hot-path/watch.ts";
import { type Rival, runRival } from "./rivals.ts";

const POLL_MS = 5_000;
const SECONDS = 15;
const IDLE_SECONDS = 8;

export async function run(): Promise<Figure[]> {
  const scene = await createScene();
  const server = await startSimulated({ pollMs: POLL_MS });
  const engine = await startMeasuredEngine(scene.fixture.engineEnvironment);
  const measured = await measureAll(scene, engine, server).finally(async () => {
    await engine.stop();
    await scene.close();
  });
  const others: Record<string, number> = {};
  for (const [name, rival] of Object.entries(RIVALS)) others[name] = await rivalAt(server, rival);
  await server.stop();
  return figures(measured, others);
}

async function measureAll(scene: Scene, engine: MeasuredEngine, server: SimulatedServer) {
  const idle = await whileIdle(scene, engine);
  const ten = await watch(scene, engine, server, 10_000);
  return { idle, ten, fifty: await watch(scene, engine, server, 50_000) };
}

/** An engine without tasks: the cost of its own jobs, per second. */
interface Idle {
  core: number;
  writes: Writes;
}

async function whileIdle(scene: Scene, engine: MeasuredEngine): Promise<Idle> {
  await pause(3_000);
  const [before, cpuFrom] = [await writesSoFar(scene.admin), engine.cpuMs()];
  await pause(IDLE_SECONDS * 1_000);
  const writes = difference(await writesSoFar(scene.admin), before);
  return {
    core: (engine.cpuMs() - cpuFrom) / (IDLE_SECONDS * 1_000),
    writes: {
      transactions: writes.transactions / IDLE_SECONDS,
      rows: writes.rows / IDLE_SECONDS,
      walBytes: writes.walBytes / IDLE_SECONDS,
    },
  };
}

let watched = 0;

/** Adds tasks until there are `tasks`, and measures a window. */
async function watch(
  scene: Scene,
  engine: MeasuredEngine,
  server: SimulatedServer,
  tasks: number,
): Promise<Window> {
  await scene.addTasks(tasks - watched, server.urls, "2026-07-28", POLL_MS);
  watched = tasks;
  await untilEven(server, tasks, POLL_MS);
  return measure(engine, server, scene.admin, SECONDS);
}

/** Rivals at the same pace; the official clients at half of it, because they could not keep it. */
const RIVALS: Record<string, { rival: Rival; tasks: number }> = {
  "raw undici": { rival: "undici", tasks: 10_000 },
  "@modelcontextprotocol/client": { rival: "client", tasks: 5_000 },
  "ext-tasks": { rival: "extTasks", tasks: 5_000 },
  "@modelcontextprotocol/sdk": { rival: "sdk", tasks: 5_000 },
};

async function rivalAt(server: SimulatedServer, { rival, tasks }: { rival: Rival; tasks: number }) {
  const url = server.urls[0] as string;
  const { cpuUsPerPoll } = await runRival({ rival, url, tasks, pollMs: POLL_MS, seconds: 6, turnMs: 10 });
  return cpuUsPerPoll;
}

interface Measured {
  idle: Idle;
  ten: Window;
  fifty: Window;
}

function figures({ idle, ten, fifty }: Measured, others: Record<string, number>): Figure[] {
  const own = (window: Window) => ({
    rows: (window.writes.rows - idle.writes.rows * window.seconds) / window.polls,
    walBytes: (window.writes.walBytes - idle.writes.walBytes * window.seconds) / window.polls,
  });
  return [
    {
      what: "CPU of an unchanged poll, paced, HTTP",
      value: ten.cpuUsPerPoll,
      unit: "µs",
      goal: { atMost: 100 },
      beside: others,
    },
    {
      what: "database writes for it",
      // The engine writes one row per connection at intervals, for all its polls: less than 1/200 of a row
      // per poll rounds to 0.
      value: Math.max(0, Math.round(own(ten).rows * 100) / 100),
      unit: "rows",
      goal: { atMost: 0 },
    },
    { what: "the same, not rounded", value: own(ten).rows, unit: "rows" },
    { what: "WAL of it", value: Math.max(0, own(ten).walBytes), unit: "bytes" },
    { what: "10,000 open tasks at 5 s: polls", value: ten.polls / ten.seconds, unit: "/s" },
    {
      what: "10,000 open tasks at 5 s in one engine process",
      value: ten.core * 100,
      unit: "% of a core",
      goal: { atMost: 25 },
    },
    { what: "10,000 at 5 s: lateness p99", value: ten.lateMs.p99, unit: "ms", goal: { atMost: 50 } },
    { what: "10,000 at 5 s: lateness p50", value: ten.lateMs.p50, unit: "ms" },
    { what: "50,000 open tasks at 5 s: polls", value: fifty.polls / fifty.seconds, unit: "/s" },
    { what: "50,000 open tasks at 5 s: CPU", value: fifty.core * 100, unit: "% of a core" },
    { what: "50,000 open tasks at 5 s: CPU of a poll", value: fifty.cpuUsPerPoll, unit: "µs" },
    {
      what: "50,000 open tasks at 5 s: lateness p99",
      value: fifty.lateMs.p99,
      unit: "ms",
      goal: { atMost: 250 },
    },
    { what: "an engine without tasks: CPU", value: idle.core * 100, unit: "% of a core" },
    { what: "an engine without tasks: rows written", value: idle.writes.rows, unit: "/s" },
    { what: "an engine without tasks: transactions", value: idle.writes.transactions, unit: "/s" },
  ];
}
