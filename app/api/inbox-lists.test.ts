import { beforeAll, describe, expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import { pageSchema } from "@/lib/base/page.ts";
import { type InputRequestSummary, inputRequestSchema } from "@/lib/requests/request-schema.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let key: string;
let finance: { id: string; connectionId: string };
let crm: { id: string; connectionId: string };

const HOUR = 3_600_000;
const START = Date.parse("2026-03-01T12:00:00Z");
const at = (hours: number) => new Date(START + hours * HOUR);

beforeAll(async () => {
  acme = await web.organization("acme-lists");
  key = await web.key(acme, "viewer");
  finance = await insertServer(web.db, acme, { name: "Finance ERP" });
  crm = await insertServer(web.db, acme, { name: "Ünique CRM" });
  await ask(finance, "Pay Müller GmbH?", { total: 100, currency: "EUR" }, { hours: 0, endsIn: 50 });
  await ask(finance, "Pay ACME 50% now?", { total: 300 }, { hours: 1, tool: "pay" });
  await ask(
    crm,
    "Merge two customers?",
    { note: "same as\nbefore" },
    { hours: 2, endsIn: 10, tool: "merge" },
  );
  await ask(crm, "Refund of $20.00?", { amount: 20 }, { hours: 3, tool: "refund" });
});

async function ask(
  server: { id: string; connectionId: string },
  message: string,
  args: object,
  more: { hours: number; endsIn?: number; tool?: string; assignee?: string },
  organization = acme,
): Promise<string> {
  const { hours, endsIn, assignee } = more;
  const task = await insertTask(web.db, organization, server, {
    arguments: args,
    ...(more.tool && { tool: more.tool }),
  });
  const request = await insertRequest(web.db, organization, task, {
    message,
    createdAt: at(hours),
    ...(endsIn !== undefined && { expiresAt: at(endsIn) }),
    ...(assignee && { assignee }),
  });
  return request.id;
}

type Query = Record<string, string | number>;
const search = (query: Query) =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();

async function list(query: Query, who: { key?: string; cookie?: string } = { key }) {
  const answer = await web.call("GET", `/api/v1/input-requests?${search({ state: "open", ...query })}`, who);
  expect([query, answer.status]).toEqual([query, 200]);
  return pageSchema(inputRequestSchema).parse(answer.body);
}

async function counts(query: Query = {}, who: { key?: string; cookie?: string } = { key }) {
  return (await web.call("GET", `/api/v1/input-requests/counts?${search(query)}`, who)).body;
}

const messages = (items: InputRequestSummary[]) => items.map((item) => item.message.split(" ")[1]);

describe("a list", () => {
  test.each<[string, () => Query, string[]]>([
    ["by server", () => ({ serverId: crm.id }), ["two", "of"]],
    ["by tool", () => ({ tool: "pay" }), ["ACME"]],
    ["by age", () => ({ askedBefore: at(1).toISOString() }), ["Müller"]],
    ["by youth", () => ({ askedAfter: "2026-03-01T15:00:00+01:00" }), ["two", "of"]],
    ["by what ends soon", () => ({ expiresBefore: at(20).toISOString() }), ["two"]],
    ["by amounts from", () => ({ amountMin: 100 }), ["Müller", "ACME"]],
    ["by amounts to", () => ({ amountMax: 100 }), ["Müller", "of"]],
    ["by words of the message, whatever their case", () => ({ q: "  müller gmbh " }), ["Müller"]],
    ["by words of a server's name", () => ({ q: "ünique" }), ["two", "of"]],
    ["by words of the arguments", () => ({ q: '"eur"' }), ["Müller"]],
    ["by words of the tool", () => ({ q: "refund" }), ["of"]],
    ["by an amount as rows show it", () => ({ q: "300.00" }), ["ACME"]],
    ["by an amount with its currency", () => ({ q: "€100.00" }), ["Müller"]],
    ["by an amount with no cents", () => ({ q: "20" }), ["of"]],
    ["by a label", () => ({ q: "inv-100" }), ["Müller", "ACME", "two", "of"]],
    ["by what looks like a wildcard", () => ({ q: "50%" }), ["ACME"]],
    ["by what is in none of them", () => ({ q: "INV_100" }), []],
    ["by all at once", () => ({ q: "pay", amountMin: 50, amountMax: 200, serverId: finance.id }), ["Müller"]],
  ])("is narrowed %s, and so are its counts", async (_by, query, expected) => {
    const { items } = await list(query());
    expect(messages(items)).toEqual(expected);
    expect(await counts(query())).toEqual({
      waiting: 0,
      mine: 0,
      unassigned: expected.length,
      all: expected.length,
    });
  });

  test("has the beginning of a long message, and the request has all of it", async () => {
    const long = await web.organization("long-lists");
    const server = await insertServer(web.db, long, { name: "Long" });
    const message = "\u200b&".repeat(20_000);
    const id = await ask(server, message, {}, { hours: 0 }, long);
    const who = { key: await web.key(long, "viewer") };
    const [item] = (await list({}, who)).items;
    expect(item?.message).toBe(`${message.slice(0, 999)}…`);
    expect((await web.call("GET", `/api/v1/input-requests/${id}`, who)).body.message).toBe(message);
  });

  test("finds a renamed server's requests by its new name", async () => {
    const organization = await web.organization("renamed");
    const admin = { key: await web.key(organization, "admin") };
    const server = await insertServer(web.db, organization, { name: "Before" });
    await ask(server, "Anything?", {}, { hours: 0 }, organization);
    await web.call("PATCH", `/api/v1/servers/${server.id}`, { ...admin, body: { name: "After" } });
    expect((await list({ q: "after" }, admin)).items).toHaveLength(1);
    expect((await list({ q: "before" }, admin)).items).toHaveLength(0);
  });

  test.each([
    ["oldest", ["Müller", "ACME", "two", "of"]],
    ["newest", ["of", "two", "ACME", "Müller"]],
    ["expiring", ["two", "Müller", "ACME", "of"]],
    ["amount", ["ACME", "Müller", "of", "two"]],
  ])("comes in the order %s", async (order, expected) => {
    expect(messages((await list({ order })).items)).toEqual(expected);
  });

  test.each(["urgent", "oldest", "newest", "decided", "expiring", "amount"])(
    "in the order %s loses and repeats no row between pages, however many keys are equal",
    async (order) => {
      const organization = await web.organization(`pages-${order}`);
      const viewer = { key: await web.key(organization, "viewer") };
      const server = await insertServer(web.db, organization);
      for (let n = 0; n < 12; n++)
        await ask(
          server,
          `Question ${n}`,
          n % 3 ? { total: n % 2 } : {},
          { hours: Math.floor(n / 4), ...(n % 3 && { endsIn: 10 + (n % 2) }) },
          organization,
        );
      const whole = (await list({ order }, viewer)).items.map((item) => item.id);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await list({ order, limit: 5, ...(cursor && { cursor }) }, viewer);
        seen.push(...page.items.map((item) => item.id));
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen).toEqual(whole);
      expect(new Set(seen).size).toBe(12);
    },
  );

  test("has some requests alone, by their ids", async () => {
    const { items } = await list({});
    const two = items.slice(1, 3).map(({ id }) => id);
    expect((await list({ ids: two.join(",") })).items.map(({ id }) => id)).toEqual(two);
    const wrong = await web.call("GET", "/api/v1/input-requests?ids=1,2", { key });
    expect(wrong.status).toBe(422);
  });

  test("finds what a person, an agent or an API key asked for, by their names", async () => {
    const organization = await web.organization("named");
    const server = await insertServer(web.db, organization);
    const ola = await web.member(organization, "Ola Nordmann", "operator");
    const viewer = { key: await web.key(organization, "viewer") };
    const asked = async (message: string, more: Parameters<typeof insertTask>[3]) =>
      insertRequest(web.db, organization, await insertTask(web.db, organization, server, more), { message });
    await asked("For Ola?", { requester: ola.userId });
    const agent = await web.db.withOrganization(organization, (tx) =>
      tx.agentCredential.create({
        data: {
          organizationId: organization,
          id: uuidv7(),
          name: "Claude Code",
          role: "operator",
          secretHash: Buffer.from("x"),
        },
      }),
    );
    await asked("For Claude?", { agent: agent.id });
    const { id: keyId } = await web.db.withOrganization(organization, (tx) =>
      tx.apiKey.findFirstOrThrow({ where: { organizationId: organization } }),
    );
    await web.db.withOrganization(organization, (tx) =>
      tx.apiKey.updateMany({
        where: { organizationId: organization, id: keyId },
        data: { name: "Nightly import" },
      }),
    );
    await asked("For a key?", { key: keyId });
    await asked("Once for a key?", { key: keyId, state: "completed" });
    await asked("For nobody?", {});
    for (const [q, expected] of [
      ["nordmann", ["Ola?"]],
      ["ola nord", ["Ola?"]],
      ["nobody?", ["nobody?"]],
      ["claude code", ["Claude?"]],
      ["nightly", ["a", "for"]],
      ["lars", []],
    ] as const) {
      expect(messages((await list({ q }, viewer)).items)).toEqual(expected);
      expect((await counts({ q }, viewer)).all).toBe(expected.length);
    }
  });

  test("of what is urgent begins with what ends or is due within a day, then what is assigned to the caller", async () => {
    const organization = await web.organization("urgent");
    const server = await insertServer(web.db, organization);
    const ben = await web.member(organization, "Ben", "approver");
    const soon = (hours: number) => (Date.now() - START) / HOUR + hours;
    await ask(server, "Ask old?", {}, { hours: 0 }, organization);
    await ask(server, "Ask far?", {}, { hours: 1, endsIn: soon(48) }, organization);
    await ask(server, "Ask mine?", {}, { hours: 2, assignee: ben.userId }, organization);
    await ask(server, "Ask ending?", {}, { hours: 3, endsIn: soon(3), assignee: ben.userId }, organization);
    await ask(server, "Ask over?", {}, { hours: 4, endsIn: soon(-1) }, organization);
    const due = await ask(server, "Ask due?", {}, { hours: 5, endsIn: soon(40) }, organization);
    await web.db.withOrganization(organization, (tx) =>
      tx.inputRequest.updateMany({
        where: { organizationId: organization, id: due },
        data: { decideBy: at(soon(1)) },
      }),
    );
    const order = "urgent";
    expect(messages((await list({ order }, ben)).items)).toEqual([
      "over?",
      "due?",
      "ending?",
      "mine?",
      "old?",
      "far?",
    ]);
    const viewer = { key: await web.key(organization, "viewer") };
    expect(messages((await list({ order }, viewer)).items)).toEqual([
      "over?",
      "due?",
      "ending?",
      "old?",
      "far?",
      "mine?",
    ]);
    // Page by page.
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await list({ order, limit: 2, ...(cursor && { cursor }) }, ben);
      seen.push(...messages(page.items).map(String));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(["over?", "due?", "ending?", "mine?", "old?", "far?"]);
    // A search is by age.
    expect(messages((await list({ order, q: "ask" }, ben)).items)[0]).toBe("old?");
  });

  test("of what was decided begins with the last decision, and an undo takes a request out of it", async () => {
    const organization = await web.organization("decided");
    const server = await insertServer(web.db, organization);
    const approver = { key: await web.key(organization, "approver") };
    const ids: string[] = [];
    for (const n of [1, 2, 3]) ids.push(await ask(server, `Ask ${n}`, {}, { hours: n }, organization));
    const decided = async () => {
      const { items } = await list({ state: "answered,settled,withdrawn", order: "decided" }, approver);
      return items.map(({ id, decidedAt }) => [ids.indexOf(id) + 1, decidedAt !== null]);
    };
    const { items } = await list({}, approver);
    expect(items.map(({ decidedAt }) => decidedAt)).toEqual([null, null, null]);
    const answer = async (n: number) => {
      const { questionHash } = items.find(({ id }) => id === ids[n - 1])!;
      const body = { action: "accept", content: {}, questionHash, holdMs: 60_000 };
      const { status } = await web.call("POST", `/api/v1/input-requests/${ids[n - 1]}/answer`, {
        ...approver,
        body,
      });
      expect(status).toBe(202);
    };
    await answer(2);
    await answer(3);
    await answer(1);
    expect(await decided()).toEqual([
      [1, true],
      [3, true],
      [2, true],
    ]);
    await web.call("POST", `/api/v1/input-requests/${ids[2]}/undo`, approver);
    await answer(3);
    expect(await decided()).toEqual([
      [3, true],
      [1, true],
      [2, true],
    ]);
  });

  test("refuses a cursor of another order, and one that was made up", async () => {
    const { nextCursor } = await list({ order: "amount", limit: 1 });
    for (const cursor of [nextCursor, Buffer.from('["oldest","x","y"]').toString("base64url")]) {
      const answer = await web.call("GET", `/api/v1/input-requests?cursor=${cursor}`, { key });
      expect([answer.status, answer.body.errors[0].field]).toEqual([422, "cursor"]);
    }
  });
});

describe("a row", () => {
  test("tells its amount", async () => {
    const { items } = await list({});
    expect(items.map((item) => item.amount)).toEqual([
      { value: 100, currency: "EUR" },
      { value: 300, currency: null },
      null,
      { value: 20, currency: "$" },
    ]);
  });

  test("tells which others are like it: of the same server and tool", async () => {
    const organization = await web.organization("alike");
    const erp = await insertServer(web.db, organization);
    for (const [at, server, tool] of [
      [0, erp, "pay"],
      [1, erp, "pay"],
      [2, erp, "grant_admin"],
      [3, await insertServer(web.db, organization, { name: "Other" }), "pay"],
    ] as const)
      await ask(server, "Go on?", {}, { hours: at, tool }, organization);
    const { items } = await list({}, { key: await web.key(organization, "viewer") });
    const [first, ...others] = items.map((item) => item.alike);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(others[0]).toBe(first);
    expect(new Set([first, ...others]).size).toBe(3);
  });

  test("warns of figures that differ, of dates long past and of what is destroyed", async () => {
    const organization = await web.organization("warned");
    const server = await insertServer(web.db, organization);
    const asked = async (tool: string, args: object, message: string) => {
      const task = await insertTask(web.db, organization, server, { tool, arguments: args });
      return insertRequest(web.db, organization, task, { message });
    };
    await asked("pay", { total: 100, currency: "EUR" }, "Pay €100.00?");
    const warned = await asked("pay", { total: 100, due: "2020-01-31" }, "Pay $900.00?");
    await asked("delete_file", { file: "a" }, "Go on?");
    const { items } = await list({}, { key: await web.key(organization, "viewer") });
    expect(items.map((item) => item.warnings)).toEqual([[], ["sum_differs", "overdue"], ["destructive"]]);

    // As a version stored it that judged nothing: the page still warns.
    await web.db.withOrganization(organization, (tx) =>
      tx.inputRequest.updateMany({
        where: { organizationId: organization },
        data: { warnings: [], dueAt: null },
      }),
    );
    const one = await web.call("GET", `/api/v1/input-requests/${warned.id}`, {
      key: await web.key(organization, "viewer"),
    });
    expect(one.body.warnings).toEqual(["sum_differs", "overdue"]);
  });

  test("is like none where its form cannot be filled in, or it is a link", async () => {
    const organization = await web.organization("unlike");
    const task = await insertTask(web.db, organization, await insertServer(web.db, organization));
    await insertRequest(web.db, organization, task, { form: { kind: "unsupported", reason: "nested" } });
    await insertRequest(web.db, organization, task, {
      form: { kind: "secret", reason: "secret", field: "password" },
    });
    await insertRequest(web.db, organization, task, { url: "https://bank.example/" });
    const { items } = await list({}, { key: await web.key(organization, "viewer") });
    expect(items.map((item) => item.alike)).toEqual([null, null, null]);
  });
});

describe("what one may see", () => {
  test("is counted and listed for its requester and for who was assigned, and for nobody else", async () => {
    const organization = await web.organization("private");
    const server = await insertServer(web.db, organization);
    const [ola, ben, ana] = [
      await web.member(organization, "Ola", "operator"),
      await web.member(organization, "Ben", "approver"),
      await web.member(organization, "Ana", "owner"),
    ];
    const own = await insertTask(web.db, organization, server, {
      visibility: "private",
      requester: ola.userId,
    });
    await insertRequest(web.db, organization, own, { message: "One" });
    await insertRequest(web.db, organization, own, { message: "Two", assignee: ben.userId });
    const open = await insertTask(web.db, organization, server);
    const shared = await insertRequest(web.db, organization, open, { message: "Three" });
    await web.call("POST", `/api/v1/input-requests/${shared.id}/claim`, { cookie: ben.cookie });

    const seen = async (who: { key?: string; cookie?: string }) =>
      (await list({}, who)).items.map((item) => [item.message, item.seenBecause]);
    expect(await seen(ola)).toEqual([
      ["One", "requester"],
      ["Two", "requester"],
      ["Three", "organization"],
    ]);
    // Who was assigned one question of a task sees its others.
    expect(await seen(ben)).toEqual([
      ["One", "assigned"],
      ["Two", "assigned"],
      ["Three", "claimed"],
    ]);
    expect(await seen(ana)).toEqual([["Three", "organization"]]);
    const ownerKey = { key: await web.key(organization, "owner") };
    expect(await seen(ownerKey)).toEqual([["Three", "organization"]]);

    expect(await counts({}, ola)).toEqual({ waiting: 1, mine: 0, unassigned: 1, all: 3 });
    expect(await counts({}, ben)).toEqual({ waiting: 3, mine: 2, unassigned: 1, all: 3 });
    expect(await counts({}, ana)).toEqual({ waiting: 0, mine: 0, unassigned: 0, all: 1 });
    expect(await counts({}, ownerKey)).toEqual({ waiting: 0, mine: 0, unassigned: 0, all: 1 });
    for (const who of [ola, ben, ana]) {
      const { mine, unassigned, all } = await counts({}, who);
      expect((await list({ assignee: "me" }, who)).items).toHaveLength(mine);
      expect((await list({ assignee: "none" }, who)).items).toHaveLength(unassigned);
      expect((await list({}, who)).items).toHaveLength(all);
    }
  });

  test("is nothing of another organization's, by whatever filter", async () => {
    const globex = await web.organization("globex-lists");
    const foreign = { key: await web.key(globex, "owner") };
    for (const query of [
      {},
      { q: "pay" },
      { serverId: finance.id },
      { amountMin: 1 },
      { order: "amount" },
    ] as Query[]) {
      expect((await list(query, foreign)).items).toEqual([]);
      if (!query.order)
        expect(await counts(query, foreign)).toEqual({ waiting: 0, mine: 0, unassigned: 0, all: 0 });
    }
  });

  test("counts nothing that is over", async () => {
    const organization = await web.organization("over");
    const task = await insertTask(web.db, organization, await insertServer(web.db, organization));
    const { id, questionHash } = await insertRequest(web.db, organization, task);
    const approver = { key: await web.key(organization, "approver") };
    expect((await counts({}, approver)).all).toBe(1);
    await web.call("POST", `/api/v1/input-requests/${id}/answer`, {
      ...approver,
      body: { action: "accept", content: {}, questionHash },
    });
    expect((await counts({}, approver)).all).toBe(0);
  });
});
