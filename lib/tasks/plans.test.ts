/** How Postgres reads the lists under row security, as the role of the web. Few rows: plans are forced, not timed. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Prisma, type Tx } from "../db.ts";
import { uuidv7 } from "../ids.ts";
import type { Principal } from "../principal.ts";
import { createTestDatabase, type TestDatabase } from "../testing/postgres.ts";
import { codesOf } from "./attention.ts";
import { countTasks, listTasks } from "./list.ts";
import type { TaskListQuery } from "./schema.ts";

let database: TestDatabase;
let client: pg.Client;
const acme = uuidv7();
const ana = uuidv7();
const principal: Principal = {
  organizationId: acme,
  userId: ana,
  role: "operator",
  actor: { kind: "member", id: ana, name: "Ana" },
};

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.appUrl });
  await client.connect();
  await client.query("SELECT set_config('app.organization_id', $1, false)", [acme]);
  // Of an empty table everything is quickly read from its beginning to its end.
  await client.query("SET enable_seqscan = off");
  await client.query("SET enable_sort = off");
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** The plan of what `read` asks the database. */
async function planOf(read: (tx: Tx) => Promise<unknown>): Promise<string> {
  let plan = "";
  const explained = async (strings: TemplateStringsArray, ...values: unknown[]) => {
    const { text, values: parameters } = Prisma.sql(strings, ...(values as Prisma.Sql[]));
    const { rows } = await client.query(`EXPLAIN ${text}`, parameters);
    plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    return [];
  };
  await read({ $queryRaw: explained } as unknown as Tx);
  return plan;
}
const list = (query: TaskListQuery & { cursor?: string }) =>
  planOf((tx) => listTasks(acme, tx, principal, { limit: 50, ...query }));

const NOW = "2026-11-21T12:00:00.000Z";
const cursor = (order: string) => Buffer.from(JSON.stringify([order, NOW, uuidv7()])).toString("base64url");

test.each<[string, TaskListQuery & { cursor?: string }, RegExp]>([
  [
    "a further page",
    { state: ["completed"], cursor: cursor("newest") },
    /task_(by_state|newest) .*\n.*Index Cond: .*ROW\(/,
  ],
  ["what ended last", { order: "ended", cursor: cursor("ended") }, /task_ended .*\n.*Index Cond: .*ROW\(/],
  [
    "what ends soonest",
    { order: "expiring", cursor: cursor("expiring") },
    /task_expiring .*\n.*Index Cond: .*ROW\(/,
  ],
  [
    "a server's",
    { serverId: uuidv7(), state: ["working"] },
    /task_by_server .*\n.*Index Cond: .*server_id = .*state =/,
  ],
])("%s is found along its index", async (_what, query, index) => {
  const plan = await list(query);
  expect(plan).toMatch(index);
  expect(plan).not.toMatch(/Seq Scan on task/);
});

test("neither counts nor what needs attention read what has ended", async () => {
  for (const plan of [
    await list({ attention: codesOf("stuck") }),
    await planOf((tx) => countTasks(acme, tx, principal, NOW).catch(() => undefined)),
  ])
    expect(plan).not.toMatch(/Seq Scan on (task|delivery|input_request)/);
});
