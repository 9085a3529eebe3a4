/** What tasks are about, sealed: nothing of it in the database, everything of it for people and servers. */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { dumpOf, placesOf } from "../../../test/dump.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { insertRequest } from "../../../test/fixtures/rows.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { type SessionServer, startSessionServer } from "../../../test/servers/session-server.ts";
import type { ContentColumn } from "../../base/content/content.ts";
import { asStored, contentOf } from "../../base/content/content-keys.ts";
import { createDatabase, type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { wakeEngine } from "../../base/engine-hints.ts";
import { inScope, Spent } from "../../base/process/scope.ts";
import { exportedLines } from "../../history/events/event-reads.ts";
import { verifyEvents } from "../../history/events/verify.ts";
import { verifyExport } from "../../history/events/verify-export.ts";
import { endTask } from "../../lifecycle/end-task.ts";
import { loadWorkBeside } from "../../lifecycle/engine-task-reads.ts";
import { recordProgress } from "../../lifecycle/running-task-writes.ts";
import { createTask } from "../../lifecycle/task-writes.ts";
import { readThread } from "../../requests/comments/comment-reads.ts";
import { addComment } from "../../requests/comments/comment-writes.ts";
import { saveDraft } from "../../requests/draft-writes.ts";
import { readStart } from "../../tasks/task-reads.ts";
import { convertContent } from "./convert.ts";
import { beginSealing, endSealing, readContentSealing } from "./sealing-writes.ts";

/** Words that stand in no name, tool or code. */
const MARKS = {
  argument: "ZITRONENFALTER",
  label: "WINDJAMMER",
  question: "KATZENGOLD",
  field: "MORGENTAU",
  answer: "SILBERFADEN",
  comment: "NEBELHORN",
  draft: "QUITTENBROT",
  thread: "PFEFFERMINZ",
  status: "TEEWAGEN",
  result: "HIMBEERGEIST",
};
const SECRET = Object.values(MARKS);

let fixture: OrganizationFixture;
const queries = createQueries(() => fixture);
const owner = () => ({ ...fixture.operator, role: "owner" as const });
const begin = () => fixture.within((tx) => beginSealing(tx, owner(), fixture.seal));
const end = () => fixture.within((tx) => endSealing(tx, owner()));
const state = () => fixture.within((tx) => readContentSealing(tx));
const leaks = async () => {
  const dump = await dumpOf(fixture.adminUrl);
  return SECRET.flatMap((mark) => placesOf(dump, mark).map((table) => `${mark} in ${table}`));
};
const sql = (text: string, values: unknown[] = []) => fixture.sql(text, values);
/** Makes a queued task one that its server works on. */
const works = async (id: string) => {
  await sql(
    "UPDATE task SET state = 'starting', attempt_id = gen_random_uuid(), attempt_at = now(), attempt_deadline_at = now() WHERE id = $1",
    [id],
  );
  await sql(
    "UPDATE task SET state = 'working', started_at = now(), era = '2026-07-28', sealed_handle = 'v1.test.AAAA' WHERE id = $1",
    [id],
  );
};
const soon = () => sql("UPDATE content_sealing SET look_at = now() - interval '1 second'");
const converted = () =>
  until("everything is as the switch says", async () => {
    if ((await state()).progress === null) return true;
    await soon();
    return false;
  });

/** Questions with a field, in the words of this test. */
const FORM = {
  type: "object",
  properties: { approve: { type: "boolean", title: MARKS.field }, why: { type: "string" } },
};
const said = { approve: true, why: MARKS.answer };

let engineDatabase: Database;
beforeEach(async () => {
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  engineDatabase = createDatabase(fixture.engineEnvironment.ENGINE_DATABASE_URL ?? "", {
    connections: 2,
    seal: fixture.seal,
  });
});
afterEach(async () => {
  await engineDatabase?.close();
  await fixture?.close();
});

describe("on 2026-07-28", () => {
  let remote: TestServer;
  let server: { serverId: string; connectionId: string };
  beforeAll(async () => {
    remote = await startTestServer();
  });
  afterAll(() => remote?.close());
  beforeEach(async () => {
    remote.tasks.clear();
    remote.answers.length = 0;
    remote.calls.length = 0;
    remote.behave.onGet = (task) => {
      task.statusMessage = MARKS.status;
      if (task.status === "completed")
        task.result = { content: [{ type: "text", text: MARKS.result }], isError: false };
      if (task.status !== "input_required") return;
      const params = { mode: "form", message: `${MARKS.question}, $1,234.00?`, requestedSchema: FORM };
      task.inputRequests = { approval: { method: "elicitation/create", params } };
    };
    server = await fixture.addServer(remote.url, "2026-07-28");
  });
  const start = (note = MARKS.argument) =>
    fixture.startTask(server, { note, title: MARKS.label, total: 1234 }, tool("approve"));

  /** A task from its start to its end, with all that people do about it. */
  const live = async () => {
    const id = await start();
    const request = await queries.openRequest(id);
    expect(request.message).toContain(MARKS.question);
    await fixture.within((tx) =>
      saveDraft(tx, fixture.approver, request.id, {
        content: { why: MARKS.draft },
        comment: MARKS.draft,
      }),
    );
    await fixture.within((tx) => addComment(tx, fixture.approver, request.id, { text: MARKS.thread }));
    await fixture.answer(request.id, { action: "accept", content: said, comment: MARKS.comment });
    await queries.inState(id, "completed");
    return { id, request };
  };

  test("nothing of a task's life is in the database, and all of it is for people and the server", async () => {
    await begin();
    await fixture.startEngine();
    const { id, request } = await live();
    const thread = await fixture.within((tx) => readThread(tx, fixture.approver, request.id));
    expect(thread.items).toMatchObject([{ text: MARKS.thread }]);
    expect(remote.calls[0]).toMatchObject({ arguments: { note: MARKS.argument, title: MARKS.label } });
    expect(remote.answers.map(({ answer }) => answer)).toEqual([{ action: "accept", content: said }]);
    const failed = await fixture.startTask(server, { note: MARKS.argument }, tool("refuse"));
    await queries.inState(failed, "failed");
    expect(await leaks()).toEqual([]);
    expect(placesOf(await dumpOf(fixture.adminUrl), "Out of paper")).toEqual([]);
    const task = await queries.task(id);
    expect(task.arguments).toEqual({ note: MARKS.argument, title: MARKS.label, total: 1234 });
    expect(JSON.stringify(task.result)).toContain(MARKS.result);
    const answer = await fixture.within((tx) =>
      tx.answer.findFirstOrThrow({ where: { organizationId: fixture.organizationId } }),
    );
    expect(answer).toMatchObject({ content: said, comment: MARKS.comment });
  });

  test("what was stored before is sealed by the engine, but for lines of the history, and opened again", {
    tags: ["full"],
  }, async () => {
    await fixture.startEngine();
    const { id } = await live();
    const waiting = await start();
    const open = await queries.openRequest(waiting);
    const before = { ...(await queries.task(id)), changedAt: null };
    expect(await leaks()).not.toEqual([]);
    await begin();
    await converted();
    expect((await leaks()).filter((place) => !place.endsWith("public.event"))).toEqual([]);
    expect({ ...(await queries.task(id)), changedAt: null }).toEqual(before);
    expect((await state()).unopened).toBe(0);
    // The question was captured before the switch: the same one still, and answered once.
    await fixture.answer(open.id, { action: "accept", content: said });
    await queries.inState(waiting, "completed");
    expect(await queries.requestsOf(waiting)).toHaveLength(1);
    expect(remote.answers).toHaveLength(2);

    await end();
    await converted();
    const [{ sealed }] = await sql(`SELECT (SELECT count(*) FROM task WHERE arguments::text LIKE '%sealed/%')
      + (SELECT count(*) FROM input_request WHERE message LIKE 'sealed/%' OR private_amount IS NOT NULL)
      + (SELECT count(*) FROM answer WHERE content::text LIKE '%sealed/%') AS sealed`);
    expect(Number(sealed)).toBe(0);
    expect({ ...(await queries.task(id)), changedAt: null }).toEqual(before);
    expect((await queries.requestsOf(id))[0]).toMatchObject({ amount: 1234, currency: "$" });
    expect(await fixture.within((tx) => verifyEvents((work) => work(tx)))).toMatchObject({ ok: true });
  });

  test("answers that people gave by the hash of before the switch count, and questions under way are the same ones", async () => {
    const engine = await fixture.startEngine();
    const id = await start();
    const before = await queries.openRequest(id);
    await engine.stop();
    await begin();
    await convertAll();
    const after = await queries.openRequest(id);
    expect(after.questionHash).not.toBe(before.questionHash);
    await fixture.startEngine();
    await until("it was asked for again", async () => remote.seen.length > 0);
    await fixture.within(async (tx) => {
      const { recordDecision } = await import("../../requests/answers/answer-writes.ts");
      await recordDecision(tx, fixture.approver, before.id, {
        action: "accept",
        content: said,
        questionHash: before.questionHash,
      });
    });
    await queries.inState(id, "completed");
    expect(await queries.requestsOf(id)).toHaveLength(1);
    expect(remote.answers).toHaveLength(1);
  });

  test("a key that can't be opened: nothing is sent, nothing is lost, and it goes on once it opens", async () => {
    await begin();
    const [key] = await sql("SELECT sealed_key FROM organization_key");
    const id = await start();
    await sql("UPDATE organization_key SET sealed_key = 'v1.test.AAAA'");
    const broken = await otherProcess();
    const engine = await broken.startEngine();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(remote.calls).toEqual([]);
    await expect(
      broken.within((tx) =>
        tx.task.findFirstOrThrow({ where: { organizationId: fixture.organizationId, id } }),
      ),
    ).rejects.toMatchObject({
      code: "content_unavailable",
    });
    expect(await broken.within((tx) => readContentSealing(tx))).toMatchObject({
      opens: false,
    });
    await sql("UPDATE organization_key SET sealed_key = $1", [key.sealed_key]);
    await queries.openRequest(id);
    expect(remote.calls).toHaveLength(1);
    await engine.stop();
    await broken.close();
  });

  test("an Idempotency-Key finds its task after the switch as before it", async () => {
    const given = () =>
      fixture.within((tx) =>
        createTask(tx, {
          principal: fixture.operator,
          server: { id: server.serverId },
          connectionId: server.connectionId,
          tool: tool("approve"),
          arguments: { note: MARKS.argument },
          ttlMs: null,
          idempotencyKey: "once",
          restartOf: null,
        }),
      );
    const first = await given();
    await begin();
    expect(await given()).toEqual({ id: first.id, created: false });
    await convertAll();
    expect(await given()).toEqual({ id: first.id, created: false });
    await end();
    await convertAll();
    await begin();
    await convertAll();
    expect(await given()).toEqual({ id: first.id, created: false });
  });

  test("a row that an earlier version writes plainly is read, and sealed by and by", async () => {
    await begin();
    await convertAll();
    const id = await start();
    await sql("UPDATE task SET arguments = $1, label = $2 WHERE id = $3", [
      { note: MARKS.argument },
      MARKS.label,
      id,
    ]);
    expect((await queries.task(id)).arguments).toEqual({ note: MARKS.argument });
    expect(await leaks()).not.toEqual([]);
    await convertAll();
    expect(await leaks()).toEqual([]);
  });

  test("a draft that an earlier version writes plainly about an old request is sealed within minutes", async () => {
    await begin();
    await convertAll();
    const task = await start();
    const old = "01900000-0000-7000-8000-000000000001";
    const { id } = await insertRequest(fixture.database, fixture.organizationId, task, {});
    await sql("DELETE FROM open_request_text WHERE input_request_id = $1", [id]);
    await sql("UPDATE input_request SET id = $1 WHERE id = $2", [old, id]);
    await sql(
      "INSERT INTO draft (organization_id, input_request_id, user_id, content, comment) VALUES ($1, $2, $3, $4, $5)",
      [fixture.organizationId, old, fixture.approver.userId, { why: MARKS.draft }, MARKS.draft],
    );
    await soon();
    while (await convertContent(fixture.organizationId, engineDatabase));
    expect(await leaks()).toEqual([]);
    const [{ recent }] = await sql(
      "SELECT finished_at > now() - interval '1 day' AS recent FROM content_sealing",
    );
    expect(recent).toBe(true);
  });

  test("an engine that is stopped in the middle goes on where it was", async () => {
    for (let n = 0; n < 60; n++) await start(`${MARKS.argument}-${n}`);
    await begin();
    await soon();
    await convertContent(fixture.organizationId, engineDatabase);
    await convertContent(fixture.organizationId, engineDatabase);
    const part = await state();
    expect(part.progress?.done).toBe(50);
    const [{ plain }] = await sql(
      "SELECT count(*) AS plain FROM task WHERE arguments::text NOT LIKE '%sealed/%'",
    );
    expect(Number(plain)).toBe(10);
    await convertAll();
    expect((await leaks()).filter((place) => !place.endsWith("public.event"))).toEqual([]);
    const texts = (
      await fixture.within((tx) => tx.task.findMany({ where: { organizationId: fixture.organizationId } }))
    ).map(({ arguments: args }) => (args as { note: string }).note);
    expect(new Set(texts).size).toBe(60);
  });

  test("an export of the history has both: what is digested, and what it says", async () => {
    await begin();
    await fixture.startEngine();
    await live();
    const lines: string[] = [];
    for await (const piece of exportedLines(fixture.within)) lines.push(...piece.split("\n"));
    expect(await verifyExport(toAsync(lines))).toMatchObject({ ok: true });
    const answer = lines
      .map((line) => line && JSON.parse(line))
      .find((line) => line?.type === "answer.recorded");
    expect(answer.opened).toMatchObject({ content: said, comment: MARKS.comment });
    expect(answer.payload).not.toContain(MARKS.answer);
    const stored = await fixture.within((tx) =>
      asStored(tx).event.findFirstOrThrow({
        where: { organizationId: fixture.organizationId, type: "answer.recorded" },
      }),
    );
    expect(JSON.stringify(stored.data)).not.toContain(MARKS.answer);
    expect(stored.data).toMatchObject({ action: "accept" });
  });
});

describe("on 2025-11-25", () => {
  let remote: SessionServer;
  beforeAll(async () => {
    remote = await startSessionServer();
  });
  afterAll(() => remote?.close());

  test("nothing of a task's life is in the database, and its answer reaches the server once", async () => {
    const server = await fixture.addServer(remote.url, "2025-11-25");
    await begin();
    await fixture.startEngine();
    const id = await fixture.startTask(server, { note: MARKS.argument, title: MARKS.label }, tool("any"));
    const theirs = await until("the server has it", async () => remote.tasks[0]);
    theirs.statusMessage = MARKS.status;
    await until("somebody listens", async () => remote.ask(theirs, MARKS.question) !== null);
    const request = await queries.openRequest(id, MARKS.question);
    expect(await leaks()).toEqual([]);
    await fixture.answer(request.id, {
      action: "accept",
      content: { approve: true },
      comment: MARKS.comment,
    });
    await until("the answer is there", async () => remote.answered.length > 0);
    expect(remote.answered.map(({ result }) => result)).toMatchObject([
      { action: "accept", content: { approve: true } },
    ]);
    theirs.status = "completed";
    await queries.inState(id, "completed");
    expect(await leaks()).toEqual([]);
    expect(remote.answered).toHaveLength(1);
  });
});

test("a key that goes away while a call runs keeps the call and its session: its outcome is stored once the key opens", {
  tags: ["full"],
}, async () => {
  const remote = await startSessionServer();
  const server = await fixture.addServer(remote.url, "2025-11-25");
  await begin();
  const [key] = await sql("SELECT kid, sealed_key FROM organization_key");
  await fixture.startEngine();
  const work = tool("work", { taskSupport: "forbidden" });
  const id = await fixture.startTask(server, { note: MARKS.argument }, work);
  const call = await until("the server has the call", async () => remote.calls[0]);
  await queries.inState(id, "working");
  // Turned off, so that each process reads the keys anew.
  await sql("UPDATE organization_key SET sealed_key = 'v1.test.AAAA'");
  await end();
  await sql("NOTIFY intray_wake, 'nobody'");
  await fixture.within((tx) => wakeEngine(tx, server.connectionId, id));
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(remote.open).toBeGreaterThan(0);
  call.finish("Sum: 42");
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await sql("UPDATE organization_key SET sealed_key = $1", [key.sealed_key]);
  const stored = async () => (await sql("SELECT state, outcome FROM task WHERE id = $1", [id]))[0];
  await until("the outcome is stored", async () => (await stored()).state === "completed");
  expect((await stored()).outcome).toBe("42");
  expect(remote.seen.filter(({ method }) => method === "tools/call")).toHaveLength(1);
  await remote.close();
});

test("a start and an answer take as many statements as without a key", async () => {
  const server = await fixture.addServer("http://127.0.0.1:9/mcp", "2026-07-28");
  const counted = async () => {
    const spent = new Spent();
    await inScope({ requestId: null, trace: null, spent }, async () => {
      const id = await fixture.startTask(server, { note: MARKS.argument });
      const request = await insertRequest(fixture.database, fixture.organizationId, id, {});
      await fixture.answer(request.id, { action: "decline" });
    });
    return spent.queries;
  };
  const plainly = await counted();
  await begin();
  // Each process reads the key once.
  expect(await counted()).toBe(plainly + 1);
  expect(await counted()).toBe(plainly);
});

describe("a transaction that began before the switch", () => {
  let server: { serverId: string; connectionId: string };
  beforeEach(async () => {
    server = await fixture.addServer("http://127.0.0.1:9/mcp", "2026-07-28");
  });

  /** Runs `work` in a transaction of an engine that has begun when `meanwhile` is done. */
  async function spanning<T>(meanwhile: () => Promise<unknown>, work: (tx: Tx) => Promise<T>): Promise<T> {
    return engineDatabase.withOrganization(fixture.organizationId, async (tx) => {
      await meanwhile();
      return work(tx);
    });
  }

  test("has ended before anything that stood there is sealed, and what it wrote plainly is sealed then", async () => {
    const id = await start(server);
    await spanning(begin, async (tx) => {
      expect(await convertContent(fixture.organizationId, engineDatabase)).toBe(false);
      const [{ arguments: stored }] = await sql("SELECT arguments FROM task WHERE id = $1", [id]);
      expect(stored).toEqual({ note: MARKS.argument });
      await recordProgress(tx, id, {
        progress: 1,
        total: null,
        message: MARKS.status,
      });
    });
    const [{ longer }] = await sql(
      "SELECT look_at >= changed_at + interval '30 seconds' AS longer FROM content_sealing",
    );
    expect(longer).toBe(true);
    await convertAll();
    expect((await leaks()).filter((place) => !place.endsWith("public.event"))).toEqual([]);
  });

  test("has no work on what was sealed meanwhile: neither arguments nor an answer are sent as sealed text", async () => {
    for (const turn of ["the first key", "a later key"]) {
      const waiting = await start(server);
      const request = await insertRequest(fixture.database, fixture.organizationId, waiting, {});
      let sealed = "";
      const loaded = await spanning(
        async () => {
          await begin();
          sealed = await start(server);
          await fixture.answer(request.id, { action: "accept", content: {}, comment: MARKS.comment });
        },
        (tx) => worksOf(tx, server, [sealed, waiting]),
      );
      expect([turn, ...[sealed, waiting].map((id) => loaded.get(id))]).toEqual([
        turn,
        { id: sealed, unopened: true },
        { id: waiting, unopened: true },
      ]);
      const next = await spanning(
        async () => undefined,
        (tx) => worksOf(tx, server, [sealed, waiting]),
      );
      expect(next.get(sealed)).toMatchObject({ arguments: { note: MARKS.argument } });
      expect(next.get(waiting)).toMatchObject({ requests: [{ delivery: { content: {} } }] });
      await end();
      await convertAll();
    }
  });

  test("starts no retry and no restart of it: both wait for the next one", async () => {
    let id = "";
    await expect(
      spanning(
        async () => {
          await begin();
          id = await start(server);
          await works(id);
          await sql("UPDATE task SET attempts = 2, retry_backoff_ms = 1000 WHERE id = $1", [id]);
        },
        (tx) => failTask(tx, id),
      ),
    ).rejects.toMatchObject({ code: "content_unavailable" });
    expect((await queries.task(id)).state).toBe("working");
    await end();
    await expect(
      spanning(begin, async (tx) => {
        await convertAll();
        return readStart(tx, fixture.operator, id);
      }),
    ).rejects.toMatchObject({ code: "content_unavailable" });
    await spanning(
      async () => undefined,
      (tx) => failTask(tx, id),
    );
    const retry = await fixture.within((tx) =>
      tx.task.findFirstOrThrow({ where: { organizationId: fixture.organizationId, retryOf: id } }),
    );
    expect(retry.arguments).toEqual({ note: MARKS.argument });
  });

  test("goes on with what a server says that only looks sealed, though the server knows its task's id", async () => {
    const id = await start(server);
    const lure = `sealed/task.status_message/t/${id}/v1.${randomUUID()}.AAAA`;
    await works(id);
    await sql("UPDATE task SET status_message = $1 WHERE id = $2", [lure, id]);
    const load = () =>
      spanning(
        async () => undefined,
        (tx) => worksOf(tx, server, [id]),
      );
    expect((await load()).get(id)).toMatchObject({ statusMessage: lure });
    await begin();
    expect((await load()).get(id)).toMatchObject({ statusMessage: lure });
  });

  const start = (at: { serverId: string; connectionId: string }) =>
    fixture.startTask(at, { note: MARKS.argument }, tool("approve"));
  const failTask = (tx: Tx, id: string) =>
    endTask(tx, id, {
      state: "failed",
      error: { code: "rejected", message: "No" },
    });
});

describe("an engine of before, which would send sealed content as it is", () => {
  const old = randomUUID();
  const register = () =>
    engineDatabase.gate(Prisma.sql`INSERT INTO engine (id, leases) VALUES (${old}::uuid, 0)
      ON CONFLICT (id) DO UPDATE SET seen_at = now() RETURNING id`);
  const refused = "cannot open what";

  test("registers nowhere and takes no connection once an organization seals, and does again once all is open", async () => {
    const { connectionId } = await fixture.addServer("http://127.0.0.1:9/mcp", "2026-07-28");
    const take = () =>
      engineDatabase.withOrganization(
        fixture.organizationId,
        (tx) => tx.$executeRaw`UPDATE connection SET watched_by = ${old}::uuid
          WHERE organization_id = ${fixture.organizationId}::uuid AND id = ${connectionId}::uuid`,
      );
    // It stood still at the switch, and is seen again afterwards.
    await register();
    await sql("UPDATE engine SET seen_at = now() - interval '5 minutes'");
    await begin();
    await expect(register()).rejects.toThrow(refused);
    await expect(take()).rejects.toThrow(refused);
    await sql("DELETE FROM engine");
    await expect(register()).rejects.toThrow(refused);
    await expect(take()).rejects.toThrow(refused);
    // Until what was sealed is open.
    await end();
    await expect(register()).rejects.toThrow(refused);
    await convertAll();
    await register();
    expect(await take()).toBe(1);
  });

  test("that comes at the moment of the switch is refused, or refuses the switch", async () => {
    const waits = () =>
      until("somebody waits", async () => {
        const [{ count }] = await sql(
          "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return count > 0;
      });
    const coming = await withClient(fixture.adminUrl, async (client) => {
      await client.query("BEGIN");
      await client.query("INSERT INTO engine (id) VALUES ($1)", [old]);
      const turned = begin().then(
        () => "on",
        (error: { code: string }) => error.code,
      );
      await waits();
      await client.query("COMMIT");
      return turned;
    });
    expect(coming).toBe("engine_outdated");
    await sql("DELETE FROM engine");
    let registered: Promise<string> | undefined;
    await fixture.within(async (tx) => {
      await beginSealing(tx, owner(), fixture.seal);
      registered = register().then(
        () => "in",
        (error: Error) => error.message,
      );
      await waits();
    });
    expect(await registered).toContain(refused);
  });
});

describe("a text by which the engine judges", () => {
  test("is not judged by while its key is away: an answer would count as taken, since the words have changed", async () => {
    const server = await fixture.addServer("http://127.0.0.1:9/mcp", "2025-11-25");
    await begin();
    const [key] = await sql("SELECT kid, sealed_key FROM organization_key");
    const id = await fixture.startTask(server, { note: MARKS.argument });
    const request = await insertRequest(fixture.database, fixture.organizationId, id, {});
    await fixture.answer(request.id, { action: "accept", content: {} });
    await works(id);
    const away = async () => {
      await sql("UPDATE organization_key SET sealed_key = 'v1.test.AAAA'");
      const other = await otherProcess();
      const loaded = await other.within((tx) => worksOf(tx, server, [id]));
      await other.close();
      await sql("UPDATE organization_key SET sealed_key = $1", [key.sealed_key]);
      return loaded.get(id);
    };
    // By its content at first, which is read wherever there is an answer.
    expect(await away()).toEqual({ id, unopened: true });
    await sql("UPDATE answer SET content = NULL WHERE input_request_id = $1", [request.id]);
    expect(await away()).not.toHaveProperty("unopened");
    const [{ id: deliveryId }] = await sql("SELECT id FROM delivery WHERE task_id = $1", [id]);
    for (const [table, column, row] of [
      ["delivery", "status_before", deliveryId],
      ["task", "status_message", id],
    ] as const) {
      const stored = await fixture.within(async (tx) =>
        contentOf(tx).text(`${table}.${column}` as ContentColumn, row, MARKS.status),
      );
      await sql(`UPDATE ${table} SET ${column} = $1 WHERE id = $2`, [stored, row]);
      expect([column, await away()]).toEqual([column, { id, unopened: true }]);
      await sql(`UPDATE ${table} SET ${column} = NULL WHERE id = $1`, [row]);
    }
  });
});

describe("a stored value", () => {
  test("does not open in another row, in another organization, or with a change", async () => {
    const server = await fixture.addServer("http://127.0.0.1:9/mcp", "2026-07-28");
    await begin();
    const one = await fixture.startTask(server, { note: "one" });
    const two = await fixture.startTask(server, { note: "two" });
    const read = (id: string) => queries.task(id);
    await sql("UPDATE task SET arguments = (SELECT arguments FROM task WHERE id = $1) WHERE id = $2", [
      one,
      two,
    ]);
    expect((await read(one)).arguments).toEqual({ note: "one" });
    expect((await read(two)).arguments).toEqual({ unopened: true });
    await sql(
      "UPDATE task SET arguments = replace(arguments::text, $1::text, $2::text)::json WHERE id = $2::text::uuid",
      [one, two],
    );
    expect((await read(two)).arguments).toEqual({ unopened: true });
  });

  test("goes with its key, which nobody can delete before the organization", async () => {
    await begin();
    await expect(sql("DELETE FROM organization_key")).rejects.toThrow("goes with the organization alone");
  });

  test("is told from somebody's text that looks like one", async () => {
    const server = await fixture.addServer("http://127.0.0.1:9/mcp", "2026-07-28");
    const lure = `sealed/task.label/t/${fixture.organizationId}/v1.00000000-0000-4000-8000-000000000000.AAAA`;
    const before = await fixture.startTask(server, { note: lure, sealed: lure });
    await begin();
    const after = await fixture.startTask(server, { note: lure, sealed: lure });
    await convertAll();
    for (const id of [before, after])
      expect((await queries.task(id)).arguments).toEqual({ note: lure, sealed: lure });
  });
});

async function convertAll(): Promise<void> {
  for (;;) {
    await soon();
    while (await convertContent(fixture.organizationId, engineDatabase));
    if ((await state()).progress === null) {
      await soon();
      while (await convertContent(fixture.organizationId, engineDatabase));
      return;
    }
  }
}

/** Databases and engines that have not read the organization's key yet, as another process. */
/** What an engine loads of these tasks of a connection, by id. */
async function worksOf(tx: Tx, { connectionId }: { connectionId: string }, ids: string[]) {
  const { works } = await loadWorkBeside(tx, Prisma.sql`SELECT 1 AS beside`, connectionId, ids);
  return new Map(works.map((work) => [work.id, work]));
}

async function otherProcess() {
  const { Engine } = await import("../../engine/engine.ts");
  const { createNetwork } = await import("../../base/network/network.ts");
  const { default: pino } = await import("pino");
  const { ENGINE_DATABASE_URL: url = "", ENGINE_DATABASE_DIRECT_URL: directUrl = url } =
    fixture.engineEnvironment;
  const database = createDatabase(url, { connections: 6, seal: fixture.seal });
  return {
    within: <T>(work: Parameters<typeof database.withOrganization<T>>[1]) =>
      database.withOrganization(fixture.organizationId, work),
    async startEngine() {
      const engine = new Engine({
        database,
        directUrl,
        network: createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] }),
        seal: fixture.seal,
        log: pino({ level: "silent" }),
      });
      await engine.start();
      return engine;
    },
    close: () => database.close(),
  };
}

async function* toAsync(lines: string[]): AsyncGenerator<string> {
  yield* lines;
}
