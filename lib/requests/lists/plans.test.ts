/** Query plans of the lists of requests. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPlanner, type Planner } from "../../../test/fixtures/plans.ts";
import type { Principal } from "../../access/principal.ts";
import { uuidv7 } from "../../base/ids.ts";
import { readSettled } from "../similar/similar.ts";
import { countOpenRequests, listInputRequests } from "./list.ts";
import type { RequestListQuery } from "./request-list-schema.ts";

let planner: Planner;
const acme = uuidv7();
const ana = uuidv7();
const principal: Principal = {
  organizationId: acme,
  userId: ana,
  role: "approver",
  actor: { kind: "member", id: ana, name: "Ana" },
};

beforeAll(async () => {
  planner = await createPlanner(acme);
});
afterAll(() => planner?.close());

const list = (query: RequestListQuery & { cursor?: string }) =>
  planner.planOf((tx) => listInputRequests(tx, principal, { limit: 50, state: ["open"], ...query }));

const cursor = (order: string, key: unknown) =>
  Buffer.from(JSON.stringify([order, key, uuidv7()])).toString("base64url");
const NOW = "2026-11-21T12:00:00.000Z";

test.each([
  ["oldest", "input_request_oldest", NOW],
  ["newest", "input_request_oldest", NOW],
  ["decided", "input_request_decided", NOW],
  ["due", "input_request_due", NOW],
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

describe("what is urgent", () => {
  const after = (part: string) =>
    Buffer.from(JSON.stringify([`${part} 2026-11-22T12:00:00.000Z`, NOW, uuidv7()])).toString("base64url");

  test("what ends soon is read along its index, from where the last page ended", async () => {
    const plan = await list({ order: "urgent", cursor: after("soon") });
    expect(plan).toMatch(/input_request_urgent .*\n.*Index Cond: .*ROW\(/);
  });

  test("what is assigned, then the rest by age, are read where the page is not full by then", async () => {
    const plan = await list({ order: "urgent" });
    expect(plan).toMatch(/CTE part_1\n(?:.*\n)*?.*One-Time Filter/);
    expect(plan).toMatch(/CTE part_2\n(?:.*\n)*?.*One-Time Filter(?:.*\n)*?.*input_request_oldest/);
    expect(plan).not.toMatch(/Seq Scan on input_request/);
    const rest = await list({ order: "urgent", cursor: after("rest") });
    expect(rest).toMatch(/input_request_oldest .*\n.*Index Cond: .*ROW\(/);
    expect(rest).not.toMatch(/input_request_urgent/);
  });
});

test.each<[string, RequestListQuery, RegExp]>([
  ["amounts from", { amountMin: 10, order: "amount" }, /input_request_amount .*\n.*Index Cond: .*CASE .*>=/],
  ["amounts to", { amountMax: 10, order: "amount" }, /input_request_amount .*\n.*Index Cond: .*CASE .*<=/],
  [
    "what ends by then",
    { expiresBefore: NOW, order: "expiring" },
    /input_request_expiring .*\n.*Index Cond: .*CASE .*</,
  ],
  [
    "what is overdue",
    { overdue: "true", order: "due" },
    /input_request_due .*\n.*Index Cond: .*CASE .*<= now/,
  ],
])("%s is found by an index", async (_what, query, index) => {
  expect(await list(query)).toMatch(index);
});

test("counts read one index alone", async () => {
  const plan = await planner.planOf((tx) => countOpenRequests(tx, principal, {}));
  expect(plan).toMatch(/Index Only Scan using input_request_counted/);
  expect(plan).not.toMatch(/(Seq|Bitmap Heap) Scan on input_request/);
});

test.each<[string, RequestListQuery]>([
  ["a list", {}],
  ["what waits for somebody", { waiting: "me" }],
])("%s looks up once who is away, and reads no more requests for it", async (_what, query) => {
  const plan = await list({ order: "oldest", cursor: cursor("oldest", NOW), ...query });
  expect(plan).toMatch(/input_request_oldest .*\n.*Index Cond: .*ROW\(/);
  expect(plan).not.toMatch(/Seq Scan on (input_request|away|task)/);
});

test("what is assigned to those for whom somebody stands in is found by its index, once", async () => {
  const plan = await list({ waiting: "me" });
  expect(plan).toMatch(
    /InitPlan \d+\n(?:(?!InitPlan|SubPlan).*\n)*? +-> +Function Scan on standing_in s.*\n(?:(?!InitPlan|SubPlan).*\n)*?.*input_request_assignee/,
  );
});

test.each<[string, RequestListQuery, RegExp]>([
  ["what waits for requesters", { needsInfo: "true" }, /input_request_needs_info/],
  ["what somebody has put off", { snoozed: "true" }, /request_snooze_pkey/],
])("%s is looked up once, and narrows the list", async (_what, query, index) => {
  const plan = await list({ order: "oldest", cursor: cursor("oldest", NOW), ...query });
  expect(plan).toMatch(index);
  expect(plan).not.toMatch(/Seq Scan on (input_request|task)/);
});

test("comments and snoozes are read for the rows of a page alone", async () => {
  const plan = await list({ order: "oldest", cursor: cursor("oldest", NOW), waiting: "me" });
  expect(plan).toMatch(/input_request_oldest .*\n.*Index Cond: .*ROW\(/);
  expect(plan).toMatch(/Index.* using request_comment_of_request/);
  expect(plan).not.toMatch(/Seq Scan on (input_request|task)/);
});

test("what was decided before, also about a party, is read from the latest of one tool alone", async () => {
  const asked = {
    ...{ taskId: uuidv7(), serverId: uuidv7(), tool: "pay", mode: "form" },
    ...{ fieldNames: [], formDigest: null },
  };
  const plan = await planner.planOf((tx) => readSettled(tx, principal, asked));
  expect(plan).toMatch(/Limit/);
  expect(plan).toMatch(
    /input_request_settled .*\n.*Index Cond: \(\(organization_id = .* AND \(server_id = .* AND \(tool = /,
  );
  expect(plan).not.toMatch(/Seq Scan on (input_request|task|answer)/);
});
