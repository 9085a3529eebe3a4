import { afterEach, beforeEach, expect, test } from "vitest";
import { tryServer } from "../changes/transitions.ts";
import { recordAnswer } from "../input-requests/transitions.ts";
import { createOAuthWorld, type OAuthWorld } from "../testing/oauth-world.ts";
import { tool } from "../testing/tool.ts";
import { until } from "../testing/world.ts";

let scene: OAuthWorld;
let world: OAuthWorld["world"];

beforeEach(async () => {
  scene = await createOAuthWorld();
  world = scene.world;
});
afterEach(() => scene.close());

const start = (connectionId: string, name: string) =>
  world.startTask({ serverId: scene.serverId, connectionId }, {}, tool(name));
const taskOf = (id: string) => world.within((tx) => tx.task.findFirstOrThrow({ where: { id } }));
/** Sooner than the least pause after so many failures. */
const isSoon = (id: string, state: string) =>
  until(`the task is ${state}`, async () => (await taskOf(id)).state === state, 25_000);
const stateIs = (id: string, state: string) =>
  until(`the connection is ${state}`, async () => (await scene.grant(id)).state === state);
/** Held, until the returned function is called. */
function hold(method: string, status: number) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  scene.remote.behave.holds = (asked, answered) =>
    asked === method && answered === status ? released : undefined;
  return () => release();
}

test("more rights that somebody gives while a call is being refused for want of them are used at once", async () => {
  scene.remote.behave.needs = (method) => (method === "tools/call" ? "mcp:admin" : null);
  const id = await scene.connect();
  await world.startEngine();
  const first = await start(id, "quick");
  await stateIs(id, "needs_scope");
  const release = hold("tools/call", 403);
  const second = await start(id, "quick");
  const refused = () => scene.remote.seen.filter(({ status }) => status === 403).length;
  await until("the other call was refused too, and has not heard of it", async () => refused() === 2);
  await scene.connect();
  await isSoon(first, "completed");
  release();
  await isSoon(second, "completed");
  expect([refused(), scene.inner.calls.length]).toEqual([2, 2]);
});

/** A task that waits with an answer, at a server where nobody is signed in, which was tried in vain many times. */
async function triedInVain(id: string): Promise<string> {
  const task = await start(id, "approve");
  const { id: requestId, questionHash } = await until("the question is here", () =>
    world.within((tx) => tx.inputRequest.findFirst({ where: { taskId: task, state: "open" } })),
  );
  await scene.authority.revokeAll();
  await stateIs(id, "needs_reauth");
  await world.within((tx) =>
    recordAnswer(world.organizationId, tx, world.operator, requestId, {
      action: "accept",
      content: { approve: true },
      questionHash,
    }),
  );
  const failures = async () =>
    (await world.within((tx) => tx.connection.findFirstOrThrow({ where: { id } }))).circuitFailures;
  for (let n = await failures(); n < 12; n++) {
    await world.within((tx) => tryServer(tx, id));
    await until("it was tried once more", async () => (await failures()) > n);
  }
  return task;
}

test("what failed for want of a sign-in is not held against a task afterwards: one bad reply is one", async () => {
  const id = await scene.connect();
  await world.startEngine();
  const task = await triedInVain(id);
  let bad = 0;
  scene.inner.behave.onGet = () => {
    if (bad++ === 0) throw new Error("the server broke down");
  };
  await scene.connect();
  await isSoon(task, "completed");
  expect(bad).toBeGreaterThan(1);
  expect(scene.inner.told).toHaveLength(1);
});
