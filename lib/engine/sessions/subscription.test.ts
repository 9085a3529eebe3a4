/** Subscriptions of a connection, on a real server that supports them. */

import { randomBytes, randomUUID } from "node:crypto";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";
import { createDatabase } from "../../base/db/db.ts";
import { createNetwork, type Network } from "../../base/network/network.ts";
import { createSeal } from "../../base/seal.ts";
import { createPeer, openWire } from "../../mcp/connect.ts";
import { GrantAccess } from "../../servers/connections/access.ts";
import type { WatcherContext } from "../watcher/context.ts";
import type { WatchedTask } from "../watcher/watched-task.ts";
import { pollSoon, Subscription } from "./subscription.ts";

const remote = forFile(startTestServer);
let network: Network;
let woken: string[] = [];

beforeAll(async () => {
  remote.behave.subscribes = true;
  network = createNetwork({ allowHosts: [remote.hostAndPort], denyPorts: [] });
});
afterAll(async () => {
  await network.close();
});

const context = (): WatcherContext =>
  ({
    paused: false,
    log: pino({ level: "silent" }),
    peer: () => createPeer("2026-07-28", openWire({ url: remote.url, headers: {} }, network)),
    learn: () => undefined,
    taskByHandle: (id: string) => ({ id }) as WatchedTask,
    wake: (id: string) => void woken.push(id),
  }) as Partial<WatcherContext> as WatcherContext;

test("tasks beyond the first five hundred are told of too, and for a new one only the smallest stream is opened anew", async () => {
  let running = Array.from({ length: 501 }, (_, at) => `task ${at}`);
  const subscription = new Subscription(context(), () => running);
  const follows = (count: number[]) =>
    until(`streams of ${count} tasks`, async () => {
      for (const handle of running) subscription.follow(handle);
      const sizes = remote.subscriptions.taskIds.map(({ length }) => length).sort((a, b) => a - b);
      return JSON.stringify(sizes) === JSON.stringify(count);
    });
  try {
    await follows([1, 500]);
    await until("all are looked at", async () => new Set(woken).size === 501);
    woken = [];
    running = [...running.slice(1), "new"];
    await follows([2, 500]);
    await until("it is looked at", async () => woken.length > 0);
    expect(woken).toEqual(["new"]);
  } finally {
    subscription.close();
  }
});

test("a database that is away as a subscription is opened ends nothing: it is tried again later", async () => {
  // Nothing listens on this port.
  const db = createDatabase("postgres://nobody@127.0.0.1:9/none");
  const lines: string[] = [];
  const seal = createSeal([{ kid: "test", key: randomBytes(32) }]);
  const access = new GrantAccess({ db, network, seal }, randomUUID(), randomUUID());
  const endpoint = { url: remote.url, headers: {}, access };
  const ctx = {
    ...context(),
    log: pino({ level: "debug" }, { write: (line: string) => void lines.push(line) }),
    peer: () => createPeer("2026-07-28", openWire(endpoint, network)),
  };
  const subscription = new Subscription(ctx, () => ["task"]);
  try {
    subscription.follow("task");
    // vitest fails on an unhandled rejection, which would end the process.
    const line = await until("it says so", async () => lines.find((text) => text.includes("subscription")));
    expect(line).toContain("tokens can’t be read");
  } finally {
    subscription.close();
    await db.close();
  }
});

test("a notice is followed by a look at once; of many at a time come few", () => {
  const pauses: number[] = [];
  const ctx = { wake: (_: string, afterMs: number) => void pauses.push(afterMs) } as Partial<WatcherContext>;
  const task = { id: "t", polledAt: performance.now() } as WatchedTask;
  for (let n = 0; n < 5; n++) pollSoon(ctx as WatcherContext, task);
  expect(pauses[0]).toBe(0);
  for (const pause of pauses.slice(1)) {
    expect(pause).toBeGreaterThan(0);
    expect(pause).toBeLessThanOrEqual(250);
  }
});
