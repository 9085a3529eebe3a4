/** How Postgres reads the lists under row security, as the role of the web. Few rows: plans are forced, not timed. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Prisma, type Tx } from "../db.ts";
import { uuidv7 } from "../ids.ts";
import type { Principal } from "../principal.ts";
import { createTestDatabase, type TestDatabase } from "../testing/postgres.ts";
import { countOpenRequests, listInputRequests } from "./list.ts";
import type { RequestListQuery } from "./schema.ts";

let database: TestDatabase;
let client: pg.Client;
const acme = uuidv7();
const ana = uuidv7();
const principal: Principal = {
  organizationId: acme,
  userId: ana,
  role: "approver",
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
const list = (query: RequestListQuery & { cursor?: string }) =>
  planOf((tx) => listInputRequests(acme, tx, principal, { limit: 50, state: ["open"], ...query }));

const cursor = (order: string, key: unknown) =>
  Buffer.from(JSON.stringify([order, key, uuidv7()])).toString("base64url");
const NOW = "2026-11-21T12:00:00.000Z";

test.each([
  ["oldest", "input_request_oldest", NOW],
  ["newest", "input_request_oldest", NOW],
  ["expiring", "input_request_expiring", NOW],
  ["amount", "input_request_amount", 100],
] as const)(
  "a page of the order %s begins where the last one ended, along its index",
  async (order, index, key) => {
    const plan = await list({ order, cursor: cursor(order, key) });
    expect(plan).toMatch(new RegExp(`${index} .*\n.*Index Cond: .*ROW\\(`));
    expect(plan).not.toMatch(/Seq Scan on input_request/);
  },
);

test.each<[string, RequestListQuery, RegExp]>([
  ["amounts from", { amountMin: 10, order: "amount" }, /input_request_amount .*\n.*Index Cond: .*CASE .*>=/],
  ["amounts to", { amountMax: 10, order: "amount" }, /input_request_amount .*\n.*Index Cond: .*CASE .*<=/],
  [
    "what ends by then",
    { expiresBefore: NOW, order: "expiring" },
    /input_request_expiring .*\n.*Index Cond: .*CASE .*</,
  ],
])("%s is found by an index", async (_what, query, index) => {
  expect(await list(query)).toMatch(index);
});

test("counts read one index alone", async () => {
  const plan = await planOf((tx) => countOpenRequests(acme, tx, principal, {}));
  expect(plan).toMatch(/Index Only Scan using input_request_open/);
  expect(plan).not.toMatch(/(Seq|Bitmap Heap) Scan on input_request/);
});
