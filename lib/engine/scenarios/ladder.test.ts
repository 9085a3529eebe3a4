/** 2025-11-25: shared sessions, starts that are found again, answers that can't be delivered, what is learned. */
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { type SessionServer, startSessionServer } from "../../../test/servers/session-server.ts";
import { requestCancel, requestRefresh } from "../../lifecycle/task-writes.ts";
import { recordDecision } from "../../requests/answers/answer-writes.ts";
import { traitsSchema } from "../../servers/traits.ts";
import { readTask } from "../../tasks/task-reads.ts";
import type { Engine } from "../engine.ts";

// Shortens pauses of minutes to moments.
vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  QUESTION_RETRY_MS: 100,
  QUESTION_RETRY_CAP_MS: 200,
  QUESTION_WAIT_MS: 100,
  SESSION_WAIT_MS: 200,
}));

const fixture = organizationForFile(["127.0.0.1"]);
let remote: SessionServer;
let server: { serverId: string; connectionId: string };
let engine: Engine;
const queries = createQueries(() => fixture);

beforeAll(async () => {
  engine = await fixture.startEngine();
});
beforeEach(async () => {
  remote = await startSessionServer();
  server = await fixture.addServer(remote.url, "2025-11-25");
});
afterEach(() => remote.close());

const WORK = tool("work", { taskSupport: "required" });
const approve = { action: "accept" as const, content: { approve: true } };
const start = (args = {}) => fixture.startTask(server, args, WORK);
const traits = async () =>
  traitsSchema.parse(
    (
      await fixture.within((tx) =>
        tx.server.findFirstOrThrow({
          where: { organizationId: fixture.organizationId, id: server.serverId },
        }),
      )
    ).traits,
  );
const there = (at: number) => until("the server has the task", async () => remote.tasks[at]);

test("a server that caps its sessions: tasks that it names share one, and each gets its own answer", async () => {
  remote.behave.maxSessions = 1;
  remote.behave.namesTask = true;
  const [one, two] = [await start(), await start()];
  await Promise.all([queries.inState(one, "working"), queries.inState(two, "working")]);
  expect(new Set(remote.tasks.map(({ session }) => session)).size).toBe(1);
  await until("it is learned", async () => (await traits()).sessionLimit === 1);
  const [a, b] = [await there(0), await there(1)];
  const asked = [remote.ask(b, "Second?"), remote.ask(a, "First?")];
  const requests = await until("both are asked", async () => {
    const found = [...(await queries.requestsOf(one)), ...(await queries.requestsOf(two))];
    return found.length === 2 && found;
  });
  const second = requests.find(({ message }) => message === "Second?")!;
  await fixture.answer(second.id, approve);
  await until("it is told", async () => remote.answered[0]);
  expect(remote.answered.map(({ id }) => id)).toEqual([asked[0]]);
  expect(second.taskId).toBe(await idOf(b.taskId, [one, two]));
  // The engine closes the session with its last task only.
  a.status = "completed";
  await until(
    "the first ends",
    async () => (await queries.task(await idOf(a.taskId, [one, two]))).finishedAt,
  );
  const closed = () =>
    remote.seen.some(({ method, session }) => method === "DELETE" && session === a.session);
  expect(closed()).toBe(false);
  b.status = "completed";
  await until("the session is closed", async () => closed());
});

/** Returns which of our tasks the server knows by this id: the one that ends when the server cancels that id. */
async function idOf(handle: string, ids: string[]): Promise<string> {
  const digest = fixture.seal.digest("handle", `${fixture.organizationId} ${handle}`);
  for (const id of ids)
    if (digest.equals((await queries.task(id)).handleDigest ?? Buffer.alloc(0))) return id;
  throw new Error("no task of ours has this handle");
}

test("a server that does not name its tasks: the next one starts while the first waits for a person", async () => {
  remote.behave.maxSessions = 1;
  const one = await start();
  await queries.inState(one, "working");
  const first = await there(0);
  remote.ask(first, "First?");
  const request = await queries.openRequest(one, "First?");
  await until("it is learned", async () => (await traits()).namesTask === false);
  const two = await start();
  await queries.inState(two, "working");
  expect((await queries.request(request.id)).state).toBe("open");
  // The first task may ask twice, so the engine finds the asker by requesting the second task's question alone.
  const second = await there(1);
  remote.ask(second, "Second?");
  remote.behave.reissues = "Second?";
  second.status = "input_required";
  await queries.openRequest(two, "Second?");
  expect(await queries.requestsOf(one)).toHaveLength(1);
  await until("it is in sight no more", async () => (await attention(two)) === undefined);
});

/** Whether a trigger of the test ran, even in a transaction that goes on or was rolled back: sequences stand outside of them. */
const isCalled = (sequence: string) =>
  withClient(fixture.adminUrl, async (client) => {
    const { rows } = await client.query<{ was: boolean }>(`SELECT is_called AS was FROM ${sequence}`);
    return rows[0]?.was === true;
  });
const attention = (id: string) =>
  fixture.within(async (tx) => (await readTask(tx, fixture.operator, id)).attention?.code);
/** A question of a task that is no longer watched shows at the other tasks of its session, and opens at none of them. */
async function staysInSight(message: string, at: string) {
  await until("it is in sight", async () => (await attention(at)) === "question_unattributed");
  const polls = () => remote.seen.filter(({ method }) => method === "tasks/get").length;
  for (let looks = 0; looks < 3; looks++) {
    const before = polls();
    await fixture.within((tx) => requestRefresh(tx, fixture.operator, at));
    await until("there was one more look", async () => polls() > before);
  }
  expect((await queries.requestsOf(at)).filter((row) => row.message === message)).toEqual([]);
}

test("the question of a task whose start was lost is not shown as that of another one in its session", async () => {
  remote.behave.maxSessions = 1;
  const mine = await start();
  await queries.inState(mine, "working");
  remote.behave.call = () => "drop";
  const lost = await start();
  await queries.inState(lost, "start_unknown");
  expect((await there(1)).session).toBe((await there(0)).session);
  expect(remote.ask(await there(1), "The lost one's?")).not.toBeNull();
  await staysInSight("The lost one's?", mine);
  // Another engine knows the trait as well.
  await engine.stop();
  engine = await fixture.startEngine();
  await until("it listens", async () => remote.ask(remote.tasks[1]!, "Once more?") !== null);
  await staysInSight("Once more?", mine);
});

test("the question of a task that is cancelled here and continues at its server is not shown as another's", async () => {
  remote.behave.maxSessions = 1;
  remote.behave.cancel = "unsupported";
  const [mine, cancelled] = [await start(), await start()];
  await Promise.all([queries.inState(mine, "working"), queries.inState(cancelled, "working")]);
  await fixture.within((tx) => requestCancel(tx, fixture.operator, cancelled));
  await until("it was told", async () => (await queries.task(cancelled)).cancelSentAt !== null);
  const handles = await Promise.all(remote.tasks.map(({ taskId }) => idOf(taskId, [mine, cancelled])));
  expect(remote.ask(remote.tasks[handles.indexOf(cancelled)]!, "Stop at once?")).not.toBeNull();
  await staysInSight("Stop at once?", mine);
});

test("two tasks ask, and one fails: its question is not shown as the other's", async () => {
  remote.behave.maxSessions = 1;
  const [one, two] = [await start(), await start()];
  await Promise.all([queries.inState(one, "working"), queries.inState(two, "working")]);
  const [a, b] = [await there(0), await there(1)];
  a.status = b.status = "input_required";
  expect(remote.ask(a, "The first one's?")).not.toBeNull();
  expect(remote.ask(b, "The other's?")).not.toBeNull();
  const mine = await idOf(b.taskId, [one, two]);
  await until("it is in sight", async () => (await attention(mine)) === "question_unattributed");
  a.status = "failed";
  await queries.inState(await idOf(a.taskId, [one, two]), "failed");
  await staysInSight("The first one's?", mine);
  expect(await queries.requestsOf(mine)).toEqual([]);
});

test("what a task asks before its handle is stored is not shown as the question of another task in its session", async () => {
  remote.behave.maxSessions = 1;
  const mine = await start();
  await queries.inState(mine, "working");
  await withClient(fixture.adminUrl, (client) =>
    client.query(`CREATE SEQUENCE handles;
      GRANT USAGE ON SEQUENCE handles TO PUBLIC;
      CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM nextval('handles');
        PERFORM pg_sleep(2);
        RETURN NEW;
      END $$;
      CREATE TRIGGER dawdle BEFORE UPDATE OF state ON task FOR EACH ROW
        WHEN (NEW.state = 'working' AND OLD.state = 'starting') EXECUTE FUNCTION dawdle()`),
  );
  const next = await start();
  await until("its handle is being stored", () => isCalled("handles"));
  const asking = await there(1);
  expect(asking.session).toBe((await there(0)).session);
  expect(remote.ask(asking, "The new one's?")).not.toBeNull();
  await queries.inState(next, "working");
  await withClient(fixture.adminUrl, (client) =>
    client.query("DROP FUNCTION dawdle CASCADE; DROP SEQUENCE handles"),
  );
  await staysInSight("The new one's?", mine);
});

test("a question without a known task is in sight, though noting it failed at first", async () => {
  remote.behave.maxSessions = 1;
  const [one, two] = [await start(), await start()];
  await Promise.all([queries.inState(one, "working"), queries.inState(two, "working")]);
  await withClient(fixture.adminUrl, (client) =>
    client.query(`CREATE SEQUENCE notes;
      GRANT USAGE ON SEQUENCE notes TO PUBLIC;
      CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('notes') = 1 THEN RAISE EXCEPTION 'not now'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER fail_once BEFORE UPDATE OF candidates ON stream_message FOR EACH ROW
        WHEN (NEW.candidates <> '{}') EXECUTE FUNCTION fail_once()`),
  );
  expect(remote.ask(await there(0), "Whose is it?")).not.toBeNull();
  await Promise.all([one, two].map((id) => staysInSight("Whose is it?", id)));
  expect(await isCalled("notes")).toBe(true);
  await withClient(fixture.adminUrl, (client) =>
    client.query("DROP FUNCTION fail_once CASCADE; DROP SEQUENCE notes"),
  );
});

test("a poll whose news could not be stored proves nothing about who asked", async () => {
  remote.behave.maxSessions = 1;
  const [one, two] = [await start(), await start()];
  await Promise.all([queries.inState(one, "working"), queries.inState(two, "working")]);
  const [a, b] = [await there(0), await there(1)];
  const [mine, other] = [await idOf(a.taskId, [one, two]), await idOf(b.taskId, [one, two])];
  await withClient(fixture.adminUrl, (client) =>
    client.query(`CREATE SEQUENCE refusals;
      GRANT USAGE ON SEQUENCE refusals TO PUBLIC;
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM nextval('refusals');
        RAISE EXCEPTION 'not now';
      END $$;
      CREATE TRIGGER refuse BEFORE UPDATE OF state ON task FOR EACH ROW
        WHEN (NEW.state = 'input_required' AND NEW.id = '${mine}') EXECUTE FUNCTION refuse()`),
  );
  expect(remote.ask(a, "Mine?")).not.toBeNull();
  a.status = b.status = "input_required";
  await until("its news was refused", () => isCalled("refusals"));
  await queries.inState(other, "input_required");
  await staysInSight("Mine?", other);
  await withClient(fixture.adminUrl, (client) =>
    client.query("DROP FUNCTION refuse CASCADE; DROP SEQUENCE refusals"),
  );
});

test("what an open call asks, however long its reply takes, is not shown as the question of another task in its session", async () => {
  remote.behave.maxSessions = 1;
  const mine = await start();
  await queries.inState(mine, "working");
  let reply = () => {};
  const called: SessionServer["tasks"] = [];
  remote.behave.call = (task) => {
    called.push(task);
    if (called.length === 1)
      return new Promise((resolve) => {
        reply = () => resolve(undefined);
      });
    task.status = "completed";
    return undefined;
  };
  const slow = await start();
  const asking = await until("its call is under way", async () => called[0]);
  expect(asking.session).toBe((await there(0)).session);
  // The next one's call goes out only once the handle is late.
  await queries.inState(await start(), "completed");
  expect((await queries.task(slow)).state).toBe("starting");
  expect(remote.ask(asking, "The slow one's?")).not.toBeNull();
  await staysInSight("The slow one's?", mine);
  reply();
  await queries.inState(slow, "working");
  asking.status = "input_required";
  await queries.openRequest(slow, "The slow one's?");
  expect(await queries.requestsOf(mine)).toEqual([]);
});

test("a task whose end is just being stored holds up no question of another one in its session", async () => {
  remote.behave.maxSessions = 1;
  const mine = await start();
  await queries.inState(mine, "working");
  await withClient(fixture.adminUrl, (client) =>
    client.query(`CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_sleep(2);
        RETURN NEW;
      END $$;
      CREATE TRIGGER dawdle BEFORE UPDATE OF state ON task FOR EACH ROW
        WHEN (NEW.state = 'completed') EXECUTE FUNCTION dawdle()`),
  );
  const ended = await start();
  (await there(1)).status = "completed";
  await until("its end was read", async () => remote.seen.some(({ method }) => method === "tasks/result"));
  const asking = await there(0);
  expect(asking.session).toBe((await there(1)).session);
  expect(remote.ask(asking, "Mine?")).not.toBeNull();
  await queries.openRequest(mine, "Mine?");
  await queries.inState(ended, "completed");
  await withClient(fixture.adminUrl, (client) => client.query("DROP FUNCTION dawdle CASCADE"));
});

test("a start that fails before its call, and is cancelled, holds up no other one in its session", async () => {
  remote.behave.maxSessions = 1;
  const one = await start();
  await queries.inState(one, "working");
  await withClient(fixture.adminUrl, (client) =>
    client.query(`CREATE SEQUENCE refusals;
      GRANT USAGE ON SEQUENCE refusals TO PUBLIC;
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM nextval('refusals');
        RAISE EXCEPTION 'not now';
      END $$;
      CREATE TRIGGER refuse BEFORE UPDATE OF state ON task FOR EACH ROW
        WHEN (NEW.state = 'starting' AND NEW.arguments->>'is' = 'refused') EXECUTE FUNCTION refuse()`),
  );
  const refused = await start({ is: "refused" });
  await until("it was refused", () => isCalled("refusals"));
  await fixture.within((tx) => requestCancel(tx, fixture.operator, refused));
  await queries.inState(refused, "cancelled");
  const next = await start();
  await queries.inState(next, "working");
  expect((await there(1)).session).toBe((await there(0)).session);
  await withClient(fixture.adminUrl, (client) =>
    client.query("DROP FUNCTION refuse CASCADE; DROP SEQUENCE refusals"),
  );
});

test("a question without a known task stays visible, and its task is found by later polls", async () => {
  remote.behave.maxSessions = 1;
  const [one, two] = [await start(), await start()];
  await Promise.all([queries.inState(one, "working"), queries.inState(two, "working")]);
  const [a, b] = [await there(0), await there(1)];
  // Nothing is known of tasks whose poll gets no reply.
  let goOn = () => {};
  const waits = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  remote.behave.get = () => waits;
  expect(remote.ask(a, "Whose?")).not.toBeNull();
  await until("both say so", async () =>
    [await attention(one), await attention(two)].every((code) => code === "question_unattributed"),
  );
  expect([...(await queries.requestsOf(one)), ...(await queries.requestsOf(two))]).toEqual([]);
  a.status = "input_required";
  goOn();
  const asked = await idOf(a.taskId, [one, two]);
  await queries.openRequest(asked, "Whose?");
  const other = await idOf(b.taskId, [one, two]);
  await until("the other says so no more", async () => (await attention(other)) === undefined);
  expect((await traits()).namesTask).toBe(false);
});

test("19: the reply to the call is lost, the server lists its tasks: the one that fits is found and adopted", async () => {
  remote.behave.lists = true;
  remote.behave.clockMs = 3600_000;
  remote.behave.call = () => "drop";
  const id = await start();
  const found = await queries.inState(id, "working");
  expect(found.adopted).toBe(true);
  expect(remote.tasks.length).toBe(1);
  const [mine] = remote.tasks;
  remote.ask(mine!, "Really?");
  const request = await queries.openRequest(id, "Really?");
  await fixture.answer(request.id, approve);
  await until("it is told", async () => remote.answered.length === 1);
  expect((await traits()).listsTasks).toBe(true);
});

test("19: two listed tasks that fit are kept as candidates until a person has chosen", async () => {
  remote.behave.lists = true;
  remote.behave.call = (task) => {
    remote.tasks.push({ ...task, taskId: `${task.taskId}-twin` });
    return "drop";
  };
  const id = await start();
  await queries.inState(id, "start_unknown");
  const candidates = await fixture.within((tx) =>
    tx.foundTask.findMany({ where: { organizationId: fixture.organizationId, taskId: id } }),
  );
  expect(candidates.length).toBe(2);
  expect(JSON.stringify(candidates)).not.toContain(remote.tasks[0]!.taskId);
  expect(remote.seen.filter(({ method }) => method === "tools/call").length).toBe(1);
});

test("an answer whose question is never put again is undeliverable, kept, and asked anew if the server asks", async () => {
  remote.behave.acrossSessions = true;
  const id = await start();
  const mine = await there(0);
  mine.status = "input_required";
  const until3 = () => remote.ask(mine, "Really?");
  await until("it listens", async () => until3() !== null);
  const request = await queries.openRequest(id, "Really?");
  // The session is gone, and the question with it; the server still knows the task.
  remote.forgetSessions();
  await fixture.answer(request.id, approve);
  const given = await until("it is given up", async () => {
    const row = await queries.request(request.id);
    return row.state === "undeliverable" && row;
  });
  expect(given.endedReason).toBe("not_asked_again");
  expect(remote.answered).toEqual([]);
  expect((await queries.task(id)).state).toBe("input_required");
  await until("it is learned", async () => (await traits()).reissues === false);
  remote.behave.reissues = "Really?";
  await until("a person is asked anew", async () => (await queries.request(request.id)).state === "open");
});

test("a server known to lose its questions in a restart: an answer to the next lost one is given up soon", {
  tags: ["full"],
}, async () => {
  // As FastMCP 3 with Redis: its tasks outlive it and "work", their questions are gone, and `tasks/result` is refused until the end.
  remote.behave.acrossSessions = true;
  remote.behave.resultError = { code: -32602, message: "Task not completed yet", early: true };
  const requests = () => remote.seen.filter(({ method }) => method === "tasks/result").length;
  const taken: number[] = [];
  for (const at of [0, 1]) {
    const id = await start();
    const mine = await there(at);
    await until("it listens", async () => remote.ask(mine, `Really ${at}?`) !== null);
    const request = await queries.openRequest(id, `Really ${at}?`);
    const before = requests();
    remote.forgetSessions();
    await fixture.answer(request.id, approve);
    await until("it is given up", async () => (await queries.request(request.id)).state === "undeliverable");
    taken.push(requests() - before);
    expect((await queries.request(request.id)).endedReason).toBe("not_asked_again");
    expect(await attention(id)).toBe("undeliverable");
  }
  expect((await traits()).reissues).toBe(false);
  expect(taken[0]).toBeGreaterThanOrEqual(8);
  expect(taken[1]).toBeLessThanOrEqual(3);
});

test("an answer whose question the server has forgotten says so, and since when, until the question comes again", async () => {
  remote.behave.acrossSessions = true;
  const id = await start();
  const mine = await there(0);
  mine.status = "input_required";
  await until("it listens", async () => remote.ask(mine, "Really?") !== null);
  const request = await queries.openRequest(id, "Really?");
  // No poll is under way, after which the engine would send the answer at once.
  await queries.inState(id, "input_required");
  remote.forgetSessions();
  await fixture.answer(request.id, approve);
  const lines = () =>
    fixture.within((tx) =>
      tx.event.findMany({
        where: { organizationId: fixture.organizationId, taskId: id, type: "delivery.waiting" },
      }),
    );
  const waiting = await until("people are told", async () => {
    const row = await queries.deliveryOf(request.id);
    return row.waitingSince && row;
  });
  expect(waiting).toMatchObject({ state: "pending", attempts: 0, waitingSince: waiting.deliverAfter });
  expect(await lines()).toMatchObject([{ inputRequestId: request.id }]);
  remote.behave.answer = (task) => {
    task.status = "working";
  };
  remote.behave.reissues = "Really?";
  await until("it is told", async () => remote.answered.length === 1);
  expect((await queries.deliveryOf(request.id)).waitingSince).toBeNull();
  expect(await lines()).toHaveLength(1);
});

test("a question that is put again is learned, and its answer says which way it took", async () => {
  remote.behave.acrossSessions = true;
  const id = await start();
  const mine = await there(0);
  remote.behave.reissues = "Really?";
  mine.status = "input_required";
  const request = await queries.openRequest(id, "Really?");
  remote.behave.answer = (task) => {
    task.status = "working";
  };
  remote.forgetSessions();
  await fixture.answer(request.id, approve);
  await until("it is told", async () => remote.answered.length === 1);
  expect((await queries.deliveryOf(request.id)).rung).toBe("new_session");
  await until("it is learned", async () => (await traits()).reissues === true);
});

test("questions that are taken back after a minute tell how long people have", async () => {
  const id = await start();
  const mine = await there(0);
  mine.status = "input_required";
  await until("it listens", async () => remote.ask(mine, "Really?") !== null);
  const request = await queries.openRequest(id, "Really?");
  // The question came by a stream; a poll shows that the task waits for an answer.
  await queries.inState(id, "input_required");
  await fixture.within(
    (tx) => tx.$executeRaw`UPDATE input_request SET created_at = created_at - interval '61 seconds'
      WHERE organization_id = ${fixture.organizationId}::uuid AND id = ${request.id}::uuid`,
  );
  await engine.stop();
  engine = await fixture.startEngine();
  mine.status = "working";
  const over = await until("it is over", async () => {
    const row = await queries.request(request.id);
    return row.endedAt && row;
  });
  expect(over).toMatchObject({ state: "expired", endedReason: "question_lifetime" });
  await until("it is learned", async () => (await traits()).questionLifetimeMs === 60_000);
  mine.status = "input_required";
  remote.behave.reissues = "And now?";
  const next = await queries.openRequest(id, "And now?");
  const leftMs = next.expiresAt!.getTime() - next.createdAt.getTime();
  expect(Math.abs(leftMs - 60_000)).toBeLessThan(20_000);
});

test("a question that is taken back once is learned from once, though the database fails over it and it is done again", {
  tags: ["full"],
}, async () => {
  const id = await start();
  const mine = await there(0);
  const rpcId = await until("it listens", async () => {
    const asked = remote.ask(mine, "Really?");
    return asked !== null && { asked };
  });
  const request = await queries.openRequest(id, "Really?");
  await fixture.within(
    (tx) => tx.$executeRaw`UPDATE input_request SET created_at = created_at - interval '1 hour'
      WHERE organization_id = ${fixture.organizationId}::uuid AND id = ${request.id}::uuid`,
  );
  await fixture.within((tx) => requestRefresh(tx, fixture.operator, id));
  await withClient(fixture.adminUrl, (client) =>
    client.query(`CREATE SEQUENCE withdrawals;
      GRANT USAGE ON SEQUENCE withdrawals TO PUBLIC;
      CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('withdrawals') = 1 THEN RAISE EXCEPTION 'not now'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER fail_once BEFORE UPDATE OF state ON input_request FOR EACH ROW
        WHEN (NEW.state = 'withdrawn') EXECUTE FUNCTION fail_once()`),
  );
  remote.notify(mine, "notifications/cancelled", { requestId: rpcId.asked });
  await until("it is withdrawn", async () => (await queries.request(request.id)).state === "withdrawn");
  const known = await until("it is learned", async () => {
    const { withdrawnAtMs, questionLifetimeMs } = await traits();
    return withdrawnAtMs && { ages: withdrawnAtMs.length, questionLifetimeMs };
  });
  // One such end teaches nothing; two alike do.
  expect(known).toEqual({ ages: 1, questionLifetimeMs: undefined });
  await withClient(fixture.adminUrl, (client) =>
    client.query("DROP FUNCTION fail_once CASCADE; DROP SEQUENCE withdrawals"),
  );
});

test("progress of a task is stored while it works, and gone at its end", async () => {
  const id = await start();
  const mine = await there(0);
  await queries.inState(id, "working");
  const progress = async () =>
    (await queries.task(id)).progress as { progress: number; total: number } | null;
  await until("the bar is there", async () => {
    remote.notify(mine, "notifications/progress", { progressToken: id, progress: 2, total: 5 });
    return (await progress())?.progress === 2;
  });
  mine.status = "completed";
  await queries.inState(id, "completed");
  expect(await progress()).toBeNull();
});

test("an address to visit before the tool runs: a person is asked, and the call is made again once they have", async () => {
  remote.behave.visitFirst = "https://bank.example/sign-in";
  const id = await start();
  const request = await queries.openRequest(id, "Sign in first");
  expect(request).toMatchObject({ mode: "url", url: "https://bank.example/sign-in" });
  await until("nothing is held for the time they take", async () => remote.open === 0);
  remote.behave.visitFirst = undefined;
  await fixture.within((tx) =>
    recordDecision(tx, fixture.operator, request.id, {
      action: "accept",
      questionHash: request.questionHash,
    }),
  );
  await queries.inState(id, "working");
  expect((await queries.request(request.id)).state).toBe("settled");
  expect(remote.tasks.length).toBe(1);
  expect(remote.seen.filter(({ method }) => method === "tools/call").length).toBe(2);
});
