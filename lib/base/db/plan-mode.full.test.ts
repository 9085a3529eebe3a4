/**
 * Plans that are kept, on tables in which one organization has nearly all rows and another few: what a statement
 * reads is counted in pages, so that no machine is too slow for it.
 */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillByCopies } from "../../../bench/lists/fill.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import type { Principal } from "../../access/principal.ts";
import { readLockedWork, tasksNeedingWork } from "../../lifecycle/engine-task-reads.ts";
import { addMember } from "../../people/members/member-writes.ts";
import { COMMAND_LINE, createOrganization } from "../../people/organizations/organization-writes.ts";
import { countOpenRequests, listInputRequests } from "../../requests/lists/list.ts";
import { readInputRequest } from "../../requests/request-reads.ts";
import { listTasks } from "../../tasks/task-list-reads.ts";
import { readTask } from "../../tasks/task-reads.ts";
import { uuidv7 } from "../ids.ts";
import { createDatabase, Prisma, type Tx } from "./db.ts";

interface Seen {
  principal: Principal & { organizationId: string };
  taskId: string;
  requestId: string;
  connectionId: string;
}

const postgres = databaseForFile();
let client: pg.Client;
const seen: Record<"many" | "few", Seen> = {} as never;

beforeAll(async () => {
  const owner = createDatabase(postgres.ownerUrl, { connections: 2 });
  client = new pg.Client({ connectionString: postgres.appDirectUrl });
  await client.connect();
  // The copies need originals, which come in batches of 2,000.
  for (const [slug, open, settled] of [
    ["few", 20, 60],
    ["many", 4_000, 20_000],
  ] as const) {
    const id = uuidv7();
    const person = { email: `ben@${slug}.example`, name: "Ben", role: "approver" as const };
    const { userId } = await owner.withOrganization(id, async (tx) => {
      await createOrganization(tx, { slug, name: slug });
      return addMember(tx, COMMAND_LINE, person);
    });
    await fillByCopies(postgres, id, { open, settled });
    await client.query("SELECT set_config('app.organization_id', $1, false)", [id]);
    const { rows } = await client.query(
      `SELECT r.task_id AS "taskId", r.id AS "requestId", t.connection_id AS "connectionId" FROM input_request r
       JOIN task t ON t.id = r.task_id WHERE r.state = 'open' ORDER BY r.created_at LIMIT 1`,
    );
    const actor = { kind: "member" as const, id: userId, name: "Ben" };
    seen[slug] = { ...rows[0], principal: { organizationId: id, userId, role: "approver", actor } };
  }
  await owner.close();
});
afterAll(async () => {
  await client?.end();
});

interface Reading {
  mode: string;
  pages: number;
  text: string;
  values: unknown[];
}

/** The last statement of `read`: how its plan is chosen, and the pages that it reads with that plan. */
async function readingOf(of: Seen, read: (tx: Tx, of: Seen) => Promise<unknown>): Promise<Reading> {
  const sent: { text: string; values: unknown[] }[] = [];
  await client.query("BEGIN");
  await client.query("SELECT set_config('app.organization_id', $1, true), set_config('jit', 'off', true)", [
    of.principal.organizationId,
  ]);
  const queryRaw = async (query: TemplateStringsArray | Prisma.Sql, ...given: unknown[]) => {
    const { text, values } = "raw" in query ? Prisma.sql(query, ...(given as Prisma.Sql[])) : query;
    sent.push({ text, values });
    return (await client.query(text, values)).rows;
  };
  // Stands in for raw queries alone, which come first.
  const { organizationId } = of.principal;
  await read({ organizationId, $queryRaw: queryRaw } as unknown as Tx, of).catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
  });
  const { rows } = await client.query("SHOW plan_cache_mode");
  const last = sent.filter(({ text }) => /\b(input_request|task)\b/.test(text))[0];
  if (!last) throw new Error("nothing was read");
  const pages = await pagesOf(last);
  await client.query("ROLLBACK");
  return { mode: rows[0].plan_cache_mode, pages, ...last };
}

/** By the transaction's own `plan_cache_mode`, or another. */
async function pagesOf(
  { text, values }: { text: string; values: unknown[] },
  mode?: string,
): Promise<number> {
  if (mode) await client.query(`SET plan_cache_mode = ${mode}`);
  await client.query(`PREPARE looked_at AS ${text}`);
  const given = values.length > 0 ? `(${values.map(literal).join(", ")})` : "";
  const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE looked_at${given}`;
  await client.query(explain);
  const { rows } = await client.query(explain);
  await client.query("DEALLOCATE looked_at");
  if (mode) await client.query("RESET plan_cache_mode");
  const { Plan } = rows[0]["QUERY PLAN"][0];
  return Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"];
}

function literal(value: unknown): string {
  if (value === null) return "NULL";
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.join(",")}}`);
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value));
}

const DONE = ["answered", "settled", "withdrawn", "expired", "undeliverable"] as const;
type Read = (tx: Tx, of: Seen) => Promise<unknown>;
const requests =
  (query: object): Read =>
  (tx, { principal }) =>
    listInputRequests(tx, principal, { limit: 50, ...query });
const tasks =
  (query: object): Read =>
  (tx, { principal }) =>
    listTasks(tx, principal, { limit: 50, ...query });

/** At most so many pages, in the organization with nearly all rows and in the other. */
const ONCE: [string, Read, number][] = [
  ["the inbox, oldest first", requests({ state: ["open"] }), 900],
  ["the inbox, newest first", requests({ state: ["open"], order: "newest" }), 900],
  ["the inbox, ending soonest", requests({ state: ["open"], order: "expiring" }), 900],
  ["the inbox, largest amount", requests({ state: ["open"], order: "amount" }), 900],
  ["the inbox, unassigned", requests({ state: ["open"], assignee: "none" }), 1_000],
  ["what is done", requests({ state: DONE, order: "newest" }), 1_200],
  ["a request", (tx, of) => readInputRequest(tx, of.principal, of.requestId), 60],
  ["the newest tasks", tasks({}), 600],
  ["completed tasks", tasks({ state: ["completed"] }), 500],
  ["a task", (tx, of) => readTask(tx, of.principal, of.taskId), 60],
];

test.each(ONCE)(
  "%s: one plan for all values reads by an index, whoever has most rows",
  async (_, read, most) => {
    for (const of of Object.values(seen)) {
      const { mode, pages } = await readingOf(of, read);
      expect(mode).toBe("force_generic_plan");
      expect(pages).toBeLessThanOrEqual(most);
    }
  },
);

/** Lists narrowed by a value. */
const FOR_VALUES: [string, Read][] = [
  ["requests of a tool that is none", requests({ state: ["open"], tool: "none" })],
  ["requests of a rare tool", requests({ state: ["open"], tool: "sign_contract" })],
  ["requests of an amount", requests({ state: ["open"], amountMin: 24_000, amountMax: 25_000 })],
  ["tasks of a tool that is none", tasks({ tool: "none" })],
];

test.each(FOR_VALUES)(
  "%s: planned for their values, which reads no more than one plan for all",
  async (_, read) => {
    const reading = await readingOf(seen.many, read);
    expect(reading.mode).toBe("force_custom_plan");
    await client.query("SELECT set_config('app.organization_id', $1, false)", [
      seen.many.principal.organizationId,
    ]);
    expect(reading.pages).toBeLessThanOrEqual((await pagesOf(reading, "force_generic_plan")) + 20);
  },
);

test("the counts of the inbox's tabs have one plan, and those of a search one for its words", async () => {
  const counts = (filter: object) => (tx: Tx, of: Seen) => countOpenRequests(tx, of.principal, filter);
  expect((await readingOf(seen.many, counts({}))).mode).toBe("force_generic_plan");
  expect((await readingOf(seen.many, counts({ q: "invoice" }))).mode).toBe("force_custom_plan");
});

test("what an engine loads of one task has a plan that Postgres keeps, and its scan is planned for its connection", async () => {
  const { principal, connectionId, taskId } = seen.many;
  await client.query("SELECT set_config('app.organization_id', $1, false)", [principal.organizationId]);
  let text = "";
  let values: unknown[] = [];
  const capture = async (sql: Prisma.Sql) => {
    ({ text, values } = sql);
    return [];
  };
  const tx = { organizationId: principal.organizationId, $queryRaw: capture } as unknown as Tx;
  await readLockedWork(tx, connectionId, taskId);
  await client.query(`PREPARE work AS ${text}`);
  for (let n = 0; n < 8; n++) await client.query(`EXECUTE work(${values.map(literal).join(", ")})`);
  const { rows } = await client.query(
    "SELECT generic_plans::integer AS kept FROM pg_prepared_statements WHERE name = 'work'",
  );
  expect(rows).toEqual([{ kept: 3 }]);
  const scan = await readingOf(seen.many, (tx, of) => tasksNeedingWork(tx, [of.connectionId]));
  expect(scan.mode).toBe("force_custom_plan");
});
