/** Every call of the inbox against who may not make it, what is another's, other sites, and what nobody should send. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { uuidv7 } from "@/lib/ids.ts";
import { ROLES, type Role } from "@/lib/members/roles.ts";
import { insertRequest, insertServer, insertTask } from "@/lib/testing/rows.ts";
import { startWeb, type TestWeb } from "@/lib/testing/web.ts";
import type { Method } from "@/lib/web/route.ts";

let web: TestWeb;
let acme: string;
let request: { id: string; questionHash: string };
let view: string;
const cookies = {} as Record<Role, string>;
const keys = {} as Record<Role, string>;
let gus: { cookie: string; memberId: string };

beforeAll(async () => {
  web = await startWeb(() => import("@/app/api/v1/openapi.json/paths.ts"));
  acme = await web.organization("acme-guards");
  for (const role of ROLES) {
    cookies[role] = (await web.member(acme, role, role)).cookie;
    keys[role] = await web.key(acme, role);
  }
  request = await insertRequest(
    web.db,
    acme,
    await insertTask(web.db, acme, await insertServer(web.db, acme)),
    { form: FORM },
  );
  gus = await web.member(await web.organization("globex-guards"), "Gus", "owner");
  const kept = { page: "inbox", name: "Shared", query: {}, shared: true };
  view = (await web.call("POST", "/api/v1/views", { cookie: cookies.owner, body: kept })).body.id;
});
afterAll(() => web.stop());

const FORM = {
  kind: "supported" as const,
  fields: [
    {
      name: "note",
      title: "Note",
      description: null,
      required: false,
      kind: "text" as const,
      format: null,
      minLength: null,
      maxLength: null,
      default: null,
    },
  ],
};

interface Call {
  method: Method;
  path: string;
  role: Role;
  body?: () => object;
  /** Of people, never of a key. */
  membersOnly?: boolean;
}

const REQUEST = "/api/v1/input-requests/:request";
const hash = () => request.questionHash;

const CALLS: Call[] = [
  { method: "GET", path: "/api/v1/input-requests", role: "viewer" },
  { method: "GET", path: "/api/v1/input-requests/counts", role: "viewer" },
  { method: "GET", path: REQUEST, role: "viewer" },
  { method: "GET", path: `${REQUEST}/similar`, role: "viewer" },
  { method: "POST", path: `${REQUEST}/claim`, role: "approver", membersOnly: true },
  { method: "POST", path: `${REQUEST}/release`, role: "approver" },
  {
    method: "PUT",
    path: `${REQUEST}/draft`,
    role: "approver",
    membersOnly: true,
    body: () => ({ content: {}, comment: "Later" }),
  },
  { method: "POST", path: `${REQUEST}/assign`, role: "operator", body: () => ({ memberId: null }) },
  { method: "POST", path: `${REQUEST}/undo`, role: "approver" },
  { method: "POST", path: `${REQUEST}/resend`, role: "operator" },
  {
    method: "POST",
    path: `${REQUEST}/answer`,
    role: "approver",
    body: () => ({ action: "decline", questionHash: hash(), holdMs: 60_000 }),
  },
  {
    method: "POST",
    path: "/api/v1/input-requests/bulk-answer",
    role: "approver",
    body: () => ({ action: "decline", items: [{ id: request.id, questionHash: hash() }] }),
  },
  {
    method: "POST",
    path: "/api/v1/input-requests/bulk-undo",
    role: "approver",
    body: () => ({ ids: [request.id] }),
  },
  { method: "GET", path: "/api/v1/people", role: "operator" },
  { method: "GET", path: "/api/v1/decline-reasons", role: "viewer" },
  { method: "PUT", path: "/api/v1/decline-reasons", role: "admin", body: () => ({ reasons: ["Not ours"] }) },
  { method: "GET", path: "/api/v1/undo-window", role: "viewer" },
  { method: "PUT", path: "/api/v1/undo-window", role: "admin", body: () => ({ holdMs: 5_000 }) },
  { method: "GET", path: "/api/v1/views", role: "viewer", membersOnly: true },
  {
    method: "POST",
    path: "/api/v1/views",
    role: "viewer",
    membersOnly: true,
    body: () => ({ page: "inbox", name: uuidv7(), query: {} }),
  },
  {
    method: "PATCH",
    path: "/api/v1/views/:view",
    role: "admin",
    membersOnly: true,
    body: () => ({ query: {} }),
  },
  { method: "DELETE", path: "/api/v1/views/:view", role: "admin", membersOnly: true },
  { method: "GET", path: "/api/v1/me/preferences", role: "viewer", membersOnly: true },
  {
    method: "PATCH",
    path: "/api/v1/me/preferences",
    role: "viewer",
    membersOnly: true,
    body: () => ({ tourSeen: true }),
  },
];
const calls = CALLS.map((each) => [`${each.method} ${each.path.replace("/api/v1", "")}`, each] as const);

interface Who {
  key?: string;
  cookie?: string;
}
function make({ method, path, body }: Call, who: Who, ids = {}, headers = {}) {
  const at = { request: request.id, view, ...ids } as Record<string, string>;
  const real = path.replace(/:(\w+)/, (_, name: string) => at[name]!);
  return web.call(method, real, { ...who, headers, ...(body && { body: body() }) });
}

const writes = calls.filter(([, { method }]) => method !== "GET");
const things = calls.filter(([, { path }]) => path.includes(":"));

test.each(calls)("%s asks for a credential, and for its role, of people as of keys", async (_name, call) => {
  expect((await make(call, {})).status).toBe(401);
  expect((await make(call, { key: "itk_unknown" })).status).toBe(401);
  for (const role of ROLES.slice(0, ROLES.indexOf(call.role)))
    for (const who of [{ cookie: cookies[role] }, { key: keys[role] }])
      expect([role, (await make(call, who)).body.code]).toEqual([role, "forbidden"]);
  const { status, body } = await make(call, { key: keys[call.role] });
  if (call.membersOnly) expect([status, body.code]).toEqual([403, "forbidden"]);
  else expect([status, body?.code]).not.toEqual([403, "forbidden"]);
});

test.each(writes)(
  "%s is refused to another site's page, whatever cookie comes along",
  async (_name, call) => {
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "null" },
    ])
      expect((await make(call, { cookie: cookies.owner }, {}, headers)).body.code).toBe("cross_site");
  },
);

test.each(things)("%s says of another organization's what it says of what never was", async (_name, call) => {
  const foreign = await make(call, gus);
  const unknown = await make(call, gus, { request: uuidv7(), view: uuidv7() });
  expect([foreign.status, foreign.body.code]).toEqual([404, "not_found"]);
  const { requestId: _one, ...said } = foreign.body;
  const { requestId: _other, ...saidOfUnknown } = unknown.body;
  expect(said).toEqual(saidOfUnknown);
});

test("another organization's answers, people, reasons and time for undo stay as they were", async () => {
  for (const [, call] of calls) if (!call.path.includes(":")) await make(call, gus);
  const { body } = await make(CALLS[2]!, { cookie: cookies.viewer });
  expect([body.state, body.assignedTo, body.claimedBy]).toEqual(["open", null, null]);
  expect((await web.call("GET", "/api/v1/people", gus)).body.items).toHaveLength(1);
  const { memberId } = gus;
  const assigned = await web.call("POST", `/api/v1/input-requests/${request.id}/assign`, {
    key: keys.operator,
    body: { memberId },
  });
  expect([assigned.status, assigned.body.code]).toEqual([404, "not_found"]);
});

const NUL = "a\u0000b";
const LONG = "x".repeat(900_000);
const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
const many = (count: number, make: (n: number) => unknown) =>
  Array.from({ length: count }, (_, n) => make(n));
const item = () => ({ id: uuidv7(), questionHash: "0".repeat(64) });
const A = "/api/v1/input-requests";

describe("what nobody should send is refused, or kept as it can be, and never breaks anything", () => {
  test.each<[string, Method, string, (() => unknown)?]>([
    ["a NUL in a search", "GET", `${A}?q=a%00b`],
    ["a NUL in the search of counts", "GET", `${A}/counts?q=%00`],
    ["a NUL in a tool", "GET", `${A}?tool=%00`],
    ["half a character in a search", "GET", `${A}?q=%ED%A0%80`],
    ["a NUL in a person's name", "GET", "/api/v1/people?q=%00"],
    ["a search of 201 characters", "GET", `${A}?q=${"x".repeat(201)}`],
    ["a year that no calendar has", "GET", `${A}?askedAfter=0000-01-01T00:00:00Z`],
    ["a year that no calendar has, of tasks", "GET", "/api/v1/tasks?createdAfter=0000-01-01T00:00:00Z"],
    ["a line of the history beyond numbers", "GET", `/api/v1/events?cursor=${cursor(["9".repeat(19)])}`],
    ["the last moment there is", "GET", `${A}?expiresBefore=9999-12-31T23:59:59-23:59`],
    ["an amount beyond numbers", "GET", `${A}?amountMin=1e400`],
    ["the largest amount", "GET", `${A}?amountMin=1.7976931348623157e308&amountMax=5e-324`],
    ["an amount that is none", "GET", `${A}?amountMax=NaN`],
    ["no amount at all", "GET", `${A}?amountMin=`],
    ["a state that is none", "GET", `${A}?state=open,closed`],
    ["five hundred states", "GET", `${A}?state=${many(500, () => "open").join(",")}`],
    ["a cursor of another age", "GET", `${A}?cursor=${cursor(["oldest", "0000-01-01T00:00:00Z", uuidv7()])}`],
    [
      "a cursor with an amount beyond numbers",
      "GET",
      `${A}?order=amount&cursor=${cursor(["amount", 1e308, uuidv7()])}`,
    ],
    ["a cursor of nested lists", "GET", `${A}?cursor=${cursor(many(90, () => []))}`],
    ["a page of a million", "GET", `${A}?limit=1000000`],
    ["an id that is none", "GET", `${A}/..%2F..%2Fme`],
    [
      "a comment with a NUL",
      "POST",
      `${A}/:request/answer`,
      () => ({ action: "decline", comment: NUL, questionHash: hash(), holdMs: 60_000 }),
    ],
    [
      "a comment of half a character",
      "POST",
      `${A}/:request/answer`,
      () => ({ action: "decline", comment: "\ud800", questionHash: hash(), holdMs: 60_000 }),
    ],
    [
      "a comment of 900,000 characters",
      "POST",
      `${A}/:request/answer`,
      () => ({ action: "decline", comment: LONG, questionHash: hash() }),
    ],
    [
      "content with a NUL",
      "POST",
      `${A}/:request/answer`,
      () => ({ action: "accept", content: { note: NUL }, questionHash: hash(), holdMs: 60_000 }),
    ],
    [
      "content 60 levels deep",
      "POST",
      `${A}/:request/answer`,
      () => ({ action: "accept", content: { note: deep(60) }, questionHash: hash() }),
    ],
    [
      "content a thousand levels deep",
      "POST",
      `${A}/:request/answer`,
      () => ({ action: "accept", content: deep(1000), questionHash: hash() }),
    ],
    [
      "a hundred thousand fields",
      "POST",
      `${A}/:request/answer`,
      () => ({ action: "accept", content: fields(90_000), questionHash: hash() }),
    ],
    [
      "a field called __proto__",
      "POST",
      `${A}/:request/answer`,
      () => `{"action":"accept","content":{"__proto__":{"x":1}},"holdMs":60000,"questionHash":"${hash()}"}`,
    ],
    [
      "two megabytes",
      "POST",
      `${A}/:request/answer`,
      () => ({ action: "decline", comment: LONG + LONG + LONG, questionHash: hash() }),
    ],
    ["a draft of NULs", "PUT", `${A}/:request/draft`, () => ({ content: { note: NUL }, comment: NUL })],
    ["a draft of 900,000 characters", "PUT", `${A}/:request/draft`, () => ({ content: { note: LONG } })],
    ["a draft of unknown fields", "PUT", `${A}/:request/draft`, () => ({ content: fields(50_000) })],
    [
      "a bulk answer to a thousand",
      "POST",
      `${A}/bulk-answer`,
      () => ({ action: "decline", items: many(1000, item) }),
    ],
    [
      "a bulk answer to fifty thousand things",
      "POST",
      `${A}/bulk-answer`,
      () => ({ action: "decline", items: many(50_000, () => ({})) }),
    ],
    [
      "a bulk answer to none of ours",
      "POST",
      `${A}/bulk-answer`,
      () => ({ action: "accept", content: { a: NUL }, items: many(200, item) }),
    ],
    [
      "a bulk comment with a NUL",
      "POST",
      `${A}/bulk-answer`,
      () => ({
        action: "decline",
        comment: NUL,
        holdMs: 60_000,
        items: [{ id: request.id, questionHash: hash() }],
      }),
    ],
    ["a bulk undo of ten thousand", "POST", `${A}/bulk-undo`, () => ({ ids: many(10_000, uuidv7) })],
    ["a view's name with a NUL", "POST", "/api/v1/views", () => ({ page: "inbox", name: NUL, query: {} })],
    [
      "a view's parameter with a NUL",
      "POST",
      "/api/v1/views",
      () => ({ page: "inbox", name: "n1", query: { q: NUL } }),
    ],
    [
      "a view's parameter called with a NUL",
      "POST",
      "/api/v1/views",
      () => ({ page: "inbox", name: "n2", query: { [NUL]: "x" } }),
    ],
    [
      "a view's parameter of half a character",
      "POST",
      "/api/v1/views",
      () => ({ page: "inbox", name: "n3", query: { q: "\udc00" } }),
    ],
    [
      "a view of fifty thousand parameters",
      "POST",
      "/api/v1/views",
      () => ({ page: "inbox", name: "n4", query: fields(50_000) }),
    ],
    ["a view changed to a NUL", "PATCH", "/api/v1/views/:view", () => ({ name: NUL })],
    ["a view changed to nothing", "PATCH", "/api/v1/views/:view", () => ({})],
    ["a reason with a NUL", "PUT", "/api/v1/decline-reasons", () => ({ reasons: [NUL] })],
    ["a reason of half a character", "PUT", "/api/v1/decline-reasons", () => ({ reasons: ["\ud800"] })],
    ["ten thousand reasons", "PUT", "/api/v1/decline-reasons", () => ({ reasons: many(10_000, String) })],
    ["a time for undo beyond numbers", "PUT", "/api/v1/undo-window", () => '{"holdMs":1e400}'],
    ["preferences of a list", "PATCH", "/api/v1/me/preferences", () => []],
    ["an assignment to a list", "POST", `${A}/:request/assign`, () => ({ memberId: [] })],
    ["null for a body", "POST", `${A}/bulk-undo`, () => "null"],
  ])("%s", async (_what, method, path, body) => {
    const who = { cookie: cookies.owner };
    const call = { method, path, role: "owner" as const, ...(body && { body: body as () => object }) };
    const answer = await make(call, who);
    expect([answer.status, answer.body?.code]).not.toEqual([500, "internal"]);
    expect(answer.status).toBeLessThan(500);
    // A refusal is not many times what was refused.
    expect(JSON.stringify(answer.body).length).toBeLessThan(200_000);
    if (answer.status < 300 && /answer$/.test(path)) await make(CALLS[8]!, who);
    if (answer.status < 300 && path === "/api/v1/views" && method === "POST")
      await make({ method: "DELETE", path: "/api/v1/views/:view", role: "owner" }, who, {
        view: answer.body.id,
      });
  });

  test("a state that is named twice lists nothing twice", async () => {
    const { body } = await web.call("GET", `${A}?state=open,open`, { key: keys.viewer });
    expect(body.items).toHaveLength(1);
  });
});

function cursor(parts: unknown): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

function fields(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));
}
