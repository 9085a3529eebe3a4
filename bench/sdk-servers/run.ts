/**
 * The same watching at servers on the official packages, in their own process, to confirm the lean server's
 * figures: 1,000 tasks, polled every two seconds.
 */
import { fileURLToPath } from "node:url";
import type { Era } from "../../lib/mcp/peer.ts";
import type { Figure } from "../figure.ts";
import { startMeasuredEngine } from "../hot-path/engine.ts";
import { createScene } from "../hot-path/scene.ts";
import { startSimulated } from "../hot-path/simulated.ts";
import { measure, untilEven } from "../hot-path/watch.ts";

const TASKS = 1_000;
const POLL_MS = 2_000;
const SECONDS = 15;
const SERVERS: [name: string, era: Era, file: string | undefined][] = [
  ["the lean server", "2026-07-28", undefined],
  ["@modelcontextprotocol/server 2.4", "2026-07-28", "modern.ts"],
  ["the lean server", "2025-11-25", undefined],
  ["@modelcontextprotocol/sdk 1.32, a session a task", "2025-11-25", "sessions.ts"],
];

export async function run(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, era, file] of SERVERS)
    figures.push(
      ...(await watch(`${name}, ${era}`, era, file && fileURLToPath(new URL(file, import.meta.url)))),
    );
  return figures;
}

async function watch(name: string, era: Era, file: string | undefined): Promise<Figure[]> {
  const scene = await createScene();
  const server = await startSimulated({ pollMs: POLL_MS, streams: true }, file);
  const engine = await startMeasuredEngine(scene.fixture.engineEnvironment);
  try {
    await scene.addTasks(TASKS, server.urls, era, POLL_MS);
    await untilEven(server, TASKS, POLL_MS);
    const { polls, seconds, cpuUsPerPoll, core, lateMs, rss } = await measure(
      engine,
      server,
      scene.admin,
      SECONDS,
    );
    return [
      { what: `${name}: polls`, value: polls / seconds, unit: "/s" },
      { what: `${name}: CPU of a poll`, value: cpuUsPerPoll, unit: "µs" },
      { what: `${name}: CPU`, value: core * 100, unit: "% of a core" },
      { what: `${name}: lateness p50`, value: lateMs.p50, unit: "ms" },
      { what: `${name}: lateness p99`, value: lateMs.p99, unit: "ms" },
      { what: `${name}: memory of the engine`, value: rss / 1_024 ** 2, unit: "MiB" },
    ];
  } finally {
    await engine.stop();
    await server.stop();
    await scene.close();
  }
}
