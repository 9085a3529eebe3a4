/** Who looks after a stuck task: one person at a time, until the task is no longer stuck. */
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { organizationsDue } from "../../test/fixtures/notifications-fixture.ts";
import { organizationForFile } from "../../test/fixtures/organization-for-file.ts";
import { insertServer, insertTask } from "../../test/fixtures/rows.ts";
import type { Principal } from "../access/principal.ts";
import { createDatabase, type Database } from "../base/db/db.ts";
import { uuidv7 } from "../base/ids.ts";
import { createNetwork } from "../base/network/network.ts";
import { END_ACKNOWLEDGEMENTS } from "../engine/jobs/task-jobs.ts";
import { readTask } from "../tasks/task-reads.ts";
import type { Acknowledge } from "../tasks/task-schema.ts";
import { acknowledgeTask, releaseTask } from "./stuck-task-owner-writes.ts";

const fixture = organizationForFile([]);
let server: { id: string; connectionId: string };
let engine: Database;
let ola: Principal;
let ben: Principal;

beforeAll(async () => {
  server = await insertServer(fixture.database, fixture.organizationId);
  engine = createDatabase(fixture.engineEnvironment.ENGINE_DATABASE_URL!, { connections: 2 });
  await engine.withOrganization(
    fixture.organizationId,
    (tx) =>
      tx.$executeRaw`INSERT INTO engine (id, seen_at) VALUES (${uuidv7()}::uuid, now() + interval '1 hour')`,
  );
  ola = fixture.operator;
  // A role is checked at the edge; what counts here is that they are two.
  ben = { ...fixture.approver, role: "operator" };
});
afterAll(async () => {
  await engine.close();
});

const insertStuck = () =>
  insertTask(fixture.database, fixture.organizationId, server, { state: "start_unknown" });
const acknowledge = (who: Principal, taskId: string, input: Acknowledge = {}) =>
  fixture.within((tx) => acknowledgeTask(tx, who, taskId, input));
const release = (who: Principal, taskId: string) => fixture.within((tx) => releaseTask(tx, who, taskId));
const held = async (taskId: string) =>
  (await fixture.within((tx) => readTask(tx, ola, taskId))).acknowledgement;
const rows = (taskId: string) => fixture.within((tx) => tx.acknowledgement.count({ where: { taskId } }));
const history = (taskId: string) =>
  fixture.within(async (tx) => {
    const events = await tx.event.findMany({ where: { taskId }, orderBy: { seq: "asc" } });
    return events.map(({ type, actor, data }) => [type, (actor as { name: string }).name, data]);
  });

/** One turn of the job, as every engine runs it. */
async function sweep(): Promise<void> {
  const network = createNetwork({ allowHosts: [], denyPorts: [] });
  const context = { database: engine, network, seal: fixture.seal, log: pino({ level: "silent" }) };
  for (const id of await organizationsDue(engine, END_ACKNOWLEDGEMENTS))
    await END_ACKNOWLEDGEMENTS.run(context, id);
}

test("of two who acknowledge at once one holds the task, and the other is told who does", async () => {
  const taskId = await insertStuck();
  const tries = await Promise.allSettled([
    acknowledge(ola, taskId, { note: "Asking the bank" }),
    acknowledge(ben, taskId, { note: "Asking the bank" }),
  ]);
  const [refused] = tries.filter((each) => each.status === "rejected");
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const holder = await held(taskId);
  expect(holder).toMatchObject({ note: "Asking the bank" });
  expect(refused!.reason).toMatchObject({
    code: "acknowledged_by_other",
    extra: { by: { name: holder!.by.name }, at: holder!.at },
  });
  expect(await rows(taskId)).toBe(1);
  expect((await history(taskId)).map(([type]) => type)).toEqual(["task.acknowledged"]);
});

test("another takes it over from the one they have seen, and from nobody else", async () => {
  const taskId = await insertStuck();
  await acknowledge(ola, taskId);
  const since = (await held(taskId))!.at;
  await acknowledge(ola, taskId, { note: "Called them" });
  expect(await held(taskId)).toEqual({
    by: { id: ola.userId, name: "Ola" },
    at: since,
    note: "Called them",
  });
  await expect(
    acknowledge(ben, taskId, { takeOver: new Date(Date.parse(since) - 1).toISOString() }),
  ).rejects.toMatchObject({
    code: "acknowledged_by_other",
  });
  await acknowledge(ben, taskId, { takeOver: since });
  expect(await held(taskId)).toMatchObject({ by: { name: "Ben" }, note: null });
  await expect(release(ola, taskId)).rejects.toMatchObject({ code: "acknowledged_by_other" });
  await release(ben, taskId);
  await release(ben, taskId);
  expect(await held(taskId)).toBeNull();
  expect(await history(taskId)).toEqual([
    ["task.acknowledged", "Ola", { code: "start_unknown" }],
    ["task.acknowledged", "Ola", { code: "start_unknown", note: "Called them" }],
    ["task.acknowledged", "Ben", { code: "start_unknown", from: "Ola" }],
    ["task.released", "Ben", {}],
  ]);
});

test("it ends by itself when the task is no longer stuck, once, whichever engine sees it", async () => {
  const [taskId, still] = [await insertStuck(), await insertStuck()];
  for (const id of [taskId, still]) await acknowledge(ola, id);
  await sweep();
  expect([await rows(taskId), await rows(still)]).toEqual([1, 1]);
  await fixture.within(
    (tx) => tx.$executeRaw`UPDATE task SET state = 'working', changed_at = now() WHERE id = ${taskId}::uuid`,
  );
  // Not shown from that moment on.
  expect(await held(taskId)).toBeNull();
  await sweep();
  expect([await rows(taskId), await rows(still)]).toEqual([1, 1]);
  await minutesPass();
  await Promise.all([sweep(), sweep()]);
  expect([await rows(taskId), await rows(still)]).toEqual([0, 1]);
  expect((await history(taskId)).slice(1)).toEqual([["task.released", "Intray", { reason: "not_stuck" }]]);
  await expect(acknowledge(ola, taskId)).rejects.toMatchObject({ code: "not_stuck" });
});

/** As if the tasks that are free were so for ten minutes longer. */
const minutesPass = () =>
  fixture.within(
    (tx) => tx.$executeRaw`UPDATE acknowledgement SET free_since = free_since - interval '10 minutes'`,
  );

test("it outlasts a server that comes and goes, and no task's end", async () => {
  const away = await insertServer(fixture.database, fixture.organizationId);
  const reachable = (healthState: "ok" | "unreachable") =>
    fixture.within((tx) => tx.server.updateMany({ where: { id: away.id }, data: { healthState } }));
  const taskId = await insertTask(fixture.database, fixture.organizationId, away, { state: "working" });
  await reachable("unreachable");
  await acknowledge(ola, taskId, { note: "Called them" });
  await reachable("ok");
  await sweep();
  await reachable("unreachable");
  await sweep();
  await minutesPass();
  await reachable("ok");
  await sweep();
  await reachable("unreachable");
  expect(await held(taskId)).toMatchObject({ note: "Called them" });
  await fixture.within(
    (tx) =>
      tx.$executeRaw`UPDATE task SET state = 'cancelled', watched = false, finished_at = now() WHERE id = ${taskId}::uuid`,
  );
  await sweep();
  expect(await rows(taskId)).toBe(0);
  expect((await history(taskId)).map(([type]) => type)).toEqual(["task.acknowledged", "task.released"]);
});

test("neither a key nor somebody who may not see the task looks after it", async () => {
  const taskId = await insertStuck();
  const key: Principal = { ...ola, userId: null, actor: { kind: "key", id: "k", name: "Key" } };
  await expect(acknowledge(key, taskId)).rejects.toMatchObject({ code: "forbidden" });
  await fixture.within((tx) =>
    tx.task.updateMany({ where: { id: taskId }, data: { visibility: "private" } }),
  );
  await expect(acknowledge(ola, taskId)).rejects.toMatchObject({ code: "not_found" });
  expect(await rows(taskId)).toBe(0);
});
