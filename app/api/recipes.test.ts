/** Recipes by the API: versions, mistakes, among the server's tools, granted to agents, tried without a call that changes anything. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Prisma } from "@/lib/base/db/db.ts";
import { TUNNEL_RECIPE } from "@/test/fixtures/recipes/tunnel-fixture.ts";
import { databaseForFile } from "@/test/for-file.ts";
import {
  createInvoiceDatabase,
  type InvoiceServer,
  startTunnelledServer,
} from "@/test/servers/invoice-server.ts";
import { startSessionTools } from "@/test/servers/tools/session-tools.ts";
import { startWeb, type TestWeb } from "@/test/web.ts";

let web: TestWeb;
const postgres = databaseForFile();
let tunnel: InvoiceServer;
let acme: string;
let serverId: string;
let admin: string;
let operator: string;

beforeAll(async () => {
  tunnel = await startTunnelledServer((await createInvoiceDatabase(postgres.adminUrl)).url);
  web = await startWeb({ INTRAY_ALLOW_HOSTS: "127.0.0.1" });
  acme = await web.organization("acme-recipes");
  admin = await web.key(acme, "admin");
  operator = await web.key(acme, "operator");
  const body = { name: "Payables", url: tunnel.url };
  serverId = (await web.call("POST", "/api/v1/servers", { key: admin, body })).body.id;
});
afterAll(async () => {
  await web.stop();
  await tunnel.kill();
});

const NAME = TUNNEL_RECIPE.name;
const at = (path = "") => `/api/v1/servers/${serverId}/recipes${path}`;
const call = (
  method: Parameters<TestWeb["call"]>[0],
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) =>
  web.call(method, at(path), {
    key: admin,
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  });
const put = (recipe: unknown, headers?: Record<string, string>) => call("PUT", `/${NAME}`, recipe, headers);
const tools = async () =>
  (await web.call("GET", `/api/v1/servers/${serverId}/tools?asSeen=true`, { key: operator })).body.items as {
    name: string;
    digest: string;
    recipe?: { version: number };
    annotations: Record<string, unknown>;
    inputSchema: { required: string[] };
    change: unknown;
  }[];

describe("a recipe", () => {
  test("has versions, which nobody changes", async () => {
    const made = await call("POST", "", TUNNEL_RECIPE);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: NAME, version: 1, problem: null, madeBy: { kind: "key" } });
    expect((await call("POST", "", TUNNEL_RECIPE)).body).toMatchObject({
      code: "version_changed",
      version: 1,
    });

    const again = await put(TUNNEL_RECIPE);
    expect([again.status, again.body.version]).toEqual([200, 1]);
    const next = await put({ ...TUNNEL_RECIPE, title: "Pay an invoice" }, { "if-match": '"1"' });
    expect([next.status, next.body.version, next.headers.get("etag")]).toEqual([200, 2, '"2"']);
    const late = await put(TUNNEL_RECIPE, { "if-match": "1" });
    expect(late.body).toMatchObject({ code: "version_changed", version: 2 });

    expect((await call("GET", `/${NAME}`)).body).toEqual(next.body);
    expect((await call("GET", "")).body).toEqual({ items: [next.body] });
    const rows = await web.db.withOrganization(acme, (tx) =>
      tx.recipeVersion.findMany({ where: { organizationId: acme }, orderBy: { version: "asc" } }),
    );
    expect(rows.map(({ version, until }) => [version, until === null])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  test("of two saves over one version, one is made", async () => {
    const saves = await Promise.all(
      ["One", "Two"].map((title) => put({ ...TUNNEL_RECIPE, title }, { "if-match": "2" })),
    );
    expect(saves.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test("with mistakes is refused, each with its place", async () => {
    const wrong = await put({
      ...TUNNEL_RECIPE,
      start: { tool: "submit_invoice", handle: "result.structuredContent." },
      questions: [{ ...TUNNEL_RECIPE.questions[0], when: "state" }],
    });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors.map(({ field }: { field: string }) => field)).toEqual([
      "recipe.start.handle",
      "recipe.questions.0.when",
    ]);
    expect((await put({ ...TUNNEL_RECIPE, nam: 1 })).status).toBe(422);
    expect((await put({ ...TUNNEL_RECIPE, name: "other" })).body.errors).toMatchObject([{ field: "name" }]);
    const taken = await call("POST", "", { ...TUNNEL_RECIPE, name: "submit_invoice" });
    expect(taken.body.errors).toEqual([
      { field: "recipe.name", message: "The server has a tool of this name" },
    ]);
  });

  test("stands first among the server's tools, in a version that a change tells", async () => {
    const [first, ...others] = await tools();
    expect(others.map(({ name }) => name)).toEqual([
      "submit_invoice",
      "get_invoice_status",
      "approve_invoice",
      "reject_invoice",
    ]);
    expect(first).toMatchObject({
      name: NAME,
      taskSupport: "required",
      // The strictest of its tools' claims.
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
      inputSchema: { required: ["invoice_id", "customer", "amount"] },
    });
    expect(first).not.toHaveProperty("calls");
    await put({ ...TUNNEL_RECIPE, status: { ...TUNNEL_RECIPE.status, everyMs: 9_000 } });
    const [changed] = await tools();
    expect(changed?.recipe?.version).toBe(first!.recipe!.version + 1);
    expect(changed?.digest).not.toBe(first?.digest);
  });

  test("whose tools the server does not list is not offered, and says why", async () => {
    const body = { ...TUNNEL_RECIPE, name: "lost", cancel: { tool: "cancel_invoice" } };
    const made = await call("POST", "", body);
    expect(made.body.problem).toBe("The server lists no tool of this name: cancel_invoice.");
    expect((await tools()).map(({ name }) => name)).not.toContain("lost");
    expect((await call("DELETE", "/lost")).status).toBe(204);
    expect((await call("DELETE", "/lost")).status).toBe(404);
    expect((await call("GET", "/lost")).status).toBe(404);
    const back = await call("POST", "", body);
    expect(back.body.version).toBe(2);
    await call("DELETE", "/lost");
  });

  test("starts tasks by its name, checked by the start tool's schema", async () => {
    const start = (args: object) =>
      web.call("POST", "/api/v1/tasks", { key: operator, body: { serverId, tool: NAME, arguments: args } });
    expect((await start({ invoice_id: "INV-1" })).body.code).toBe("invalid_arguments");
    const started = await start({ invoice_id: "INV-1", customer: "ACME", amount: 5 });
    expect(started.status).toBe(201);
    const { version } = (await call("GET", `/${NAME}`)).body;
    expect(started.body).toMatchObject({ tool: NAME, recipeVersion: version });
  });

  test("is there where the server has to be asked for its tools first", async () => {
    const forget = () =>
      web.db.withOrganization(acme, (tx) =>
        tx.server.updateMany({
          where: { organizationId: acme, id: serverId },
          data: { tools: Prisma.DbNull, toolsCheckedAt: null },
        }),
      );
    await forget();
    const path = `/api/v1/servers/${serverId}/tools`;
    expect((await web.call("GET", path, { key: operator })).body.items[0].name).toBe(NAME);
    await forget();
    const args = { invoice_id: "INV-2", customer: "ACME", amount: 5 };
    const body = { serverId, tool: NAME, arguments: args };
    expect((await web.call("POST", "/api/v1/tasks", { key: operator, body })).status).toBe(201);
  });

  test("is granted to an agent as a tool, and asks about the agent's calls once it has changed", async () => {
    const agent = await web.call("POST", "/api/v1/agent-credentials", {
      key: admin,
      body: { name: "Claude", grants: [{ serverId, tool: NAME }] },
    });
    expect(agent.status).toBe(201);
    const grants = async () =>
      (await web.call("GET", `/api/v1/agent-credentials/${agent.body.id}`, { key: admin })).body.grants;
    expect(await grants()).toMatchObject([{ tool: NAME, changed: [] }]);
    await put({ ...TUNNEL_RECIPE, description: "Another one" });
    expect(await grants()).toMatchObject([{ tool: NAME, changed: [{ tool: NAME }] }]);
  });
});

describe("a recipe is tried", () => {
  const tryWith = (body: object, name = NAME) => call("POST", `/${name}/try`, body);
  const told = async () => (await (await fetch(`${tunnel.baseUrl}/ledger`)).json()).length;

  test("on a recorded reply: its state, its question, and the calls that its choices would be", async () => {
    const structuredContent = { status: "PENDING-APPROVAL", invoice_id: "INV-1", customer: "ACME" };
    const tried = await tryWith({ reply: { content: [], structuredContent } });
    expect(tried.status).toBe(200);
    expect(tried.body).toMatchObject({
      problem: null,
      state: "PENDING-APPROVAL",
      known: true,
      status: "input_required",
      questions: [
        {
          message: "Approve invoice INV-1 of ACME?",
          details: structuredContent,
          choices: [
            { label: "Approve", call: { tool: "approve_invoice", arguments: { reference: "handle" } } },
            { label: "Reject", call: { tool: "reject_invoice", arguments: { reference: "handle" } } },
          ],
        },
      ],
    });
    expect((await tryWith({ reply: { content: [], structuredContent: {} } })).body).toMatchObject({
      problem: "No such key: status",
      status: null,
    });
  });

  test("before it is saved", async () => {
    const recipe = {
      ...TUNNEL_RECIPE,
      name: "new",
      status: { ...TUNNEL_RECIPE.status, state: "result.text", completed: ["done"] },
    };
    const tried = await tryWith({ recipe, reply: { content: [{ type: "text", text: "done" }] } }, "new");
    expect(tried.body).toMatchObject({ status: "completed", state: "done" });
    expect((await tryWith({ reply: {} }, "new")).status).toBe(404);
    expect((await tryWith({ recipe: { ...recipe, questions: [{}] }, reply: {} }, "new")).status).toBe(422);
  });

  test("on the server, where nothing but the status is asked", async () => {
    const before = await told();
    const unknown = await tryWith({ handle: "T-404" });
    expect(unknown.body).toMatchObject({
      problem: "The tool failed: There is no invoice T-404.",
      status: null,
    });
    const changing = { ...TUNNEL_RECIPE, status: { ...TUNNEL_RECIPE.status, tool: "approve_invoice" } };
    expect((await tryWith({ handle: "T-1", recipe: changing })).body.code).toBe("not_read_only");
    expect(await told()).toBe(before);
    expect((await tryWith({})).status).toBe(422);
    expect((await tryWith({ handle: "T-1", reply: {} })).status).toBe(422);
  });

  test("on a server of sessions, whose session is ended whatever the call came to", async () => {
    const remote = await startSessionTools();
    try {
      const body = { name: "Jobs", url: remote.url, era: "2025-11-25" };
      const { id } = (await web.call("POST", "/api/v1/servers", { key: admin, body })).body;
      const recipe = {
        name: "do_job",
        start: { tool: "submit", handle: "result.structuredContent.job" },
        status: {
          tool: "status",
          arguments: { job: "handle" },
          state: "result.structuredContent.state",
          completed: ["DONE"],
        },
      };
      const tried = (handle: string) =>
        web.call("POST", `/api/v1/servers/${id}/recipes/do_job/try`, {
          key: admin,
          body: { recipe, handle },
        });
      expect((await tried("J-1")).body).toMatchObject({ problem: null, state: "WORKING", known: false });
      expect((await tried("J-2")).body.problem).toMatch(/J-1/);
      expect(remote.sessions.size).toBe(0);
    } finally {
      await remote.close();
    }
  });
});
