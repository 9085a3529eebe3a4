/** Group commits of steps, on a real Postgres. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { insertTask } from "../../../test/fixtures/rows.ts";
import { createDatabase, type Database, type Tx } from "../../base/db/db.ts";
import { USES_BEFORE_NAMED } from "../../base/db/statements.ts";
import { uuidv7 } from "../../base/ids.ts";
import { inScope, scope } from "../../base/process/scope.ts";
import { verifyEvents } from "../../history/events/verify.ts";
import { storeProtocolMessages } from "../../history/protocol-messages/protocol-message-writes.ts";
import { endTask } from "../../lifecycle/end-task.ts";
import { recordStatus } from "../../lifecycle/running-task-writes.ts";
import { GROUPS_AT_ONCE } from "../tunables.ts";
import { LeaseLost } from "./fence.ts";
import { type Change, GroupCommit } from "./group-commit.ts";

const TASKS = 12;

let fixture: OrganizationFixture;
let database: Database;
/** Database connections of another engine. */
let second: Database;
let groups: GroupCommit;
let connectionId: string;
let lostId: string;
let tasks: string[];

beforeEach(async () => {
  fixture = await createOrganizationFixture([]);
  database = createDatabase(fixture.engineEnvironment.ENGINE_DATABASE_URL ?? "", { connections: 4 });
  second = createDatabase(fixture.engineEnvironment.ENGINE_DATABASE_URL ?? "", { connections: 4 });
  groups = new GroupCommit(database);
  const server = await fixture.addServer("http://127.0.0.1:1/mcp", "2026-07-28");
  connectionId = server.connectionId;
  lostId = (await fixture.addServer("http://127.0.0.1:2/mcp", "2026-07-28")).connectionId;
  tasks = [];
  while (tasks.length < TASKS)
    tasks.push(
      await insertTask(fixture.database, fixture.organizationId, { id: server.serverId, ...server }),
    );
  await fixture.within(async (tx) => {
    await tx.$executeRaw`UPDATE connection SET epoch = 7`;
    await tx.$executeRaw`UPDATE connection SET epoch = 8 WHERE id = ${lostId}::uuid`;
  });
});
afterEach(async () => {
  await database?.close();
  await second?.close();
  await fixture?.close();
});

function change<T>(taskId: string, work: (tx: Tx) => Promise<T>, at = connectionId): Change<T> {
  return { connectionId: at, epoch: 7n, taskId, see: () => undefined, work, read: null };
}

const says = (taskId: string, statusMessage: string) => (tx: Tx) =>
  recordStatus(tx, taskId, {
    state: "working",
    statusMessage,
    ttlMs: null,
    pollIntervalMs: null,
  });

const rows = () =>
  fixture.within(
    (tx) => tx.$queryRaw<{ id: string; message: string | null; transaction: string }[]>`
      SELECT id, status_message AS message, xmin::text AS transaction FROM task`,
  );
const messages = async () => new Map((await rows()).map(({ id, message }) => [id, message]));

test("changes that arrive during a commit share one transaction, each with its line in the history", async () => {
  const changed = await Promise.all(
    tasks.map((id) => groups.run(fixture.organizationId, change(id, says(id, `hello ${id}`)))),
  );
  expect(changed).toEqual(tasks.map(() => true));
  const after = await rows();
  expect(after.every(({ id, message }) => message === `hello ${id}`)).toBe(true);
  // The first changes begin at once; the others wait and share a transaction.
  expect(new Set(after.map(({ transaction }) => transaction)).size).toBe(GROUPS_AT_ONCE + 1);
  const history = await verifyEvents(fixture.within);
  expect(history.ok).toBe(true);
  const lines = await fixture.within((tx) =>
    tx.event.count({ where: { organizationId: fixture.organizationId, type: "task.status" } }),
  );
  expect(lines).toBe(TASKS);
});

test("one that fails fails alone, and leaves nothing behind", async () => {
  const broken = tasks[5] ?? "";
  const ends = await Promise.allSettled(
    tasks.map((id) =>
      groups.run(
        fixture.organizationId,
        change(id, async (tx) => {
          await says(id, "written")(tx);
          if (id === broken) await tx.$executeRaw`SELECT 1 / 0`;
        }),
      ),
    ),
  );
  expect(ends.filter(({ status }) => status === "rejected")).toHaveLength(1);
  expect(ends[5]).toMatchObject({ reason: { message: expect.stringContaining("division by zero") } });
  const after = await messages();
  for (const id of tasks) expect(after.get(id)).toBe(id === broken ? null : "written");
});

test.each([
  ["its task", (one: string) => `SELECT 1 FROM task WHERE id = '${one}' FOR UPDATE`],
  ["its connection", () => `SELECT 1 FROM connection WHERE id = '${lostId}' FOR UPDATE`],
  ["something else that it needs", () => "SELECT pg_advisory_xact_lock(7)"],
])(
  "one that waits because somebody has locked %s waits alone, and is written once that ends",
  async (_, lock) => {
    const slow = tasks[5] ?? "";
    groups = new GroupCommit(database, 100);
    await fixture.within((tx) => tx.$executeRaw`UPDATE connection SET epoch = 7`);
    const its = (id: string) => async (tx: Tx) => {
      if (id === slow) await tx.$executeRaw`SELECT pg_advisory_xact_lock(7)`;
      return says(id, "written")(tx);
    };
    await withClient(fixture.adminUrl, async (client) => {
      await client.query("BEGIN");
      await client.query(lock(slow));
      const writes = tasks.map((id) =>
        groups.run(fixture.organizationId, change(id, its(id), id === slow ? lostId : connectionId)),
      );
      expect(await Promise.all(writes.filter((_, at) => tasks[at] !== slow))).toEqual(
        Array(TASKS - 1).fill(true),
      );
      expect((await messages()).get(slow)).toBeNull();
      await client.query("COMMIT");
      expect(await writes[5]).toBe(true);
    });
    expect((await messages()).get(slow)).toBe("written");
  },
);

test("a task that can't be parsed where it is read is written all the same, once, and the others are given theirs", async () => {
  const odd = tasks[3] ?? "";
  const { organizationId } = fixture;
  await fixture.within((tx) =>
    tx.taskWatch.createMany({ data: tasks.map((taskId) => ({ organizationId, taskId })) }),
  );
  await fixture.within(
    (tx) =>
      tx.$executeRaw`UPDATE task SET sealed_handle = NULL, durable = false, tool_hints = '{"taskSupport": "odd"}' WHERE id = ${odd}::uuid`,
  );
  const given = new Map<string, string | null | undefined>();
  const runs = new Map<string, number>();
  const reading = (id: string): Change<boolean> => ({
    ...change(id, (tx) => {
      runs.set(id, (runs.get(id) ?? 0) + 1);
      return says(id, "written")(tx);
    }),
    read: { epoch: 7n, give: (work) => given.set(id, work?.statusMessage) },
  });
  expect(await Promise.all(tasks.map((id) => groups.run(fixture.organizationId, reading(id))))).toEqual(
    tasks.map(() => true),
  );
  const after = await messages();
  for (const id of tasks) {
    expect(after.get(id)).toBe("written");
    expect(runs.get(id)).toBe(1);
    expect([...given.entries()].filter(([its]) => its === id)).toEqual(id === odd ? [] : [[id, "written"]]);
  }
});

test("what fails in the hands of who is given a reading runs no change again", async () => {
  let runs = 0;
  const failing = (id: string): Change<boolean> => ({
    ...change(id, (tx) => {
      runs++;
      return says(id, "written")(tx);
    }),
    read: {
      epoch: 7n,
      give() {
        throw new Error("not now");
      },
    },
  });
  expect(await Promise.all(tasks.map((id) => groups.run(fixture.organizationId, failing(id))))).toEqual(
    tasks.map(() => true),
  );
  expect(runs).toBe(TASKS);
});

test("a lease that is lost stops what is written under it, and nothing else", async () => {
  const ends = await Promise.allSettled(
    tasks.map((id, at) =>
      groups.run(
        fixture.organizationId,
        change(id, says(id, "written"), at % 2 === 0 ? connectionId : lostId),
      ),
    ),
  );
  const after = await messages();
  for (const [at, id] of tasks.entries()) {
    if (at % 2 === 0) expect(ends[at]?.status).toBe("fulfilled");
    else expect(ends[at]).toMatchObject({ reason: expect.any(LeaseLost) });
    expect(after.get(id)).toBe(at % 2 === 0 ? "written" : null);
  }
});

test("each change runs in the async context of its own caller", async () => {
  const seen = await Promise.all(
    tasks.map((id, at) =>
      inScope({ requestId: `call ${at}`, trace: null }, () =>
        groups.run(
          fixture.organizationId,
          change(id, async () => scope().requestId),
        ),
      ),
    ),
  );
  expect(seen).toEqual(tasks.map((_, at) => `call ${at}`));
});

test("two engines and people who change the same tasks in other orders never wait for each other in a circle", async () => {
  const other = new GroupCommit(database);
  const orders = [tasks, [...tasks].reverse()];
  // A deadlocked change would be rolled back and tried again.
  let tries = 0;
  const counted = (taskId: string, message: string) => (tx: Tx) => {
    tries++;
    return says(taskId, message)(tx);
  };
  for (let round = 0; round < 10; round++)
    await Promise.all([
      ...[groups, other].flatMap((these, at) =>
        (orders[at] ?? []).map((id) =>
          these.run(fixture.organizationId, change(id, counted(id, `${round} ${at}`))),
        ),
      ),
      ...tasks.map((id) => fixture.within(counted(id, `${round} person`))),
    ]);
  expect(tries).toBe(10 * 3 * TASKS);
  expect((await verifyEvents(fixture.within)).ok).toBe(true);
});

test("tasks of the same races that end in other orders, on two engines, never wait for each other in a circle", async () => {
  const races = [uuidv7(), uuidv7()];
  const ended: string[] = [];
  const [a1, b1, b2, a2] = tasks as [string, string, string, string];
  await fixture.within(async (tx) => {
    for (const id of races)
      await tx.$executeRaw`INSERT INTO race (organization_id, id, requested_by)
        VALUES (${fixture.organizationId}::uuid, ${id}::uuid, '{}')`;
    for (const [id, race] of [
      [a1, races[0]],
      [a2, races[0]],
      [b1, races[1]],
      [b2, races[1]],
    ])
      await tx.$executeRaw`UPDATE task SET race_id = ${race}::uuid WHERE id = ${id}::uuid`;
  });
  const isBlocked = () =>
    withClient(fixture.adminUrl, async (client) => {
      const { rows } = await client.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length > 0;
    });
  const ends = (id: string, isFirst: boolean) => (tx: Tx) => {
    ended.push(id);
    return endTask(tx, id, { state: "cancelled" }).then(async (done) => {
      // The transaction continues once the other one has come as far, or is blocked.
      if (isFirst)
        await until("the other one is as far", async () => ended.length >= 2 || (await isBlocked()));
      return done;
    });
  };
  // All groups of both engines are busy, so that the next changes form two transactions of two changes each.
  const gate = Promise.withResolvers<void>();
  const engines = [
    { commits: groups, first: a1, last: b1 },
    { commits: new GroupCommit(second), first: b2, last: a2 },
  ];
  const others = tasks.slice(4);
  const done = engines.map(async ({ commits, first, last }, at) => {
    const busy = Array.from({ length: GROUPS_AT_ONCE }, (_, place) =>
      commits.run(
        fixture.organizationId,
        change(others[at * GROUPS_AT_ONCE + place]!, () => gate.promise),
      ),
    );
    const both = [
      commits.run(fixture.organizationId, change(first, ends(first, true))),
      commits.run(fixture.organizationId, change(last, ends(last, false))),
    ];
    gate.resolve();
    await Promise.all(busy);
    return Promise.all(both);
  });
  expect(await Promise.all(done)).toEqual([
    [true, true],
    [true, true],
  ]);
  // A deadlocked change would have run twice.
  expect(ended.toSorted()).toEqual([a1, a2, b1, b2].toSorted());
});

test("what changes leave behind has one plan a connection, once Postgres has looked at the tables", async () => {
  const { organizationId } = fixture;
  const one = createDatabase(fixture.engineEnvironment.ENGINE_DATABASE_DIRECT_URL ?? "", { connections: 1 });
  const its = new GroupCommit(one);
  const write = (id: string, messages: number) =>
    its.run(
      organizationId,
      change(id, async (tx) => {
        const message = { at: new Date(), direction: "in" as const, method: "tasks/get", body: {} };
        await storeProtocolMessages(tx, id, Array(messages).fill(message));
        await says(id, `hello ${messages}`)(tx);
      }),
    );
  const plans = async () => {
    const [row] = await one.withOrganization(
      organizationId,
      (tx) => tx.$queryRaw<{ custom: number; generic: number }[]>`
        SELECT custom_plans::integer AS custom, generic_plans::integer AS generic FROM pg_prepared_statements
        WHERE statement LIKE '%INTO protocol_message%append_lines%' AND statement NOT LIKE '%pg_prepared_statements%'`,
    );
    return row;
  };
  try {
    // Statements have names from then on.
    for (let n = 1; n < USES_BEFORE_NAMED; n++) await write(tasks[0]!, 10 + n);
    for (const [n, id] of tasks.slice(0, 3).entries()) await write(id, n + 1);
    expect(await plans()).toEqual({ custom: 3, generic: 0 });
    await withClient(fixture.adminUrl, (client) => client.query("ANALYZE protocol_message"));
    for (const [n, id] of tasks.slice(3).entries()) await write(id, n + 1);
    expect(await plans()).toEqual({ custom: 3, generic: TASKS - 3 });
  } finally {
    await one.close();
  }
});
