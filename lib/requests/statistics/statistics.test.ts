/** Statistics are summed up once, despite concurrent engines and crashes, per organization. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertServer, insertTask } from "../../../test/fixtures/rows.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../../history/events/event-writes.ts";
import { countHistory, sampleOpenTasks } from "./statistics-writes.ts";

const database = databaseForFile();
let owner: Database;
let engine: Database;

beforeAll(async () => {
  owner = createDatabase(database.ownerUrl, { connections: 2 });
  engine = createDatabase(database.engineUrl, { connections: 8 });
});
afterAll(async () => {
  await owner.close();
  await engine.close();
});

async function organization() {
  const id = uuidv7();
  await owner.withOrganization(id, (tx) => tx.organization.create({ data: { id, slug: id, name: "Acme" } }));
  const server = await insertServer(owner, id);
  const taskId = await insertTask(owner, id, server);
  const append = (...events: Omit<NewEvent, "actor">[]) =>
    owner.withOrganization(id, (tx) =>
      appendEvents(
        tx,
        events.map((event) => ({ actor: ENGINE_ACTOR, taskId, ...event })),
      ),
    );
  const count = (limit = 100) => engine.withOrganization(id, (tx) => countHistory(tx, limit));
  const figures = async (hours = 1) => {
    const rows = await owner.withOrganization(id, (tx) =>
      tx.statistic.findMany({ where: { organizationId: id, hours } }),
    );
    const sums: Record<string, number> = {};
    for (const { measure, amount } of rows) {
      const name = measure.replace(/^decided:\d+$/, "decided");
      sums[name] = (sums[name] ?? 0) + Number(amount);
    }
    return sums;
  };
  return { id, server, taskId, append, count, figures };
}

test("a task's life counts as what it was, in hours and in six hours", async () => {
  const { append, count, figures } = await organization();
  const inputRequestId = uuidv7();
  const ask = { inputRequestId };
  await append(
    { type: "task.queued", data: { tool: "pay" } },
    { type: "request.opened", ...ask },
    { type: "answer.recorded", ...ask },
    { type: "answer.undone", ...ask },
    { type: "answer.recorded", ...ask },
    { type: "delivery.sending", ...ask, data: { rung: "update", attempt: 1 } },
    { type: "delivery.unsent", ...ask, data: { reason: "interrupted" } },
    { type: "delivery.sending", ...ask, data: { rung: "retry", attempt: 2 } },
    { type: "delivery.accepted", ...ask },
    { type: "delivery.confirmed", ...ask },
    { type: "task.completed", data: { isError: true, outcome: "no funds" } },
    { type: "task.failed", data: { code: "server_error" } },
    { type: "task.failed", data: { code: "-32000" } },
    { type: "task.lost", data: { code: "lost" } },
    { type: "task.cancelled" },
    { type: "request.undeliverable", inputRequestId: uuidv7() },
    { type: "server.created", taskId: undefined as never },
  );
  expect(await count()).toBe(false);
  const expected = {
    started: 1,
    decided: 1,
    "delivery:update:unsent": 1,
    "delivery:retry:accepted": 1,
    "delivery:retry:confirmed": 1,
    "delivery:none:undeliverable": 1,
    "ended:completed": 1,
    "ended:failed": 2,
    "ended:lost": 1,
    "ended:cancelled": 1,
    "cause:tool_error": 1,
    "cause:server_error": 1,
    "cause:other": 1,
    "cause:lost": 1,
  };
  expect(await figures(1)).toEqual(expected);
  expect(await figures(6)).toEqual(expected);
});

test("of many that add up at once, and one that dies, each line counts once", async () => {
  const { id, append, count, figures } = await organization();
  await append(...Array.from({ length: 40 }, () => ({ type: "task.queued" as const })));
  await expect(
    engine.withOrganization(id, async (tx) => {
      await countHistory(tx, 7);
      throw new Error("killed");
    }),
  ).rejects.toThrow("killed");
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      while (await count(3));
    }),
  );
  while (await count(3));
  expect(await figures()).toEqual({ started: 40 });
});

test("a line of a task that was deleted meanwhile counts for nobody", async () => {
  const { append, count, figures } = await organization();
  await append({ type: "task.queued", taskId: uuidv7() }, { type: "task.queued" });
  await count();
  expect(await figures()).toEqual({ started: 1 });
});

test("open tasks are counted once a time slot, whoever asks; old figures go", async () => {
  const { id, server, figures } = await organization();
  const other = await organization();
  await insertTask(owner, id, server, { state: "input_required" });
  await insertTask(owner, id, server, { state: "completed" });
  const old = { organizationId: id, at: new Date(Date.now() - 5 * 86_400_000), amount: 1n };
  await owner.withOrganization(id, async (tx) => {
    await tx.statistic.createMany({
      data: [1, 6].map((hours) => ({ ...old, serverId: server.id, measure: "started", hours })),
    });
    await tx.ruleStatistic.createMany({
      data: [1, 6].map((hours) => ({ ...old, rule: "All", stage: "", measure: "due", hours })),
    });
  });
  const sample = () => engine.withOrganization(id, (tx) => sampleOpenTasks(tx, 86_400_000, { 1: 3, 6: 100 }));
  const done = await Promise.all([sample(), sample(), sample(), sample()]);
  expect(done.filter(Boolean)).toHaveLength(1);
  expect(await figures(1)).toEqual({ samples: 1, "open:working": 1, "open:input_required": 1 });
  expect(await figures(6)).toMatchObject({ samples: 1, started: 1 });
  const rules = await owner.withOrganization(id, (tx) =>
    tx.ruleStatistic.findMany({ select: { hours: true } }),
  );
  expect(rules).toEqual([{ hours: 6 }]);
  expect(await other.figures()).toEqual({});
});

test("decisions by a rule count in it, once for all engines, and not when they are undone", async () => {
  const { id, append, count } = await organization();
  const inputRequestId = uuidv7();
  const now = Date.now();
  const data = {
    approval: {
      rule: "Large",
      askedAt: new Date(now - 3_600_000).toISOString(),
      dueAt: new Date(now + 3_600_000).toISOString(),
      stages: ["Finance"],
    },
    votes: [{ stage: "Finance", agrees: true, at: new Date(now).toISOString() }],
  };
  const decided = { type: "answer.recorded" as const, inputRequestId, data };
  await append(
    { type: "request.opened", inputRequestId },
    decided,
    { type: "answer.undone", inputRequestId },
    decided,
    { type: "answer.recorded", inputRequestId: uuidv7() },
  );
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (await count(2));
    }),
  );
  while (await count(2));
  const rows = await owner.withOrganization(id, (tx) =>
    tx.ruleStatistic.findMany({ where: { organizationId: id, hours: 6 } }),
  );
  const sum = (stage: string, measure: RegExp) =>
    rows
      .filter((row) => row.stage === stage && measure.test(row.measure))
      .reduce((all, { amount }) => all + Number(amount), 0);
  expect(["due", "within", "clock:", "work:"].map((measure) => sum("", new RegExp(measure)))).toEqual([
    1, 1, 1, 1,
  ]);
  expect(sum("0 Finance", /clock:/)).toBe(1);
  expect(new Set(rows.map(({ rule }) => rule))).toEqual(new Set(["Large"]));
});
