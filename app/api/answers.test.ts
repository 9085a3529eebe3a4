/** Bulk answers, the reasons for declining, the undo window, and the people who may be assigned. */

import net, { type AddressInfo } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "@/lib/base/db/db.ts";
import { replace } from "@/lib/base/process/process-wide.ts";
import type { Refused } from "@/lib/requests/request-input-schema.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { connectRaw } from "@/test/setup/postgres.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let server: { id: string; connectionId: string };
const keys: Record<string, string> = {};

beforeAll(async () => {
  acme = await web.organization("acme-answers");
  server = await insertServer(web.db, acme);
  for (const role of ["viewer", "approver", "operator", "admin"] as const)
    keys[role] = await web.key(acme, role);
  keys.foreign = await web.key(await web.organization("globex-answers"), "owner");
});

interface Item {
  id: string;
  questionHash: string;
}

const CHOICE = {
  kind: "supported",
  fields: [
    {
      name: "value",
      title: "Decision",
      description: null,
      required: true,
      kind: "one_of",
      options: ["approve", "reject"].map((value) => ({ value, title: value })),
      default: null,
    },
  ],
};

/** An open request; `odd` overrides parts of one with two choices. */
async function ask(
  at = server,
  { tool, ...odd }: { tool?: string; form?: object; mode?: string; url?: string } = {},
): Promise<Item> {
  const item = await insertRequest(web.db, acme, await insertTask(web.db, acme, at, tool ? { tool } : {}));
  await web.db.withOrganization(acme, (tx) =>
    tx.inputRequest.updateMany({
      where: { organizationId: acme, id: item.id },
      data: { form: CHOICE, ...odd },
    }),
  );
  return item;
}
const askMany = (count: number) => Promise.all(Array.from({ length: count }, () => ask()));

const APPROVE = { action: "accept", content: { value: "approve" } };
const REJECT = { action: "accept", content: { value: "reject" } };

const bulk = (as: { key?: string; cookie?: string }, items: Item[], answer: object = APPROVE) =>
  web.call("POST", "/api/v1/input-requests/bulk-answer", { ...as, body: { items, ...answer } });

function rowsOf(items: Item[]) {
  return web.db.withOrganization(acme, async (tx) => {
    const where = { organizationId: acme, inputRequestId: { in: items.map((item) => item.id) } };
    return {
      answers: await tx.answer.count({ where: { ...where, withdrawnAt: null } }),
      deliveries: await tx.delivery.count({ where }),
      recorded: await tx.event.count({ where: { ...where, type: "answer.recorded" } }),
      undone: await tx.event.count({ where: { ...where, type: "answer.undone" } }),
      open: await tx.inputRequest.count({
        where: { organizationId: acme, id: { in: items.map((item) => item.id) }, state: "open" },
      }),
    };
  });
}

describe("answering many", () => {
  test("two approvers answer the same fifty at once: every one has one winner, and the other learns who", async () => {
    const items = await askMany(50);
    const [ada, bob] = await Promise.all([
      web.member(acme, "Ada", "approver"),
      web.member(acme, "Bob", "approver"),
    ]);
    const [first, second] = await Promise.all([
      bulk(ada, items, APPROVE),
      bulk(bob, [...items].reverse(), REJECT),
    ]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body.results.map((result: Item) => result.id)).toEqual(items.map((item) => item.id));
    const all = [...first.body.results, ...second.body.results];
    expect(all.filter((result) => result.status === "recorded")).toHaveLength(50);
    const lost = all.filter((result) => result.status === "refused");
    expect(lost).toHaveLength(50);
    for (const result of lost)
      expect(result).toMatchObject({
        code: "already_answered",
        by: { name: expect.stringMatching(/Ada|Bob/) },
        at: expect.stringContaining("T"),
      });
    expect(await rowsOf(items)).toMatchObject({ answers: 50, deliveries: 50, recorded: 50, open: 0 });
  });

  test.each([
    ["was captured by an earlier version", { judgedHash: null }],
    ["was reworded by an earlier version", { judgedHash: "0".repeat(64) }],
    ["replaced another", null],
  ])("a question that %s is answered by itself", async (_what, data) => {
    const items = await askMany(2);
    const [one, other] = items;
    await web.db.withOrganization(acme, (tx) =>
      tx.inputRequest.updateMany({ where: { id: one!.id }, data: data ?? { replaces: other!.id } }),
    );
    const { status, body } = await bulk({ key: keys.approver }, items);
    expect([status, body.code]).toEqual([409, "not_alike"]);
    const read = await web.call("GET", `/api/v1/input-requests/${one!.id}`, { key: keys.approver });
    expect(read.body.alike).toBeNull();
    expect(await rowsOf(items)).toMatchObject({ answers: 0, open: 2 });
  });

  test("said again it records nothing more", async () => {
    const items = await askMany(3);
    await bulk({ key: keys.approver }, items);
    const again = await bulk({ key: keys.approver }, items);
    // The key may be called as a person is.
    expect(again.body.results.map(({ code, detail, by }: Refused) => [code, detail, by?.kind])).toEqual(
      Array(3).fill(["already_answered", "The API key approver answered this already.", "key"]),
    );
    expect(await rowsOf(items)).toMatchObject({ answers: 3, recorded: 3 });
  });

  test("what has changed, is unknown or is another's claim is refused by itself; the rest is recorded", async () => {
    const [good, changed, claimed] = (await askMany(3)) as [Item, Item, Item];
    const [holder, dora] = [
      await web.member(acme, "Hal", "approver"),
      await web.member(acme, "Dora", "approver"),
    ];
    await web.call("POST", `/api/v1/input-requests/${claimed.id}/claim`, holder);
    const unknown = { ...good, id: "0199c0de-0000-7000-8000-000000000000" };
    const answer = await bulk(dora, [{ ...changed, questionHash: "0".repeat(64) }, claimed, unknown, good]);
    expect(answer.body.results).toMatchObject([
      { status: "refused", code: "question_changed" },
      { status: "refused", code: "claimed_by_other", by: { name: "Hal" } },
      { status: "refused", code: "not_found" },
      { id: good.id, status: "recorded" },
    ]);
    expect(await rowsOf([good, changed, claimed])).toMatchObject({ answers: 1, open: 2 });
  });

  test("declining takes a reason, which stands in each one's history", async () => {
    const items = await askMany(2);
    await bulk({ key: keys.approver }, items, { action: "decline", comment: "Not ours" });
    const answers = await web.db.withOrganization(acme, (tx) =>
      tx.answer.findMany({
        where: { organizationId: acme, inputRequestId: { in: items.map(({ id }) => id) } },
      }),
    );
    expect(answers.map(({ action, comment }) => [action, comment])).toEqual(
      Array(2).fill(["decline", "Not ours"]),
    );
  });

  test.each([
    ["another server", async () => ask(await insertServer(web.db, acme, { name: "Other" }))],
    ["another tool", () => ask(server, { tool: "grant_admin" })],
    ["another form", () => ask(server, { form: { kind: "supported", fields: [] } })],
    ["a site to open", () => ask(server, { mode: "url", url: "https://bank.example/pay" })],
    ["a form that can't be shown", () => ask(server, { form: { kind: "unsupported", reason: "It nests." } })],
  ])("with one of %s nothing is recorded, also by declining", async (_, odd) => {
    const items = [await ask(), await odd()];
    for (const answer of [APPROVE, { action: "decline" }]) {
      const refused = await bulk({ key: keys.approver }, items, answer);
      expect([refused.status, refused.body.code]).toEqual([409, "not_alike"]);
    }
    expect(await rowsOf(items)).toMatchObject({ answers: 0, open: 2 });
  });

  test("a content that the form does not take is refused as a whole", async () => {
    const items = await askMany(2);
    const refused = await bulk({ key: keys.approver }, items, {
      action: "accept",
      content: { value: "maybe" },
    });
    expect([refused.status, refused.body.code]).toEqual([422, "invalid_content"]);
    expect(await rowsOf(items)).toMatchObject({ answers: 0, open: 2 });
  });

  test("none, one twice and more than two hundred are refused", async () => {
    const item = await ask();
    const many = Array.from({ length: 201 }, (_, at) => ({
      ...item,
      id: `0199c0de-0000-7000-8000-${String(at).padStart(12, "0")}`,
    }));
    for (const items of [[], [item, item], many])
      expect((await bulk({ key: keys.approver }, items)).status).toBe(422);
  });

  test("viewers may not, and another organization finds none of them", async () => {
    const items = await askMany(2);
    expect((await bulk({ key: keys.viewer }, items)).status).toBe(403);
    const foreign = await bulk({ key: keys.foreign }, items);
    expect(foreign.body.results.map((result: { code: string }) => result.code)).toEqual([
      "not_found",
      "not_found",
    ]);
    expect(await rowsOf(items)).toMatchObject({ answers: 0, open: 2 });
  });

  test("what another approver decided is taken back by that person, or by an operator", async () => {
    const [one, two] = await askMany(2);
    const ids = [one!.id, two!.id];
    const undo = (who: { key?: string; cookie?: string }) =>
      web.call("POST", "/api/v1/input-requests/bulk-undo", { ...who, body: { ids } });
    const cora = await web.member(acme, "Cora", "approver");
    const otto = await web.member(acme, "Otto", "operator");
    await bulk({ key: keys.approver }, [one!, two!], { ...APPROVE, holdMs: 60_000 });
    const refused = (await undo(cora)).body.results;
    expect(refused.map(({ code }: { code: string }) => code)).toEqual(["forbidden", "forbidden"]);
    expect(await rowsOf([one!, two!])).toMatchObject({ answers: 2, undone: 0, open: 0 });
    const undone = (await undo(otto)).body.results;
    expect(undone.map(({ status }: { status: string }) => status)).toEqual(["undone", "undone"]);
    await bulk(cora, [one!], { ...APPROVE, holdMs: 60_000 });
    expect((await undo(cora)).body.results[0].status).toBe("undone");
  });

  test("what is held is taken back; what has left, or was taken back by another at once, is not", async () => {
    const items = await askMany(10);
    const ids = items.map((item) => item.id);
    await bulk({ key: keys.approver }, items.slice(0, 8), { ...APPROVE, holdMs: 60_000 });
    await bulk({ key: keys.approver }, items.slice(8), APPROVE);
    const undo = () =>
      web.call("POST", "/api/v1/input-requests/bulk-undo", { key: keys.approver, body: { ids } });
    const answers = await Promise.all([undo(), undo()]);
    const results = answers.flatMap((answer) => answer.body.results);
    expect(results.filter((result) => result.status === "undone")).toHaveLength(8);
    const refused = results.filter((result) => result.status === "refused");
    expect(new Set(refused.map((result) => result.code))).toEqual(new Set(["already_sent"]));
    expect(await rowsOf(items)).toMatchObject({ answers: 2, undone: 8, open: 8 });
  });
});

describe("what is offered for declining", () => {
  const read = (key = keys.viewer) => web.call("GET", "/api/v1/decline-reasons", { key: key as string });
  const write = (reasons: unknown, key = keys.admin) =>
    web.call("PUT", "/api/v1/decline-reasons", { key: key as string, body: { reasons } });

  test("a new organization has four reasons; admins change and order them, and history knows", async () => {
    expect((await read()).body.reasons).toEqual([
      "Wrong amount",
      "Not ours",
      "Duplicate",
      "Needs a purchase order",
    ]);
    expect((await write(["Not ours"], keys.operator)).status).toBe(403);
    expect((await write([" Not ours ", "Duplicate"])).body).toEqual({ reasons: ["Not ours", "Duplicate"] });
    expect((await read()).body.reasons).toEqual(["Not ours", "Duplicate"]);
    expect((await read(keys.foreign)).body.reasons).toHaveLength(4);
    const events = await web.call("GET", "/api/v1/events", { key: keys.admin });
    expect(events.body.items).toContainEqual(
      expect.objectContaining({
        type: "organization.decline_reasons_changed",
        data: { reasons: ["Not ours", "Duplicate"] },
      }),
    );
    expect((await write([])).body).toEqual({ reasons: [] });
  });

  test.each([
    ["an empty one", ["x", " "]],
    ["one twice", ["x", "x "]],
    ["a long one", ["x".repeat(201)]],
    ["too many", Array.from({ length: 21 }, (_, at) => `reason ${at}`)],
  ])("refuses %s", async (_, reasons) => {
    expect((await write(reasons)).status).toBe(422);
  });
});

test("the time for undo is 5 seconds until an admin changes it", async () => {
  const put = (holdMs: number, key = keys.admin) =>
    web.call("PUT", "/api/v1/undo-window", { key: key as string, body: { holdMs } });
  expect((await web.call("GET", "/api/v1/undo-window", { key: keys.viewer })).body).toEqual({ holdMs: 5000 });
  expect((await put(10_000, keys.operator)).status).toBe(403);
  expect((await put(10_000)).body).toEqual({ holdMs: 10_000 });
  for (const holdMs of [-1, 60_001, 0.5]) expect((await put(holdMs)).status).toBe(422);
  expect((await web.call("GET", "/api/v1/undo-window", { key: keys.foreign })).body).toEqual({
    holdMs: 5000,
  });
});

test("approvers find those who may answer, of their own organization, and assign to nobody else", async () => {
  const [zoe, zacharias] = [
    await web.member(acme, "Zoe", "approver"),
    await web.member(acme, "Zacharias", "viewer"),
  ];
  const find = (q: string, key = keys.operator) =>
    web.call("GET", `/api/v1/people?q=${encodeURIComponent(q)}`, { key: key as string });
  expect((await find("zo")).body.items).toEqual([
    { id: zoe.memberId, userId: zoe.userId, name: "Zoe", role: "approver" },
  ]);
  expect((await find("zach")).body.items).toEqual([]);
  expect((await find("%")).body.items).toEqual([]);
  expect((await find("zo", keys.foreign)).body.items).toEqual([]);
  expect((await find("zo", keys.viewer)).status).toBe(403);
  const { id } = await ask();
  const assign = (memberId: string) =>
    web.call("POST", `/api/v1/input-requests/${id}/assign`, {
      key: keys.operator as string,
      body: { memberId },
    });
  expect((await assign(zacharias.memberId)).status).toBe(422);
  expect((await assign(zoe.memberId)).body.assignedTo).toEqual({ id: zoe.userId, name: "Zoe" });
});

test("people whose names read the same are found with their addresses", async () => {
  const yara = await web.member(acme, "Yara", "approver");
  const other = await web.member(acme, "Yara2", "approver");
  await web.member(acme, "Yaran", "approver");
  await web.database.sql(`UPDATE "user" SET name = 'yara' WHERE id = $1`, [other.userId]);
  const found = await web.call("GET", "/api/v1/people?q=yar", { key: keys.operator as string });
  const role = "approver";
  expect(found.body.items).toEqual([
    { id: yara.memberId, userId: yara.userId, name: "Yara", role, email: `yara-${acme}@test.example` },
    { id: other.memberId, userId: other.userId, name: "yara", role, email: `yara2-${acme}@test.example` },
    { id: expect.any(String), userId: expect.any(String), name: "Yaran", role },
  ]);
});

/**
 * The web's database through a proxy that cuts the connection when an answer is committed, before the reply.
 */
async function cutAtTheCommit() {
  const proxy = net.createServer((client) => {
    const server = connectRaw(web.database.appUrl);
    let isRecording = false;
    let isCommitting = false;
    client.on("data", (chunk) => {
      isRecording ||= chunk.includes("answer.recorded");
      isCommitting ||= isRecording && chunk.includes("COMMIT");
      server.write(chunk);
    });
    server.on("data", (chunk) => (isCommitting ? client.destroy() : client.write(chunk)));
    client.on("close", () => server.destroy()).on("error", () => server.destroy());
    server.on("close", () => client.destroy()).on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = new URL(web.database.appUrl);
  url.hostname = "127.0.0.1";
  url.port = String((proxy.address() as AddressInfo).port);
  const cut = createDatabase(url.href, { connections: 2 });
  const whole = replace("web database", Promise.resolve(cut));
  return async () => {
    replace("web database", whole);
    await cut.close();
    proxy.close();
  };
}

test("the database goes away as an answer is committed: nobody says that it was not, and said again it is known", async ({
  onTestFinished,
}) => {
  const item = await ask();
  const cleo = await web.member(acme, "Cleo", "approver");
  const answer = () =>
    web.call("POST", `/api/v1/input-requests/${item.id}/answer`, {
      ...cleo,
      body: { ...APPROVE, questionHash: item.questionHash },
    });
  const repair = await cutAtTheCommit();
  onTestFinished(repair);
  const first = await answer();
  expect(first).toMatchObject({ status: 503, body: { code: "database_unavailable" } });
  expect(first.body.detail).toContain("may or may not have been stored");
  expect(first.headers.get("retry-after")).not.toBeNull();
  await repair();
  const again = await answer();
  expect(again).toMatchObject({
    status: 409,
    body: { code: "already_answered", by: { id: cleo.userId }, action: "accept" },
  });
  expect(await rowsOf([item])).toMatchObject({ answers: 1, deliveries: 1, recorded: 1, open: 0 });
});

test("a form that can't be shown offers no acceptance, in lists and alone", async () => {
  const unsupported = { form: { kind: "unsupported", reason: "It nests." } };
  for (const [odd, actions] of [
    [{}, ["accept", "decline", "cancel"]],
    [unsupported, ["decline", "cancel"]],
    [{ form: { kind: "secret", reason: "A password", field: "f" } }, ["decline", "cancel"]],
    [{ ...unsupported, mode: "url", url: "https://bank.example/pay" }, ["decline", "cancel"]],
  ] as const) {
    const { id } = await ask(server, odd);
    const alone = await web.call("GET", `/api/v1/input-requests/${id}`, { key: keys.approver });
    expect(alone.body.actions).toEqual(actions);
    const { body } = await web.call("GET", `/api/v1/input-requests?taskId=${alone.body.taskId}`, {
      key: keys.approver,
    });
    expect(body.items).toMatchObject([{ id, actions }]);
  }
});
