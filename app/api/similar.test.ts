import { beforeAll, describe, expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import { similarRequestsSchema } from "@/lib/requests/similar/similar-schema.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let server: { id: string; connectionId: string };
let viewer: string;

beforeAll(async () => {
  acme = await web.organization("acme");
  server = await insertServer(web.db, acme);
  viewer = await web.key(acme, "viewer");
});

interface Bill {
  label: string;
  supplier?: string;
  total: number;
  visibility?: string;
  requester?: string;
  tool?: string;
  where?: { organization: string; server: { id: string; connectionId: string } };
}

/** A question about a bill, open unless answered. */
async function ask(bill: Bill): Promise<string> {
  const { organization, server: at } = bill.where ?? { organization: acme, server };
  const taskId = await insertTask(web.db, organization, at, {
    arguments: { invoice_id: bill.label, supplier: bill.supplier ?? "ACME", total: bill.total },
    ...(bill.visibility && { visibility: bill.visibility }),
    ...(bill.requester && { requester: bill.requester }),
    ...(bill.tool && { tool: bill.tool }),
  });
  const { id } = await insertRequest(web.db, organization, taskId, { message: `Approve ${bill.label}?` });
  await web.db.withOrganization(organization, async (tx) => {
    await tx.task.updateMany({
      where: { organizationId: organization, id: taskId },
      data: { label: bill.label },
    });
    await tx.inputRequest.updateMany({
      where: { organizationId: organization, id },
      data: { amount: bill.total, currency: "USD" },
    });
  });
  return id;
}

async function decide(
  id: string,
  value: string,
  { settled = true, organization = acme } = {},
): Promise<void> {
  await web.db.withOrganization(organization, async (tx) => {
    const { questionHash } = await tx.inputRequest.findFirstOrThrow({
      where: { organizationId: organization, id },
    });
    await tx.answer.create({
      data: {
        organizationId: organization,
        id: uuidv7(),
        inputRequestId: id,
        questionHash,
        action: "accept",
        content: { value },
        comment: "As agreed",
        answeredBy: { kind: "member", id: null, name: "Cleo" },
      },
    });
    const where = { organizationId: organization, id };
    await tx.inputRequest.updateMany({ where, data: { state: "answered" } });
    if (settled) await tx.inputRequest.updateMany({ where, data: { state: "settled", endedAt: new Date() } });
  });
}

const decided = async (bill: Bill, value = "approve") => {
  const id = await ask(bill);
  await decide(id, value, bill.where && { organization: bill.where.organization });
  return id;
};

async function similarTo(id: string, options: { key?: string; cookie?: string } = { key: viewer }) {
  const answer = await web.call("GET", `/api/v1/input-requests/${id}/similar`, options);
  expect(answer.status).toBe(200);
  return similarRequestsSchema.parse(answer.body);
}

describe("requests like one", () => {
  test("are those of the same server, tool and key figures, newest first, and all of them are counted", async () => {
    const supplier = "Counted";
    const bills: string[] = [];
    for (let n = 0; n < 6; n++)
      bills.push(
        await decided({ label: `C-${n}`, supplier, total: 950 + n }, n === 0 ? "reject" : "approve"),
      );
    await decided({ label: "C-7", supplier, total: 10_000 });
    await decided({ label: "C-8", supplier: "Other", total: 1000 });
    await decided({ label: "C-9", supplier, total: 1000, tool: "refund" });
    await ask({ label: "C-10", supplier, total: 1000 });
    const similar = await similarTo(await ask({ label: "C-11", supplier, total: 1000 }));
    expect(similar.items.map((item) => item.id)).toEqual(bills.toReversed().slice(0, 5));
    expect(similar.items[0]).toMatchObject({
      label: "C-5",
      amount: { value: 955, currency: "USD" },
      party: supplier,
      answer: { content: { value: "approve" }, comment: "As agreed", by: { name: "Cleo" } },
    });
    expect(similar.decided).toEqual({ Approved: 5, Rejected: 1 });
    expect(similar.repeats).toBeNull();
  });

  test("and a list have long questions and answers in short", async () => {
    const long = { label: "L-1", supplier: "Long", total: 7 };
    const id = await ask(long);
    await web.database.sql("UPDATE input_request SET message = repeat('m', 200000) WHERE id = $1", [id]);
    await decide(id, "v".repeat(200_000));
    const { items } = await similarTo(await ask({ ...long, label: "L-2" }));
    expect(items[0]).toMatchObject({
      id,
      message: `${"m".repeat(199)}…`,
      answer: { words: expect.stringMatching(/^Answered/) },
    });
    expect(String(items[0]?.answer.content?.value).length).toBeLessThan(1_100);
    const listed = await web.call("GET", "/api/v1/input-requests?state=settled&limit=200", { key: viewer });
    const row = listed.body.items.find((each: { id: string }) => each.id === id);
    expect(row.message).toBe(`${"m".repeat(999)}…`);
    expect(row.answer.content.value).toBe(`${"v".repeat(999)}…`);
    // A text is no sealed one for its beginning, and a list is none that is read.
    await web.database.sql(
      `UPDATE input_request SET message = 'sealed/input_request.message/t/' || repeat('m', 200000) WHERE id = $1`,
      [id],
    );
    await web.database.sql(
      `UPDATE answer SET content = json_build_object('sealed', repeat('v', 200000), 'which', json_build_array(repeat('w', 200000)))
        WHERE input_request_id = $1`,
      [id],
    );
    const odd = await web.call("GET", "/api/v1/input-requests?state=settled&limit=200", { key: viewer });
    const its = odd.body.items.find((each: { id: string }) => each.id === id);
    expect(its.message).toBe(`sealed/input_request.message/t/${"m".repeat(968)}…`);
    expect(its.answer.content).toEqual({ sealed: `${"v".repeat(999)}…`, which: null });
    const { taskId } = its;
    const task = await web.call("GET", `/api/v1/tasks/${taskId}`, { key: viewer });
    expect(task.body.inputRequests[0].message).toHaveLength(1_000);
    await web.database.sql("UPDATE input_request SET message = repeat('m', 200000) WHERE id = $1", [id]);
    await web.database.sql(
      "UPDATE answer SET content = json_build_object('value', repeat('v', 200000)) WHERE input_request_id = $1",
      [id],
    );
    // Of the request itself, all is there.
    const whole = await web.call("GET", `/api/v1/input-requests/${id}`, { key: viewer });
    expect([whole.body.message.length, whole.body.answer.content.value.length]).toEqual([200_000, 200_000]);
  });

  test("are none where nothing is comparable", async () => {
    const id = await ask({ label: "N-1", supplier: "Nobody before", total: 5 });
    expect(await similarTo(id)).toEqual({ items: [], decided: {}, party: null, repeats: null });
  });

  test("are told by the pressed choice's label and its field's title", async () => {
    const form = {
      kind: "supported",
      fields: [
        { kind: "one_of", name: "value", title: "What now", options: [{ value: "a", title: "archive" }] },
      ],
    };
    const withForm = async (id: string) => {
      await web.db.withOrganization(acme, (tx) =>
        tx.inputRequest.updateMany({ where: { organizationId: acme, id }, data: { form } }),
      );
      return id;
    };
    const first = await withForm(await ask({ label: "W-1", supplier: "Words", total: 10 }));
    await decide(first, "a");
    const similar = await similarTo(
      await withForm(await ask({ label: "W-2", supplier: "Words", total: 10 })),
    );
    expect(similar.decided).toEqual({ "Answered “What now: Archive”": 1 });
  });

  test("ask for the same fields: another question of the same tool is not compared", async () => {
    const other = await decided({ label: "F-1", supplier: "Fields", total: 10 });
    await web.db.withOrganization(acme, (tx) =>
      tx.inputRequest.updateMany({
        where: { organizationId: acme, id: other },
        data: { form: { kind: "supported", fields: [{ kind: "text", name: "cost_center" }] } },
      }),
    );
    expect((await similarTo(await ask({ label: "F-2", supplier: "Fields", total: 10 }))).items).toEqual([]);
  });
});

describe("a request that may be a repeat", () => {
  test("has the number of one that was decided, even while that answer is on its way", async () => {
    const first = await ask({ label: "R-100", supplier: "Repeat", total: 70 });
    await decide(first, "approve", { settled: false });
    const again = await ask({ label: "R-100", supplier: "Repeat", total: 500 });
    expect((await similarTo(again)).repeats).toMatchObject({
      by: "label",
      id: first,
      answer: { by: { name: "Cleo" } },
    });
  });

  test("or the same party and amount", async () => {
    const first = await decided({ label: "S-1", supplier: "Same", total: 71.5 });
    const again = await ask({ label: "S-2", supplier: "same", total: 71.5 });
    expect((await similarTo(again)).repeats).toMatchObject({ by: "amount", id: first });
  });

  test("is not one because of another question of its own task", async () => {
    const first = await decided({ label: "T-1", supplier: "Twice", total: 72 });
    const { taskId } = await web.db.withOrganization(acme, (tx) =>
      tx.inputRequest.findFirstOrThrow({ where: { organizationId: acme, id: first } }),
    );
    const next = await insertRequest(web.db, acme, taskId);
    expect(await similarTo(next.id)).toEqual({ items: [], decided: {}, party: null, repeats: null });
  });
});

describe("what was decided about the party", () => {
  const supplier = "Partly";

  test("is summed up from the third decision on, with its usual range and the last one", async () => {
    const first = await decided({ label: "P-1", supplier, total: 800 });
    await decided({ label: "P-2", supplier, total: 1000 });
    await decided({ label: "P-2b", supplier: "Another", total: 5000 });
    const open = await ask({ label: "P-9", supplier, total: 3000 });
    expect((await similarTo(open)).party).toBeNull();
    await decided({ label: "P-3", supplier, total: 1200 });
    expect((await similarTo(open)).party).toEqual({
      name: supplier,
      kind: "supplier",
      count: 3,
      mayBeMore: false,
      usual: { from: { value: 800, currency: "USD" }, to: { value: 1200, currency: "USD" } },
      times: 3,
      last: {
        action: "accept",
        content: { value: "approve" },
        comment: "As agreed",
        revise: false,
        words: "Approved",
        by: { kind: "member", id: null, name: "Cleo" },
        at: expect.any(String),
      },
    });
    // The request itself is not among those before it.
    expect((await similarTo(first)).party).toBeNull();
  });

  test("counts no private request of somebody else, and none of another organization", async () => {
    const ana = await web.member(acme, "Pia", "operator");
    const hidden = { supplier: "Hidden", visibility: "private", requester: ana.userId };
    for (const n of [1, 2, 3]) await decided({ ...hidden, label: `H-${n}`, total: 100 * n });
    const open = await ask({ label: "H-9", supplier: "Hidden", total: 100 });
    expect((await similarTo(open)).party).toBeNull();
    expect((await similarTo(open, { cookie: ana.cookie })).party?.count).toBe(3);
    const globex = await web.organization("globex-party");
    const where = { organization: globex, server: await insertServer(web.db, globex) };
    const theirs = await ask({ label: "H-9", supplier: "Hidden", total: 100, where });
    const key = await web.key(globex, "owner");
    expect((await similarTo(theirs, { key })).party).toBeNull();
  });
});

describe("nobody learns of what they may not see", () => {
  test("private tasks count for those who started them alone", async () => {
    const ana = await web.member(acme, "Ana", "approver");
    const ben = await web.member(acme, "Ben", "approver");
    const hers = {
      label: "P-1",
      supplier: "Private",
      total: 80,
      visibility: "private",
      requester: ana.userId,
    };
    const first = await decided(hers);
    const open = await ask({ label: "P-1", supplier: "Private", total: 80 });
    expect((await similarTo(open, { cookie: ana.cookie })).repeats?.id).toBe(first);
    expect(await similarTo(open, { cookie: ben.cookie })).toEqual({
      items: [],
      decided: {},
      party: null,
      repeats: null,
    });
    expect(await similarTo(open)).toEqual({ items: [], decided: {}, party: null, repeats: null });
    const asked = await web.call("GET", `/api/v1/input-requests/${first}/similar`, { cookie: ben.cookie });
    expect([asked.status, asked.body.code]).toEqual([404, "not_found"]);
  });

  test("another organization's decisions are as if they were not", async () => {
    const other = await web.organization("other");
    const where = { organization: other, server: await insertServer(web.db, other) };
    const theirs = await decided({ label: "X-1", supplier: "Foreign", total: 90, where });
    const ours = await ask({ label: "X-1", supplier: "Foreign", total: 90 });
    expect(await similarTo(ours)).toEqual({ items: [], decided: {}, party: null, repeats: null });
    const asked = await web.call("GET", `/api/v1/input-requests/${theirs}/similar`, { key: viewer });
    expect([asked.status, asked.body.code]).toEqual([404, "not_found"]);
  });

  test("a caller without a credential is refused", async () => {
    const answer = await web.call("GET", `/api/v1/input-requests/${uuidv7()}/similar`);
    expect(answer.status).toBe(401);
  });
});

test("arguments too long to read are not compared, and break nothing", async () => {
  await decided({ label: "L-1", supplier: "x".repeat(50_000), total: 3 });
  const id = await ask({ label: "L-2", supplier: "x".repeat(50_000), total: 3 });
  // Without names the amounts alone are compared.
  expect((await similarTo(id)).repeats).toBeNull();
});
