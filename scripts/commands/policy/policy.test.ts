/** `policy export`, `diff`, `test` and `apply`, as an operator or a pipeline calls them. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type Database } from "../../../lib/base/db/db.ts";
import { uuidv7 } from "../../../lib/base/ids.ts";
import { addMember } from "../../../lib/people/members/member-writes.ts";
import { COMMAND_LINE, createOrganization } from "../../../lib/people/organizations/organization-writes.ts";
import { NO_DATABASE, runHere, runProcess } from "../../../test/command-line.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import { withClient } from "../../database/roles.ts";

const database = databaseForFile();
let db: Database;
let folder: string;
const acme = uuidv7();

beforeAll(async () => {
  db = createDatabase(database.ownerUrl, { connections: 2 });
  await db.withOrganization(acme, async (tx) => {
    await createOrganization(tx, { slug: "acme", name: "Acme" });
    const ben = { email: "ben@acme.example", name: "Ben", role: "approver" as const };
    await addMember(tx, COMMAND_LINE, ben);
  });
  folder = await mkdtemp(join(tmpdir(), "intray-policy-"));
});
afterAll(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

const intray = (args: string[], settings: Record<string, string> = { DATABASE_URL: database.ownerUrl }) =>
  runHere(settings, ["policy", ...args]);

const finance = (more: object = {}) => ({
  name: "Finance",
  approvers: { people: ["ben@acme.example"] },
  ...more,
});
const policy = (more: object = {}) => ({
  $schema: "https://intray.example/policy.schema.json",
  rules: [{ name: "All", when: "request.amount != null", stages: [finance()] }],
  tests: [
    { name: "With an amount", request: { amount: 1 }, expect: { rule: "All", stages: ["Finance"] } },
    { request: {}, expect: { rule: null } },
  ],
  ...more,
});
let files = 0;
const file = async (value: unknown, ending = "json") => {
  const path = join(folder, `${++files}.${ending}`);
  await writeFile(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
};

test("a file is tested without a database, and each failure told with what was expected", async () => {
  const good = await file(policy());
  expect(await intray(["test", "--file", good], NO_DATABASE)).toEqual({
    code: 0,
    out: "2 tests, all passed.\n",
    err: "",
  });
  const tests = [
    ...policy().tests,
    { name: "A wrong one", request: { amount: 2 }, expect: { rule: null } },
    { request: { amount: 2 }, expect: { rule: "All", stages: ["CFO"] } },
  ];
  const wrong = await intray(["test", "--file", await file(policy({ tests }))], NO_DATABASE);
  expect(wrong).toEqual({
    code: 1,
    out: "Test 3, A wrong one: Expected no rule, got “All”\nTest 4: Expected the stages “CFO”, got “Finance”\n",
    err: "2 of 4 tests failed.\n",
  });
  const unreadable = await file(policy({ rules: [{ name: "All", when: "no", stages: [finance()] }] }));
  const refused = await intray(["test", "--file", unreadable], NO_DATABASE);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("rules.0.when: ");
});

test.each<[string, string, () => Promise<string>, string]>([
  ["of another form", "json", async () => JSON.stringify({ rules: [{ name: "All" }] }), "rules.0.stages: "],
  ["that is no JSON", "json", async () => "rules: []", "is not JSON"],
  [
    "that names a key twice",
    "json",
    async () => '{"rules": [],\n"rules": []}',
    "line 2: “rules” is there twice",
  ],
  ["that is no object", "json", async () => "[]", "is no policy"],
  ["in YAML that names a key twice", "yaml", async () => "rules: []\nrules: []", "line 2: "],
  ["in YAML with an alias", "yml", async () => "groups: &a {}\nrules: *a", "line 2: "],
  ["in YAML of another form", "yaml", async () => "rules:\n  - name: All", "rules.0.stages: "],
])("a file %s is refused, with the place", async (_name, ending, text, words) => {
  const refused = await intray(["test", "--file", await file(await text(), ending)], NO_DATABASE);
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toContain(words);
});

test("a file is compared, applied and taken out again, and applied twice it changes nothing", async () => {
  const path = await file(policy());
  const before = await intray(["diff", "--org", "acme", "--file", path]);
  expect(before).toMatchObject({ code: 1, err: `${path} differs from version 0.\n` });
  expect(before.out).toMatch(/^Added “All”: .*\nChanged the tests: 0 → 2\n$/);
  expect(await intray(["apply", "--org", "acme", "--file", path])).toEqual({
    code: 0,
    out: "Version 1\n",
    err: "",
  });
  expect((await intray(["apply", "--org", "acme", "--file", path])).out).toBe("Version 1\n");
  expect(await intray(["diff", "--org", "acme", "--file", path])).toMatchObject({ code: 0 });
  expect(await intray(["test", "--org", "acme"])).toMatchObject({ code: 0, out: "2 tests, all passed.\n" });
  const [line] = await db.withOrganization(acme, (tx) =>
    tx.event.findMany({ where: { organizationId: acme, type: "policy.changed" } }),
  );
  expect(line?.actor).toMatchObject({ kind: "system", name: "Command line" });

  const out = join(folder, "out.json");
  expect(await intray(["export", "--org", "acme", "--file", out])).toEqual({
    code: 0,
    out: "",
    err: "Version 1\n",
  });
  const { $schema: _, ...written } = policy();
  expect(JSON.parse(await readFile(out, "utf8"))).toEqual({ version: 1, ...written });
  expect(await intray(["diff", "--org", "acme", "--file", out])).toMatchObject({ code: 0 });
  const yaml = join(folder, "out.yaml");
  expect(await intray(["export", "--org", "acme", "--file", yaml])).toMatchObject({ code: 0, out: "" });
  expect(await readFile(yaml, "utf8")).toMatch(
    /^version: 1\nrules:\n {2}- name: All\n {4}when: request.amount != null\n/,
  );
  expect(await intray(["diff", "--org", "acme", "--file", yaml])).toMatchObject({ code: 0 });
  expect(await intray(["test", "--file", yaml], NO_DATABASE)).toMatchObject({
    code: 0,
    out: "2 tests, all passed.\n",
  });
  expect(await intray(["apply", "--org", "acme", "--file", yaml])).toMatchObject({ out: "Version 1\n" });
  // It overwrites nothing.
  expect(await intray(["export", "--org", "acme", "--file", out])).toMatchObject({ code: 1 });
  // A process prints it alone.
  const printed = await runProcess({ DATABASE_URL: database.ownerUrl }, [
    "policy",
    "export",
    "--org",
    "acme",
  ]);
  expect(printed).toMatchObject({ code: 0, err: "Version 1\n" });
  expect(JSON.parse(printed.out)).toMatchObject({ version: 1 });
});

test("a difference is also whom an address means by now", async () => {
  const path = await file(policy());
  await intray(["apply", "--org", "acme", "--file", path]);
  expect(await intray(["diff", "--org", "acme", "--file", path])).toMatchObject({ code: 0 });
  await withClient(database.adminUrl, (client) =>
    client.query(`UPDATE "user" SET email = 'old@acme.example' WHERE email = 'ben@acme.example'`),
  );
  await db.withOrganization(acme, (tx) =>
    addMember(tx, COMMAND_LINE, { email: "ben@acme.example", name: "Another Ben", role: "approver" }),
  );
  expect(await intray(["diff", "--org", "acme", "--file", path])).toMatchObject({
    code: 1,
    out: "Now means somebody else: ben@acme.example\n",
  });
});

test("where changes need a second admin, applying proposes", async () => {
  const two = (twoPersonPolicy: boolean) =>
    db.withOrganization(acme, (tx) =>
      tx.organization.update({ where: { id: acme }, data: { twoPersonPolicy } }),
    );
  await two(true);
  const path = await file(policy({ rules: [], tests: [] }));
  const said = await intray(["apply", "--org", "acme", "--file", path]);
  expect(said).toMatchObject({ code: 0, out: expect.stringMatching(/^Proposed: .* still in force\n$/) });
  await two(false);
  const rows = await db.withOrganization(acme, (tx) =>
    tx.policyProposal.findMany({ where: { organizationId: acme } }),
  );
  expect(rows).toMatchObject([{ state: "open", proposer: acme, proposedBy: { name: "Command line" } }]);
  await db.withOrganization(acme, (tx) => tx.policyProposal.deleteMany({ where: { organizationId: acme } }));
});

test("nothing is saved over a version that the file was not made from, nor of a policy that is not valid", async () => {
  const other = await file(policy({ rules: [], tests: [] }));
  const late = await intray(["apply", "--org", "acme", "--file", other, "--version", "0"]);
  expect(late.code).toBe(1);
  expect(late.err).toContain("changed the policy meanwhile");
  const stranger = await file(
    policy({ rules: [{ name: "All", stages: [finance({ approvers: { people: ["x@y"] } })] }], tests: [] }),
  );
  const refused = await intray(["apply", "--org", "acme", "--file", stranger]);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("rules.0.stages.0.approvers.people.0: Nobody here has this address");
  const failing = await file(policy({ tests: [{ request: {}, expect: { rule: "All" } }] }));
  expect((await intray(["apply", "--org", "acme", "--file", failing])).err).toContain(
    "tests.0.expect.rule: Expected “All”, got no rule",
  );
  const versions = await db.withOrganization(acme, (tx) => tx.policyVersion.count());
  expect(versions).toBe(1);
  expect(await intray(["apply", "--org", "acme", "--file", other, "--version", "1"])).toMatchObject({
    code: 0,
    out: "Version 2\n",
  });
  expect(await intray(["apply", "--org", "nobody", "--file", other])).toMatchObject({ code: 1 });
  expect(await intray(["apply", "--org", "acme"])).toMatchObject({ code: 2 });
});

test("automatic rules are compared, and applied in shadow alone: live is an owner's, in person", async () => {
  const rule = { name: "Small", when: "similar.accepted >= 5", answer: { action: "accept" } };
  const shadow = await file(policy({ automatic: [{ ...rule, mode: "shadow" }] }));
  expect((await intray(["diff", "--org", "acme", "--file", shadow])).out).toContain(
    "Added the automatic rule “Small”: shadow, answers accept, when similar.accepted >= 5, at most 50 a day, 5 % go to people\n",
  );
  expect(await intray(["apply", "--org", "acme", "--file", shadow])).toMatchObject({ code: 0 });
  const live = await file(policy({ automatic: [{ ...rule, mode: "live" }] }));
  const refused = await intray(["apply", "--org", "acme", "--file", live]);
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toContain("Only an owner, in person, can set automatic rules live");
});
