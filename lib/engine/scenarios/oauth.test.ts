import { afterEach, beforeEach, expect, test } from "vitest";
import { createOAuthFixture, type OAuthFixture } from "../../../test/fixtures/oauth-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startSessionServer } from "../../../test/servers/session-server.ts";
import { recordDecision } from "../../requests/answers/answer-writes.ts";
import { disconnect } from "../../servers/connections/disconnect.ts";

let oauth: OAuthFixture;
let fixture: OAuthFixture["organization"];

beforeEach(async () => {
  oauth = await createOAuthFixture();
  fixture = oauth.organization;
});
afterEach(() => oauth.close());

const taskOf = (id: string) => fixture.within((tx) => tx.task.findFirstOrThrow({ where: { id } }));
const hasState = (id: string, state: string) =>
  until(`the task is ${state}`, async () => (await taskOf(id)).state === state);
const questionOf = (taskId: string) =>
  until("the question is here", () =>
    fixture.within((tx) => tx.inputRequest.findFirst({ where: { taskId, state: "open" } })),
  );
const start = (connectionId: string, name = "approve") =>
  fixture.startTask({ serverId: oauth.serverId, connectionId }, {}, tool(name));
/** Reads as the person who started the task, because nobody else sees a task on a personal connection. */
const approve = ({ id, questionHash }: { id: string; questionHash: string }) =>
  fixture.within((tx) =>
    recordDecision(tx, fixture.operator, id, {
      action: "accept",
      content: { approve: true },
      questionHash,
    }),
  );
const healthOf = async () =>
  (await fixture.within((tx) => tx.server.findFirstOrThrow({ where: { id: oauth.serverId } }))).healthState;
const stateIs = (id: string, state: string) =>
  until(`the connection is ${state}`, async () => (await oauth.grant(id)).state === state);

test("tokens run out while a task waits for a person, and nobody notices", async () => {
  oauth.authority.behave.lifetime = 3;
  const id = await oauth.connect();
  await fixture.startEngine();
  const task = await start(id);
  const question = await questionOf(task);
  await until("two tokens later", async () => oauth.renewals() >= 2);
  await approve(question);
  await hasState(task, "completed");
  expect(oauth.inner.answers).toHaveLength(1);
  expect(oauth.inner.calls).toHaveLength(1);
  expect(await oauth.events("task.not_started")).toBe(0);
  expect(await oauth.events("server.health_changed")).toBe(0);
  expect(await oauth.events("connection.needs_reauth")).toBe(0);
});

test("a call whose token is refused is made once more with the next one: the tool runs once", async () => {
  const id = await oauth.connect();
  const first = await oauth.accessToken(id);
  oauth.remote.behave.refuses = (token) => token === first;
  await fixture.startEngine();
  const task = await start(id, "quick");
  await hasState(task, "completed");
  const calls = oauth.remote.seen.filter(({ method }) => method === "tools/call");
  expect(calls.map(({ status }) => status)).toEqual([401, 200]);
  expect([oauth.inner.calls.length, oauth.renewals()]).toEqual([1, 1]);
  expect(await oauth.events("task.not_started")).toBe(0);
});

test("an answer waits while the sign-in has expired, and is delivered once after the next one", async () => {
  const id = await oauth.connect();
  await fixture.startEngine();
  const task = await start(id);
  const question = await questionOf(task);
  await oauth.authority.revokeAll();
  await stateIs(id, "needs_reauth");
  await approve(question);
  const queued = await start(id, "quick");
  await until("the other one says why it waits", async () => {
    const { state, error } = await taskOf(queued);
    return state === "queued" && JSON.stringify(error).includes("sign in at this server again");
  });
  expect((await taskOf(task)).state).toBe("input_required");
  expect(oauth.inner.answers).toEqual([]);
  const asked = oauth.remote.seen.length;
  await oauth.connect();
  await hasState(task, "completed");
  await hasState(queued, "completed");
  expect(oauth.inner.answers).toHaveLength(1);
  expect(oauth.inner.calls).toHaveLength(2);
  expect(asked).toBeLessThan(60);
});

test("a failing personal connection does not mark the server as failing; a failing shared one does, until somebody signs in", async () => {
  const own = await oauth.connect();
  const shared = await oauth.connect({ shared: true });
  await fixture.startEngine();
  const mine = await start(own, "wait");
  const ours = await start(shared, "wait");
  await hasState(mine, "working");
  await hasState(ours, "working");
  const bad = await oauth.accessToken(own);
  oauth.remote.behave.refuses = (token) => token === bad;
  await fixture.within((tx) =>
    tx.oauthGrant.updateMany({ where: { connectionId: own }, data: { renews: false } }),
  );
  await stateIs(own, "needs_reauth");
  expect(await healthOf()).toBe("ok");
  expect((await taskOf(mine)).visibility).toBe("private");
  await oauth.authority.revokeAll();
  await stateIs(shared, "needs_reauth");
  await until("the server's health says so", async () => (await healthOf()) === "unauthorized");
  await oauth.connect({ shared: true });
  await until("it is well again", async () => (await healthOf()) === "ok");
});

test("A14: a call that needs more scopes waits for them, once, while other tasks continue", async () => {
  oauth.remote.behave.needs = (method) => (method === "tools/call" ? "mcp:admin" : null);
  const id = await oauth.connect();
  await fixture.startEngine();
  const task = await start(id, "quick");
  await stateIs(id, "needs_scope");
  expect((await oauth.grant(id)).neededScope?.split(" ").sort()).toEqual(["mcp:admin", "mcp:tools"]);
  await until("the task says why it waits", async () => {
    const { state, error } = await taskOf(task);
    return state === "queued" && JSON.stringify(error).includes("more rights");
  });
  const refused = () => oauth.remote.seen.filter(({ status }) => status === 403).length;
  const before = refused();
  expect(before).toBe(1);
  // Other tools are called as before.
  oauth.remote.behave.needs = () => null;
  const other = await start(id, "quick");
  await hasState(other, "completed");
  expect([(await taskOf(task)).state, refused(), await healthOf()]).toEqual(["queued", 1, "ok"]);
  oauth.remote.behave.needs = (method) => (method === "tools/call" ? "mcp:admin" : null);
  await oauth.connect();
  await hasState(task, "completed");
  expect((await oauth.grant(id)).state).toBe("connected");
  expect(refused()).toBe(1);
});

test("who disconnects leaves open tasks waiting, and they go on after a new sign-in", async () => {
  const id = await oauth.connect();
  await fixture.startEngine();
  const task = await start(id);
  const question = await questionOf(task);
  const token = await oauth.accessToken(id);
  await disconnect(oauth.services, fixture.operator, id);
  const revoked = oauth.authority.seen.filter(({ path }) => path === "/token/revocation");
  expect(revoked.map(({ form }) => form.get("token_type_hint"))).toEqual(["refresh_token", "access_token"]);
  expect(await oauth.authority.check(token)).toBeNull();
  await until("nothing is asked any more", async () => {
    const asked = oauth.remote.seen.length;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return oauth.remote.seen.length === asked;
  });
  await approve(question);
  expect((await taskOf(task)).state).toBe("input_required");
  expect(await oauth.connect()).toBe(id);
  await hasState(task, "completed");
  expect(oauth.inner.answers).toHaveLength(1);
});

test("neither the end of its token nor a new sign-in ends a call that is open", async () => {
  const server = await startSessionServer();
  const other = await createOAuthFixture({ url: server.url, era: "2025-11-25" });
  try {
    other.authority.behave.lifetime = 3;
    const id = await other.connect();
    await other.organization.startEngine();
    const where = { serverId: other.serverId, connectionId: id };
    const task = await other.organization.startTask(where, {}, tool("work", { taskSupport: "forbidden" }));
    const call = await until("the server has the call", async () => server.calls[0]);
    const over = async () => ((await other.grant(id)).expiresInMs ?? 0) < 0;
    await until("its token is over", over);
    expect(await other.connect()).toBe(id);
    call.finish("Sum: 42");
    await until("the task is completed", async () => {
      const { state, outcome } = await other.organization.within((tx) =>
        tx.task.findFirstOrThrow({ where: { id: task } }),
      );
      return state === "completed" && outcome === "42";
    });
    expect(server.calls).toHaveLength(1);
  } finally {
    await other.close();
    await server.close();
  }
});
