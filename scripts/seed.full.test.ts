import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Principal } from "../lib/access/principal.ts";
import { createDatabase, type Database } from "../lib/base/db/db.ts";
import { uuidv7 } from "../lib/base/ids.ts";
import { verifyEvents } from "../lib/history/events/verify.ts";
import { addMember } from "../lib/people/members/member-writes.ts";
import { COMMAND_LINE, createOrganization } from "../lib/people/organizations/organization-writes.ts";
import { readPolicyWithPeople } from "../lib/policy/policy-reads.ts";
import { recordDecision } from "../lib/requests/answers/answer-writes.ts";
import { listAutomaticDecisions, readAutomatic } from "../lib/requests/automatic/automatic-answer-reads.ts";
import { saveDraft } from "../lib/requests/draft-writes.ts";
import { countOpenRequests, listInputRequests } from "../lib/requests/lists/list.ts";
import { replayPolicy } from "../lib/requests/replay/replay.ts";
import type { ReplayLine } from "../lib/requests/replay/replay-schema.ts";
import { readInputRequest } from "../lib/requests/request-reads.ts";
import { inputRequestDetailSchema, inputRequestSchema } from "../lib/requests/request-schema.ts";
import { countTasks, listTasks } from "../lib/tasks/task-list-reads.ts";
import { taskSchema } from "../lib/tasks/task-schema.ts";
import { withSettings } from "../test/command-line.ts";
import { insertRequest, insertServer, insertTask } from "../test/fixtures/rows.ts";
import { databaseForFile } from "../test/for-file.ts";
import { withClient } from "./database/roles.ts";
import { runSeed } from "./seed.ts";

const INTRAY_KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;
const database = databaseForFile();
let db: Database;
const acme = uuidv7();
let ana: Principal;

beforeAll(async () => {
  db = createDatabase(database.ownerUrl, { connections: 2 });
  ana = await db.withOrganization(acme, async (tx) => {
    await createOrganization(tx, { slug: "acme", name: "Acme" });
    const person = { email: "ana@acme.example", name: "Ana", role: "owner" as const };
    const { userId } = await addMember(tx, COMMAND_LINE, person);
    return {
      organizationId: acme,
      userId,
      role: "owner",
      actor: { kind: "member", id: userId, name: "Ana" },
    };
  });
});
afterAll(async () => {
  await db.close();
});

const settings = () => ({ DATABASE_URL: database.ownerUrl, INTRAY_KEYS });

/** In this process, since a process each would take most of this file's time. */
async function seed(...args: string[]): Promise<{ code: number; out: string }> {
  const lines: string[] = [];
  const code = await withSettings(settings(), () => runSeed(args, (line) => lines.push(line)));
  return { code, out: lines.join("\n") };
}

function seedInProcess(...args: string[]): Promise<{ code: number | null; out: string }> {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(process.execPath, ["scripts/seed.ts", ...args], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, NODE_ENV: "test", ...settings() },
  });
  let out = "";
  child.stdout.on("data", (data) => (out += data));
  child.stderr.on("data", (data) => (out += data));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out })));
}

const list = (state: "open" | "settled", limit: number) =>
  db.withOrganization(acme, (tx) => listInputRequests(tx, ana, { state: [state], limit }));

test("refuses an organization that is not the demonstration's, unknown ones, and what is no number", async () => {
  expect(await seed("--requests", "5", "--organization", "nobody")).toMatchObject({ code: 1 });
  expect(await seed("--requests", "many")).toMatchObject({ code: 2 });
  expect(await seedInProcess("--requests", "5")).toMatchObject({
    code: 1,
    out: expect.stringContaining("--yes"),
  });
  expect((await list("open", 1)).items).toEqual([]);
});

test("fills the inbox with requests that the app can show, and says so in the history", async () => {
  const { code, out } = await seedInProcess("--requests", "150", "--settled", "50", "--yes");
  expect([code, out]).toEqual([0, expect.stringContaining("no tool was called")]);
  const { items } = await list("open", 200);
  expect(items).toHaveLength(150);
  for (const item of items) inputRequestSchema.parse(item);
  const kinds = new Set(items.map((item) => item.tool));
  expect(kinds.size).toBeGreaterThan(5);
  for (const tool of kinds) {
    const { id } = items.find((item) => item.tool === tool)!;
    const detail = await db.withOrganization(acme, (tx) => readInputRequest(tx, ana, id));
    expect(inputRequestDetailSchema.parse(detail).fields.kind).toBe("supported");
  }
  const { items: done } = await list("settled", 200);
  expect(done.length).toBeGreaterThan(30);
  expect(done.every((item) => item.answer && item.delivery?.state === "confirmed")).toBe(true);
  const told = await db.withOrganization(acme, (tx) =>
    tx.event.findFirstOrThrow({ where: { organizationId: acme, type: "requests.seeded" } }),
  );
  expect(told.data).toEqual({ open: 150, settled: 50 });
});

test("does not repeat itself, and can keep to one server", async () => {
  await seed("--requests", "40", "--server", "Only", "--yes");
  const { items } = await list("open", 200);
  expect(items).toHaveLength(190);
  expect(new Set(items.map((item) => item.message)).size).toBe(190);
  const only = items.filter((item) => item.server.name === "Seed Only");
  expect(only).toHaveLength(40);
});

test("an answer to a seeded request is recorded, and the engine holds no seeded task", async () => {
  const before = await db.withOrganization(acme, (tx) => countOpenRequests(tx, ana, {}));
  const [first] = (await list("open", 1)).items;
  const app = createDatabase(database.appUrl, { connections: 2 });
  await app.withOrganization(acme, (tx) =>
    recordDecision(tx, ana, first!.id, { action: "decline", questionHash: first!.questionHash }),
  );
  await app.close();
  const after = await db.withOrganization(acme, (tx) => countOpenRequests(tx, ana, {}));
  expect(after.all).toBe(before.all - 1);
  const { rows } = await withClient(database.adminUrl, (client) =>
    client.query(
      "SELECT count(*)::integer AS count FROM task t JOIN task_watch w ON w.organization_id = t.organization_id AND w.task_id = t.id",
    ),
  );
  expect(rows).toEqual([{ count: 0 }]);
});

describe("--remove", () => {
  const TABLES = [
    "server",
    "connection",
    "task",
    "input_request",
    "ask",
    "answer",
    "delivery",
    "claim",
    "draft",
    "statistic",
    "server_stat",
  ];

  /** Every row of every organization but history's, as text. */
  const everything = () =>
    withClient(database.adminUrl, async (client) => {
      const rows: string[] = [];
      for (const table of TABLES) {
        const found = await client.query(`SELECT $1 || ' ' || row_to_json(t)::text AS row FROM ${table} t`, [
          table,
        ]);
        rows.push(...found.rows.map(({ row }) => row));
      }
      return rows.sort();
    });

  test("leaves exactly what was there before, here and in other organizations, and says so in the history", async () => {
    const [hooli, globex] = [uuidv7(), uuidv7()];
    for (const [id, slug] of [
      [hooli, "hooli"],
      [globex, "globex"],
    ] as const) {
      await db.withOrganization(id, async (tx) => {
        await createOrganization(tx, { slug, name: slug });
        await addMember(tx, COMMAND_LINE, { email: `o@${slug}.example`, name: "Ona", role: "owner" });
      });
      // Real ones: also one whose server is called like the seed's, and a settled one.
      const server = await insertServer(db, id, { name: "Seed ERP" });
      await insertRequest(db, id, await insertTask(db, id, server), { key: "seed" });
      await insertTask(db, id, server, { state: "completed" });
    }
    await seed("--requests", "30", "--settled", "20", "--organization", "globex", "--yes");
    const before = await everything();

    await seed("--requests", "2100", "--settled", "100", "--organization", "hooli", "--yes");
    const { userId } = await db.withOrganization(hooli, (tx) =>
      tx.membership.findFirstOrThrow({ where: { organizationId: hooli } }),
    );
    const ona: Principal = {
      organizationId: hooli,
      userId,
      role: "owner",
      actor: { kind: "member", id: userId, name: "Ona" },
    };
    // What people did to seeded ones goes with them.
    const seeded = await db.withOrganization(hooli, (tx) =>
      tx.inputRequest.findMany({
        where: { organizationId: hooli, key: "seed", state: "open", mode: "form" },
        take: 3,
      }),
    );
    const [first, second] = seeded;
    await db.withOrganization(hooli, (tx) =>
      recordDecision(tx, ona, first!.id, { action: "decline", questionHash: first!.questionHash }),
    );
    await db.withOrganization(hooli, (tx) =>
      saveDraft(tx, ona, second!.id, { content: {}, comment: "Later" }),
    );

    const { code, out } = await seed("--remove", "--organization", "hooli");
    expect([code, out]).toEqual([0, expect.stringMatching(/Removed 2200 tasks .* and 7 servers/)]);
    expect(await everything()).toEqual(before);
    const told = await db.withOrganization(hooli, (tx) =>
      tx.event.findFirstOrThrow({ where: { organizationId: hooli, type: "requests.unseeded" } }),
    );
    expect(told.data).toEqual({ tasks: 2200, servers: 7 });
    expect(await verifyEvents((work) => db.withOrganization(hooli, work))).toMatchObject({ ok: true });
    expect(await seed("--remove", "--organization", "hooli")).toMatchObject({ code: 0 });
    expect(await everything()).toEqual(before);
  });

  test("keeps the tasks that people started at a seeded server, and what they were started again from", async () => {
    const tyrell = uuidv7();
    await db.withOrganization(tyrell, async (tx) => {
      await createOrganization(tx, { slug: "tyrell", name: "Tyrell" });
      await addMember(tx, COMMAND_LINE, { email: "o@tyrell.example", name: "Ona", role: "owner" });
    });
    await seed("--requests", "5", "--server", "Only", "--organization", "tyrell", "--yes");
    const [from] = await db.withOrganization(tyrell, (tx) =>
      tx.task.findMany({ where: { organizationId: tyrell }, take: 1 }),
    );
    const again = await insertTask(db, tyrell, { id: from!.serverId, connectionId: from!.connectionId });
    await db.withOrganization(tyrell, async (tx) => {
      await tx.taskWatch.create({ data: { organizationId: tyrell, taskId: again } });
      await tx.task.updateMany({
        where: { organizationId: tyrell, id: again },
        data: { restartOf: from!.id },
      });
    });
    const { code, out } = await seed("--remove", "--organization", "tyrell");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/Removed 4 tasks .* and 0 servers[\s\S]*2 tasks are kept/),
    ]);
    const left = await db.withOrganization(tyrell, (tx) =>
      tx.task.findMany({ where: { organizationId: tyrell }, select: { id: true } }),
    );
    expect(left.map(({ id }) => id).sort()).toEqual([from!.id, again].sort());
  });
});

test("fills a month of tasks with figures that fit them, and three that are stuck; and takes them away", async () => {
  const wayland = uuidv7();
  const principal = await db.withOrganization(wayland, async (tx): Promise<Principal> => {
    await createOrganization(tx, { slug: "wayland", name: "Wayland" });
    const person = { email: "o@wayland.example", name: "Ona", role: "owner" as const };
    const { userId } = await addMember(tx, COMMAND_LINE, person);
    const actor = { kind: "member" as const, id: userId, name: "Ona" };
    return { organizationId: wayland, userId, role: "owner", actor };
  });
  expect(await seed("--tasks", "3", "--organization", "wayland", "--yes")).toMatchObject({ code: 1 });
  const { code, out } = await seed("--tasks", "600", "--organization", "wayland", "--yes");
  expect([code, out]).toEqual([0, expect.stringContaining("no tool was called")]);

  // Without one nothing moves.
  await withClient(database.ownerUrl, (client) =>
    client.query("INSERT INTO engine (id) VALUES ($1)", [uuidv7()]),
  );
  const { counts: counted, attention } = await db.withOrganization(wayland, (tx) =>
    countTasks(tx, principal, new Date().toISOString()),
  );
  expect(Object.values(counted).reduce((sum, count) => sum + count)).toBe(600);
  expect(counted).toMatchObject({ start_unknown: 1, input_required: 2, working: 2 });
  const figures = await db.withOrganization(wayland, (tx) =>
    tx.statistic.groupBy({ by: ["measure"], where: { hours: 6 }, _sum: { amount: true } }),
  );
  const sum = (prefix: string) =>
    figures.reduce((all, row) => all + (row.measure.startsWith(prefix) ? Number(row._sum.amount) : 0), 0);
  expect(sum("started")).toBe(597);
  expect(sum("ended:completed")).toBe(counted.completed);
  expect(sum("ended:")).toBe(597 - 2);
  const answers = await db.withOrganization(wayland, (tx) => tx.answer.count());
  expect(sum("decided:")).toBe(answers - 1);
  expect(sum("delivery:")).toBe(2 * (answers - 1));
  const automatic = await db.withOrganization(wayland, (tx) => readAutomatic(tx));
  expect(automatic.rules).toMatchObject([{ name: "Small seeded invoices", mode: "shadow", answered: 0 }]);
  expect(automatic.rules[0]!.agreed).toBeGreaterThan(0);
  const { items: others } = await db.withOrganization(wayland, (tx) =>
    listAutomaticDecisions(tx, principal, { outcome: "disagreed", limit: 200 }),
  );
  expect(others.length).toBe(automatic.rules[0]!.disagreed);
  expect(others.length).toBeGreaterThan(0);
  for (const { id, said, people } of others) {
    expect(said.words).toBe("Approved");
    expect(["Rejected", "Declined"]).toContain(people?.words);
    await db.withOrganization(wayland, (tx) => readInputRequest(tx, principal, id));
  }
  // It says the same of the past.
  const replayed = await db.withOrganization(wayland, (tx) => readPolicyWithPeople(tx));
  const period = { from: new Date(Date.now() - 31 * 86_400_000), now: new Date() };
  let last: ReplayLine | null = null;
  for await (const line of replayPolicy(principal, replayed, period, (work) =>
    db.withOrganization(wayland, work),
  ))
    last = line;
  const { agreed, disagreed } = automatic.rules[0]!;
  expect(last).toMatchObject({ kind: "summary", automatic: [{ agreed, disagreed }] });

  const { items } = await db.withOrganization(wayland, (tx) =>
    listTasks(tx, principal, { limit: 200, state: ["working", "start_unknown", "input_required"] }),
  );
  for (const item of items) taskSchema.parse(item);
  expect(attention.stuck).toBe(3);
  const reasons = items.flatMap((item) => item.attention?.code ?? []).sort();
  expect(reasons).toEqual(["delivery_flagged", "stalled", "start_unknown"]);

  expect(await seed("--remove", "--organization", "wayland")).toMatchObject({ code: 0 });
  const left = await db.withOrganization(wayland, async (tx) => [
    await tx.task.count(),
    await tx.server.count(),
    await tx.statistic.count(),
    await tx.serverStat.count(),
    (await readAutomatic(tx)).rules.length,
  ]);
  expect(left).toEqual([0, 0, 0, 0, 0]);
});
