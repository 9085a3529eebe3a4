/** Rules for calls: their list and versions, and what they mean for calls of members and keys. */
import { beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "@/lib/base/db/db.ts";
import { forFile } from "@/test/for-file.ts";
import { startTestServer } from "@/test/servers/mcp-server.ts";
import { webForFile } from "@/test/web.ts";

const remote = forFile(startTestServer);
const web = webForFile({ INTRAY_ALLOW_HOSTS: "127.0.0.1" });
let acme: string;
let serverId: string;
let admin: string;
let operator: string;
let ola: { cookie: string };

beforeAll(async () => {
  acme = await web.organization("acme-rules");
  admin = await web.key(acme, "admin");
  operator = await web.key(acme, "operator");
  ola = await web.member(acme, "Ola", "operator");
  const body = { name: "ERP", url: remote.url };
  serverId = (await web.call("POST", "/api/v1/servers", { key: admin, body })).body.id;
});

const read = () => web.call("GET", "/api/v1/call-rules", { key: admin });
const save = (version: unknown, rules: object[], key = admin) =>
  web.call("PUT", "/api/v1/call-rules", {
    key,
    body: { rules },
    ...(version !== null && { headers: { "if-match": String(version) } }),
  });
/** Saves over whatever is there. */
const set = async (rules: object[]) => {
  const saved = await save((await read()).body.version, rules);
  expect(saved.status).toBe(200);
};
const start = (who: { cookie: string } | { key: string }, tool = "quick", more: object = {}) =>
  web.call("POST", "/api/v1/tasks", { ...who, body: { serverId, tool, ...more } });
const lines = () =>
  web.db.withOrganization(acme, (tx) =>
    tx.event.findMany({
      where: { organizationId: acme, type: "call_rules.changed" },
      orderBy: { seq: "asc" },
      select: { data: true },
    }),
  );

describe("the list", () => {
  test("is replaced as a whole, by whoever has read its latest version", async () => {
    const none = { version: 0, rules: [], changedAt: null, changedBy: null, warnings: [] };
    expect((await read()).body).toEqual(none);
    const first = await save(0, [
      { name: "Large", when: "amount != null && amount >= 5000.0", before: "ask" },
      { name: "Never", tools: ["drop"], servers: [serverId], before: "deny" },
    ]);
    expect(first.status).toBe(200);
    expect(first.headers.get("etag")).toBe('"1"');
    expect(first.body).toMatchObject({
      version: 1,
      rules: [
        { name: "Large", when: "amount != null && amount >= 5000.0", servers: [], tools: [], before: "ask" },
        { name: "Never", when: null, servers: [serverId], tools: ["drop"], before: "deny" },
      ],
      changedBy: { kind: "key" },
    });
    expect((await read()).body).toEqual(first.body);

    const late = await save(0, []);
    expect([late.status, late.body.code, late.body.version]).toEqual([409, "version_changed", 1]);
    const blind = await save(null, []);
    expect([blind.status, blind.body.code]).toEqual([428, "version_required"]);
    expect((await save("latest", [])).body.errors).toMatchObject([{ field: "If-Match" }]);

    const second = await save('"1"', [
      { name: "Never", tools: ["drop"], servers: [serverId], before: "ask" },
      { name: "Large", when: "amount != null && amount >= 5000.0", before: "ask" },
      { name: "New", before: "allow" },
    ]);
    expect(second.body.version).toBe(2);
    const changes = (await lines()).map(({ data }) => data);
    expect(changes).toMatchObject([
      { version: 1, added: [{ name: "Large" }, { name: "Never" }], removed: [], changed: [] },
      {
        version: 2,
        added: [{ name: "New" }],
        changed: [{ name: "Never", from: { before: "deny" }, to: { before: "ask" } }],
        order: ["Never", "Large", "New"],
      },
    ]);
    // The same again is no change.
    expect((await save(2, second.body.rules)).body.version).toBe(2);
    expect(await lines()).toHaveLength(2);
  });

  test("is changed once by two who save at the same time", async () => {
    const { version } = (await read()).body;
    const saved = await Promise.all(
      ["A", "B", "C"].map((name) => save(version, [{ name, before: "allow" }])),
    );
    expect(saved.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await read()).body.version).toBe(version + 1);
  });

  test("is refused with the place of each mistake", async () => {
    const { version } = (await read()).body;
    const elsewhere = "01890000-0000-7000-8000-000000000009";
    const refused = await save(version, [
      { name: "A", when: "server.nam == 'x'", before: "ask" },
      { name: "B", servers: [serverId, elsewhere], before: "ask" },
      { name: "C", when: "true", before: "ask" },
      { name: "D", when: "arguments.a.matches('x')", before: "ask" },
    ]);
    expect([refused.status, refused.body.code]).toEqual([422, "invalid_input"]);
    expect(refused.body.errors).toEqual([
      {
        field: "rules.0.when",
        message: "Unknown name `server.nam`; did you mean `server.name`? (character 1)",
      },
      { field: "rules.1.servers.1", message: "There is no such server" },
      { field: "rules.3.when", message: expect.stringContaining("no function matches()") },
    ]);
    expect((await read()).body.version).toBe(version);
  });

  test("is refused where it names a tool as agents see it, and warns of what no server has", async () => {
    const { version } = (await read()).body;
    const twice = [
      { name: "A", tools: ["quick", "erp__quick"], before: "deny" },
      { name: "B", when: 'tool.name == "erp__quick"', before: "deny" },
    ];
    const refused = await save(version, twice);
    const message = expect.stringContaining("“quick” of ERP, not “erp__quick”");
    expect([refused.status, refused.body.code]).toEqual([422, "invalid_input"]);
    expect(refused.body.errors).toEqual([
      { field: "rules.0.tools.1", message },
      { field: "rules.1.when", message },
    ]);
    const rules = [
      { name: "A", tools: ["quick", "drop"], before: "deny" },
      { name: "B", when: 'server.name == "HR"', before: "deny" },
    ];
    const warnings = [
      { field: "rules.0.tools.1", message: "No tool is called “drop”" },
      { field: "rules.1.when", message: "No server is called “HR”" },
    ];
    const tried = await web.call("POST", "/api/v1/call-rules/try", { key: admin, body: { rules } });
    expect(tried.body.warnings).toEqual(warnings);
    const saved = await save(version, rules);
    expect([saved.status, saved.body.warnings]).toEqual([200, warnings]);
    expect((await read()).body.warnings).toEqual(warnings);
    await set([]);
  });

  test("keeps every version as it was, for nobody to change", async () => {
    const app = createDatabase(web.database.appUrl);
    for (const statement of ["DELETE FROM call_rule_version", "UPDATE call_rule_version SET rules = '[]'"])
      await expect(app.withOrganization(acme, (tx) => tx.$executeRawUnsafe(statement))).rejects.toThrow(
        /permission denied/,
      );
    await app.close();
  });
});

describe("a call", () => {
  test("is refused with the rule's name, to members and keys alike", async () => {
    await set([{ name: "No quick ones", tools: ["quick"], before: "deny" }]);
    for (const who of [ola, { key: operator }, { key: admin }]) {
      const refused = await start(who);
      expect([refused.status, refused.body.code]).toEqual([403, "denied_by_rule"]);
      expect(refused.body.detail).toContain("“No quick ones”");
      expect(refused.body.rule).toMatchObject({ name: "No quick ones" });
    }
    await set([]);
    expect((await start(ola)).status).toBe(201);
  });

  test("that was made before is answered again, whatever the rules say now", async () => {
    const headers = { "idempotency-key": "once" };
    const made = await web.call("POST", "/api/v1/tasks", {
      ...ola,
      headers,
      body: { serverId, tool: "quick" },
    });
    expect(made.status).toBe(201);
    await set([{ name: "Nothing", before: "deny" }]);
    const again = await web.call("POST", "/api/v1/tasks", {
      ...ola,
      headers,
      body: { serverId, tool: "quick" },
    });
    expect([again.status, again.body.id]).toEqual([200, made.body.id]);
    const restarted = await web.call("POST", `/api/v1/tasks/${made.body.id}/restart`, ola);
    expect([restarted.status, restarted.body.code]).toEqual([403, "denied_by_rule"]);
    await set([]);
  });

  test("that waits for a person's yes counts and lists as waiting, not as working", async () => {
    await set([{ name: "Ask", tools: ["quick"], before: "ask" }]);
    const gated = (await start(ola)).body.id;
    await set([]);
    const free = (await start(ola)).body.id;
    const listed = async (waiting: boolean) => {
      const states = waiting ? "queued,input_required" : "queued,starting,working";
      const { body } = await web.call(
        "GET",
        `/api/v1/tasks?state=${states}&waiting=${waiting}&limit=100`,
        ola,
      );
      return body.items
        .map(({ id }: { id: string }) => id)
        .filter((id: string) => [gated, free].includes(id));
    };
    expect([await listed(true), await listed(false)]).toEqual([[gated], [free]]);
    expect((await web.call("GET", "/api/v1/tasks/counts", ola)).body.gated).toBe(1);
    const wrong = await web.call("GET", "/api/v1/tasks?waiting=perhaps", ola);
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "waiting"]);
  });

  test("of a race that is refused refuses all of it", async () => {
    await set([{ name: "No quick ones", tools: ["quick"], before: "deny" }]);
    const starts = [
      { serverId, tool: "approve", arguments: { note: "INV-1" } },
      { serverId, tool: "quick" },
    ];
    const before = (await web.call("GET", "/api/v1/tasks", ola)).body.total;
    const refused = await web.call("POST", "/api/v1/races", { ...ola, body: { starts } });
    expect([refused.status, refused.body.code, refused.body.start]).toEqual([403, "denied_by_rule", 1]);
    expect((await web.call("GET", "/api/v1/tasks", ola)).body.total).toBe(before);
    await set([]);
  });
});

describe("trying rules", () => {
  const attempt = (rules: object[], key = admin) =>
    web.call("POST", "/api/v1/call-rules/try", { key, body: { rules } });

  test("says what they would have meant for calls that were made, and changes nothing", async () => {
    await set([]);
    await start(ola);
    await start({ key: operator }, "approve", { arguments: { note: "INV-7" } });
    const { version } = (await read()).body;
    const tried = await attempt([
      { name: "Invoices", when: 'arguments.note == "INV-7"', before: "deny" },
      { name: "Members", when: 'requester.kind == "member"', before: "ask" },
    ]);
    expect(tried.status).toBe(200);
    const [invoice, quick] = tried.body.calls;
    expect(invoice).toMatchObject({
      tool: "approve",
      serverName: "ERP",
      requestedBy: { kind: "key" },
      verdict: { before: "deny", rule: { name: "Invoices" }, why: "rule", failure: null },
    });
    // `quick` has no such argument, so the first rule can't be applied to it.
    expect(quick).toMatchObject({
      tool: "quick",
      verdict: {
        before: "ask",
        rule: { name: "Invoices" },
        why: "rule_failed",
        failure: "No such key: note",
      },
    });
    expect((await read()).body.version).toBe(version);
  });

  test("leaves out calls of more than 64 KiB, which would be read all at once", async () => {
    await set([]);
    const [large, most] = [await start(ola), await start(ola)];
    for (const [{ body }, length] of [
      [large, 20_000],
      [most, 9_000],
    ] as const)
      await web.db.withOrganization(acme, (tx) =>
        tx.task.updateMany({
          where: { organizationId: acme, id: body.id },
          data: { arguments: { amount: Array.from({ length }, (_, at) => at) } },
        }),
      );
    const tried = await attempt([{ name: "Large", when: "amount == 8999", before: "ask" }]);
    expect([tried.status, tried.body.calls?.[0]]).toMatchObject([
      200,
      { taskId: most.body.id, verdict: { before: "ask", rule: { name: "Large" }, why: "rule" } },
    ]);
    expect(tried.body.calls?.map((call: { taskId: string }) => call.taskId)).not.toContain(large.body.id);
  });

  test("refuses what could not be saved", async () => {
    const refused = await attempt([{ name: "A", when: "1 +", before: "ask" }]);
    expect(refused.body.errors).toMatchObject([{ field: "rules.0.when" }]);
  });
});
