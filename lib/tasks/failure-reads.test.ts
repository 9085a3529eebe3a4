/** Failed tasks by cause, and the list of those that are started again together. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPlanner } from "../../test/fixtures/plans.ts";
import { insertServer, insertTask } from "../../test/fixtures/rows.ts";
import { databaseForFile } from "../../test/for-file.ts";
import type { Principal } from "../access/principal.ts";
import { createDatabase, type Database, storable } from "../base/db/db.ts";
import { uuidv7 } from "../base/ids.ts";
import { prepareOperation } from "../lifecycle/bulk-operations/bulk-operation-writes.ts";
import { createOrganization } from "../people/organizations/organization-writes.ts";
import { groupFailures } from "./failure-reads.ts";
import { listTasks } from "./task-list-reads.ts";
import type { TaskFilter } from "./task-schema.ts";
import type { TaskState } from "./task-status.ts";

const test_ = databaseForFile();
let owner: Database;
let web: Database;
let acme: string;
let finance: { id: string; connectionId: string };

beforeAll(async () => {
  owner = createDatabase(test_.ownerUrl, { connections: 2 });
  web = createDatabase(test_.appUrl, { connections: 2 });
  acme = await organization("acme");
  finance = await insertServer(owner, acme);
});
afterAll(async () => {
  await owner.close();
  await web.close();
});

async function organization(slug: string): Promise<string> {
  const id = uuidv7();
  await owner.withOrganization(id, (tx) => createOrganization(tx, { slug, name: slug }));
  return id;
}

const principal = (organizationId = acme): Principal => ({
  organizationId,
  userId: null,
  role: "operator",
  actor: { kind: "key", id: uuidv7(), name: "Key" },
});

interface Failure {
  tool: string;
  message: string;
  code?: string;
  state?: TaskState;
  hints?: object;
  restartOf?: string;
  visibility?: "private";
  endedAt?: Date;
}

async function fail({ tool, message, code = "task_failed", ...more }: Failure): Promise<string> {
  const state = more.state ?? "failed";
  const id = await insertTask(owner, acme, finance, { tool, state, ...more });
  await owner.withOrganization(acme, (tx) =>
    tx.task.updateMany({
      where: { id },
      data: {
        error: { code, message },
        ...(more.hints && { toolHints: storable({ annotations: more.hints }) }),
        ...(more.restartOf && { restartOf: more.restartOf }),
        ...(more.endedAt && { finishedAt: more.endedAt }),
      },
    }),
  );
  return id;
}

const groups = (filter: TaskFilter = {}, organizationId = acme) =>
  web.withOrganization(organizationId, (tx) => groupFailures(tx, principal(organizationId), filter));
const list = async (filter: TaskFilter) =>
  (await web.withOrganization(acme, (tx) => listTasks(tx, principal(), { ...filter, limit: 50 }))).items.map(
    ({ id }) => id,
  );
const frozen = (filter: TaskFilter) =>
  web.withOrganization(acme, async (tx) => {
    const operationId = await prepareOperation(tx, principal(), { action: "restart", filter });
    const items = await tx.bulkItem.findMany({ where: { operationId }, orderBy: { position: "asc" } });
    return items.map(({ taskId }) => taskId);
  });

test.each([
  [
    "a number",
    "Invoice INV-207 is not in the ledger of 2026.",
    "Invoice INV-9 is not in the ledger of 1999.",
  ],
  ["an id", `No row ${uuidv7()} here`, `No row ${uuidv7()} here`],
  ["an amount", "Over the limit: $1,204.50", "Over the limit: €7"],
  ["a path", "Cannot read /var/spool/0413/a.pdf now", "Cannot read /srv/7/b/c.pdf now"],
])("messages that differ in %s have one cause", async (what, one, other) => {
  const tool = `same ${what}`;
  await fail({ tool, message: one });
  await fail({ tool, message: other });
  const { items } = await groups({ tool });
  expect(items).toMatchObject([{ count: 2, repeatable: 2, code: "task_failed" }]);
  expect(items[0]!.message).toContain("…");
});

test("a message stays a sentence without its numbers", async () => {
  const tool = "reconcile";
  const message =
    "BS-7: the movements lead to 18,209.10, the statement says 18,200.00. The difference is 9.10.";
  await fail({ tool, message });
  expect((await groups({ tool })).items[0]?.message).toBe(
    "…: the movements lead to …, the statement says …. The difference is ….",
  );
});

test.each<[string, Failure, Failure]>([
  ["another status", { tool: "a", message: "HTTP 503" }, { tool: "a", message: "HTTP 404" }],
  ["another text", { tool: "b", message: "Closed for 11" }, { tool: "b", message: "Open for 11" }],
  ["another code", { tool: "c", message: "No", code: "rejected" }, { tool: "c", message: "No" }],
  ["another end", { tool: "d", message: "No" }, { tool: "d", message: "No", state: "lost" }],
])("%s is another cause", async (_what, one, other) => {
  await fail(one);
  await fail(other);
  expect((await groups({ tool: one.tool })).items.map(({ count }) => count)).toEqual([1, 1]);
});

test("what is started again together: known failures that nobody has started again", async () => {
  const tool = "pay";
  const message = "The ledger is closed for 11/2026";
  const plain = [await fail({ tool, message }), await fail({ tool, message })];
  const again = await fail({ tool, message });
  await insertTask(owner, acme, finance, { tool, state: "working" });
  await owner.withOrganization(acme, async (tx) => {
    const working = await tx.task.findFirstOrThrow({ where: { tool, state: "working" } });
    await tx.task.updateMany({ where: { id: working.id }, data: { restartOf: again } });
  });
  const [group] = (await groups({ tool })).items;
  expect(group).toMatchObject({ count: 3, repeatable: 2, state: "failed", server: { id: finance.id } });
  const filter = { tool, serverId: finance.id, state: ["failed" as const], cause: group!.cause };
  expect(new Set(await list(filter))).toEqual(new Set([...plain, again]));
  expect(new Set(await frozen(filter))).toEqual(new Set(plain));
});

test.each<[string, Omit<Failure, "tool" | "message">, number]>([
  ["a result that never came", { code: "result_missing" }, 0],
  ["a call that the server broke down over", { code: "server_error" }, 0],
  ["a call whose reply could not be read", { code: "bad_reply" }, 0],
  ["a failure without a code", { code: "" }, 0],
  ["one of an idempotent tool", { code: "server_error", hints: { idempotentHint: true } }, 1],
  ["a task that the server lost", { state: "lost", code: "lost" }, 0],
  ["a task whose time ran out", { state: "expired", code: "expired" }, 0],
  ["a lost one of an idempotent tool", { state: "lost", code: "lost", hints: { idempotentHint: true } }, 1],
  ["a lost one of a tool that only reads", { state: "lost", code: "lost", hints: { readOnlyHint: true } }, 1],
])("%s may have been carried out: %o", async (what, failure, repeatable) => {
  await fail({ tool: what, message: "Nobody knows", ...failure });
  const [group] = (await groups({ tool: what })).items;
  expect(group).toMatchObject({ count: 1, repeatable });
  const filter = { tool: what, cause: group!.cause };
  if (repeatable === 0) await expect(frozen(filter)).rejects.toMatchObject({ code: "nothing_suits" });
  else expect(await frozen(filter)).toHaveLength(1);
});

test.each(["rejected", "not_started", "task_failed"])("%s is an outcome that is known", async (code) => {
  const tool = `known ${code}`;
  await fail({ tool, message: "No", code });
  expect((await groups({ tool })).items).toMatchObject([{ count: 1, repeatable: 1 }]);
});

test("a leg of a race is not started again together with others: another server may have won it", async () => {
  const tool = "raced";
  const id = await fail({ tool, message: "No" });
  await owner.withOrganization(acme, async (tx) => {
    const raceId = uuidv7();
    await tx.race.create({ data: { organizationId: acme, id: raceId, requestedBy: {} } });
    await tx.task.updateMany({ where: { id }, data: { raceId } });
  });
  expect((await groups({ tool })).items).toMatchObject([{ count: 1, repeatable: 0 }]);
});

test("groups keep to the filter, to what one may see, and to the organization", async () => {
  const tool = "bounded";
  const old = new Date(Date.now() - 3 * 86_400_000);
  await fail({ tool, message: "No" });
  await fail({ tool, message: "No", endedAt: old });
  await fail({ tool, message: "No", visibility: "private" });
  const dayAgo = new Date(Date.now() - 86_400_000).toISOString();
  expect(await groups({ tool, finishedAfter: dayAgo })).toMatchObject({ counted: 1, items: [{ count: 1 }] });
  expect(await groups({ tool, state: ["lost"] })).toEqual({ counted: 0, items: [] });
  expect(await groups({ tool, state: ["completed"] })).toEqual({ counted: 0, items: [] });
  const globex = await organization("globex");
  expect(await groups({}, globex)).toEqual({ counted: 0, items: [] });
});

test("failures are found along an index, each state's last ones", async () => {
  const planner = await createPlanner(acme);
  try {
    for (const plan of [
      await planner.planOf((tx) => groupFailures(tx, principal(), {})),
      await planner.planOf((tx) =>
        listTasks(tx, principal(), { limit: 50, state: ["failed"], cause: "0".repeat(32) }),
      ),
    ]) {
      expect(plan).toMatch(/task_ended .*\n.*Index Cond: .*organization_id = .*state =/);
      expect(plan).not.toMatch(/Seq Scan on task/);
    }
  } finally {
    await planner.close();
  }
});
