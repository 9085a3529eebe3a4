/** Tasks that need attention, and their reasons. Reads rows as the engine leaves them, by the web's queries. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertRequest, insertServer, insertTask } from "../../test/fixtures/rows.ts";
import { databaseForFile } from "../../test/for-file.ts";
import type { Principal } from "../access/principal.ts";
import { createDatabase, type Database } from "../base/db/db.ts";
import { uuidv7 } from "../base/ids.ts";
import { recordStatus } from "../lifecycle/running-task-writes.ts";
import { createOrganization } from "../people/organizations/organization-writes.ts";
import { ATTENTION_CODES, type AttentionCode, codesOf } from "./task-attention.ts";
import { countMatching, countTasks, listTasks } from "./task-list-reads.ts";

const test_ = databaseForFile();
let owner: Database;
let web: Database;
let acme: string;
let server: { id: string; connectionId: string };
const tasks = {} as Record<string, string>;

const HOUR_MS = 3600_000;
const principal = (): Principal => ({
  organizationId: acme,
  userId: null,
  role: "viewer",
  actor: { kind: "key", id: uuidv7(), name: "Key" },
});

beforeAll(async () => {
  owner = createDatabase(test_.ownerUrl, { connections: 2 });
  web = createDatabase(test_.appUrl, { connections: 2 });
  acme = await organization("acme");
  server = await insertServer(owner, acme);
  await engineSeen();
  for (const [name, state, quietMs] of [
    ["fine", "working", 0],
    ["fine and waiting", "input_required", HOUR_MS],
    ["start_unknown", "start_unknown", 0],
    ["start_slow", "queued", 2 * 60_000],
    ["state_unknown", "working", 7 * HOUR_MS],
    ["fine and unknown for a while", "working", 0],
    ["stalled", "working", 7 * HOUR_MS],
    ["waiting_long", "input_required", 25 * HOUR_MS],
    ["expiring", "input_required", 0],
    ["undeliverable", "input_required", 0],
    ["delivery_flagged", "input_required", 0],
    ["answer_waiting", "input_required", 0],
    ["fine and just answered", "input_required", 0],
    ["fine and answered in part before it was called again", "input_required", 0],
    ["lost", "lost", 0],
    ["lost long ago", "lost", 0],
    ["lost and started again", "lost", 0],
    ["ended well", "completed", 48 * HOUR_MS],
  ] as const)
    tasks[name] = await quietTask(acme, server, state, quietMs);
  await write(
    acme,
    `UPDATE task SET expires_at = now() + interval '50 minutes' WHERE id = '${tasks.expiring}'`,
    `UPDATE task SET unknown_since = now() - interval '61 minutes' WHERE id = '${tasks.state_unknown}'`,
    `UPDATE task SET unknown_since = now() - interval '59 minutes' WHERE id = '${tasks["fine and unknown for a while"]}'`,
    `UPDATE task SET finished_at = now() - interval '3 days' WHERE id = '${tasks["lost long ago"]}'`,
    `UPDATE task SET restart_of = '${tasks["lost and started again"]}' WHERE id = '${tasks.fine}'`,
  );
  const gone = await insertRequest(owner, acme, tasks.undeliverable!);
  await write(
    acme,
    `UPDATE input_request SET state = 'undeliverable', ended_at = now() WHERE id = '${gone.id}'`,
  );
  await answered(tasks.delivery_flagged!, "accepted", true);
  await answered(tasks["fine and just answered"]!, "pending");
  for (const name of ["answer_waiting", "fine and answered in part before it was called again"])
    await answered(tasks[name]!, "pending");
  await insertRequest(owner, acme, tasks["fine and answered in part before it was called again"]!);
  await write(
    acme,
    `UPDATE task SET sealed_handle = NULL
      WHERE id = '${tasks["fine and answered in part before it was called again"]}'`,
    `UPDATE delivery SET deliver_after = now() - interval '31 seconds'
      WHERE task_id <> '${tasks["fine and just answered"]}'`,
  );
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

const write = (organizationId: string, ...statements: string[]) =>
  owner.withOrganization(organizationId, async (tx) => {
    for (const statement of statements) await tx.$executeRawUnsafe(statement);
  });

const engineSeen = () =>
  write(acme, `INSERT INTO engine (id, seen_at) VALUES ('${uuidv7()}', now() + interval '1 hour')`);

async function quietTask(
  organizationId: string,
  at: { id: string; connectionId: string },
  state: string,
  quietMs: number,
): Promise<string> {
  const createdAt = new Date(Date.now() - quietMs);
  const id = await insertTask(owner, organizationId, at, { state, createdAt });
  await write(organizationId, `UPDATE task SET changed_at = '${createdAt.toISOString()}' WHERE id = '${id}'`);
  return id;
}

/** A task's question, with an answer that is on its way. */
async function answered(taskId: string, state: string, flagged = false): Promise<void> {
  const request = await insertRequest(owner, acme, taskId);
  const answer = uuidv7();
  await write(
    acme,
    `UPDATE input_request SET state = 'answered' WHERE id = '${request.id}'`,
    `INSERT INTO answer (organization_id, id, input_request_id, question_hash, action, answered_by)
     VALUES ('${acme}', '${answer}', '${request.id}', '${request.questionHash}', 'decline', '{}')`,
    `INSERT INTO delivery (organization_id, id, answer_id, input_request_id, task_id, state, deliver_after, flagged)
     VALUES ('${acme}', '${uuidv7()}', '${answer}', '${request.id}', '${taskId}', '${state}', now(), ${flagged})`,
  );
}

const list = (attention?: AttentionCode[], limit = 200, cursor?: string) =>
  web.withOrganization(acme, (tx) =>
    listTasks(tx, principal(), {
      limit,
      ...(attention && { attention }),
      ...(cursor && { cursor }),
    }),
  );
const codes = async () =>
  Object.fromEntries((await list()).items.map((task) => [task.id, task.attention?.code ?? null]));

test("each reason is on its task, and on no other", async () => {
  const shown = await codes();
  for (const [name, id] of Object.entries(tasks))
    expect([name, shown[id]]).toEqual([name, name in CODES ? name : null]);
  const stalled = (await list(["stalled"])).items.find(({ id }) => id === tasks.stalled)!;
  expect(Date.now() - Date.parse(stalled.attention!.since)).toBeGreaterThan(6 * HOUR_MS);
});
const CODES = Object.fromEntries(ATTENTION_CODES.map((code) => [code, true]));

test("a filter by reason finds those it is shown on, page by page, and counts them", async () => {
  const shown = await codes();
  for (const code of ["state_unknown", "lost", "delivery_flagged", "expiring"] as const)
    expect((await list([code])).items.map(({ id }) => shown[id])).toEqual([code]);
  const stuck = codesOf("stuck");
  const expected = (await list()).items.filter(({ id }) => stuck.includes(shown[id]!)).map(({ id }) => id);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(stuck, 2, cursor);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(seen).toEqual(expected);
  const { attention } = await web.withOrganization(acme, (tx) =>
    countTasks(tx, principal(), new Date(0).toISOString()),
  );
  expect(attention).toEqual({ stuck: expected.length, watch: 3 });
});

test("a server in trouble explains all that needs it, and not what waits for a person", async () => {
  const away = await insertServer(owner, acme);
  const made = {
    working: await quietTask(acme, away, "working", 0),
    queued: await quietTask(acme, away, "queued", 5 * 60_000),
    asking: await quietTask(acme, away, "input_required", 0),
    answering: await quietTask(acme, away, "input_required", 0),
    ended: await quietTask(acme, away, "failed", 0),
  };
  await insertRequest(owner, acme, made.asking);
  await answered(made.answering, "pending");
  for (const [health, code] of [
    ["unreachable", "server_unreachable"],
    ["failing", "server_failing"],
    ["unauthorized", "needs_sign_in"],
  ] as const) {
    await write(acme, `UPDATE server SET health_state = '${health}' WHERE id = '${away.id}'`);
    const shown = await codes();
    expect(Object.entries(made).map(([name, id]) => [name, shown[id]])).toEqual([
      ["working", code],
      ["queued", code],
      ["asking", null],
      ["answering", code],
      ["ended", null],
    ]);
  }
});

test("a paused server explains the same, whatever else is wrong with it", async () => {
  const resting = await insertServer(owner, acme);
  await write(
    acme,
    `UPDATE server SET health_state = 'failing', paused_at = now(), paused_by = '{"kind": "member", "id": null, "name": "Ola"}'
      WHERE id = '${resting.id}'`,
  );
  const queued = await quietTask(acme, resting, "queued", 5 * 60_000);
  const asking = await quietTask(acme, resting, "input_required", 0);
  await insertRequest(owner, acme, asking);
  const shown = await codes();
  expect([shown[queued], shown[asking]]).toEqual(["server_paused", null]);
  await write(acme, `UPDATE server SET paused_at = NULL, paused_by = NULL WHERE id = '${resting.id}'`);
});

test("without an engine all that is open stands still, of one organization as of another", async () => {
  await write(acme, "DELETE FROM engine");
  const globex = await organization("globex");
  const other = await quietTask(globex, await insertServer(owner, globex), "working", 0);
  expect((await codes())[tasks.fine!]).toBe("no_engine");
  const count = await web.withOrganization(globex, (tx) =>
    countMatching(tx, { ...principal(), organizationId: globex }, { attention: ["no_engine"] }),
  );
  expect(count).toBe(1);
  await engineSeen();
  expect((await codes())[other]).toBeUndefined();
  expect((await codes())[tasks.fine!]).toBeNull();
});

test("an answer that is sent again and again since no reply comes is late, counted from when it could go out", async () => {
  const cases = { late: "31 seconds", fresh: "1 second" };
  for (const [name, since] of Object.entries(cases)) {
    const id = await quietTask(acme, server, "input_required", 0);
    tasks[`${name} without a reply`] = id;
    await answered(id, "pending");
    await write(
      acme,
      `UPDATE delivery SET state = 'sending', epoch = 1, attempts = 2, deliver_after = now() - interval '${since}', not_before = now() - interval '1 second', in_doubt = true
        WHERE task_id = '${id}'`,
    );
  }
  const shown = await codes();
  expect(shown[tasks["late without a reply"]!]).toBe("answer_waiting");
  expect(shown[tasks["fresh without a reply"]!]).toBeNull();
});

test("a task that works while a question of it is open waits for a person, and is not called stalled", async () => {
  const made = {
    stalled: await quietTask(acme, server, "working", 7 * HOUR_MS),
    asking: await quietTask(acme, server, "working", 7 * HOUR_MS),
    "asking for long": await quietTask(acme, server, "working", 25 * HOUR_MS),
  };
  for (const id of [made.asking, made["asking for long"]]) await insertRequest(owner, acme, id);
  const items = new Map((await list()).items.map((task) => [task.id, task]));
  const shown = Object.entries(made).map(([name, id]) => {
    const task = items.get(id)!;
    return [name, task.attention?.code ?? null, task.stalled];
  });
  expect(shown).toEqual([
    ["stalled", "stalled", true],
    ["asking", null, false],
    ["asking for long", "waiting_long", false],
  ]);
});

test("what a recipe does not know counts from the first such report, and is over with the first that it knows", async () => {
  const id = await quietTask(acme, server, "working", 0);
  const report = async (statusMessage: string, isUnknown: boolean) => {
    const change = { state: "working" as const, statusMessage, isUnknown, ttlMs: null, pollIntervalMs: null };
    await owner.withOrganization(acme, (tx) => recordStatus(tx, id, change));
    const [row] = await owner.withOrganization(acme, (tx) => tx.task.findMany({ where: { id } }));
    return row!.unknownSince;
  };
  expect(await report("VALIDATING", false)).toBeNull();
  const since = await report("HELD", true);
  expect(since).not.toBeNull();
  expect(await report("HELD AGAIN", true)).toEqual(since);
  // The words alone need not tell.
  expect(await report("HELD AGAIN", false)).toBeNull();
});
