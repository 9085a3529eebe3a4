/** No request holds the process: what a few bytes could make it do for minutes is bounded, or done in another process. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMakerlessAgent } from "@/lib/agents/agent-writes.ts";
import { COMMAND_LINE } from "@/lib/people/organizations/organization-writes.ts";
import { withClient } from "@/scripts/database/roles.ts";
import { createDirectoryFixture, GROUP, patch, USER } from "@/test/directory.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { busiestTurn, MOST_HELD_MS } from "@/test/guards/busiest-turn.ts";
import { addProvider, errorOf, post, type TestProvider } from "@/test/saml/browsers.ts";
import { newId, respond } from "@/test/saml/idp.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile({ INTRAY_RATE_LIMIT: "2000" });
let acme: string;
let ana: { cookie: string };
let key: string;

beforeAll(async () => {
  acme = await web.organization("acme-stalls");
  ana = await web.member(acme, "Ana", "owner");
  key = await web.key(acme, "owner");
});

async function watched<T>(call: () => Promise<T>): Promise<T> {
  let answer: T | undefined;
  const busiest = await busiestTurn(async () => {
    answer ??= await call();
  });
  expect(busiest).toBeLessThan(MOST_HELD_MS);
  return answer as T;
}

const repeated = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

describe("a SAML response", () => {
  let provider: TestProvider;
  beforeAll(async () => {
    provider = await addProvider(web, acme, ana.cookie, {});
  });
  const names = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => `xmlns:n${from + n}="u"`).join(" ");
  const inside = (xml: string) =>
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">${xml}</samlp:Response>`;
  const nested = (levels: number, tag: (n: number) => string) =>
    Array.from({ length: levels }, (_, n) => tag(n)).join("") + "</a>".repeat(levels);

  test.each<[string, () => string]>([
    ["of nested namespaces", () => inside(nested(9_000, (n) => `<a xmlns:n${n}="u">`))],
    ["of one tag with many namespaces", () => inside(`<a ${names(0, 10_000)}>${"<b/>".repeat(8_000)}</a>`)],
    [
      "of as many namespaces and elements as are taken",
      () =>
        inside(nested(38, (n) => `<a ${names(20 * n, 20)}>`).replace("</a>", `${"<b/>".repeat(15_000)}</a>`)),
    ],
    [
      "of many attributes",
      () => inside(`<a ${Array.from({ length: 20_000 }, (_, n) => `a${n}="1"`).join(" ")}/>`),
    ],
    ["of open tags", () => inside("<a ".repeat(19_000))],
    ["of quotes", () => inside(`<a ${`"'`.repeat(60_000)}`)],
    [
      "with a signature that names many prefixes",
      () => {
        const said = { ...provider.said, inResponseTo: newId(), nameId: "x", attributes: {} };
        const list = Array.from({ length: 28_000 }, (_, n) => `p${n.toString(36)}`).join(" ");
        const inclusive = `<ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="${list}"/>`;
        const transform = /(<ds:Transform Algorithm="[^"]*xml-exc-c14n#")\s*(?:\/>|>\s*<\/ds:Transform>)/;
        const xml = respond(said, provider.key).replace(transform, `$1>${inclusive}</ds:Transform>`);
        expect(xml).toContain("PrefixList");
        return xml.replace("</saml:Assertion>", `${`<a ${names(0, 20)}/>`.repeat(500)}</saml:Assertion>`);
      },
    ],
    [
      "with a signature over much",
      () => {
        const said = { ...provider.said, inResponseTo: newId(), nameId: "x", attributes: {} };
        const many = `<b xmlns:x="u" x:y="z">${"<c/>".repeat(10_000)}</b>`;
        return respond(said, provider.key).replace("</saml:Assertion>", `${many}</saml:Assertion>`);
      },
    ],
  ])("%s", async (_, make) => {
    const xml = make();
    expect(errorOf(await watched(() => post(web, provider, xml)))).toMatch(/^saml_/);
  });
});

test.each<[string, () => string]>([
  ["nested namespaces", () => Array.from({ length: 9_000 }, (_, n) => `<a xmlns:n${n}="u">`).join("")],
  ["many elements", () => `<a>${"<b/>".repeat(19_000)}</a>`],
  ["many comments", () => `<a>${"<!---->".repeat(60_000)}</a>`],
  ["a comment that never ends, again and again", () => `<a>${"<!--".repeat(100_000)}</a>`],
])("metadata of %s", async (_, make) => {
  const body = JSON.stringify({ name: "SSO", metadata: make() });
  const call = () => web.call("POST", "/api/v1/saml-providers", { cookie: ana.cookie, body });
  expect((await watched(call)).status).toBe(422);
});

test("a directory's users and groups", async () => {
  const { scim } = await createDirectoryFixture(web, "acme-directory");
  const members = repeated(100_000, { value: 1 });
  const path = `members[${"(".repeat(20_000)}value eq "x"`;
  const long = `members[${repeated(20_000, 'value eq "x"').join(" and ")}]`;
  const bodies = [
    { schemas: [GROUP], displayName: "g", members: members.slice(0, 60_000) },
    patch(...repeated(20_000, { op: "add", path: "members", value: [] })),
    patch({ op: "remove", path }),
    patch({ op: "remove", path: long }),
    patch({ op: "add", path: "members", value: repeated(40_000, { value: "x" }) }),
    {
      schemas: [USER],
      userName: "a@b.example",
      emails: repeated(20_000, { value: "a@b.example", primary: true }),
    },
    { schemas: repeated(100_000, USER), userName: "x".repeat(100_000) },
    Object.fromEntries(repeated(50_000, 1).map((one, n) => [`a${n}`, one])),
  ];
  const { id } = (await scim("POST", "/Groups", { schemas: [GROUP], displayName: "of all" })).body;
  for (const body of bodies) {
    for (const [method, at] of [
      ["POST", "/Users"],
      ["POST", "/Groups"],
      ["PATCH", `/Groups/${id}`],
      ["PUT", `/Groups/${id}`],
    ] as const)
      expect((await watched(() => scim(method, at, body as object))).status).toBeLessThan(500);
  }
  for (const filter of ["(".repeat(7_000), repeated(500, 'userName eq "x"').join(" and ")])
    expect(
      (await watched(() => scim("GET", `/Users?filter=${encodeURIComponent(filter)}`))).status,
    ).toBeLessThan(500);
});

describe("messages of an agent", () => {
  let url: string;
  let secret: string;
  let server: Server;
  beforeAll(async () => {
    const { serveAgent } = await import("@/lib/web/mcp/endpoint.ts");
    server = createServer(serveAgent).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const agent = await web.db.withOrganization(acme, (tx) =>
      createMakerlessAgent(tx, COMMAND_LINE, { name: "Coder" }),
    );
    secret = agent.secret;
  });
  afterAll(() => server.close());
  const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });
  const post = async (message: unknown, bearer = secret) => {
    const headers = {
      authorization: `Bearer ${bearer}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-03-26",
    };
    const body = JSON.stringify(message);
    return watched(() => fetch(url, { method: "POST", headers, body }));
  };
  const send = async (message: unknown) => {
    const answer = await post(message);
    await answer.arrayBuffer();
    return answer.status;
  };
  const call = (args: unknown) => ({
    ...ping(1),
    method: "tools/call",
    params: { name: "none", arguments: args },
  });

  test.each<[string, () => unknown]>([
    ["that are none", () => repeated(300_000, {})],
    ["as many as there may be, that are none", () => repeated(100, { a: repeated(3_000, {}) })],
    ["of one call with much in it", () => call({ a: repeated(300_000, {}) })],
    [
      "of one call with many names",
      () => call(Object.fromEntries(repeated(80_000, []).map((each, n) => [n, each]))),
    ],
    ["with a long method", () => ({ ...ping(1), method: "x".repeat(1_000_000) })],
    ["with much beside", () => ({ ...ping(1), params: { _meta: { a: repeated(300_000, {}) } } })],
  ])("%s", async (_, make) => {
    expect(await send(make())).toBeLessThan(500);
  });

  test("that list the tools of many servers, as wide as servers may list them", async () => {
    const properties = Object.fromEntries(Array.from({ length: 56 }, (_, n) => [`p${n}`, {}]));
    const tools = Array.from({ length: 800 }, (_, n) => ({
      ...listed({ type: "object", properties }),
      name: `t${n}`,
    }));
    const grants: { serverId: string }[] = [];
    for (let n = 0; n < 12; n++)
      grants.push({ serverId: (await insertServer(web.db, acme, { name: `Wide ${n}`, tools })).id });
    const wide = await web.db.withOrganization(acme, (tx) =>
      createMakerlessAgent(tx, COMMAND_LINE, { name: "Wide", grants }),
    );
    const page = async (params: object): Promise<{ tools: object[]; nextCursor?: string }> =>
      (await (await post({ ...ping(1), method: "tools/list", params }, wide.secret)).json()).result;
    let { tools: found, nextCursor: cursor } = await page({});
    let count = found.length;
    while (cursor !== undefined) {
      ({ tools: found, nextCursor: cursor } = await page({ cursor }));
      count += found.length;
    }
    // Six of Intray's own.
    expect(count).toBe(12 * 800 + 6);
  });
});

describe("a call that a hook asks about", () => {
  let url: string;
  let secret: string;
  let server: Server;
  beforeAll(async () => {
    const { serveHook } = await import("@/lib/web/hooks/endpoint.ts");
    server = createServer(serveHook).listen(0, "127.0.0.1");
    await once(server, "listening");
    // Nobody is waited for.
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/claude-code?timeout=1`;
    const agent = await web.db.withOrganization(acme, (tx) =>
      createMakerlessAgent(tx, COMMAND_LINE, { name: "Laptop" }),
    );
    secret = agent.secret;
  });
  afterAll(() => server.close());

  const lines = (line: string, characters: number) => repeated(characters / line.length, line).join("");
  const tokenPart = lines("eyJ", 300);
  const longToken = (n: number) => `--token=${tokenPart}.${tokenPart}.${lines("eyJ", 2_000 + 3 * n)}e`;
  const longTokens = (count: number) => Array.from({ length: count }, (_, n) => longToken(n)).join(" ");
  test.each<[string, object]>([
    ["with many values", { a: repeated(90_000, 1) }],
    ["with many names", Object.fromEntries(repeated(40_000, []).map((each, n) => [n, each]))],
    ["with a text of a megabyte", { command: lines("rm -rf / ; ", 1_000_000) }],
    ["with names of secrets", { command: lines("password", 120_000) }],
    ["with what begins as a secret does", { command: lines("token=", 120_000) }],
    ["with what begins as a token does", { command: lines("eyJ-", 120_000) }],
    ["with addresses", { command: lines("://a:b", 120_000) }],
    ["with keys that do not end", { command: lines("-----BEGIN PRIVATE KEY----- a ", 120_000) }],
    ["with many lines", { file_path: "/a", content: lines("a\n", 120_000) }],
    ["with amounts", { command: lines("$1,000.00 ", 120_000) }],
    ["with many texts", { a: repeated(36_000, "") }],
    ["with a long token beside a text like it", { command: longTokens(1), text: lines("eyJ", 900_000) }],
    [
      "with many long tokens beside a text like them",
      { command: longTokens(100), text: lines("eyJ", 700_000) },
    ],
    ["with options that hold a password", { command: lines("--password=", 1_000_000) }],
    ["with lines of hyphens", { command: lines(`${"-".repeat(81)}\n`, 1_000_000) }],
    ["with a secret in each of many texts", { a: repeated(60_000, "--password=x") }],
  ])("%s", async (_, input) => {
    const body = JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: newId(),
      tool_use_id: newId(),
      tool_name: "content" in input ? "Write" : "Bash",
      tool_input: input,
    });
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const answer = await watched(() => fetch(url, { method: "POST", headers, body }));
    expect(await answer.json()).toMatchObject({
      hookSpecificOutput: { permissionDecision: expect.stringMatching(/^(deny|ask)$/) },
    });
  });
});

const listed = (inputSchema: object) => ({
  ...{ name: "process_invoice", title: null, description: null, inputSchema, taskSupport: "required" },
  ...{ annotations: null, honoursIdempotencyKey: false },
});

describe("arguments of a task", () => {
  const start = async (inputSchema: object, args: object) => {
    const tool = listed(inputSchema);
    const server = await insertServer(web.db, acme, { tools: [tool] });
    const body = JSON.stringify({ serverId: server.id, tool: tool.name, arguments: args });
    return watched(() => web.call("POST", "/api/v1/tasks", { key, body }));
  };
  const object = (a: object, more = {}) => ({ type: "object", properties: { a }, ...more });
  const itself = { $ref: "#/$defs/a" };

  test.each<[string, object, object]>([
    [
      "objects that are to differ",
      object({ uniqueItems: true }),
      { a: Array.from({ length: 50_000 }, (_, n) => ({ n })) },
    ],
    [
      "a schema that refers to itself",
      object(itself, { $defs: { a: { anyOf: [itself, itself] } } }),
      { a: 1 },
    ],
    [
      "a schema that refers to itself at each level",
      object(itself, {
        $defs: { a: { anyOf: repeated(8, { items: itself, maxItems: 1, minItems: 1, type: "array" }) } },
      }),
      { a: JSON.parse(`${"[".repeat(40)}1${"]".repeat(40)}`) },
    ],
    ["addresses of mail", object({ type: "string", format: "email" }), { a: `${"a.".repeat(200_000)}@` }],
    [
      "many parts and many values",
      object({ items: { allOf: repeated(2_000, { minimum: 0 }) } }),
      { a: repeated(100_000, 1) },
    ],
    [
      "parts that none of the values fit",
      object({ items: { allOf: repeated(500, { minimum: 2 }) } }),
      { a: repeated(50_000, 1) },
    ],
    [
      "a large schema",
      object({
        properties: Object.fromEntries(
          Array.from({ length: 4_000 }, (_, n) => [`p${n}`, { minimum: n, type: "number" }]),
        ),
      }),
      { a: {} },
    ],
    [
      "many names below an amount",
      { type: "object" },
      { total: 5, payment: Object.fromEntries(repeated(48_000, {}).map((each, n) => [`k${n}`, each])) },
    ],
    [
      "errors that would each repeat a long name",
      { type: "object", additionalProperties: { additionalProperties: false } },
      { ["~".repeat(120_000)]: Object.fromEntries(repeated(12_000, 0).map((zero, n) => [`k${n}`, zero])) },
    ],
  ])("%s", async (_, schema, args) => {
    expect((await start(schema, args)).status).toBeOneOf([201, 422, 413]);
  });

  test("that fit are taken, and others are not, also where they may take long to judge", async () => {
    const schema = object({ type: "array", uniqueItems: true, items: { type: "object" } });
    const many = Array.from({ length: 1_000 }, (_, n) => ({ n }));
    expect((await start(schema, { a: many })).status).toBe(201);
    const refused = await start(schema, { a: [...many, { n: 0 }] });
    expect([refused.status, refused.body.code]).toEqual([422, "invalid_arguments"]);
    expect(refused.body.errors).toMatchObject([{ field: "a" }]);
  });
});

test("permissions of a key, names of anything", async () => {
  const make = (permissions: unknown[]) => {
    const body = JSON.stringify({ name: "k", role: "viewer", permissions });
    return watched(() => web.call("POST", "/api/v1/api-keys", { key, body }));
  };
  for (const one of ["tasks:read", "x", 1, {}])
    expect((await make(repeated(40_000, one))).body.errors).toMatchObject([{ field: "permissions" }]);
});

test("an answer with the same choice again and again", async () => {
  const options = Array.from({ length: 500 }, (_, n) => ({ value: `v${n}`, title: `${n}` }));
  const field = { name: "a", title: "A", description: null, required: true, kind: "several_of" as const };
  const form = {
    kind: "supported" as const,
    fields: [{ ...field, options, minItems: null, maxItems: null, default: [] }],
  };
  const task = await insertTask(web.db, acme, await insertServer(web.db, acme));
  const { id, questionHash } = await insertRequest(web.db, acme, task, { form });
  const answer = (a: unknown[]) => {
    const body = JSON.stringify({ action: "accept", questionHash, content: { a } });
    return watched(() => web.call("POST", `/api/v1/input-requests/${id}/answer`, { key, body }));
  };
  for (const one of ["v499", "x", 1, {}]) expect((await answer(repeated(40_000, one))).status).toBe(422);
});

test("a policy with many tests of many conditions", async () => {
  const rule = (n: number) => ({
    name: `rule ${n}`,
    when: `tool == "${n}" || task.arguments.list.all(x, task.arguments.list.exists(y, x == y + ${n}.5))`,
    stages: [{ name: "s", approvers: { roles: ["owner"] } }],
  });
  const list = Array.from({ length: 100 }, (_, n) => n);
  const policy = {
    rules: Array.from({ length: 100 }, (_, n) => rule(n)),
    tests: repeated(50, { request: { arguments: { list } }, expect: { rule: "none" } }),
  };
  const { body } = await watched(() =>
    web.call("POST", "/api/v1/policy/check", { key, body: JSON.stringify(policy) }),
  );
  expect(body.problems).toHaveLength(50);
});

const SPELLINGS = "currency Currency CURRENCY currencyCode currency_code CurrencyCode CURRENCY_CODE".split(
  " ",
);

test("a rule that reads the amount of a call with thousands of them, in seven currencies", async () => {
  const rule = { name: "Large", when: "amount > 1.0", before: "deny" };
  const putRules = async (rules: object[], version: number) => {
    const headers = { "if-match": String(version) };
    const body = JSON.stringify({ rules });
    expect((await web.call("PUT", "/api/v1/call-rules", { key, headers, body })).status).toBe(200);
  };
  await putRules([rule], 0);
  const codes = ["EUR", "USD", "JPY", "KWD", "GBP", "CHF", "SEK"];
  const currencies = Object.fromEntries(SPELLINGS.map((name, n) => [name, codes[n]]));
  const name = `total${"xY".repeat(75)}_amount_minor`;
  const server = await insertServer(web.db, acme, { tools: [listed({ type: "object" })] });
  for (const each of [(n: number) => n, (n: number) => `EUR 1,234,567.${10 + (n % 90)}`]) {
    const args = { ...currencies, [name]: Array.from({ length: 9_990 }, (_, n) => each(n)) };
    const body = JSON.stringify({ serverId: server.id, tool: "process_invoice", arguments: args });
    const call = () => web.call("POST", "/api/v1/tasks", { key, body });
    expect((await watched(call)).body.code).toBe("denied_by_rule");
  }
  await putRules([], 1);
});

test("a list of tasks with as many arguments as are read for a row", async () => {
  const server = await insertServer(web.db, acme);
  const shapes = {
    wide: Object.fromEntries(Array.from({ length: 800 }, (_, n) => [`a${n}`, n])),
    dear: { total: 5, payment: repeated(1_980, "1") },
  };
  for (const [tool, args] of Object.entries(shapes)) {
    for (let n = 0; n < 200; n++) await insertTask(web.db, acme, server, { arguments: args, tool });
    const call = () => web.call("GET", `/api/v1/tasks?limit=200&tool=${tool}`, { key });
    expect((await watched(call)).body.items).toHaveLength(200);
  }
});

test("a request with as many arguments as a call has, and its documents", async () => {
  const server = await insertServer(web.db, acme);
  const names = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`a${n.toString(36)}`, "x"]));
  const results = await Promise.all(
    Array.from({ length: 3 }, () =>
      insertTask(web.db, acme, server, {
        state: "completed",
        result: { content: repeated(20_000, { type: "resource", resource: {} }) },
      }),
    ),
  );
  const foreign = (length: number, n: number) =>
    String.fromCodePoint(...Array.from({ length }, (_, at) => 0x4e00 + ((at * 7_919 + n) % 20_000)));
  const shapes = [
    names,
    { order: names },
    { ids: results, list: repeated(20_000, {}) },
    { ids: results, list: repeated(19_000, { type: "resource_link" }) },
    { ["aB-".repeat(30_000)]: repeated(19_000, "https://a.b") },
    { total: 5, payment: Object.fromEntries(Object.keys(names).map((name) => [name, {}])) },
    { total: 5, more: Object.fromEntries(Object.keys(names).map((name) => [`payment_${name}_id`, {}])) },
    { document_url: Array.from({ length: 1_200 }, (_, n) => `http://${foreign(240, n)}:99999/`) },
  ];
  for (const args of shapes) {
    const task = await insertTask(web.db, acme, server, { arguments: args });
    const { id } = await insertRequest(web.db, acme, task);
    for (const path of [`/api/v1/input-requests/${id}`, `/api/v1/input-requests/${id}/documents`])
      expect((await watched(() => web.call("GET", path, { key }))).status).toBe(200);
  }
});

test("groups of a directory with more members than a page brings, which come in pages", async () => {
  const { scim, organizationId } = await createDirectoryFixture(web, "acme-groups");
  await withClient(web.database.adminUrl, async (client) => {
    await client.query(
      `INSERT INTO directory_person (organization_id, id, user_name)
        SELECT $1, gen_random_uuid(), n || '@many.example' FROM generate_series(1, 2000) n`,
      [organizationId],
    );
    await client.query(
      `WITH made AS (INSERT INTO directory_group (organization_id, id, display_name)
          SELECT $1, gen_random_uuid(), 'group ' || n FROM generate_series(1, 60) n RETURNING id)
        INSERT INTO directory_group_member (organization_id, group_id, person_id)
        SELECT $1, made.id, p.id FROM made, directory_person p WHERE p.organization_id = $1`,
      [organizationId],
    );
  });
  const found: { id: string; members: unknown[] }[] = [];
  while (found.length < 60) {
    const path = `/Groups?count=200&startIndex=${found.length + 1}`;
    const { body } = await watched(() => scim("GET", path));
    expect([body.totalResults, body.itemsPerPage]).toEqual([60, body.Resources.length]);
    expect(body.Resources).not.toHaveLength(0);
    found.push(...body.Resources);
  }
  expect(new Set(found.map(({ id }) => id)).size).toBe(60);
  expect(found.every(({ members }) => members.length === 2_000)).toBe(true);
  const names = await watched(() => scim("GET", "/Groups?count=200&excludedAttributes=members"));
  expect(names.body.Resources).toHaveLength(60);
});
