/**
 * Retention deletes old data in batches, once, whichever engine dies. Open work and the event chain stay
 * whole.
 */
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { startEngineProcess } from "../../../test/engine-process.ts";
import { organizationsDue } from "../../../test/fixtures/notifications-fixture.ts";
import { createOrganizationFixture, until } from "../../../test/fixtures/organization-fixture.ts";
import { insertRequest, insertServer, insertTask } from "../../../test/fixtures/rows.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { createNetwork } from "../../base/network/network.ts";
import { exportedLines } from "../../history/events/event-reads.ts";
import { appendEvents, ENGINE_ACTOR } from "../../history/events/event-writes.ts";
import { verifyEvents } from "../../history/events/verify.ts";
import { verifyExport } from "../../history/events/verify-export.ts";
import { previewRetention } from "../../history/retention/retention-reads.ts";
import type { JobContext } from "./job-runner.ts";
import { RETENTION } from "./retention-jobs.ts";

const postgres = databaseForFile();
let owner: Database;
let engines: Database[];
let server: { id: string; connectionId: string };
const acme = uuidv7();
const globex = uuidv7();

beforeAll(async () => {
  owner = createDatabase(postgres.ownerUrl, { connections: 4 });
  engines = [1, 2].map(() => createDatabase(postgres.engineUrl, { connections: 2 }));
  for (const [id, slug] of [
    [acme, "acme"],
    [globex, "globex"],
  ] as const)
    await owner.withOrganization(id, async (tx) => {
      await tx.organization.create({ data: { id, slug, name: slug } });
      await tx.$queryRaw`SELECT append_event('server.updated', ${JSON.stringify(ENGINE_ACTOR)}::jsonb, NULL, NULL,
        jsonb_build_object('at', at))::text FROM generate_series(1, 700) at`;
    });
  server = await insertServer(owner, acme);
  for (const id of [acme, globex]) await admin(AGE, [id, 600]);
});
afterAll(async () => {
  for (const database of [owner, ...engines]) await database.close();
});

const admin = (sql: string, values: unknown[] = []) =>
  withClient(postgres.adminUrl, async (client) => {
    await client.query(
      `CREATE OR REPLACE FUNCTION pg_temp.age(uuid, bigint) RETURNS void LANGUAGE plpgsql AS $$${BODY}`,
    );
    return (await client.query(sql, values)).rows;
  });
/** Backdates the first history lines by forty days and recomputes the chain. */
const AGE = "SELECT pg_temp.age($1, $2)";
const BODY = `DECLARE line event; before bytea := ''; BEGIN
  FOR line IN SELECT * FROM event WHERE organization_id = $1 ORDER BY seq LOOP
    IF line.seq <= $2 THEN line.at := line.at - interval '40 days'; END IF;
    line.digest := sha256(convert_to(event_line(line.seq, line.at, line.type, line.actor, line.task_id,
      line.input_request_id, line.payload_digest, NULL), 'UTF8'));
    before := sha256(before || line.digest);
    UPDATE event SET at = line.at, digest = line.digest, hash = before WHERE organization_id = $1 AND seq = line.seq;
  END LOOP;
  UPDATE event_head SET hash = before WHERE organization_id = $1;
END $$`;

const keep = (
  id: string,
  kept: { keepMessagesDays?: number | null; keepPayloadsDays?: number | null; keepTasksDays?: number | null },
) => owner.withOrganization(id, (tx) => tx.organization.update({ where: { id }, data: kept }));
const context = (database: Database): JobContext => ({
  database,
  network: createNetwork({ allowHosts: [], denyPorts: [] }),
  seal: { seal: () => "", open: () => "" } as never,
  log: pino({ level: "silent" }),
});
/** Runs both engines at once until nothing is left to do. */
async function tidy(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) {
    const due = await organizationsDue(engines[0]!, RETENTION);
    if (due.length === 0) return;
    await Promise.all(
      engines.map(async (database) => {
        for (const id of due) await RETENTION.run(context(database), id);
      }),
    );
  }
  throw new Error("it never ends");
}
const payloads = (id: string) =>
  owner
    .withOrganization(
      id,
      (tx) => tx.$queryRaw<{ kept: number; gone: number }[]>`SELECT
    count(data)::integer AS kept, count(*) FILTER (WHERE data IS NULL)::integer AS gone FROM event`,
    )
    .then(([row]) => row);
const verify = (id: string) => verifyEvents((work) => owner.withOrganization(id, work));
async function* exported(id: string) {
  let all = "";
  for await (const piece of exportedLines((work) => owner.withOrganization(id, work), { batch: 500 }))
    all += piece;
  yield* all.trimEnd().split("\n");
}

test("payloads older than the organization keeps them go, and the chain holds: here, in an export, and against tampering", async () => {
  const before = await verify(acme);
  expect(before).toMatchObject({ ok: true, lines: 700 });
  await keep(acme, { keepPayloadsDays: 30 });
  const preview = { messageDays: null, payloadDays: 30, taskDays: null };
  const count = () => owner.withOrganization(acme, (tx) => previewRetention(tx, preview));
  expect(await count()).toEqual({ messages: 0, payloads: 600, tasks: 0 });
  await tidy();
  expect(await payloads(acme)).toEqual({ kept: 100, gone: 600 });
  expect(await payloads(globex)).toEqual({ kept: 700, gone: 0 });
  expect(await count()).toEqual({ messages: 0, payloads: 0, tasks: 0 });
  expect(await verify(acme)).toEqual(before);
  expect(await verifyExport(exported(acme))).toEqual(before);

  await admin(
    `UPDATE event SET actor = '{"kind": "member", "id": null, "name": "Eve"}'
    WHERE organization_id = $1 AND seq = 500`,
    [acme],
  );
  const found = { ok: false, brokenAt: 500, fault: "altered" };
  expect(await verify(acme)).toMatchObject(found);
  expect(await verifyExport(exported(acme))).toMatchObject(found);
});

test("an engine that asks for more drops no payload that the organization keeps", async () => {
  const drop = (id: string) =>
    engines[0]!.withOrganization(id, (tx) => tx.$queryRaw`SELECT * FROM drop_event_payloads(0, 100000)`);
  expect(await drop(globex)).toEqual([{ reached: null, dropped: 0 }]);
  await keep(globex, { keepPayloadsDays: 41 });
  expect(await drop(globex)).toEqual([{ reached: null, dropped: 0 }]);
  await keep(globex, { keepPayloadsDays: null });
  const web = withClient(postgres.appUrl, async (client) => {
    await client.query("SELECT set_config('app.organization_id', $1, false)", [globex]);
    await client.query("SELECT * FROM drop_event_payloads(0, 100)");
  });
  await expect(web).rejects.toMatchObject({ code: "42501" });
  expect(await payloads(globex)).toEqual({ kept: 700, gone: 0 });
});

test("tasks that are over go with all that is theirs; what is at work, on its way, or gone on from, stays", async () => {
  const task = (state: string) => insertTask(owner, acme, server, { state });
  const over: string[] = [];
  while (over.length < 30) over.push(await task("completed"));
  const [open, watched, sending, origin, parent] = [
    await task("working"),
    await task("cancelled"),
    await task("completed"),
    await task("failed"),
    await task("failed"),
  ];
  const again = await task("working");
  const child = await task("completed");
  const young = await task("completed");
  const [racer, winner, runner] = [await task("completed"), await task("completed"), await task("working")];
  const [done, running] = [uuidv7(), uuidv7()];
  await admin(
    `INSERT INTO race (organization_id, id, state, winner_task_id, finished_at, settled_at, requested_by)
    SELECT $1, id, 'won', $4, now(), now(), '{}' FROM unnest(ARRAY[$2, $3]::uuid[]) id`,
    [acme, done, running, winner],
  );
  await admin("UPDATE task SET race_id = $1 WHERE id = $2", [done, winner]);
  await admin("UPDATE task SET race_id = $1 WHERE id IN ($2, $3)", [running, racer, runner]);
  for (const [at, id] of [...over, sending].entries()) {
    const { id: inputRequestId, questionHash } = await insertRequest(owner, acme, id);
    const ids = [uuidv7(), uuidv7(), uuidv7()];
    await owner.withOrganization(acme, async (tx) => {
      const ofRequest = { organizationId: acme, inputRequestId };
      await tx.ask.create({ data: { ...ofRequest, id: ids[0]!, taskId: id, key: "k" } });
      await tx.answer.create({
        data: { ...ofRequest, id: ids[1]!, questionHash, action: "decline", answeredBy: {} },
      });
      await tx.delivery.create({
        data: {
          ...ofRequest,
          id: ids[2]!,
          answerId: ids[1]!,
          askId: ids[0]!,
          taskId: id,
          deliverAfter: new Date(),
          ...(id === sending ? { state: "accepted" } : { state: "confirmed", confirmedAt: new Date() }),
        },
      });
      await tx.$executeRaw`UPDATE input_request SET state = 'answered' WHERE id = ${inputRequestId}::uuid`;
      await tx.$executeRaw`UPDATE input_request SET state = 'settled', ended_at = now() WHERE id = ${inputRequestId}::uuid`;
      await tx.claim.create({ data: { ...ofRequest, userId: uuidv7() } });
      await tx.acknowledgement.create({ data: { organizationId: acme, taskId: id, userId: uuidv7() } });
      await tx.draft.create({ data: { ...ofRequest, userId: uuidv7(), content: {} } });
      await tx.taskWatch.create({ data: { organizationId: acme, taskId: id } });
      await tx.protocolMessage.createMany({
        data: Array.from({ length: at === 0 ? 1_100 : 3 }, () => ({
          organizationId: acme,
          taskId: id,
          direction: "in",
          method: "tasks/get",
          body: {},
        })),
      });
    });
  }
  await admin(
    "UPDATE task SET finished_at = now() - interval '40 days' WHERE finished_at IS NOT NULL AND id <> $1",
    [young],
  );
  await admin("UPDATE task SET finished_at = finished_at - interval '1 day' WHERE id = $1", [over[0]]);
  await admin("UPDATE task SET watched = true, watch_until = now() - interval '1 second' WHERE id = $1", [
    watched,
  ]);
  await admin("UPDATE task SET restart_of = $1 WHERE id = $2", [origin, again]);
  await admin("UPDATE task SET restart_of = $1, finished_at = now() WHERE id = $2", [parent, child]);
  await keep(acme, { keepTasksDays: 30, keepMessagesDays: null });
  const asked = { messageDays: null, payloadDays: null, taskDays: 30 };
  expect(await owner.withOrganization(acme, (tx) => previewRetention(tx, asked))).toMatchObject({
    tasks: 32,
  });

  const dies = engines[0]!.withOrganization(acme, async (tx) => {
    const { deleteTasks } = await import("../../history/retention/retention-writes.ts");
    expect(await deleteTasks(tx)).toBe(500);
    throw new Error("killed");
  });
  await expect(dies).rejects.toThrow("killed");
  await Promise.all(engines.map((database) => RETENTION.run(context(database), acme)));

  const left = await admin("SELECT id, restart_of FROM task WHERE organization_id = $1 ORDER BY id", [acme]);
  const kept = [open, watched, sending, origin, again, child, young, racer, runner].sort();
  expect(left.map(({ id }) => id)).toEqual(kept);
  expect(left.find(({ id }) => id === child)?.restart_of).toBeNull();
  expect(left.find(({ id }) => id === again)?.restart_of).toBe(origin);
  expect(await admin("SELECT id FROM race")).toEqual([{ id: running }]);
  for (const table of [
    ...["input_request", "ask", "answer", "delivery", "claim", "draft", "task_watch"],
    "acknowledgement",
  ])
    expect([table, await admin(`SELECT count(*)::integer AS count FROM ${table}`)]).toEqual([
      table,
      [{ count: 1 }],
    ]);
  expect(await admin("SELECT count(*)::integer AS count FROM protocol_message")).toEqual([{ count: 3 }]);
});

test("a private task takes what its lines said of it along, and the chain holds", async () => {
  const id = uuidv7();
  await owner.withOrganization(id, (tx) =>
    tx.organization.create({ data: { id, slug: "private-lines", name: "private-lines" } }),
  );
  const at = await insertServer(owner, id);
  const [secret, open] = [
    await insertTask(owner, id, at, { state: "completed", visibility: "private", requester: uuidv7() }),
    await insertTask(owner, id, at, { state: "completed" }),
  ];
  await owner.withOrganization(id, (tx) =>
    appendEvents(
      tx,
      [secret, open].map((taskId) => ({
        type: "request.opened" as const,
        actor: ENGINE_ACTOR,
        taskId,
        data: { message: "Pay?" },
      })),
    ),
  );
  const before = await verify(id);
  await admin("UPDATE task SET finished_at = now() - interval '40 days' WHERE id IN ($1, $2)", [
    secret,
    open,
  ]);
  await keep(id, { keepTasksDays: 30 });
  await RETENTION.run(context(engines[0]!), id);
  expect(await admin("SELECT id FROM task WHERE id IN ($1, $2)", [secret, open])).toEqual([]);
  expect(
    await admin("SELECT task_id, data FROM event WHERE organization_id = $1 ORDER BY seq", [id]),
  ).toEqual([
    { task_id: secret, data: null },
    { task_id: open, data: { message: "Pay?" } },
  ]);
  expect(await verify(id)).toEqual(before);
});

test("what a program asked goes with its task: the use of its approval, its votes, and who was told of it", async () => {
  const id = uuidv7();
  await owner.withOrganization(id, (tx) =>
    tx.organization.create({ data: { id, slug: "asked", name: "asked" } }),
  );
  const askedBy = await insertServer(owner, id);
  const taskId = await insertTask(owner, id, askedBy, { state: "completed" });
  const { id: inputRequestId } = await insertRequest(owner, id, taskId);
  await owner.withOrganization(id, async (tx) => {
    const its = { organizationId: id, inputRequestId };
    const asked = { connectionId: askedBy.connectionId, sessionDigest: Buffer.alloc(32), rpcId: 1 };
    await tx.elicitationTask.create({ data: { ...its, ...asked, id: uuidv7(), taskId } });
    await tx.approvalUse.create({ data: { ...its, usedBy: {} } });
    const said = { ...its, questionHash: "q", action: "decline" };
    const answerId = uuidv7();
    await tx.answer.create({ data: { ...said, id: answerId, answeredBy: {} } });
    const vote = { ...said, stage: 0, contentDigest: "c", rejects: true, castBy: {} };
    for (const bound of [answerId, null])
      await tx.vote.create({ data: { ...vote, id: uuidv7(), person: uuidv7(), answerId: bound } });
    await tx.requestCallback.create({
      data: { ...its, taskId, url: "https://ci.example", sealedSecret: "s" },
    });
  });
  await admin("UPDATE input_request SET state = 'withdrawn', ended_at = now() WHERE id = $1", [
    inputRequestId,
  ]);
  await admin("UPDATE task SET finished_at = now() - interval '40 days' WHERE id = $1", [taskId]);
  await keep(id, { keepTasksDays: 30 });
  await RETENTION.run(context(engines[0]!), id);
  const left = "SELECT FROM %t WHERE organization_id = $1";
  for (const table of ["task", "approval_use", "request_callback", "elicitation_task", "answer", "vote"])
    expect([table, await admin(left.replace("%t", table), [id])]).toEqual([table, []]);
  await keep(id, { keepTasksDays: null });
});

test("protocol messages go after their days, also those of tasks at work; younger ones stay", async () => {
  const id = await insertTask(owner, acme, server);
  await owner.withOrganization(acme, (tx) =>
    tx.protocolMessage.createMany({
      data: Array.from({ length: 1_300 }, (_, at) => ({
        organizationId: acme,
        taskId: id,
        direction: "in",
        method: "tasks/get",
        body: {},
        at: new Date(Date.now() - (at < 1_250 ? 31 : 29) * 24 * 3600_000),
      })),
    }),
  );
  await admin("DELETE FROM protocol_message WHERE task_id <> $1", [id]);
  await keep(acme, { keepMessagesDays: 30 });
  await Promise.all(engines.map((database) => RETENTION.run(context(database), acme)));
  expect(await admin("SELECT count(*)::integer AS count FROM protocol_message")).toEqual([{ count: 50 }]);
  await keep(acme, { keepTasksDays: null });
  expect(await organizationsDue(engines[0]!, RETENTION)).toEqual([]);
});

test("stream messages, and tasks for servers that were nobody's, are deleted a day after they were handled, whatever the organization keeps", async () => {
  const kept = () => admin("SELECT handled_at IS NULL AS open FROM stream_message");
  await admin(
    `INSERT INTO stream_message (organization_id, id, connection_id, session_digest, rpc_id, kind, handled_at)
      SELECT $1, gen_random_uuid(), $2, '', '1', 'cancelled', now() - ago FROM unnest(ARRAY[NULL,
        interval '1 hour'] || array_fill(interval '2 days', ARRAY[700])) AS given (ago)`,
    [acme, server.connectionId],
  );
  await admin(
    `INSERT INTO elicitation_task (organization_id, id, connection_id, session_digest, rpc_id, state, changed_at)
      SELECT $1, gen_random_uuid(), $2, '', '1', state, now() - ago FROM (VALUES ('working', interval '2 days'),
        ('cancelled', interval '1 hour'), ('cancelled', interval '2 days')) AS given (state, ago)`,
    [acme, server.connectionId],
  );
  expect(await organizationsDue(engines[0]!, RETENTION)).toEqual([acme]);
  await tidy();
  expect(await kept()).toEqual([{ open: true }, { open: false }]);
  const tasks = await admin("SELECT state FROM elicitation_task ORDER BY changed_at");
  expect(tasks).toEqual([{ state: "working" }, { state: "cancelled" }]);
});

test("whatever points at a task or a request goes with it, or is deleted before it", async () => {
  const known = [
    ...["answer", "ask", "claim", "delivery", "draft", "elicitation_task", "found_task", "input_request"],
    ...["stream_message", "task"],
  ];
  const rows = await admin(`SELECT DISTINCT conrelid::regclass::text AS "table" FROM pg_constraint
    WHERE contype = 'f' AND confdeltype = 'a' AND confrelid IN ('task'::regclass, 'input_request'::regclass,
      'answer'::regclass, 'ask'::regclass) ORDER BY 1`);
  expect(rows.map(({ table }) => table)).toEqual(known);
});

test("an engine applies retention by itself, and finishes what a killed engine left", {
  tags: ["full"],
}, async () => {
  const fixture = await createOrganizationFixture(["127.0.0.1"]);
  try {
    const place = await fixture.addServer("http://127.0.0.1:9/mcp", "2026-07-28");
    await withClient(fixture.adminUrl, async (client) => {
      await client.query("UPDATE organization SET keep_tasks_days = 1");
      await client.query(
        `INSERT INTO task (organization_id, id, server_id, connection_id, tool, arguments, state, watched, visibility,
          requested_by, finished_at) SELECT $1, gen_random_uuid(), $2, $3, 'work', '{}', 'completed', false,
          'organization', '{}', now() - interval '40 days' FROM generate_series(1, 400)`,
        [fixture.organizationId, place.serverId, place.connectionId],
      );
    });
    const left = () =>
      fixture.within((tx) => tx.task.count({ where: { organizationId: fixture.organizationId } }));
    const first = await startEngineProcess(fixture.engineEnvironment);
    await until("it has begun", async () => (await left()) < 400);
    await first.kill();
    const second = await startEngineProcess(fixture.engineEnvironment);
    await until("all are gone", async () => (await left()) === 0);
    await second.kill();
  } finally {
    await fixture.close();
  }
});
