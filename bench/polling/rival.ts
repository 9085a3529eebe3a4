/**
 * Other clients at the same work, in their own process: the same number of tasks of a 2025-11-25 server,
 * polled evenly at the same interval; each client parses replies in its own way and compares them with the
 * previous ones. Reports its CPU per poll.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Pool } from "undici";
import { z } from "zod";
import type { Rival, RivalReport, RivalTask } from "./rivals.ts";

const task = JSON.parse(process.argv[2] ?? "") as RivalTask;
const url = new URL(task.url);
const INFO = { name: "bench", version: "1.0.0" };

/** Polls a task once. */
type Ask = (taskId: string) => Promise<unknown>;

const rivals: Record<Rival, () => Promise<Ask>> = {
  async undici() {
    const pool = new Pool(url.origin, { connections: 64 });
    const headers = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2025-11-25",
    };
    let id = 0;
    return async (taskId) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method: "tasks/get", params: { taskId } });
      const reply = await pool.request({ method: "POST", path: url.pathname, headers, body });
      return reply.body.text();
    };
  },
  async client() {
    const client = new Client(INFO, { capabilities: {} });
    await client.connect(new StreamableHTTPClientTransport(url));
    const anything = z.looseObject({ status: z.string() });
    return (taskId) => client.request({ method: "tasks/get", params: { taskId } } as never, anything);
  },
  async extTasks() {
    const client = new Client(INFO, { capabilities: {} });
    await client.connect(new StreamableHTTPClientTransport(url));
    const session = createTaskSessionFromClient(client, { endpointId: "bench" });
    return (taskId) => session.task(taskId as never).snapshot();
  },
  async sdk() {
    const client = new OldClient(INFO, { capabilities: {} });
    await client.connect(new OldTransport(url) as never);
    return (taskId) => client.experimental.tasks.getTask(taskId);
  },
};

const ask = await rivals[task.rival]();
const taskIds = Array.from(
  { length: task.tasks },
  (_, at) => `${String(at).padStart(12, "0")}-5a1e-4c55-9d0e-7be1`,
);
const last = new Map<string, string>();
let polls = 0;
let failed = 0;

/** Polls the tasks that are due, every `turnMs`, with the engine's limit of 64 concurrent polls. */
async function watch(ms: number): Promise<void> {
  const from = performance.now();
  const aMs = task.tasks / task.pollMs;
  let asked = 0;
  let underWay = 0;
  for (let now = from; now < from + ms; now = performance.now()) {
    for (; asked < (now - from) * aMs && underWay < 64; asked++) {
      const taskId = taskIds[asked % taskIds.length] as string;
      underWay++;
      ask(taskId)
        .then((reply) => {
          last.set(taskId, typeof reply === "string" ? reply : JSON.stringify(reply));
          polls++;
        })
        .catch(() => failed++)
        .finally(() => underWay--);
    }
    await pause(task.turnMs);
  }
}

await watch(2_000);
const before = process.cpuUsage();
polls = 0;
await watch(task.seconds * 1_000);
const { user, system } = process.cpuUsage(before);
const report: RivalReport = { polls, failed, cpuUsPerPoll: (user + system) / Math.max(1, polls) };
process.send?.(report, () => process.exit(0));
