/**
 * `npm run bench:inbox -- [--open 100000] [--settled 300000] [--runs 15]`: how long the inbox's lists, searches and
 * counts take with many requests, beside the same with a thousand in the same run. On a database of its own, through
 * the functions that the API calls. Prints a table of medians and worst times in ms.
 */
import { parseArgs } from "node:util";
import pg from "pg";
import { createDatabase, type Database } from "../lib/db.ts";
import { uuidv7 } from "../lib/ids.ts";
import { countOpenRequests, listInputRequests } from "../lib/input-requests/list.ts";
import type { RequestFilter, RequestListQuery } from "../lib/input-requests/schema.ts";
import { addMember } from "../lib/members/transitions.ts";
import { COMMAND_LINE, createOrganization } from "../lib/organizations/transitions.ts";
import type { Principal } from "../lib/principal.ts";
import { postgresForTests } from "../lib/testing/global-setup.ts";
import { createTestDatabase, prepareTemplate, type TestDatabase } from "../lib/testing/postgres.ts";
import { fill } from "../scripts/seed/fill.ts";

const { values } = parseArgs({
  options: {
    open: { type: "string", default: "100000" },
    settled: { type: "string", default: "300000" },
    runs: { type: "string", default: "15" },
  },
});
const RUNS = Number(values.runs);

interface Scene {
  db: Database;
  principal: Principal;
  serverId: string;
}
type Work = (scene: Scene) => Promise<unknown>;

const DONE: RequestListQuery["state"] = ["answered", "settled", "withdrawn", "expired", "undeliverable"];
const OPEN: RequestListQuery["state"] = ["open"];

const list =
  (query: RequestListQuery & { cursor?: string }): Work =>
  ({ db, principal }) =>
    db.withOrganization(principal.organizationId, (tx) =>
      listInputRequests(principal.organizationId, tx, principal, { limit: 50, ...query }),
    );
const count =
  (filter: RequestFilter): Work =>
  ({ db, principal }) =>
    db.withOrganization(principal.organizationId, (tx) =>
      countOpenRequests(principal.organizationId, tx, principal, filter),
    );

/** The tenth part in, by its cursor: what scrolling reaches. */
async function deepCursor(
  { db, principal }: Scene,
  order: RequestListQuery["order"],
): Promise<string | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < 20; page++) {
    const { nextCursor } = await db.withOrganization(principal.organizationId, (tx) =>
      listInputRequests(principal.organizationId, tx, principal, { state: OPEN, order, limit: 200, cursor }),
    );
    if (!nextCursor) break;
    cursor = nextCursor;
  }
  return cursor;
}

async function measures(scene: Scene): Promise<[string, Work][]> {
  const deep = await deepCursor(scene, "oldest");
  const deepAmount = await deepCursor(scene, "amount");
  return [
    ["all, oldest first", list({ state: OPEN })],
    ["all, newest first", list({ state: OPEN, order: "newest" })],
    ["all, ending soonest", list({ state: OPEN, order: "expiring" })],
    ["all, largest amount", list({ state: OPEN, order: "amount" })],
    ["unassigned", list({ state: OPEN, assignee: "none" })],
    ["mine", list({ state: OPEN, assignee: "me" })],
    ["mine, largest amount", list({ state: OPEN, assignee: "me", order: "amount" })],
    ["done, newest first", list({ state: DONE, order: "newest" })],
    ["a deep page, oldest first", list({ state: OPEN, cursor: deep })],
    ["a deep page, by amount", list({ state: OPEN, order: "amount", cursor: deepAmount })],
    ["of one server", list({ state: OPEN, serverId: scene.serverId })],
    ["of a rare tool", list({ state: OPEN, tool: "sign_contract" })],
    ["amounts from 24,000", list({ state: OPEN, amountMin: 24_000, amountMax: 25_000 })],
    ["search, common", list({ state: OPEN, q: "invoice" })],
    ["search, rare", list({ state: OPEN, q: "po-77" })],
    ["search, nothing found", list({ state: OPEN, q: "no such words" })],
    ["search done, common", list({ state: DONE, order: "newest", q: "invoice" })],
    ["search done, nothing found", list({ state: DONE, order: "newest", q: "no such words" })],
    ["counts", count({})],
    ["counts of one server", count({ serverId: scene.serverId })],
    ["counts of a search", count({ q: "invoice" })],
  ];
}

async function scene(database: TestDatabase, open: number, settled: number): Promise<Scene> {
  const organizationId = uuidv7();
  const owner = createDatabase(database.ownerUrl, { connections: 1 });
  const users: string[] = [];
  await owner.withOrganization(organizationId, async (tx) => {
    await createOrganization(organizationId, tx, { slug: "bench", name: "Bench" });
    for (let n = 0; n < 20; n++) {
      const person = { email: `p${n}@bench.example`, name: `Person ${n}`, role: "approver" as const };
      users.push((await addMember(organizationId, tx, COMMAND_LINE, person)).userId);
    }
  });
  await owner.close();
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  const began = performance.now();
  await fill(client, organizationId, { open, settled });
  say(`${open} open and ${settled} settled written in ${Math.round((performance.now() - began) / 1000)} s`);
  await client.query("VACUUM ANALYZE");
  const { rows } = await client.query<{ id: string }>("SELECT id FROM server WHERE name = 'Seed Deploy'");
  await client.end();
  const userId = users[0] ?? "";
  return {
    db: createDatabase(database.appUrl, { connections: 2 }),
    principal: {
      organizationId,
      userId,
      role: "approver",
      actor: { kind: "member", id: userId, name: "Person 0" },
    },
    serverId: rows[0]?.id ?? "",
  };
}

async function time(work: Work, on: Scene): Promise<{ median: number; worst: number }> {
  await work(on);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    await work(on);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  return { median: times[Math.floor(RUNS / 2)] ?? 0, worst: times.at(-1) ?? 0 };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const postgres = await postgresForTests();
process.env.TEST_DATABASE_ADMIN_URL = postgres.adminUrl;
const dropTemplate = await prepareTemplate(postgres.adminUrl);
const databases = [await createTestDatabase(), await createTestDatabase()] as const;
try {
  const few = await scene(databases[0], 1_000, 1_000);
  const many = await scene(databases[1], Number(values.open), Number(values.settled));
  const ofFew = await measures(few);
  say(
    `\n${"".padEnd(30)}${"1,000".padStart(8)}${"many".padStart(8)}${"worst".padStart(8)}${"ratio".padStart(8)}`,
  );
  for (const [index, [name, work]] of (await measures(many)).entries()) {
    const small = await time(ofFew[index]?.[1] ?? work, few);
    const large = await time(work, many);
    const figures = [small.median, large.median, large.worst, large.median / small.median];
    say(`${name.padEnd(30)}${figures.map((figure) => figure.toFixed(1).padStart(8)).join("")}`);
  }
  await few.db.close();
  await many.db.close();
} finally {
  for (const database of databases) await database.drop();
  await dropTemplate();
  await postgres.stop();
}
