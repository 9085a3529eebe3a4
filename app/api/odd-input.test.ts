/** Invalid input to the inbox is refused or stored safely, and never breaks anything. */
import { beforeAll, describe, expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import type { Method } from "@/lib/web/http/route.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let request: { id: string; questionHash: string };
let view: string;
let ana: { cookie: string };

beforeAll(async () => {
  const acme = await web.organization("acme-odd");
  ana = await web.member(acme, "Ana", "owner");
  request = await insertRequest(
    web.db,
    acme,
    await insertTask(web.db, acme, await insertServer(web.db, acme)),
    { form: FORM },
  );
  const kept = { page: "inbox", name: "Shared", query: {}, shared: true };
  view = (await make("POST", "/api/v1/views", kept)).body.id;
});

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

const hash = () => request.questionHash;

function make(method: Method, path: string, body?: unknown, at = view) {
  const real = path.replace(":request", request.id).replace(":view", at);
  return web.call(method, real, { cookie: ana.cookie, ...(body !== undefined && { body }) });
}

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
    const answer = await make(method, path, body?.());
    expect([answer.status, answer.body?.code]).not.toEqual([500, "internal"]);
    expect(answer.status).toBeLessThan(500);
    // A refusal is not many times what was refused.
    expect(JSON.stringify(answer.body).length).toBeLessThan(200_000);
    if (answer.status < 300 && /answer$/.test(path)) await make("POST", `${A}/:request/undo`);
    if (answer.status < 300 && path === "/api/v1/views" && method === "POST")
      await make("DELETE", "/api/v1/views/:view", undefined, answer.body.id);
  });

  test("a state that is named twice lists nothing twice", async () => {
    const { body } = await make("GET", `${A}?state=open,open`);
    expect(body.items).toHaveLength(1);
  });
});

function cursor(parts: unknown): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

function fields(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));
}
