/** Bulk operations process each task once, whichever engines work on them or die. */
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { startEngineProcess } from "../../../test/engine-process.ts";
import { PROCESS_INVOICE, until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";
import { createDatabase, type Database, storable } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { createNetwork } from "../../base/network/network.ts";
import { readOperation } from "../../lifecycle/bulk-operations/bulk-operation-reads.ts";
import type { BulkAction } from "../../lifecycle/bulk-operations/bulk-operation-schema.ts";
import {
  beginOperation,
  prepareOperation,
  stopOperation,
} from "../../lifecycle/bulk-operations/bulk-operation-writes.ts";
import { restartTask } from "../../lifecycle/start.ts";
import { createTask } from "../../lifecycle/task-writes.ts";
import { BULK_OPERATIONS } from "./task-jobs.ts";

const PATIENCE_MS = 180_000;
const NETWORK = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });

const fixture = organizationForFile(["127.0.0.1"]);
let server: { serverId: string; connectionId: string };
let engine: Database;

beforeAll(async () => {
  // Nothing listens on this port, so started tasks stay queued.
  server = await fixture.addServer("http://127.0.0.1:9/mcp", "2026-07-28");
  await fixture.within((tx) =>
    tx.server.updateMany({
      data: { tools: JSON.parse(JSON.stringify([PROCESS_INVOICE])), toolsCheckedAt: new Date() },
    }),
  );
  engine = createDatabase(fixture.engineEnvironment.ENGINE_DATABASE_URL!, { connections: 4 });
});
afterAll(async () => {
  await engine.close();
});

/** Runs one turn of an engine beside others. */
const turn = () =>
  BULK_OPERATIONS.run(
    {
      database: engine,
      network: NETWORK,
      seal: fixture.seal,
      log: pino({ level: "silent" }),
    },
    fixture.organizationId,
  );
const done = async () => {
  while (await turn());
};

/** Creates tasks with a new label, copied from one that was started. */
async function tasksIn(state: "queued" | "cancelled", count: number): Promise<string[]> {
  const first = await fixture.startTask(server, {});
  return fixture.within(async (tx) => {
    const one = await tx.task.findFirstOrThrow({ where: { id: first } });
    await tx.taskWatch.deleteMany({ where: { taskId: first } });
    await tx.task.delete({
      where: { organizationId_id: { organizationId: fixture.organizationId, id: first } },
    });
    const ids = Array.from({ length: count }, () => uuidv7());
    const ended = state === "cancelled" && { watched: false, finishedAt: new Date() };
    const data = { ...one, ...ended, state, arguments: {}, requestedBy: storable(one.requestedBy) };
    for (const id of ids)
      await tx.task.create({
        data: {
          ...data,
          id,
          toolHints: storable(one.toolHints),
          progress: storable(null),
          result: storable(null),
          error: storable(null),
          askedArguments: storable(null),
          gateRule: storable(null),
          cancelRequestedBy: storable(null),
        },
      });
    return ids;
  });
}

async function begin(action: BulkAction, taskIds: string[]): Promise<string> {
  const { operator } = fixture;
  const id = await fixture.within((tx) => prepareOperation(tx, operator, { action, taskIds }));
  await fixture.within((tx) => beginOperation(tx, operator, id, taskIds.length));
  return id;
}

const read = (id: string) => fixture.within((tx) => readOperation(tx, id));
const items = (id: string) =>
  fixture.within((tx) => tx.bulkItem.findMany({ where: { operationId: id }, orderBy: { position: "asc" } }));
const restartsOf = (taskIds: string[]) =>
  fixture.within((tx) =>
    tx.task.findMany({ where: { restartOf: { in: taskIds } }, select: { id: true, restartOf: true } }),
  );

test("two engines at once start each task again once, and say so once", async () => {
  const tasks = await tasksIn("cancelled", 6);
  const id = await begin("restart", tasks);
  await Promise.all([done(), done(), done()]);
  expect(await read(id)).toMatchObject({ state: "done", items: 6, counts: { done: 6, waiting: 0 } });
  const started = await restartsOf(tasks);
  expect(started.map(({ restartOf }) => restartOf).sort()).toEqual([...tasks].sort());
  const promised = (await items(id)).map(({ newTaskId }) => newTaskId);
  expect(started.map((task) => task.id).sort()).toEqual([...promised].sort());
  const lines = await fixture.within((tx) =>
    tx.event.findMany({ where: { type: { startsWith: "bulk." } }, orderBy: { seq: "asc" } }),
  );
  expect(lines.map(({ type }) => type)).toEqual(["bulk.begun", "bulk.ended"]);
});

test("another engine finishes a bulk operation whose engine was killed, and does nothing twice", async ({
  onTestFinished,
}) => {
  const tasks = await tasksIn("cancelled", 16);
  const id = await begin("restart", tasks);
  const first = await startEngineProcess(fixture.engineEnvironment);
  onTestFinished(() => first.kill());
  await until("it is at work", async () => (await read(id)).counts.done! > 0, PATIENCE_MS);
  await first.kill();
  await done();
  expect(await read(id)).toMatchObject({ state: "done", counts: { done: 16 } });
  const started = await restartsOf(tasks);
  expect(started).toHaveLength(16);
  expect(new Set(started.map(({ restartOf }) => restartOf)).size).toBe(16);
});

test("two people who retry the same tasks at once make each call once", async () => {
  const tasks = await tasksIn("cancelled", 8);
  const lists = await Promise.all([begin("restart", tasks), begin("restart", tasks)]);
  await Promise.all([done(), done(), done()]);
  const started = await restartsOf(tasks);
  expect(started.map(({ restartOf }) => restartOf).sort()).toEqual([...tasks].sort());
  const results = (await Promise.all(lists.map(items))).flat();
  expect(results.filter(({ state }) => state === "done")).toHaveLength(8);
  expect(results.filter(({ code }) => code === "started_again")).toHaveLength(8);
});

test("a restart that was not committed yet when the list was chosen is seen when the list is carried out", async () => {
  const [task] = await tasksIn("cancelled", 1);
  const { release, restarting } = await restartHeldOpen(task!);
  const id = await begin("restart", [task!]);
  release();
  await restarting;
  await done();
  expect(await items(id)).toMatchObject([{ state: "refused", code: "started_again" }]);
  expect(await restartsOf([task!])).toHaveLength(1);
});

test("an item waits for a restart by hand that is under way, and then does not call again", async () => {
  const [task] = await tasksIn("cancelled", 1);
  const id = await begin("restart", [task!]);
  const { release, restarting } = await restartHeldOpen(task!);
  const carriedOut = done();
  await until("the item waits for the restart", () =>
    withClient(fixture.adminUrl, async (client) => {
      const waiting = await client.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return waiting.rowCount! > 0;
    }),
  );
  release();
  await Promise.all([restarting, carriedOut]);
  expect(await items(id)).toMatchObject([{ state: "refused", code: "started_again" }]);
  expect(await restartsOf([task!])).toHaveLength(1);
});

test("a task that was started again before the list was made is started again once more", async () => {
  const [task] = await tasksIn("cancelled", 1);
  const { release, restarting } = await restartHeldOpen(task!);
  release();
  await restarting;
  const id = await begin("restart", [task!]);
  await done();
  expect(await items(id)).toMatchObject([{ state: "done" }]);
  expect(await restartsOf([task!])).toHaveLength(2);
});

test("a tool that says something else than when it was used last is started again only once a person has looked", async () => {
  const remote = await startTestServer();
  try {
    const { organizationId, operator } = fixture;
    const place = await fixture.addServer(remote.url, "2026-07-28");
    const approve = tool("approve", { taskSupport: "required" });
    const taskId = await fixture.startTask(place, { invoice: "INV-7" }, approve);
    await fixture.within(async (tx) => {
      await tx.$executeRaw`UPDATE task SET state = 'starting', attempt_id = id WHERE id = ${taskId}::uuid`;
      await tx.$executeRaw`UPDATE task SET state = 'failed', watched = false, finished_at = now() WHERE id = ${taskId}::uuid`;
    });
    /** The result of a list whose engine reads the tools anew. */
    const startAgain = async (description: string) => {
      remote.behave.describe = () => description;
      await fixture.within(
        (tx) => tx.$executeRaw`UPDATE server SET tools_checked_at = NULL WHERE id = ${place.serverId}::uuid`,
      );
      const id = await begin("restart", [taskId]);
      await done();
      return (await items(id))[0];
    };
    expect(await startAgain("as it was")).toMatchObject({ state: "done", message: null });
    expect(await startAgain("as it is now")).toMatchObject({ state: "refused", code: "tool_changed" });
    expect(await restartsOf([taskId])).toHaveLength(1);
    const known = await fixture.within(
      (tx) =>
        tx.$queryRaw<{ is: string; digest: string }[]>`
        SELECT described->>'description' AS is, encode(digest, 'hex') AS digest FROM server_tool_version
        WHERE server_id = ${place.serverId}::uuid AND tool = 'approve' AND until IS NULL`,
    );
    expect(known).toMatchObject([{ is: "as it is now" }]);
    // A person looks at the change, and starts the tool once.
    await restartTask(
      { db: fixture.database, seal: fixture.seal, network: NETWORK },
      operator,
      taskId,
      null,
      { acknowledgeToolChange: known[0]!.digest },
    );
    expect(await startAgain("as it is now")).toMatchObject({ state: "done", message: null });
    const started = await fixture.within((tx) =>
      tx.task.count({ where: { organizationId, restartOf: taskId } }),
    );
    expect(started).toBe(3);
  } finally {
    await remote.close();
  }
});

test("a private task that would become everybody's is left with the reason, and the others go on", async () => {
  const { organizationId, operator } = fixture;
  const [mine, everybodys] = await tasksIn("cancelled", 2);
  await fixture.within(async (tx) => {
    const connectionId = uuidv7();
    await tx.connection.create({
      data: { organizationId, id: connectionId, serverId: server.serverId, userId: operator.userId },
    });
    await tx.task.updateMany({
      where: { organizationId, id: mine! },
      data: { connectionId, visibility: "private" },
    });
  });
  const id = await begin("restart", [mine!, everybodys!]);
  await done();
  const results = Object.fromEntries(
    (await items(id)).map(({ taskId, state, code }) => [taskId, [state, code]]),
  );
  expect(results).toEqual({
    [mine!]: ["refused", "connection_changed"],
    [everybodys!]: ["done", null],
  });
  expect(await restartsOf([mine!])).toEqual([]);
});

/** Starts the task again by hand, and commits that when released. Returns when the restart is written. */
async function restartHeldOpen(taskId: string) {
  const written = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const restarting = fixture.within(async (tx) => {
    await createTask(tx, {
      principal: fixture.operator,
      server: { id: server.serverId },
      connectionId: server.connectionId,
      tool: PROCESS_INVOICE,
      arguments: {},
      ttlMs: null,
      idempotencyKey: null,
      restartOf: taskId,
    });
    written.resolve();
    await held.promise;
  });
  await Promise.race([written.promise, restarting]);
  return { release: held.resolve, restarting };
}

test("each task has its own result: done, or refused with the reason", async () => {
  const [cancelled, ended, foreign] = await tasksIn("queued", 3);
  const id = await begin("cancel", [cancelled!, ended!, foreign!]);
  await fixture.within(async (tx) => {
    await tx.$executeRaw`UPDATE task SET state = 'starting', attempt_id = id WHERE id = ${ended}::uuid`;
    await tx.$executeRaw`UPDATE task SET state = 'completed', watched = false, finished_at = now() WHERE id = ${ended}::uuid`;
    await tx.$executeRaw`UPDATE task SET visibility = 'private', requester_user_id = NULL WHERE id = ${foreign}::uuid`;
  });
  await done();
  const results = Object.fromEntries(
    (await items(id)).map(({ taskId, state, code }) => [taskId, [state, code]]),
  );
  expect(results).toEqual({
    [cancelled!]: ["done", null],
    [ended!]: ["refused", "task_ended"],
    [foreign!]: ["refused", "not_found"],
  });
  expect(await read(id)).toMatchObject({ state: "done", counts: { done: 1, refused: 2 } });
});

test("a person who loses the right has the rest refused, and a stopped operation does nothing more", async () => {
  const tasks = await tasksIn("queued", 4);
  const stopped = await begin("refresh", tasks);
  await fixture.within((tx) => stopOperation(tx, fixture.operator, stopped));
  await done();
  expect(await read(stopped)).toMatchObject({ state: "stopped", counts: { done: 0, skipped: 4 } });
  const weaker = await begin("cancel", tasks);
  await fixture.within((tx) =>
    tx.membership.updateMany({ where: { userId: fixture.operator.userId! }, data: { role: "approver" } }),
  );
  await done();
  expect((await items(weaker)).map(({ code }) => code)).toEqual([
    "forbidden",
    "forbidden",
    "forbidden",
    "forbidden",
  ]);
  const open = await fixture.within((tx) => tx.task.count({ where: { id: { in: tasks }, state: "queued" } }));
  expect(open).toBe(4);
});
