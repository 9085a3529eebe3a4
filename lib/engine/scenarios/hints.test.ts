import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { createOAuthFixture, type OAuthFixture } from "../../../test/fixtures/oauth-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { renewAccess, tryServer } from "../../base/engine-hints.ts";
import { recordDecision } from "../../requests/answers/answer-writes.ts";

// Both pauses exceed the tests' patience: whatever happens in time waited neither for the backoff nor for the scan that
// finds lost hints.
vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  BACKOFF_CAP_MS: 24 * 3600_000,
  SCAN_ALL_MS: 24 * 3600_000,
}));

let oauth: OAuthFixture;
let fixture: OAuthFixture["organization"];

beforeEach(async () => {
  oauth = await createOAuthFixture();
  fixture = oauth.organization;
});
afterEach(() => oauth.close());

const start = (connectionId: string, name: string) =>
  fixture.startTask({ serverId: oauth.serverId, connectionId }, {}, tool(name));
const taskOf = (id: string) => fixture.within((tx) => tx.task.findFirstOrThrow({ where: { id } }));
const isSoon = (id: string, state: string) =>
  until(`the task is ${state}`, async () => (await taskOf(id)).state === state);
const stateIs = (id: string, state: string) =>
  until(`the connection is ${state}`, async () => (await oauth.grant(id)).state === state);
/** Holds replies until the returned function is called. */
function hold(method: string, status: number) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  oauth.remote.behave.holds = (asked, answered) =>
    asked === method && answered === status ? released : undefined;
  return () => release();
}

test.each([
  ["being refused", "starting"],
  ["held, and refused later,", "working"],
])(
  "more rights that somebody gives while a call is %s for want of them are used at once",
  async (_, state) => {
    oauth.remote.behave.needs = (method) => (method === "tools/call" ? "mcp:admin" : null);
    const id = await oauth.connect();
    await fixture.startEngine();
    const first = await start(id, "quick");
    await stateIs(id, "needs_scope");
    const release = hold("tools/call", 403);
    const second = await start(id, "quick");
    const refused = () => oauth.remote.seen.filter(({ status }) => status === 403).length;
    await until("the other call was refused too, and has not heard of it", async () => refused() === 2);
    if (state === "working") await isSoon(second, state);
    await oauth.connect();
    await isSoon(first, "completed");
    release();
    await isSoon(second, "completed");
    expect([refused(), oauth.inner.calls.length]).toEqual([2, 2]);
  },
);

/** Makes a task with an unsent answer, whose connection needs a sign-in from `end` on and has failed often. */
async function triedInVain(id: string, end: () => Promise<unknown>): Promise<string> {
  const task = await start(id, "approve");
  const { id: requestId, questionHash } = await until("the question is here", () =>
    fixture.within((tx) => tx.inputRequest.findFirst({ where: { taskId: task, state: "open" } })),
  );
  await end();
  await stateIs(id, "needs_reauth");
  await fixture.within((tx) =>
    recordDecision(tx, fixture.operator, requestId, {
      action: "accept",
      content: { approve: true },
      questionHash,
    }),
  );
  const failures = async () =>
    (await fixture.within((tx) => tx.connection.findFirstOrThrow({ where: { id } }))).circuitFailures;
  // An engine that loses its lease on a busy machine takes the connection anew, and counts from one.
  for (let n = await failures(); n < 14; ) {
    await fixture.within((tx) => tryServer(tx, id));
    n = await until("it was tried once more", async () => {
      const now = await failures();
      return now === n ? null : now;
    });
  }
  return task;
}

test("what failed for want of a sign-in is not held against a task afterwards: one bad reply is one", async () => {
  const id = await oauth.connect();
  await fixture.startEngine();
  const task = await triedInVain(id, () => oauth.authority.revokeAll());
  let bad = 0;
  oauth.inner.behave.onGet = () => {
    if (bad++ === 0) throw new Error("the server broke down");
  };
  await oauth.connect();
  await isSoon(task, "completed");
  expect(bad).toBeGreaterThan(1);
  expect(oauth.inner.answers).toHaveLength(1);
});

/** Ends the connections, as a restart of the database or the network does. */
const breakListening = () =>
  withClient(fixture.adminUrl, (client) =>
    client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN%intray_wake%'`),
  );

test("a sign-in and new settings whose hints were lost are found when the engine reconnects", async () => {
  const id = await oauth.connect();
  await fixture.startEngine();
  const { organizationId } = fixture;
  const grant = (state: string) =>
    fixture.within(
      (
        tx,
      ) => tx.$executeRaw`UPDATE oauth_grant SET state = ${state}, version = version + 1, connected_at = now()
        WHERE organization_id = ${organizationId}::uuid AND connection_id = ${id}::uuid`,
    );
  const task = await triedInVain(id, async () => {
    await grant("needs_reauth");
    await fixture.within((tx) => renewAccess(tx, id));
  });
  // Stores what a sign-in stores, without its hint.
  await grant("connected");
  await breakListening();
  await isSoon(task, "completed");

  const connection = () => fixture.within((tx) => tx.connection.findFirstOrThrow({ where: { id } }));
  const running = await start(id, "wait");
  await isSoon(running, "working");
  const { epoch } = await connection();
  await fixture.within((tx) =>
    tx.server.updateMany({ where: { id: oauth.serverId }, data: { eraSetting: "auto" } }),
  );
  await breakListening();
  await until("it was taken anew", async () => (await connection()).epoch > epoch);
});
