/**
 * `npm run bench:inbox -- [--open 100000] [--settled 300000] [--runs 15]`: how long the inbox's lists, searches, counts
 * and single requests take with many requests, beside the same with a thousand in the same run. On a database of its
 * own, which another organization fills by a fifth as much, through the functions that the API calls, as the role of
 * the web. Prints a table of medians, least and worst times in ms beside what is aimed at, and how busy the
 * machine was: on a busy one go by the least, and by the ratio. A million settled takes ten
 * minutes to write.
 */
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { createDatabase, type Database } from "../lib/db.ts";
import { uuidv7 } from "../lib/ids.ts";
import { countOpenRequests, listInputRequests } from "../lib/input-requests/list.ts";
import { readInputRequest } from "../lib/input-requests/queries.ts";
import type { RequestFilter, RequestListQuery } from "../lib/input-requests/schema.ts";
import { readSimilar } from "../lib/input-requests/similar.ts";
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

/** What is aimed at, in ms, with 100,000 open. */
const TARGETS = { page: 50, counts: 100, search: 300, request: 50 };
type Measure = [name: string, target: number, work: Work];

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

const detail =
  (id: string): Work =>
  ({ db, principal }) =>
    db.withOrganization(principal.organizationId, (tx) =>
      readInputRequest(principal.organizationId, tx, principal, id),
    );
const similar =
  (id: string): Work =>
  ({ db, principal }) =>
    db.withOrganization(principal.organizationId, (tx) =>
      readSimilar(principal.organizationId, tx, principal, id),
    );

/** An open one of a tool. */
async function idOf({ db, principal: { organizationId } }: Scene, tool: string): Promise<string> {
  const where = { organizationId, tool, state: "open", visibility: "organization" };
  const found = await db.withOrganization(organizationId, (tx) =>
    tx.inputRequest.findFirstOrThrow({ where, orderBy: { createdAt: "asc" }, select: { id: true } }),
  );
  return found.id;
}

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

async function measures(scene: Scene): Promise<Measure[]> {
  const deep = (order: RequestListQuery["order"]) => deepCursor(scene, order);
  const [oldest, soonest, largest] = [await deep("oldest"), await deep("expiring"), await deep("amount")];
  const { page, counts, search, request } = TARGETS;
  const invoice = await idOf(scene, "process_invoice");
  const flight = await idOf(scene, "book_flight");
  return [
    ["all, oldest first", page, list({ state: OPEN })],
    ["all, newest first", page, list({ state: OPEN, order: "newest" })],
    ["all, ending soonest", page, list({ state: OPEN, order: "expiring" })],
    ["all, largest amount", page, list({ state: OPEN, order: "amount" })],
    ["unassigned", page, list({ state: OPEN, assignee: "none" })],
    ["mine", page, list({ state: OPEN, assignee: "me" })],
    ["mine, largest amount", page, list({ state: OPEN, assignee: "me", order: "amount" })],
    ["done, newest first", page, list({ state: DONE, order: "newest" })],
    ["a deep page, oldest first", page, list({ state: OPEN, cursor: oldest })],
    ["a deep page, ending soonest", page, list({ state: OPEN, order: "expiring", cursor: soonest })],
    ["a deep page, by amount", page, list({ state: OPEN, order: "amount", cursor: largest })],
    ["of one server", page, list({ state: OPEN, serverId: scene.serverId })],
    ["of a rare tool", page, list({ state: OPEN, tool: "sign_contract" })],
    ["of a tool that is none", page, list({ state: OPEN, tool: "none" })],
    ["amounts from 24,000", page, list({ state: OPEN, amountMin: 24_000, amountMax: 25_000 })],
    ["done, amounts from 49,000", page, list({ state: DONE, order: "newest", amountMin: 49_000 })],
    ["search, common", search, list({ state: OPEN, q: "invoice" })],
    ["search, rare", search, list({ state: OPEN, q: "po-77" })],
    ["search, nothing found", search, list({ state: OPEN, q: "no such words" })],
    ["search done, common", search, list({ state: DONE, order: "newest", q: "invoice" })],
    ["search done, nothing found", search, list({ state: DONE, order: "newest", q: "no such words" })],
    ["counts", counts, count({})],
    ["counts of one server", counts, count({ serverId: scene.serverId })],
    ["counts of a search", search, count({ q: "invoice" })],
    ["a request", request, detail(invoice)],
    ["similar to an invoice", request, similar(invoice)],
    ["similar to a flight", request, similar(flight)],
  ];
}

async function scene(database: TestDatabase, slug: string, open: number, settled: number): Promise<Scene> {
  const organizationId = uuidv7();
  const owner = createDatabase(database.ownerUrl, { connections: 1 });
  const users: string[] = [];
  await owner.withOrganization(organizationId, async (tx) => {
    await createOrganization(organizationId, tx, { slug, name: slug });
    for (let n = 0; n < 20; n++) {
      const person = { email: `p${n}@${slug}.example`, name: `Person ${n}`, role: "approver" as const };
      users.push((await addMember(organizationId, tx, COMMAND_LINE, person)).userId);
    }
  });
  await owner.close();
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  const began = performance.now();
  await fill(client, organizationId, { open, settled });
  say(
    `${slug}: ${open} open and ${settled} settled written in ${Math.round((performance.now() - began) / 1000)} s`,
  );
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

async function time(work: Work, on: Scene): Promise<{ least: number; median: number; worst: number }> {
  await work(on);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    await work(on);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  return { least: times[0] ?? 0, median: times[Math.floor(RUNS / 2)] ?? 0, worst: times.at(-1) ?? 0 };
}

function line(name: string, cells: string[]): string {
  return name.padEnd(30) + cells.map((cell) => cell.padStart(8)).join("");
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const postgres = await postgresForTests();
process.env.TEST_DATABASE_ADMIN_URL = postgres.adminUrl;
const dropTemplate = await prepareTemplate(postgres.adminUrl);
const databases = [await createTestDatabase(), await createTestDatabase()] as const;
try {
  const [open, settled] = [Number(values.open), Number(values.settled)];
  const few = await scene(databases[0], "few", 1_000, 1_000);
  const beside = await scene(databases[1], "beside", Math.floor(open / 5), Math.floor(settled / 5));
  await beside.db.close();
  const many = await scene(databases[1], "many", open, settled);
  const ofFew = await measures(few);
  say(`\n${line("ms", ["1,000", "many", "least", "worst", "ratio", "target"])}`);
  for (const [index, [name, target, work]] of (await measures(many)).entries()) {
    const small = await time(ofFew[index]?.[2] ?? work, few);
    const large = await time(work, many);
    const figures = [small.median, large.median, large.least, large.worst, large.median / small.median];
    const missed = large.median > target ? "  missed" : "";
    say(`${line(name, [...figures.map((figure) => figure.toFixed(1)), String(target)])}${missed}`);
  }
  say(`\nLoad of ${availableParallelism()} cores in the last minute: ${loadavg()[0]?.toFixed(1)}`);
  await few.db.close();
  await many.db.close();
} finally {
  for (const database of databases) await database.drop();
  await dropTemplate();
  await postgres.stop();
}
