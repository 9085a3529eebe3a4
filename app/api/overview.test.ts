/** The overview's figures: their sums, their scope, and the people who may read them. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type Database } from "@/lib/base/db/db.ts";
import { uuidv7 } from "@/lib/base/ids.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "@/lib/history/events/event-writes.ts";
import { overviewSchema } from "@/lib/requests/statistics/statistics-schema.ts";
import { countHistory, sampleOpenTasks } from "@/lib/requests/statistics/statistics-writes.ts";
import { withClient } from "@/scripts/database/roles.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { statementsOf } from "@/test/guards/statements.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let engine: Database;

beforeAll(async () => {
  engine = createDatabase(web.database.engineUrl, { connections: 2 });
});
afterAll(async () => {
  await engine.close();
});

/** Two servers; one has a private task with a question, and a history. */
async function organization(slug: string) {
  const id = await web.organization(slug);
  const [erp, crm] = [await insertServer(web.db, id, { name: "ERP" }), await insertServer(web.db, id)];
  const requester = await web.member(id, "Rita", "operator");
  const task = await insertTask(web.db, id, erp, {
    state: "input_required",
    visibility: "private",
    requester: requester.userId,
  });
  await insertRequest(web.db, id, task);
  const other = await insertTask(web.db, id, crm, { state: "failed" });
  const inputRequestId = uuidv7();
  const lines: Omit<NewEvent, "actor">[] = [
    { type: "task.queued", taskId: task },
    { type: "request.opened", taskId: task, inputRequestId },
    { type: "answer.recorded", taskId: task, inputRequestId },
    { type: "delivery.sending", taskId: task, inputRequestId, data: { rung: "update" } },
    { type: "delivery.accepted", taskId: task, inputRequestId },
    { type: "delivery.confirmed", taskId: task, inputRequestId },
    { type: "task.queued", taskId: other },
    { type: "task.failed", taskId: other, data: { code: "rejected" } },
  ];
  await web.db.withOrganization(id, (tx) =>
    appendEvents(
      tx,
      lines.map((line) => ({ ...line, actor: ENGINE_ACTOR })),
    ),
  );
  await engine.withOrganization(id, async (tx) => {
    await countHistory(tx, 100);
    await sampleOpenTasks(tx, 300_000, { 1: 3, 6: 100 });
  });
  return { erp, crm, key: await web.key(id, "viewer") };
}

test("tells what happened and what there is, of private tasks too, without naming one", async () => {
  const { erp, crm, key } = await organization("acme");
  await organization("globex");
  const [watching, elsewhere] = [randomUUID(), randomUUID()];
  await withClient(web.database.adminUrl, async (client) => {
    await client.query(
      "INSERT INTO engine (id, leases, lateness_ms, started_at) VALUES ($1, 40, 7, now() - interval '1 hour'), ($2, 3, NULL, now())",
      [watching, elsewhere],
    );
    await client.query("INSERT INTO engine (id, seen_at) VALUES ($1, now() - interval '1 minute')", [
      uuidv7(),
    ]);
    await client.query("UPDATE connection SET watched_by = $1", [watching]);
  });
  for (const range of ["24h", "7d", "30d"]) {
    const { status, body } = await web.call("GET", `/api/v1/overview?range=${range}`, { key });
    expect(status).toBe(200);
    const figures = overviewSchema.parse(body);
    expect(figures.now).toMatchObject({ waiting: 1, open: { input_required: 1, working: 0 } });
    expect(figures.now.oldestWaitingAt).not.toBeNull();
    expect(figures.decisions).toMatchObject({ count: 1 });
    expect(figures.decisions.p90Ms).toBeLessThan(60_000);
    expect(figures.deliveries).toEqual([
      { rung: "update", accepted: 1, confirmed: 1, unsent: 0, flagged: 0, undeliverable: 0 },
    ]);
    const steps = { started: 0, failed: 0 };
    for (const step of figures.steps) {
      steps.started += step.started;
      steps.failed += step.ended.failed;
    }
    expect(steps).toEqual({ started: 2, failed: 1 });
    const counted = figures.steps.flatMap((step) => step.open ?? []);
    expect(counted).toEqual([expect.objectContaining({ input_required: 1 })]);
    expect(
      figures.servers.map(({ server, started, failureKinds }) => [server.id, started, failureKinds]),
    ).toEqual(
      expect.arrayContaining([
        [erp.id, 1, {}],
        [crm.id, 1, { rejected: 1 }],
      ]),
    );
    // The engines are everybody's; how much they hold is told of one's own.
    expect(figures.engines.map(({ id, leases, latenessMs }) => [id, leases, latenessMs])).toEqual([
      [watching.slice(0, 8), 2, 7],
      [elsewhere.slice(0, 8), 0, null],
    ]);
    expect(JSON.stringify(body)).not.toContain("INV-100");
  }
  const steps = (await web.call("GET", "/api/v1/overview?range=7d", { key })).body.steps;
  expect(steps).toHaveLength(28);
  const refused = await web.call("GET", "/api/v1/overview?range=1y", { key });
  expect([refused.status, refused.body.code]).toEqual([422, "invalid_input"]);
});

test("says what automatic rules answered in the period, and how often people decided otherwise", async () => {
  const acme = await web.organization("automatic");
  const key = await web.key(acme, "viewer");
  const server = await insertServer(web.db, acme);
  const decided = async (
    rule: string,
    daysAgo: number,
    state: "shadow" | "answered",
    agreed: boolean | null,
  ) => {
    const { id } = await insertRequest(web.db, acme, await insertTask(web.db, acme, server));
    await withClient(web.database.adminUrl, (client) =>
      client.query(
        `INSERT INTO automatic_decision (organization_id, input_request_id, state, rule, version, fingerprint, action, judged_at,
           answer_id, day, people_answer_id, agreed)
         VALUES ($1, $2, $3, $4, 1, 'print', 'accept', now() - $5 * interval '1 day', $6, $7, $8, $9)`,
        [
          ...[acme, id, state, rule, daysAgo],
          ...(state === "answered" ? [uuidv7(), "2026-11-01"] : [null, null]),
          ...[agreed === null ? null : uuidv7(), agreed],
        ],
      ),
    );
  };
  await decided("Small", 0, "shadow", true);
  await decided("Small", 0, "shadow", false);
  await decided("Small", 3, "answered", null);
  await decided("Large", 3, "shadow", null);
  await decided("Small", 40, "shadow", false);
  const of = async (range: string, who = key) =>
    (await web.call("GET", `/api/v1/overview?range=${range}`, { key: who })).body.automatic;
  expect(await of("24h")).toEqual([{ rule: "Small", answered: 0, agreed: 1, disagreed: 1 }]);
  expect(await of("7d")).toEqual([
    { rule: "Small", answered: 1, agreed: 1, disagreed: 1 },
    { rule: "Large", answered: 0, agreed: 0, disagreed: 0 },
  ]);
  expect(await of("30d", await web.key(await web.organization("beside"), "viewer"))).toEqual([]);
});

test("an organization without anything has figures of nothing", async () => {
  const key = await web.key(await web.organization("empty"), "viewer");
  const { body } = await web.call("GET", "/api/v1/overview", { key });
  expect(body).toMatchObject({
    range: "24h",
    now: { waiting: 0, oldestWaitingAt: null },
    decisions: { count: 0, p50Ms: null, p90Ms: null },
    servers: [],
    deliveries: [],
    automatic: [],
  });
  expect(body.steps).toHaveLength(24);
});

test("reads the figures of a hundred rules, of however many there were", async () => {
  const { key } = await organization("renamed");
  const [{ id }] = await web.database.sql("SELECT id FROM organization WHERE slug = 'renamed'");
  await web.database.sql(
    `INSERT INTO rule_statistic (organization_id, hours, at, rule, stage, measure, amount)
      SELECT $1, h, date_bin(h * interval '1 hour', now(), timestamptz '2000-01-01Z'), 'rule ' || n, stage, 'clock:' || m, n
      FROM unnest(ARRAY[1, 6]) h, generate_series(1, 500) n, unnest(ARRAY['', '0 One']) stage, generate_series(1, 3) m`,
    [id],
  );
  const read = async () => {
    const { body } = await web.call("GET", "/api/v1/overview?range=24h", { key });
    return body.rules as { rule: string; count: number }[];
  };
  const [, sent] = await statementsOf(read);
  const rules = await read();
  expect(rules).toHaveLength(100);
  expect([rules[0], rules[99]]).toMatchObject([
    { rule: "rule 500", count: 1_500 },
    { rule: "rule 401", count: 1_203 },
  ]);
  expect(sent.filter((text) => /rule_statistic/.test(text)).join()).toMatch(/LIMIT/);
});
