/** Acceptance scenarios of long waits. Days pass by making the rows older while no engine runs. */
import { describe, type TestContext, test, vi } from "vitest";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { age, fingerprintOfRows } from "../../../../test/fixtures/row-age.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { startTestServer } from "../../../../test/servers/mcp-server.ts";
import { type SessionServer, startSessionServer } from "../../../../test/servers/session-server.ts";
import { readInputRequest } from "../../../requests/request-reads.ts";
import { learn } from "../../../servers/server-writes.ts";
import { SLOWEST_POLL_MS } from "../../tunables.ts";

// A minute and a quarter, half a minute and ten seconds; here they are moments.
vi.mock("../../tunables.ts", async (original) => ({
  ...(await original<typeof import("../../tunables.ts")>()),
  RETRACTION_WAIT_MS: 1_500,
  SLOW_POLL_MS: 1_000,
  FLUSH_MS: 500,
  // A busy machine makes a server seem late, and lateness is stored; late-server.test.ts tests that.
  SLOW_ANSWER_MS: 600_000,
}));

const DAY_MS = 24 * 3600_000;
const FIVE_DAYS_MS = 5 * DAY_MS;
const approve = { action: "accept" as const, content: { approve: true } };
type Ends = Pick<TestContext, "onTestFinished">;

async function worldOf({ onTestFinished }: Ends): Promise<OrganizationFixture> {
  const fixture = await createOrganizationFixture(["127.0.0.1"]);
  onTestFinished(() => fixture.close());
  return fixture;
}

async function sessionServerOf({ onTestFinished }: Ends): Promise<SessionServer> {
  const remote = await startSessionServer();
  onTestFinished(() => remote.close());
  return remote;
}

const count = (remote: SessionServer, wanted: string) =>
  remote.seen.filter(({ method }) => method === wanted).length;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const nothingIsOpen = (remote: { open: number }) => until("nothing is open", async () => remote.open === 0);
/** What the card on the screen says, which is what the API says. */
const timeLeft = async (fixture: OrganizationFixture, requestId: string) => {
  const card = await fixture.within((tx) => readInputRequest(tx, fixture.approver, requestId));
  return Date.parse(card.expiresAt!) - Date.now();
};
const aboutADay = (ms: number) => ms > 0.99 * DAY_MS && ms <= DAY_MS;

describe.concurrent("14: a person thinks for four days of five:", () => {
  test("2026-07-28: nothing is open, the time left is right, and the answer is taken", async ({
    expect,
    onTestFinished,
  }) => {
    const fixture = await worldOf({ onTestFinished });
    const remote = await startTestServer();
    onTestFinished(() => remote.close());
    const queries = createQueries(() => fixture);
    remote.behave.onCall = (task) => {
      task.ttlMs = FIVE_DAYS_MS;
      return "answer";
    };
    const first = await fixture.startEngine();
    const id = await fixture.startTask(
      await fixture.addServer(remote.url, "2026-07-28"),
      {},
      tool("approve"),
    );
    const request = await queries.openRequest(id);
    await first.stop();
    await age(fixture, id, 4);
    const polls = () => remote.seen.filter((headers) => headers["mcp-method"] === "tasks/get").length;
    const before = polls();
    await fixture.startEngine();
    await until("it is looked at again", async () => polls() > before);
    await nothingIsOpen(remote);
    await pause(3_000);
    expect(remote.open).toBe(0);
    expect(polls()).toBe(before + 1);
    expect(await timeLeft(fixture, request.id)).toSatisfy(aboutADay);
    await fixture.answer(request.id, approve);
    await queries.inState(id, "completed");
    expect(remote.answers).toHaveLength(1);
  });

  test("2025-11-25, a server known to ask again: no stream is held, and the answer is taken", async ({
    expect,
    onTestFinished,
  }) => {
    const fixture = await worldOf({ onTestFinished });
    const remote = await sessionServerOf({ onTestFinished });
    const queries = createQueries(() => fixture);
    const server = await fixture.addServer(remote.url, "2025-11-25");
    await fixture.within((tx) => learn(tx, server.serverId, { reissues: true }));
    remote.behave.reissues = "Pay?";
    remote.behave.call = (task) => {
      Object.assign(task, { ttl: FIVE_DAYS_MS, status: "input_required" });
      return undefined;
    };
    const first = await fixture.startEngine();
    const id = await fixture.startTask(server, {}, tool("work", { taskSupport: "required" }));
    const request = await queries.openRequest(id, "Pay?");
    await first.stop();
    await age(fixture, id, 4);
    const before = remote.seen.length;
    await fixture.startEngine();
    await until("it is looked at again", async () => remote.seen.length > before);
    await nothingIsOpen(remote);
    await pause(3_000);
    expect(remote.open).toBe(0);
    expect(remote.seen.slice(before).map(({ method }) => method)).toEqual(["tasks/get"]);
    expect(await timeLeft(fixture, request.id)).toSatisfy(aboutADay);
    remote.behave.answer = (there) => Object.assign(there, { status: "completed" });
    await fixture.answer(request.id, approve);
    await queries.inState(id, "completed");
    expect(remote.answered).toHaveLength(1);
  });

  test("2025-11-25, a server that asks once: its stream is dropped after a while, and the answer is taken", async ({
    expect,
    onTestFinished,
  }) => {
    const fixture = await worldOf({ onTestFinished });
    const remote = await sessionServerOf({ onTestFinished });
    const queries = createQueries(() => fixture);
    const server = await fixture.addServer(remote.url, "2025-11-25");
    await fixture.startEngine();
    const id = await fixture.startTask(server, {}, tool("work", { taskSupport: "required" }));
    await queries.inState(id, "working");
    const there = remote.tasks[0]!;
    there.status = "input_required";
    await until("it is asked", async () => remote.ask(there, "Pay?") !== null);
    const request = await queries.openRequest(id, "Pay?");
    // The stream first stays open for a retraction.
    await nothingIsOpen(remote);
    const streams = count(remote, "GET");
    await pause(5_000);
    expect(count(remote, "GET")).toBe(streams);
    remote.behave.answer = (one) => Object.assign(one, { status: "completed" });
    await fixture.answer(request.id, approve);
    await queries.inState(id, "completed");
    expect(remote.answered).toEqual([{ session: there.session, id: 0, result: approve }]);
  });
});

describe.concurrent("18: a task that sleeps for three months costs almost nothing:", {
  timeout: 180_000,
}, () => {
  test("it is polled every five minutes, and no stream is held for a server known to ask again", async ({
    expect,
    onTestFinished,
  }) => {
    const fixture = await worldOf({ onTestFinished });
    const remote = await sessionServerOf({ onTestFinished });
    const queries = createQueries(() => fixture);
    const server = await fixture.addServer(remote.url, "2025-11-25");
    await fixture.within((tx) => learn(tx, server.serverId, { reissues: true }));
    const first = await fixture.startEngine();
    const id = await fixture.startTask(server, {}, tool("work", { taskSupport: "required" }));
    await queries.inState(id, "working");
    await first.stop();
    await age(fixture, id, 90);
    const before = remote.seen.length;
    await fixture.startEngine();
    const where = { organizationId: fixture.organizationId, taskId: id };
    await until("the next poll is to be in five minutes", async () => {
      const watch = await fixture.within((tx) => tx.taskWatch.findFirstOrThrow({ where }));
      return Number(watch.nextCheckAt) - Number(watch.lastCheckedAt) >= SLOWEST_POLL_MS;
    });
    await nothingIsOpen(remote);
    await pause(3_000);
    expect(remote.seen.slice(before).map(({ method }) => method)).toEqual(["tasks/get"]);
  });

  test("unchanged polls write no row", async ({ expect, onTestFinished }) => {
    const fixture = await worldOf({ onTestFinished });
    const remote = await startTestServer();
    onTestFinished(() => remote.close());
    const polls = new Map<string, number>();
    remote.behave.onGet = ({ taskId }) => polls.set(taskId, (polls.get(taskId) ?? 0) + 1);
    const eachIsPolled = (times: number) =>
      until(
        `each is polled ${times} times`,
        async () => polls.size === tasks && Math.min(...polls.values()) >= times,
      );
    const tasks = 20;
    const server = await fixture.addServer(remote.url, "2026-07-28");
    await Promise.all(Array.from({ length: tasks }, () => fixture.startTask(server, {}, tool("wait"))));
    await fixture.startEngine();
    // The first two replies are stored by then, because a task is polled again only after that.
    await eachIsPolled(3);
    const rows = await fingerprintOfRows(fixture);
    polls.clear();
    await eachIsPolled(6);
    expect(await fingerprintOfRows(fixture)).toBe(rows);
  });
});
