/** Query plans of the lists of tasks. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPlanner, type Planner } from "../../test/fixtures/plans.ts";
import type { Principal } from "../access/principal.ts";
import { uuidv7 } from "../base/ids.ts";
import { codesOf } from "./task-attention.ts";
import { countTasks, listTasks } from "./task-list-reads.ts";
import type { TaskListQuery } from "./task-schema.ts";

let planner: Planner;
const acme = uuidv7();
const ana = uuidv7();
const principal: Principal = {
  organizationId: acme,
  userId: ana,
  role: "operator",
  actor: { kind: "member", id: ana, name: "Ana" },
};

beforeAll(async () => {
  planner = await createPlanner(acme);
});
afterAll(() => planner?.close());

const list = (query: TaskListQuery & { cursor?: string }) =>
  planner.planOf((tx) => listTasks(tx, principal, { limit: 50, ...query }));

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
    await planner.planOf((tx) => countTasks(tx, principal, NOW).catch(() => undefined)),
  ]) {
    expect(plan).not.toMatch(/Seq Scan on (task|delivery|input_request)/);
    // Its tasks are looked for among themselves, not among all that are open.
    expect(plan).toMatch(/using task_unknown on task u/);
  }
});
