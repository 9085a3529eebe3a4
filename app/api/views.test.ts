import { beforeAll, expect, test } from "vitest";
import { savedViewSchema } from "@/lib/requests/saved-views/saved-view-schema.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let ana: { cookie: string; memberId: string };
let ola: { cookie: string; memberId: string };
let ben: { cookie: string; memberId: string };

beforeAll(async () => {
  acme = await web.organization("acme-views");
  ana = await web.member(acme, "Ana", "admin");
  ola = await web.member(acme, "Ola", "operator");
  ben = await web.member(acme, "Ben", "viewer");
});

const URGENT = { page: "inbox", name: "Urgent", query: { tab: "all", expiring: "1d" } };
const keep = (who: { cookie: string }, body: object) =>
  web.call("POST", "/api/v1/views", { cookie: who.cookie, body: { ...URGENT, ...body } });
const change = (who: { cookie: string }, id: string, body: object) =>
  web.call("PATCH", `/api/v1/views/${id}`, { cookie: who.cookie, body });
const remove = (who: { cookie: string }, id: string) =>
  web.call("DELETE", `/api/v1/views/${id}`, { cookie: who.cookie });
const names = async (who: { cookie: string }, page = "inbox") => {
  const { body } = await web.call("GET", `/api/v1/views?page=${page}`, { cookie: who.cookie });
  return body.items.map((view: { name: string }) => view.name);
};

test("a view is its maker's alone until it is shared", async () => {
  const made = await keep(ola, { name: "Ola's" });
  expect(made.status).toBe(201);
  expect(savedViewSchema.parse(made.body)).toMatchObject({
    name: "Ola's",
    query: URGENT.query,
    shared: false,
    mine: true,
    owner: { name: "Ola" },
  });
  expect(await names(ola)).toEqual(["Ola's"]);
  expect(await names(ola, "tasks")).toEqual([]);
  expect(await names(ana)).toEqual([]);
  expect((await change(ana, made.body.id, { name: "x" })).status).toBe(404);
  expect((await remove(ben, made.body.id)).status).toBe(404);

  expect((await change(ola, made.body.id, { shared: true })).body.shared).toBe(true);
  expect(await names(ben)).toEqual(["Ola's"]);
  const [seen] = (await web.call("GET", "/api/v1/views", { cookie: ben.cookie })).body.items;
  expect(seen).toMatchObject({ mine: false, shared: true, owner: { name: "Ola" } });
  expect((await remove(ola, made.body.id)).status).toBe(204);
  expect(await names(ben)).toEqual([]);
});

test("sharing needs the role operator", async () => {
  expect((await keep(ben, { name: "Mine", shared: true })).status).toBe(403);
  const made = await keep(ben, { name: "Mine" });
  expect(made.status).toBe(201);
  expect((await change(ben, made.body.id, { shared: true })).body.code).toBe("forbidden");
  expect((await change(ben, made.body.id, { query: { tab: "done" } })).body.query).toEqual({ tab: "done" });
});

test("a shared view is changed by its maker and by admins, by nobody else", async () => {
  const made = await keep(ola, { name: "Team", shared: true });
  expect((await change(ben, made.body.id, { name: "x" })).body).toMatchObject({
    code: "forbidden",
    detail: expect.stringContaining("Ola"),
  });
  expect((await remove(ben, made.body.id)).status).toBe(403);
  expect((await change(ana, made.body.id, { name: "The team's" })).body).toMatchObject({
    name: "The team's",
    mine: false,
  });
  // An admin who unshares a view no longer sees it; its author does.
  expect((await change(ana, made.body.id, { shared: false })).body.shared).toBe(false);
  expect((await change(ana, made.body.id, { shared: true })).status).toBe(404);
  expect(await names(ola)).toEqual(["The team's"]);
});

test("history tells of sharing and its end, and of nothing else", async () => {
  const made = await keep(ola, { name: "Told" });
  await change(ola, made.body.id, { name: "Told twice" });
  await change(ola, made.body.id, { shared: true });
  await change(ola, made.body.id, { shared: true });
  await remove(ola, made.body.id);
  const { body } = await web.call("GET", "/api/v1/events?limit=200", { cookie: ana.cookie });
  const told = body.items.filter((line: { data: { viewId?: string } }) => line.data.viewId === made.body.id);
  expect(told.map((line: { type: string; data: object }) => [line.type, line.data])).toEqual([
    ["view.unshared", { viewId: made.body.id, name: "Told twice", page: "inbox" }],
    ["view.shared", { viewId: made.body.id, name: "Told twice", page: "inbox" }],
  ]);
});

test("a name is used once a member and page, whatever its case", async () => {
  const ida = await web.member(acme, "Ida", "viewer");
  expect((await keep(ida, { name: "Late" })).status).toBe(201);
  expect((await keep(ida, { name: " late " })).body).toMatchObject({
    code: "name_taken",
    errors: [{ field: "name" }],
  });
  expect((await keep(ida, { name: "Late", page: "tasks" })).status).toBe(201);
  const other = await keep(ida, { name: "Later" });
  expect((await change(ida, other.body.id, { name: "LATE" })).body.code).toBe("name_taken");
  expect((await change(ida, other.body.id, { name: "LATER" })).body.name).toBe("LATER");
});

test("two who make the same one at once get one", async () => {
  const eve = await web.member(acme, "Eve", "viewer");
  const answers = await Promise.all([keep(eve, { name: "Same" }), keep(eve, { name: "Same" })]);
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409]);
  expect(await names(eve)).toEqual(["Same"]);
});

test.each([
  ["an empty name", { name: "  " }],
  ["a name of 61 characters", { name: "x".repeat(61) }],
  ["another page", { page: "servers" }],
  ["a parameter that is no text", { query: { tab: 1 } }],
  [
    "more parameters than a page has",
    { query: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`p${n}`, ""])) },
  ],
])("%s is refused", async (_what, body) => {
  expect((await keep(ola, body)).body.code).toBe("invalid_input");
});

test("fifty views are enough for one member", async () => {
  const max = await web.member(acme, "Max", "viewer");
  for (let n = 0; n < 50; n++) expect((await keep(max, { name: `View ${n}` })).status).toBe(201);
  expect((await keep(max, { name: "One more" })).body.code).toBe("too_many_views");
});

test("another organization sees, changes and deletes none, and keys have none", async () => {
  const globex = await web.organization("globex-views");
  const gus = await web.member(globex, "Gus", "owner");
  const made = await keep(ola, { name: "Acme's", shared: true });
  expect(await names(gus)).toEqual([]);
  expect((await change(gus, made.body.id, { name: "x" })).status).toBe(404);
  expect((await remove(gus, made.body.id)).status).toBe(404);
  const key = await web.key(acme, "owner");
  for (const [method, path] of [
    ["GET", "/api/v1/views"],
    ["DELETE", `/api/v1/views/${made.body.id}`],
  ] as const)
    expect((await web.call(method, path, { key })).body.code).toBe("forbidden");
  expect((await web.call("POST", "/api/v1/views", { key, body: URGENT })).body.code).toBe("forbidden");
});

test("views go with the membership", async () => {
  const leaving = await web.member(acme, "Lea", "operator");
  await keep(leaving, { name: "Lea's", shared: true });
  expect(await names(ben)).toContain("Lea's");
  const owner = await web.key(acme, "owner");
  expect((await web.call("DELETE", `/api/v1/members/${leaving.memberId}`, { key: owner })).status).toBe(204);
  expect(await names(ben)).not.toContain("Lea's");
});
