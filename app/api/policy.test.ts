/** The policy: its versions, and what is refused when it is saved. */
import { beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "@/lib/base/db/db.ts";
import { withClient } from "@/scripts/database/roles.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let admin: string;
let emails: Record<"ana" | "ben" | "cleo", string>;

beforeAll(async () => {
  acme = await web.organization("acme");
  admin = await web.key(acme, "admin");
  const of = async (name: string, role: "owner" | "approver") => {
    await web.member(acme, name, role);
    return `${name.toLowerCase()}-${acme}@test.example`;
  };
  emails = {
    ana: await of("Ana", "owner"),
    ben: await of("Ben", "approver"),
    cleo: await of("Cleo", "approver"),
  };
});

const read = () => web.call("GET", "/api/v1/policy", { key: admin });
const save = (version: unknown, policy: unknown, key = admin) =>
  web.call("PUT", "/api/v1/policy", {
    key,
    body: policy as object,
    ...(version !== null && { headers: { "if-match": String(version) } }),
  });
const large = (more: object = {}, stage: object = {}) => ({
  version: 1,
  groups: { finance: [emails.ben, emails.cleo.toUpperCase()], cfo: [emails.ana] },
  rules: [
    {
      name: "Large invoices",
      when: 'server.name == "Finance ERP" && tool == "process_invoice" && request.amount >= 5000.0',
      stages: [
        { name: "Finance", approvers: { groups: ["finance"] }, need: 2, requireReason: ["reject"], ...stage },
        { name: "CFO", approvers: { groups: ["cfo"] }, need: 1, stepUp: true },
      ],
      due: "3d",
      ...more,
    },
  ],
});

test("is saved as a whole, by whoever has read its latest version", async () => {
  const none = {
    version: 0,
    policy: { version: 1, rules: [] },
    changedAt: null,
    changedBy: null,
  };
  expect((await read()).body).toEqual(none);
  const first = await save(0, large());
  expect([first.status, first.headers.get("etag")]).toEqual([200, '"1"']);
  expect(first.body).toMatchObject({ version: 1, changedBy: { kind: "key" } });
  // As a person would write it, without defaults.
  expect(first.body.policy).toEqual({
    version: 1,
    groups: { finance: [emails.ben, emails.cleo], cfo: [emails.ana] },
    rules: [
      {
        name: "Large invoices",
        when: large().rules[0]!.when,
        stages: [
          { name: "Finance", approvers: { groups: ["finance"] }, need: 2, requireReason: ["reject"] },
          { name: "CFO", approvers: { groups: ["cfo"] }, stepUp: true },
        ],
        due: "3d",
      },
    ],
  });
  expect((await read()).body).toEqual(first.body);

  const late = await save(0, large());
  expect([late.status, late.body.code, late.body.version]).toEqual([409, "version_changed", 1]);
  expect((await save(null, large())).body.code).toBe("version_required");
  // The same again is no change.
  expect((await save(1, first.body.policy)).body.version).toBe(1);

  expect((await save('"1"', large({ due: null, requester: "allowed" }))).body.version).toBe(2);
  const lines = await web.db.withOrganization(acme, (tx) =>
    tx.event.findMany({ where: { organizationId: acme, type: "policy.changed" }, orderBy: { seq: "asc" } }),
  );
  expect(lines.map(({ data }) => data)).toMatchObject([
    {
      version: 1,
      added: [{ name: "Large invoices" }],
      groups: [{ name: "finance", from: null }, { name: "cfo" }],
    },
    {
      version: 2,
      changed: [{ from: { requester: "excluded", due: "3d" }, to: { requester: "allowed" } }],
      groups: [],
    },
  ]);
  const versions = await web.call("GET", "/api/v1/policy/versions", { key: admin });
  expect(versions.body.items).toMatchObject([
    { version: 2, rules: ["Large invoices"] },
    { version: 1, changedBy: { kind: "key" } },
  ]);
  const version = (number: number | string) =>
    web.call("GET", `/api/v1/policy/versions/${number}`, { key: admin });
  expect((await version(1)).body).toMatchObject({
    version: 1,
    policy: first.body.policy,
    changes: { added: [{ name: "Large invoices" }], groups: [{ name: "cfo" }, { name: "finance" }] },
    changedBy: { kind: "key" },
  });
  expect((await version(2)).body.changes).toMatchObject({
    added: [],
    changed: [{ from: { requester: "excluded", due: "3d" }, to: { requester: "allowed", due: null } }],
  });
  expect((await version(3)).status).toBe(404);
  for (const odd of [0, "x", 2 ** 31]) expect((await version(odd)).status).toBe(404);
});

test("is checked as it would be when it is saved, and not saved", async () => {
  const { version } = (await read()).body;
  const check = async (policy: unknown) => {
    const { status, body } = await web.call("POST", "/api/v1/policy/check", {
      key: admin,
      body: policy as object,
    });
    expect(status).toBe(200);
    // Who is left is said of what can be saved alone.
    if (body.problems.length > 0) expect(body.warnings).toEqual([]);
    return body.problems;
  };
  expect(await check(large())).toEqual([]);
  for (const policy of [
    large({ when: "no" }),
    large({}, { need: 3 }),
    large({ stages: [] }),
    { ...large(), tests: [{ request: {}, expect: { rule: "Large invoices" } }] },
    { ...large(), other: 1 },
  ])
    expect(await check(policy)).toEqual((await save(version, policy)).body.errors);
  // While a name is missing, what is wrong with a condition is told already.
  expect(await check(large({ name: "", when: "no" }))).toMatchObject([
    { field: "rules.0.name" },
    { field: "rules.0.when" },
  ]);
  expect(await check({ rules: [null, 1, { when: 2 }], automatic: "x" })).toContainEqual({
    field: "automatic",
    message: expect.any(String),
  });
  expect((await read()).body.version).toBe(version);
});

test("a check says which stages of a draft have nobody to spare, before it is saved", async () => {
  const warnings = async (policy: object) =>
    (await web.call("POST", "/api/v1/policy/check", { key: admin, body: policy })).body.warnings;
  expect(await warnings(large())).toEqual([
    {
      field: "rules.0.stages.0",
      ...{ rule: "Large invoices", stage: "Finance", warning: "no_spare", people: ["Ben", "Cleo"] },
    },
    {
      field: "rules.0.stages.1",
      ...{ rule: "Large invoices", stage: "CFO", warning: "no_spare", people: ["Ana"] },
    },
  ]);
  expect(await warnings(large({ requester: "allowed" }))).toEqual([]);
  expect(await warnings(large({}, { need: 1 }))).toMatchObject([{ stage: "CFO" }]);
});

test("says who could vote now, and for whom somebody stands in", async () => {
  const { version } = (await read()).body;
  const saved = await save(version, large({}, { escalate: { after: "2d", to: { roles: ["owner"] } } }));
  const deciders = async () => (await web.call("GET", "/api/v1/policy/deciders", { key: admin })).body;
  expect(await deciders()).toMatchObject({
    version: saved.body.version,
    rules: [
      {
        name: "Large invoices",
        stages: [
          {
            name: "Finance",
            need: 2,
            people: [
              { name: "Ben", away: null },
              { name: "Cleo", away: null },
            ],
            later: { after: "2d", people: [{ name: "Ana" }] },
            warning: "no_spare",
          },
          { name: "CFO", need: 1, people: [{ name: "Ana" }], later: null, warning: "no_spare" },
        ],
      },
    ],
  });
  const isAway = (delegate: string, scope: object | null) =>
    withClient(web.database.adminUrl, (client) =>
      client.query(
        `INSERT INTO away (organization_id, user_id, starts_at, ends_at, delegate, scope, set_by)
          SELECT $1, b.id, now() - interval '1 hour', now() + interval '1 day', d.id, $4, b.id
          FROM "user" b, "user" d WHERE b.email = $2 AND d.email = $3
          ON CONFLICT (organization_id, user_id) DO UPDATE SET delegate = EXCLUDED.delegate, scope = EXCLUDED.scope`,
        [acme, emails.ben, delegate, scope && JSON.stringify(scope)],
      ),
    );
  const finance = async () => (await deciders()).rules[0].stages[0];
  await isAway(emails.ana, null);
  expect(await finance()).toMatchObject({
    people: [{ name: "Ben", away: { partly: false, standIns: ["Ana"] } }, { away: null }],
    warning: "no_spare",
  });
  // Cleo votes in the stage anyway, and has one vote.
  await isAway(emails.cleo, null);
  expect((await finance()).warning).toBe("too_few_now");
  await isAway(emails.cleo, { servers: ["Other"] });
  expect(await finance()).toMatchObject({ people: [{ away: { partly: true } }, {}], warning: "no_spare" });
  await isAway(emails.cleo, { rules: ["Other"] });
  expect((await finance()).people[0].away).toBeNull();
  await withClient(web.database.adminUrl, (client) =>
    client.query("DELETE FROM away WHERE organization_id = $1", [acme]),
  );
});

test("keeps its tests, and is refused while one of them fails", async () => {
  const { version } = (await read()).body;
  const tested = (rule: string | null, stages?: string[]) => ({
    ...large(),
    tests: [
      {
        name: "A large one",
        request: { server: "Finance ERP", tool: "process_invoice", amount: 5000 },
        expect: { rule, ...(stages && { stages }) },
      },
      { request: { amount: 1 }, expect: { rule: null } },
    ],
  });
  for (const [policy, field, message] of [
    [tested(null), "tests.0.expect.rule", "Expected no rule, got “Large invoices”"],
    [
      tested("Large invoices", ["CFO"]),
      "tests.0.expect.stages",
      "Expected the stages “CFO”, got “Finance”, “CFO”",
    ],
  ] as const) {
    const refused = await save(version, policy);
    expect([refused.status, refused.body.errors]).toEqual([422, [{ field, message }]]);
  }
  // What can't be read is told first: its tests would say nothing.
  const unreadable = await save(version, { ...tested(null), rules: large({ when: "no" }).rules });
  expect(unreadable.body.errors).toMatchObject([{ field: "rules.0.when" }]);

  const saved = await save(version, tested("Large invoices", ["Finance", "CFO"]));
  expect(saved.status).toBe(200);
  expect((await read()).body.policy.tests).toEqual(tested("Large invoices", ["Finance", "CFO"]).tests);
  const [line] = await web.db.withOrganization(acme, (tx) =>
    tx.event.findMany({
      where: { organizationId: acme, type: "policy.changed" },
      orderBy: { seq: "desc" },
      take: 1,
    }),
  );
  expect(line?.data).toMatchObject({ version: saved.body.version, tests: { from: 0, to: 2 } });
  const none = await save(saved.body.version, large());
  expect(none.body.policy).not.toHaveProperty("tests");
});

test("is changed once by two who save at the same time", async () => {
  const { version } = (await read()).body;
  const saved = await Promise.all(["A", "B", "C"].map((name) => save(version, large({ name }))));
  expect(saved.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect((await read()).body.version).toBe(version + 1);
});

describe("is refused with the place of each problem", () => {
  test.each<[string, () => unknown, object[]]>([
    [
      "a condition that can't be read",
      () => large({ when: "server.nam == 'x'" }),
      [
        {
          field: "rules.0.when",
          message: "Unknown name `server.nam`; did you mean `server.name`? (character 1)",
        },
      ],
    ],
    ["a condition that says no yes or no", () => large({ when: "tool" }), [{ field: "rules.0.when" }]],
    [
      "a pattern, which may take for ever",
      () => large({ when: "tool.matches('x')" }),
      [{ field: "rules.0.when" }],
    ],
    [
      "what is known of decisions before, which no rule can ask yet",
      () => large({ when: "similar.accepted > 1" }),
      [{ field: "rules.0.when" }],
    ],
    [
      "more people than there are",
      () => large({}, { need: 3 }),
      [{ field: "rules.0.stages.0.need", message: "Only 2 people can vote here" }],
    ],
    [
      "more rejections than there are people",
      () => large({}, { rejections: 3 }),
      [{ field: "rules.0.stages.0.rejections" }],
    ],
    [
      "a stage of nobody",
      () => large({}, { approvers: {} }),
      [
        { field: "rules.0.stages.0.need", message: "Nobody can vote here" },
        { field: "rules.0.stages.0.rejections" },
      ],
    ],
    [
      "a group that is not there",
      () => large({}, { approvers: { groups: ["finance", "legal"] } }),
      [{ field: "rules.0.stages.0.approvers.groups.1", message: "There is no such group" }],
    ],
    [
      "a stranger",
      () => large({}, { need: 1, approvers: { people: [emails.ana, "x@else.example"] } }),
      [{ field: "rules.0.stages.0.approvers.people.1" }],
    ],
    [
      "a viewer's role",
      () => large({}, { approvers: { roles: ["viewer"] } }),
      [{ field: "rules.0.stages.0.approvers.roles.0" }],
    ],
    ["two stages of one name", () => large({}, { name: "CFO" }), [{ field: "rules.0.stages.1.name" }]],
    ["no stage", () => large({ stages: [] }), [{ field: "rules.0.stages" }]],
    ["a due time without a unit", () => large({ due: "3" }), [{ field: "rules.0.due" }]],
    [
      "a reminder without a unit",
      () => large({}, { remind: ["4"] }),
      [{ field: "rules.0.stages.0.remind.0" }],
    ],
    ["a reminder twice", () => large({}, { remind: ["4h", "4h"] }), [{ field: "rules.0.stages.0.remind" }]],
    [
      "more people, who are nobody",
      () => large({}, { escalate: { after: "2d", to: {} } }),
      [
        {
          field: "rules.0.stages.0.escalate.to",
          message: "Nobody can vote then. Name the people who are also asked",
        },
      ],
    ],
    [
      "more people, of whom none may answer here",
      () => large({}, { escalate: { after: "2d", to: { groups: ["legal"], people: ["x@else.example"] } } }),
      [
        { field: "rules.0.stages.0.escalate.to.groups.0", message: "There is no such group" },
        { field: "rules.0.stages.0.escalate.to.people.0" },
        { field: "rules.0.stages.0.escalate.to" },
      ],
    ],
    [
      "an end that says not what happens",
      () => large({ expire: { after: "30d" } }),
      [{ field: "rules.0.expire.then" }],
    ],
    [
      "an end that answers",
      () => large({ expire: JSON.parse('{ "after": "30d", "then": "decline" }') }),
      [{ field: "rules.0.expire.then" }],
    ],
    ["a property that nobody knows", () => ({ ...large(), anything: [] }), [{ field: "" }]],
  ])("%s", async (_name, policy, errors) => {
    const { version } = (await read()).body;
    const refused = await save(version, policy());
    expect([refused.status, refused.body.code]).toEqual([422, "invalid_input"]);
    expect(refused.body.errors).toMatchObject(errors);
    expect((await read()).body.version).toBe(version);
  });
});

test("is refused if its stages are many, or name very many people: a request under rules that fail has all of them", async () => {
  const { version } = (await read()).body;
  const stage = (n: number, more: object = {}) => ({
    name: `${n}`,
    approvers: { people: [emails.ben] },
    ...more,
  });
  const rules = (count: number, more?: object) =>
    Array.from({ length: count }, (_, n) => ({
      name: `rule ${n}`,
      stages: Array.from({ length: 10 }, (_, at) => stage(at, more)),
    }));
  expect((await save(version, { rules: rules(11) })).body.errors).toEqual([
    { field: "rules", message: "At most 100 stages in all rules" },
  ]);
  const all = Array.from({ length: 200 }, (_, n) => `p${n}@test.example`);
  const more = { approvers: { groups: ["all"] } };
  expect((await save(version, { groups: { all }, rules: rules(3, more) })).body.errors).toEqual([
    {
      field: "rules",
      message: "The stages name more than 5000 people in all. Name groups of the organization, or roles",
    },
  ]);
  const groups = Array.from({ length: 50 }, (_, n) => `group ${n}`);
  expect((await save(version, { rules: rules(3, { approvers: { groups } }) })).body.errors).toEqual([
    {
      field: "rules",
      message:
        "The stages name groups of the organization more than 1000 times in all. Name larger groups, or roles",
    },
  ]);
});

test("keeps who has left, who count for nobody, and takes nobody for them who has the address later", async () => {
  const gone = await web.member(acme, "Gone", "approver");
  const address = `gone-${acme}@test.example`;
  const policy = () => ({
    rules: [
      { name: "All", stages: [{ name: "One", approvers: { people: [emails.ben, address] }, need: 2 }] },
    ],
  });
  const saved = await save((await read()).body.version, policy());
  expect(saved.status).toBe(200);
  await web.call("DELETE", `/api/v1/members/${gone.memberId}`, { key: admin });
  const again = await save(saved.body.version, { ...policy(), groups: { more: [address] } });
  expect(again.body.errors).toEqual([
    { field: "rules.0.stages.0.need", message: "Only 1 person can vote here" },
  ]);
  const fewer = policy();
  fewer.rules[0]!.stages[0]!.need = 1;
  expect((await save(saved.body.version, fewer)).status).toBe(200);
  const [row] = await withClient(
    web.database.adminUrl,
    async (client) =>
      (
        await client.query(
          "SELECT people FROM policy_version WHERE organization_id = $1 ORDER BY version DESC",
          [acme],
        )
      ).rows,
  );
  expect(row.people[address]).toBe(gone.userId);
});

test("is an admin's to read and to save, and nobody who serves alters a version", async () => {
  for (const role of ["viewer", "approver", "operator"] as const) {
    const key = await web.key(acme, role);
    expect((await web.call("GET", "/api/v1/policy", { key })).status).toBe(403);
    expect((await save(0, {}, key)).status).toBe(403);
    for (const path of ["deciders", "versions/1"])
      expect((await web.call("GET", `/api/v1/policy/${path}`, { key })).status).toBe(403);
    expect((await web.call("POST", "/api/v1/policy/check", { key, body: {} })).status).toBe(403);
  }
  const app = createDatabase(web.database.appUrl, { connections: 1 });
  const change = (sql: string) => app.withOrganization(acme, (tx) => tx.$executeRawUnsafe(sql));
  await expect(change("UPDATE policy_version SET version = version + 100")).rejects.toThrow(
    "permission denied",
  );
  await expect(change("DELETE FROM policy_version")).rejects.toThrow("permission denied");
  await app.close();
});
