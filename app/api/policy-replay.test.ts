/** Replays of a policy on what people decided. */
import { beforeAll, expect, test } from "vitest";
import type { Principal } from "@/lib/access/principal.ts";
import { createDatabase, storable } from "@/lib/base/db/db.ts";
import { uuidv7 } from "@/lib/base/ids.ts";
import type { Form } from "@/lib/mcp/forms/form.ts";
import { convertContent } from "@/lib/people/content-sealing/convert.ts";
import { type Approval, judgePolicy } from "@/lib/policy/judge.ts";
import { policyInputSchema } from "@/lib/policy/policy-schema.ts";
import { replayPolicy } from "@/lib/requests/replay/replay.ts";
import {
  type ReplayLine,
  type ReplaySummary,
  replayLineSchema,
} from "@/lib/requests/replay/replay-schema.ts";
import { withClient } from "@/scripts/database/roles.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let admin: string;
let server: { id: string; connectionId: string };

beforeAll(async () => {
  acme = await web.organization("acme");
  admin = await web.key(acme, "admin");
  server = await insertServer(web.db, acme, { name: "Finance ERP" });
});

const DAY = 86_400_000;
const FORM: Form = {
  kind: "supported",
  fields: [
    {
      ...{ name: "value", title: "Decision", description: null, required: true, default: null },
      kind: "one_of",
      options: [
        { value: "approve", title: "Approve" },
        { value: "reject", title: "Reject" },
      ],
    },
  ],
};

interface Bill {
  label: string;
  total: number;
  /** Days ago. */
  asked: number;
  decided: number;
  says?: string | null;
  supplier?: string;
  by?: object;
  visibility?: string;
  form?: Form;
  tool?: string;
  at?: typeof server;
  organization?: string;
  more?: object;
  /** Under which it was decided; votes are not inserted. */
  approval?: Approval | null;
}

const ago = (days: number) => new Date(Date.now() - days * DAY);

/** A decided question about a bill; `says` null: declined. */
async function decided({ organization = acme, ...bill }: Bill): Promise<string> {
  const at = bill.at ?? server;
  const taskId = await insertTask(web.db, organization, at, {
    arguments: { invoice_id: bill.label, supplier: bill.supplier ?? "ACME", total: bill.total },
    createdAt: ago(bill.asked),
    ...(bill.visibility && { visibility: bill.visibility }),
    ...(bill.tool && { tool: bill.tool }),
  });
  const { id, questionHash } = await insertRequest(web.db, organization, taskId, {
    message: `Approve ${bill.label}?`,
    createdAt: ago(bill.asked),
    form: bill.form ?? FORM,
  });
  const { says = "approve" } = bill;
  await web.db.withOrganization(organization, async (tx) => {
    const where = { organizationId: organization, id };
    await tx.task.updateMany({
      where: { organizationId: organization, id: taskId },
      data: { label: bill.label },
    });
    await tx.answer.create({
      data: {
        organizationId: organization,
        id: uuidv7(),
        inputRequestId: id,
        questionHash,
        action: says === null ? "decline" : "accept",
        ...(says !== null && { content: { value: says } }),
        answeredBy: bill.by ?? { kind: "member", id: null, name: "Cleo" },
        createdAt: ago(bill.decided),
      },
    });
    await tx.inputRequest.updateMany({ where, data: { state: "answered", ...bill.more } });
    await tx.inputRequest.updateMany({ where, data: { state: "settled", endedAt: ago(bill.decided) } });
    if (bill.approval)
      await tx.inputRequest.updateMany({ where, data: { approval: storable(bill.approval) } });
  });
  return id;
}

async function linesOf(response: Response): Promise<ReplayLine[]> {
  const text = await response.text();
  return text
    .trim()
    .split("\n")
    .map((line) => replayLineSchema.parse(JSON.parse(line)));
}

async function replay(body: object, key = admin): Promise<ReplayLine[]> {
  const response = await web.open("POST", "/api/v1/policy/replay", { key, body });
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  return linesOf(response);
}

const summaryOf = (lines: ReplayLine[]): ReplaySummary => {
  const last = lines.at(-1);
  if (last?.kind !== "summary") throw new Error(`no summary: ${JSON.stringify(last)}`);
  return last;
};

const stage = (name: string) => ({ name, approvers: { roles: ["approver", "owner", "admin"] } });
const small = (more: object = {}) => ({
  name: "Small",
  when: "request.amount != null && request.amount < 100.0",
  answer: { action: "accept", content: { value: "approve" } },
  ...more,
});

test("says what each request would have got, and where automatic rules and people differ", async () => {
  await web.member(acme, "Ana", "owner");
  const of = (label: string, total: number, more: Partial<Bill> = {}) =>
    decided({ label, total, asked: 5, decided: 4, ...more });
  await of("INV-1", 50);
  await of("INV-2", 60, { says: "reject" });
  const declined = await of("INV-3", 70, { says: null, asked: 3, decided: 2 });
  await of("INV-4", 9_000);
  await of("INV-5", 80, { more: { askedAgain: true } });
  await of("INV-6", 80, { form: { kind: "supported", fields: [] }, tool: "confirm" });
  await of("INV-7", 80, {
    form: { kind: "secret", reason: "A password", field: "password" },
    tool: "log_in",
  });
  // Nobody's to learn from: too old, private, not people's, another organization's.
  await of("INV-8", 50, { asked: 31, decided: 30 });
  await of("INV-9", 50, { visibility: "private" });
  await of("INV-10", 50, { by: { kind: "system", id: null, name: "A rule" } });
  const other = await web.organization("globex");
  await of("INV-11", 50, { organization: other, at: await insertServer(web.db, other) });
  const before = await everything();

  const lines = await replay({
    policy: {
      rules: [
        { name: "Large", when: "request.amount >= 5000.0", stages: [stage("Finance"), stage("CFO")] },
        { name: "Odd", when: "task.arguments.odd == 1.0", stages: [stage("All")] },
      ],
      automatic: [small(), small({ name: "Never", when: "false", mode: "live" })],
    },
  });
  const summary = summaryOf(lines);
  expect(summary).toMatchObject({ version: null, requests: 7, isCut: false, disagreementsLeftOut: 0 });
  // No rule was there when they were asked. The newest comes first.
  expect(summary.moved.total).toBe(7);
  expect(summary.moved.items.map(({ label }) => label)).toHaveLength(7);
  expect(summary.moved.items.find(({ label }) => label === "INV-4")).toMatchObject({
    message: "Approve INV-4?",
    from: { people: 1, stages: [] },
    to: { people: 2, stages: ["Finance", "CFO"] },
  });
  // The broken rule counts as one that matches.
  expect(summary.rules).toEqual([
    { rule: "Odd", stages: ["All"], requests: 6 },
    { rule: "Large", stages: ["Finance", "CFO"], requests: 1 },
  ]);
  expect(summary.failed).toEqual([
    { rule: "Odd", isAutomatic: false, requests: 6, why: expect.stringContaining("No such key: odd") },
  ]);
  expect(summary.automatic).toMatchObject([
    { rule: "Small", mode: "off", answered: 0, excluded: { people_agree: 4, asked_again: 1, secret: 1 } },
    { rule: "Never", mode: "live", answered: 0, agreed: 0, disagreed: 0, excluded: {} },
  ]);
  expect(lines.filter(({ kind }) => kind === "progress")).toEqual([
    { kind: "progress", done: 0, of: 7 },
    { kind: "progress", done: 7, of: 7 },
  ]);

  const without = await replay({ policy: { automatic: [small()] } });
  expect(summaryOf(without).rules).toEqual([{ rule: null, stages: [], requests: 7 }]);
  expect(summaryOf(without).moved).toEqual({ total: 0, items: [] });
  expect(summaryOf(without).automatic).toEqual([
    {
      ...{ rule: "Small", mode: "off", answered: 3, agreed: 1, disagreed: 2 },
      excluded: { asked_again: 1, does_not_fit: 1, secret: 1 },
    },
  ]);
  const disagreements = without.filter((line) => line.kind === "disagreement");
  expect(disagreements).toMatchObject([
    {
      rule: "Small",
      request: { label: "INV-2", message: "Approve INV-2?" },
      people: { action: "accept", words: "Rejected", by: { name: "Cleo" } },
      automatic: { action: "accept", words: "Approved" },
    },
    { request: { id: declined }, people: { action: "decline", words: "Declined" } },
  ]);
  // Nothing is written.
  expect(await everything()).toEqual(before);
});

const everything = () =>
  web.db.withOrganization(acme, async (tx) => ({
    events: await tx.event.count(),
    requests: await tx.inputRequest.findMany({ orderBy: { id: "asc" } }),
    answers: await tx.answer.count(),
    versions: await tx.policyVersion.count(),
  }));

test("lists the latest requests on which other people would have had to agree", async () => {
  const initech = await web.organization("initech");
  const key = await web.key(initech, "admin");
  const at = await insertServer(web.db, initech);
  for (const name of ["Ben", "Cleo"]) await web.member(initech, name, "approver");
  const under = (approvers: object, need: number) => {
    const policy = policyInputSchema.parse({
      rules: [{ name: "All", stages: [{ name: "Finance", approvers, need }] }],
    });
    return { version: 1, policy, people: {}, groups: {} };
  };
  const asked = {
    ...{ server: { id: at.id, name: "Finance ERP" }, tool: "process_invoice", now: ago(10) },
    task: { label: null, arguments: {}, createdAt: ago(10) },
    request: { message: "", amount: null, currency: null, fields: [], url: null, askedAgain: false },
    requester: { actor: { kind: "system" as const, id: null, name: "Test" }, role: null, groups: [] },
  };
  const approval = judgePolicy(under({ roles: ["approver"] }, 2), asked);
  for (let each = 1; each <= 22; each++)
    await decided({
      ...{ label: `INV-${each}`, total: 50, asked: 25 - each, decided: 1, organization: initech, at },
      ...{ approval, more: { amount: 50, currency: "$" } },
    });
  const moved = async (approvers: object, need: number) =>
    summaryOf(await replay({ policy: under(approvers, need).policy }, key)).moved;
  expect(await moved({ roles: ["approver"] }, 2)).toEqual({ total: 0, items: [] });
  const others = await moved({ roles: ["admin", "approver"] }, 1);
  expect(others.total).toBe(22);
  expect(others.items.map(({ label }) => label)).toEqual(
    Array.from({ length: 20 }, (_, n) => `INV-${22 - n}`),
  );
  expect(others.items[0]).toMatchObject({
    amount: { value: 50, currency: "$" },
    from: { people: 2, stages: ["Finance"] },
    to: { people: 1, stages: ["Finance"] },
  });
  // As many of the same stage, and other people.
  const needed = { people: 2, stages: ["Finance"] };
  expect((await moved({ roles: ["approver", "owner"] }, 2)).items[0]).toMatchObject({
    from: needed,
    to: needed,
  });
});

test("“similar” is what people had decided by the time when it was asked", async () => {
  const globex = await web.organization("hooli");
  const at = await insertServer(web.db, globex);
  const key = await web.key(globex, "admin");
  const of = (label: string, asked: number, more: Partial<Bill> = {}) =>
    decided({ label, total: 50, asked, decided: asked - 1.5, organization: globex, at, ...more });
  await of("INV-1", 40);
  await of("INV-2", 20);
  // Decided only after the next one was asked.
  await of("INV-3", 19, { decided: 1 });
  await of("INV-4", 18);
  await of("INV-5", 10, { supplier: "Globex" });
  await of("INV-6", 9, { by: { kind: "system", id: null, name: "A rule" } });
  await of("INV-7", 8);
  await of("INV-8", 7, { says: "reject" });
  await of("INV-9", 5);
  const answered = async (when: string) => {
    const lines = await replay({ policy: { automatic: [small({ when })] } }, key);
    return summaryOf(lines).automatic[0]?.answered;
  };
  // Each is decided a day and a half later; the third only yesterday.
  expect(await answered("similar.accepted >= 1")).toBe(6);
  expect(await answered("similar.accepted >= 2")).toBe(4);
  expect(await answered("similar.accepted >= 3")).toBe(3);
  expect(await answered("similar.declined >= 1")).toBe(1);
  expect(await answered("similar.accepted == 0 && similar.declined == 0")).toBe(1);
});

test("the policy in force is replayed without a body, and rules may stand in the place of its own", async () => {
  const saved = await web.call("PUT", "/api/v1/policy", {
    key: admin,
    headers: { "if-match": "0" },
    body: { rules: [{ name: "All", stages: [stage("Any")] }], automatic: [small()] },
  });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  const inForce = summaryOf(await replay({}));
  expect([inForce.version, inForce.rules]).toEqual([1, [{ rule: "All", stages: ["Any"], requests: 7 }]]);
  const others = summaryOf(await replay({ rules: [] }));
  expect([others.version, others.rules]).toEqual([null, [{ rule: null, stages: [], requests: 7 }]]);
  expect(others.automatic).toMatchObject([{ rule: "Small", answered: 3 }]);
  const later = summaryOf(await replay({ from: ago(3.5).toISOString() }));
  expect(later.requests).toBe(1);
});

test("sealed content is replayed as plain content is", async () => {
  const sealed = await web.organization("sealed");
  const at = await insertServer(web.db, sealed);
  const key = await web.key(sealed, "admin");
  const olga = await web.member(sealed, "Olga", "owner");
  for (const [label, says] of [
    ["INV-1", "approve"],
    ["INV-2", "reject"],
  ] as const)
    await decided({ label, total: 50, asked: 5, decided: 4, says, organization: sealed, at });
  const policy = { automatic: [small({ when: "similar.accepted < 5 && request.amount < 100.0" })] };
  const plain = await replay({ policy }, key);
  expect(summaryOf(plain).automatic).toMatchObject([{ agreed: 1, disagreed: 1 }]);
  const on = await web.call("PUT", "/api/v1/organization/content-sealing", {
    cookie: olga.cookie,
    body: { sealed: true },
  });
  expect(on.status).toBe(200);
  const engine = createDatabase(web.database.engineUrl, { connections: 1 });
  // The first look begins, the next ones go on.
  for (let looks = 0; looks < 5; looks++) {
    await withClient(web.database.adminUrl, (client) =>
      client.query("UPDATE content_sealing SET look_at = now() - interval '1 second'"),
    );
    while (await convertContent(sealed, engine));
  }
  await engine.close();
  const stored = await withClient(web.database.adminUrl, (client) =>
    client.query("SELECT arguments::text AS arguments FROM task WHERE organization_id = $1", [sealed]),
  );
  for (const row of stored.rows) expect(row.arguments).toContain("sealed/task.arguments");
  const [, ...others] = (await replay({ policy }, key)).reverse();
  expect(others.reverse()).toEqual(plain.slice(0, -1));
  // One value that nobody can open leaves the replay of the others.
  const [rejected] = await withClient(
    web.database.adminUrl,
    async (client) =>
      (
        await client.query(
          "SELECT r.id, r.form FROM input_request r JOIN answer a ON a.input_request_id = r.id WHERE r.organization_id = $1 ORDER BY r.created_at DESC, r.id DESC LIMIT 1",
          [sealed],
        )
      ).rows,
  );
  const form = { ...rejected.form, sealed: `${rejected.form.sealed.slice(0, -6)}AAAAAA` };
  await withClient(web.database.adminUrl, (client) =>
    client.query("UPDATE input_request SET form = $2 WHERE id = $1", [rejected.id, JSON.stringify(form)]),
  );
  const rest = summaryOf(await replay({ policy }, key));
  expect([rest.requests, rest.automatic]).toMatchObject([1, [{ answered: 1 }]]);
  expect(rest.notKnown).toContain("1 request is left out: something that is sealed there can’t be opened.");
});

test("of more requests than it may read the latest count", async () => {
  const principal: Principal = {
    organizationId: acme,
    userId: null,
    role: "admin",
    actor: { kind: "key", id: null, name: "Test" },
  };
  const policy = { version: null, policy: policyInputSchema.parse({}), people: {}, groups: {} };
  const lines: ReplayLine[] = [];
  const within = web.db.withOrganization.bind(web.db, acme) as Parameters<typeof replayPolicy>[3];
  for await (const line of replayPolicy(principal, policy, { from: ago(30), now: new Date() }, within, 1))
    lines.push(line);
  const summary = summaryOf(lines);
  expect([summary.requests, summary.isCut]).toEqual([1, true]);
  expect(Date.parse(summary.from)).toBeGreaterThan(ago(4).getTime());
});

test("a draft that can't be saved is refused with its places, and so are others than admins", async () => {
  const refused = (body: object, key = admin) => web.call("POST", "/api/v1/policy/replay", { key, body });
  const wrong = { rules: [{ name: "A", when: "nobody == 1", stages: [stage("S")] }] };
  expect((await refused({ policy: wrong })).body).toMatchObject({
    code: "invalid_input",
    errors: [{ field: "rules.0.when" }],
  });
  expect((await refused({ policy: {}, rules: [] })).status).toBe(422);
  expect((await refused({ policy: {}, unknown: 1 })).status).toBe(422);
  expect((await refused({}, await web.key(acme, "operator"))).status).toBe(403);
});

test("one runs at a time in an organization, and ends when its reader leaves", async () => {
  const begin = () => web.open("POST", "/api/v1/policy/replay", { key: admin, body: {} });
  const first = await begin();
  const reader = first.body!.getReader();
  expect((await reader.read()).done).toBe(false);
  const second = await begin();
  expect([second.status, second.headers.get("retry-after")]).toEqual([429, "5"]);
  expect(await second.json()).toMatchObject({ code: "throttled" });
  await reader.cancel();
  expect(summaryOf(await replay({})).requests).toBe(7);
});
