/**
 * Names of Intray's own network are not told apart from names that do not exist: not by code, words, steps or time.
 * `localhost` stands for a name that leads inside, to a server that listens there.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { addProvider } from "@/test/saml/browsers.ts";
import { type GuardedServer, startGuardedServer } from "@/test/servers/guarded-server.ts";
import { type Answer, startWeb, type TestWeb } from "@/test/web.ts";

const OUTSIDE = "unknown.invalid";
let web: TestWeb;
let inside: Server;
let connections = 0;
let port = 0;
let remote: GuardedServer;
let acme: string;
let ana: { cookie: string };
let olga: { cookie: string };

beforeAll(async () => {
  inside = createServer((_, response) => response.end("{}")).on("connection", () => connections++);
  await new Promise<void>((resolve) => inside.listen(0, resolve));
  port = (inside.address() as AddressInfo).port;
  remote = await startGuardedServer("http://127.0.0.1:9/mcp", { issuer: "", check: async () => null });
  web = await startWeb({ INTRAY_ALLOW_HOSTS: remote.hostAndPort });
  acme = await web.organization("acme");
  ana = await web.member(acme, "Ana", "admin");
  olga = await web.member(acme, "Olga", "owner");
});
beforeEach(() => {
  connections = 0;
});
afterAll(async () => {
  await remote.close();
  await new Promise((resolve) => inside.close(resolve));
  await web.stop();
});

/** An answer without what differs between any two calls. */
const plain = (host: string, { status, body }: Pick<Answer, "status" | "body">) =>
  JSON.parse(
    JSON.stringify([status, body], (key, value) =>
      ["ms", "id", "requestId", "request_id", "createdAt", "checkedAt", "at"].includes(key)
        ? undefined
        : value,
    ).replaceAll(host, "the-name"),
  );
/** Both names' answers, and the shorter of the two times. */
async function both(ask: (host: string) => Promise<Pick<Answer, "status" | "body">>) {
  const answers = [];
  let shortest = Number.POSITIVE_INFINITY;
  for (const host of ["localhost", OUTSIDE]) {
    const began = performance.now();
    answers.push(plain(host, await ask(host)));
    shortest = Math.min(shortest, performance.now() - began);
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(connections).toBe(0);
  // Each lookup that leads nowhere ends at the same beat, however fast the resolver knew it.
  expect(shortest).toBeGreaterThanOrEqual(990);
  return answers[0];
}
const post = (path: string, body: object) => web.call("POST", `/api/v1${path}`, { ...ana, body });
const SENTENCE = "The server could not be reached, or is not allowed here.";
const at = (host: string, scheme = "http") => `${scheme}://${host}:${port}/mcp`;
const serverAt = (host: string) => insertServer(web.db, acme, { url: at(host) });

describe("a name that leads inside, and one that leads nowhere, get the same answer", () => {
  test("from a probe, step by step", async () => {
    const [status, body] = await both((host) => post("/servers/probe", { url: at(host) }));
    expect([status, body.health]).toEqual([200, { state: "unreachable", message: SENTENCE }]);
  });

  test.each(["auto", "2025-11-25", "2026-07-28"])("from a new server that speaks %s", async (era) => {
    const [status, body] = await both((host) => post("/servers", { name: "ERP", url: at(host), era }));
    expect([status, body.health]).toMatchObject([201, { state: "unreachable", message: SENTENCE }]);
  });

  test("from the address of a SAML provider's metadata, new or changed", async () => {
    const ask = (method: "POST" | "PATCH", path: string) => (host: string) =>
      web.call(method, path, { ...olga, body: { name: "IdP", metadataUrl: at(host, "https") } });
    const refused = [422, { code: "invalid_metadata" }];
    expect(await both(ask("POST", "/api/v1/saml-providers"))).toMatchObject(refused);
    const provider = await addProvider(web, acme, olga.cookie);
    expect(await both(ask("PATCH", `/api/v1/saml-providers/${provider.id}`))).toMatchObject(refused);
  });

  test("from the check of a receiver of approvals", async () => {
    const answer = await both((host) => {
      const delivery = {
        ...{ type: "webhook", url: at(host, "https"), registration_id: randomUUID() },
        signing_secret: `whsec_${randomBytes(32).toString("base64")}`,
      };
      const headers = { "idempotency-key": randomUUID() };
      return web.call("POST", "/api/aap/v1/instances", { ...olga, headers, body: { delivery } });
    });
    expect(answer).toMatchObject([422, { error: { code: "webhook_verification_failed" } }]);
  });

  test("from a test of a server, and from its tools", async () => {
    const [status, body] = await both(async (host) =>
      post(`/servers/${(await serverAt(host)).id}/check`, {}),
    );
    expect([status, body.health]).toMatchObject([200, { state: "unreachable", message: SENTENCE }]);
    const tools = await both(async (host) =>
      web.call("GET", `/api/v1/servers/${(await serverAt(host)).id}/tools`, ana),
    );
    expect(tools).toMatchObject([502, { code: "server_unavailable", detail: SENTENCE }]);
  });

  test("from a document", async () => {
    const answer = await both(async (host) => {
      const server = await serverAt(host);
      const data = { era: "2026-07-28", eraSetting: "2026-07-28", capabilities: { resources: {} } };
      await web.db.withOrganization(acme, (tx) => tx.server.updateMany({ where: { id: server.id }, data }));
      const taskId = await insertTask(web.db, acme, server, { arguments: { note: "demo://resource/1" } });
      const { id } = await insertRequest(web.db, acme, taskId, { message: "Approve?" });
      const documents = `/api/v1/input-requests/${id}/documents`;
      const { body } = await web.call("GET", documents, ana);
      return web.call("GET", `${documents}/${body.items[0].id}`, ana);
    });
    expect(answer).toMatchObject([502, { code: "server_unavailable", detail: SENTENCE }]);
  });

  test.each([
    ["an authorization server", (host: string) => ({ authorization_servers: [at(host, "https")] })],
    [
      "several of them",
      (host: string) => ({ authorization_servers: [at(host, "https"), at(OUTSIDE, "https")] }),
    ],
  ])("from a sign-in, where a server names %s there", async (_, named) => {
    const answer = await both(async (host) => {
      remote.behave.metadata = (metadata) => ({ ...metadata, ...named(host) });
      const added = await post("/servers", { name: "ERP", url: remote.url, auth: { kind: "oauth" } });
      return post(`/servers/${added.body.id}/connect`, { shared: true });
    });
    expect(answer).toMatchObject([409, { code: "cannot_connect", reason: "unreachable" }]);
    // The probe asks the same names, to say where people sign in.
    const probed = await both((host) => {
      remote.behave.metadata = (metadata) => ({ ...metadata, ...named(host) });
      return post("/servers/probe", { url: remote.url });
    });
    expect(probed).toMatchObject([200, { signIn: { kind: "oauth", host: null, refusal: "unreachable" } }]);
  });
});

test("what an address itself says is refused at once: no name is looked up for it", async () => {
  for (const url of ["http://10.0.0.1/mcp", "http://169.254.169.254/", "http://[::1]:1/"]) {
    for (const answer of [
      await post("/servers/probe", { url }),
      await post("/servers", { name: "ERP", url }),
    ])
      expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
        422,
        "address_not_allowed",
        SENTENCE,
      ]);
    const hook = await post("/webhooks", { url, events: ["task.completed"] });
    expect([hook.status, hook.body.code]).toEqual([422, "address_not_allowed"]);
    const told = await post("/requests", { kind: "question", message: "Which?", callbackUrl: url });
    expect([told.status, told.body.code]).toEqual([422, "address_not_allowed"]);
  }
});

test("a webhook is taken at any name: its deliveries alone ask where the name leads", async () => {
  const answers = await Promise.all(
    ["localhost", OUTSIDE].map(async (host) =>
      plain(host, await post("/webhooks", { url: `https://${host}:${port}/`, events: ["task.completed"] })),
    ),
  );
  const [one, other] = answers.map(([status, { secret: _, ...body }]) => [status, body]);
  expect(one).toEqual(other);
  expect(one?.[0]).toBe(201);
});

test.each([
  ["a webhook", (host: string) => ({ kind: "webhook", url: `https://${host}:${port}/` })],
  ["a syslog server", (host: string) => ({ kind: "syslog", host, port })],
  [
    "a bucket",
    (host: string) => ({
      kind: "s3",
      url: `https://${host}:${port}/`,
      bucket: "history",
      region: "eu-central-1",
      accessKeyId: "id",
      secretAccessKey: "secret",
    }),
  ],
])("an audit stream to %s is taken at any name too", async (_, stream) => {
  const answers = [];
  for (const host of ["localhost", OUTSIDE]) {
    const made = await web.call("POST", "/api/v1/audit-streams", { ...olga, body: stream(host) });
    expect(made.status).toBe(201);
    const [, { secret: _secret, behind: _behind, ...body }] = plain(host, made);
    answers.push(body);
    await web.call("DELETE", `/api/v1/audit-streams/${made.body.id}`, olga);
  }
  expect(answers[0]).toEqual(answers[1]);
});

test("a request's callback is taken at any name, and links are never asked for", async () => {
  for (const host of ["localhost", OUTSIDE]) {
    const url = `https://${host}:${port}/`;
    const made = await post("/requests", { kind: "question", message: "?", callbackUrl: url, links: [url] });
    expect([made.status, made.body.callback]).toEqual([
      201,
      { state: "pending", attempts: 0, lastStatus: null, lastError: null },
    ]);
  }
});

test("a device's push service is taken at any name; what a push to it finds is one sentence (push.test.ts)", async () => {
  for (const host of ["localhost", OUTSIDE]) {
    const endpoint = `https://${host}:${port}/push`;
    const keys = { p256dh: `B${"A".repeat(86)}`, auth: "A".repeat(22) };
    const made = await post("/me/devices", { endpoint, ...keys });
    const seen = await web.call("PUT", "/api/v1/me/devices", { ...ana, body: { endpoint } });
    expect([made.status, seen.status, seen.body]).toEqual([201, 200, made.body]);
  }
  expect(connections).toBe(0);
});

test("these are all the calls that take an address", async () => {
  const { body } = await web.call("GET", "/api/v1/openapi.json");
  const found = Object.entries(body.paths as Record<string, Record<string, unknown>>).flatMap(
    ([path, calls]) =>
      Object.entries(calls)
        .filter(([, call]) => {
          const asked = (call as { requestBody?: unknown }).requestBody;
          return (
            asked !== undefined &&
            /"(\w*(?:[uU]rl|[uU]ri)|address|endpoint|issuer|host)":\{/.test(JSON.stringify(asked))
          );
        })
        .map(([method]) => `${method} ${path}`),
  );
  expect(found.sort()).toEqual([
    "patch /api/v1/saml-providers/{id}",
    "patch /api/v1/webhooks/{id}",
    "post /api/aap/v1/instances",
    "post /api/v1/allowed-hosts",
    "post /api/v1/audit-streams",
    "post /api/v1/me/devices",
    // As of the policy below.
    "post /api/v1/policy/replay",
    "post /api/v1/requests",
    "post /api/v1/saml-providers",
    "post /api/v1/servers",
    "post /api/v1/servers/probe",
    "post /api/v1/webhooks",
    "put /api/v1/me/devices",
    // In its tests, of requests that are made up: nobody calls it.
    "put /api/v1/policy",
  ]);
});
