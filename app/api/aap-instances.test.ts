/** Programs that are registered over the Agent Approval Protocol, with receivers that are checked and told. */
import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EngineProcess, startEngineProcess } from "@/test/engine-process.ts";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { expectedSignature, type ReceivedCall } from "@/test/servers/receiver.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile({ INTRAY_ALLOW_HOSTS: "127.0.0.1" });
let engine: EngineProcess;
let acme: string;
let operator: string;
let owner: string;
let ben: { userId: string; cookie: string };
let server: Server;
let url: string;
const received: ReceivedCall[] = [];
/** How the receiver answers a check. */
let check: (message: Record<string, string>) => { status: number; body?: string };
/** How often it refuses other messages. */
let refusals = 0;

beforeAll(async () => {
  acme = await web.organization("acme-aap-instances");
  operator = await web.key(acme, "operator");
  owner = await web.key(acme, "owner");
  ben = await web.member(acme, "Ben", "approver");
  engine = await startEngineProcess(web.engineEnvironment);
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ path: request.url ?? "", headers: request.headers, body });
      const message = JSON.parse(body);
      if (message.type === "webhook.verification") {
        const { status, body: answer } = check(message);
        return response.writeHead(status, { location: url }).end(answer);
      }
      response.writeHead(refusals-- > 0 ? 503 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/aap/events`;
});
afterAll(async () => {
  await engine?.kill();
  server?.close();
});

const REFUND = { tool: "issue_refund", arguments: { payment_id: "payment_123" }, timeout: "30m" };
const withKey = (idempotencyKey: string | null) =>
  idempotencyKey === null ? {} : { headers: { "idempotency-key": idempotencyKey } };
const make = (idempotencyKey: string, as: string) =>
  web.call("POST", "/api/aap/v1/requests", { key: as, body: REFUND, ...withKey(idempotencyKey) });
const read = (id: string, as: string) => web.call("GET", `/api/aap/v1/requests/${id}`, { key: as });
const cancel = (id: string, as: string) => web.call("DELETE", `/api/aap/v1/requests/${id}`, { key: as });
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
];
async function decide(id: string, answer: object = { action: "accept", content: {} }) {
  const { questionHash } = (await web.call("GET", `/api/v1/input-requests/${id}`, ben)).body;
  const path = `/api/v1/input-requests/${id}/answer`;
  return web.call("POST", path, { ...ben, body: { ...answer, questionHash } });
}

const I = "/api/aap/v1/instances";
const register = (body: unknown, idempotencyKey: string | null = randomUUID(), as = owner) =>
  web.call("POST", I, { key: as, body, ...withKey(idempotencyKey) });
const delivery = (more: object = {}) => ({
  ...{ type: "webhook", url, registration_id: randomUUID() },
  signing_secret: `whsec_${randomBytes(32).toString("base64")}`,
  ...more,
});
const echo = ({ challenge }: Record<string, string>) => ({
  status: 200,
  body: JSON.stringify({ challenge }),
});

test("an instance gets a key that asks people and does nothing else, and the same one again for the same key", async () => {
  const first = await register({ instance_name: "codex-chris-laptop" }, "one");
  expect(first.status).toBe(201);
  const { instance, credential } = first.body;
  expect(first.body).toEqual({
    instance: { id: expect.any(String), name: "codex-chris-laptop" },
    credential: { token: expect.stringMatching(/^itk_/), expires_at: expect.any(String) },
  });
  const again = await register({ instance_name: "codex-chris-laptop" }, "one");
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(codeOf(await register({}, "one"))).toEqual([409, "idempotency_conflict"]);
  const two = await Promise.all([register({}, "two"), register({}, "two")]);
  expect(two.map(({ status }) => status).sort()).toEqual([200, 201]);
  expect(two[0]?.body).toEqual(two[1]?.body);
  const stored = await web.database.sql(
    "SELECT count(*)::int AS n FROM aap_instance WHERE organization_id = $1",
    [acme],
  );
  expect(stored).toEqual([{ n: 2 }]);

  const { token } = credential;
  expect((await make("its", token)).status).toBe(201);
  expect(codeOf(await register({}, "k", token))).toEqual([403, "forbidden"]);
  expect((await web.call("GET", "/api/v1/tasks", { key: token })).status).toBe(403);
  const keys = (await web.call("GET", "/api/v1/api-keys", { key: owner })).body.items;
  expect(keys.find(({ id }: { id: string }) => id === instance.id)).toMatchObject({
    ...{ name: "codex-chris-laptop", role: "operator", permissions: ["requests:read", "requests:ask"] },
  });
  expect((await web.call("DELETE", `/api/v1/api-keys/${instance.id}`, { key: owner })).status).toBe(204);
  expect(codeOf(await make("its", token))).toEqual([401, "unauthenticated"]);
  expect(codeOf(await register({ instance_name: "codex-chris-laptop" }, "one"))).toEqual([
    409,
    "instance_deleted",
  ]);
});

test("an instance is told of the end of its requests, each once, in the secret that its receiver knows", async () => {
  check = echo;
  received.length = 0;
  const its = delivery();
  const { status, body } = await register({ delivery: its }, "told");
  expect([status, body.error]).toEqual([201, undefined]);
  const { signing_secret, ...shown } = its;
  expect(body.instance).toEqual({ id: expect.any(String), name: expect.any(String), delivery: shown });
  expect(JSON.stringify(body)).not.toContain(signing_secret);
  expect(received).toHaveLength(1);
  expect(JSON.parse(received[0]!.body)).toEqual({
    ...{ id: received[0]!.headers["webhook-id"], type: "webhook.verification" },
    ...{ registration_id: its.registration_id, instance_id: body.instance.id },
    ...{ created_at: expect.any(String), challenge: expect.any(String) },
  });
  expect(received[0]!.headers["webhook-signature"]).toBe(expectedSignature(signing_secret, received[0]!));
  // Told the same again, and not checked again.
  expect((await register({ delivery: its }, "told")).body).toEqual(body);
  expect(received).toHaveLength(1);

  const { token } = body.credential;
  received.length = 0;
  refusals = 1;
  const ids = await Promise.all(["a", "b", "c"].map(async (name) => (await make(name, token)).body.id));
  expect((await decide(ids[0])).status).toBe(202);
  expect((await decide(ids[1], { action: "decline" })).status).toBe(202);
  expect((await cancel(ids[2], token)).status).toBe(200);
  const states = async () =>
    web.database.sql("SELECT DISTINCT state FROM request_callback WHERE instance_id = $1", [
      body.instance.id,
    ]);
  await until("all are told", async () => JSON.stringify(await states()) === '[{"state":"delivered"}]');
  expect(received).toHaveLength(4);
  const messages = new Map(received.map((call) => [JSON.parse(call.body).request_id, call]));
  expect([...messages.keys()].sort()).toEqual([...ids].sort());
  for (const [id, call] of messages) {
    const { decision } = (await read(id, token)).body;
    expect(JSON.parse(call.body)).toEqual({
      ...{ id: call.headers["webhook-id"], type: "request.resolved", instance_id: body.instance.id },
      ...{ request_id: id, created_at: decision.decided_at },
    });
    expect(call.headers["webhook-signature"]).toBe(expectedSignature(signing_secret, call));
  }
});

test.each<[string, (message: Record<string, string>) => { status: number; body?: string }]>([
  [
    "answers with another challenge",
    () => ({ status: 200, body: JSON.stringify({ challenge: randomUUID() }) }),
  ],
  ["says only that it is well", () => ({ status: 200, body: "" })],
  [
    "says more than it was asked",
    ({ challenge }) => ({ status: 200, body: JSON.stringify({ challenge, ok: true }) }),
  ],
  [
    "says the challenge in a very long answer",
    ({ challenge }) => ({ status: 200, body: `${JSON.stringify({ challenge })}${" ".repeat(20_000)}` }),
  ],
  ["answers with another status", ({ challenge }) => ({ status: 201, body: JSON.stringify({ challenge }) })],
  ["sends elsewhere", () => ({ status: 307 })],
  ["does not know the registration", () => ({ status: 403 })],
])(
  "an instance of a receiver that %s is not made, and can be made later with the same key",
  async (_what, answer) => {
    const submission = { delivery: delivery() };
    const count = () => web.database.sql("SELECT count(*)::int AS n FROM api_key");
    const before = await count();
    check = answer;
    received.length = 0;
    const idempotencyKey = randomUUID();
    expect(codeOf(await register(submission, idempotencyKey))).toEqual([422, "webhook_verification_failed"]);
    expect(received).toHaveLength(1);
    expect(await count()).toEqual(before);
    check = echo;
    expect((await register(submission, idempotencyKey)).status).toBe(201);
  },
);

test.each<[string, () => unknown, string]>([
  ["a private address", () => ({ delivery: delivery({ url: "https://10.0.0.1/x" }) }), "invalid_webhook_url"],
  [
    "an address without TLS",
    () => ({ delivery: delivery({ url: "http://hooks.example/x" }) }),
    "invalid_webhook_url",
  ],
  [
    "an address with a password",
    () => ({ delivery: delivery({ url: "https://a:b@hooks.example/" }) }),
    "invalid_webhook_url",
  ],
  [
    "an address with a fragment",
    () => ({ delivery: delivery({ url: "https://hooks.example/#x" }) }),
    "invalid_webhook_url",
  ],
  ["no address", () => ({ delivery: delivery({ url: "hooks" }) }), "invalid_webhook_url"],
  ["a socket", () => ({ delivery: delivery({ type: "socket" }) }), "unsupported_delivery_type"],
  [
    "a secret of another length",
    () => ({ delivery: delivery({ signing_secret: "whsec_AAAA" }) }),
    "invalid_input",
  ],
  ["no registration", () => ({ delivery: delivery({ registration_id: undefined }) }), "invalid_input"],
  ["a null for no delivery", () => ({ delivery: null }), "invalid_input"],
  ["an unknown field", () => ({ role: "owner" }), "invalid_input"],
  ["a name twice", () => '{"instance_name":"a","instance_name":"b"}', "invalid_json"],
])("an instance with %s is refused", async (_what, submission, code) => {
  check = echo;
  received.length = 0;
  expect(codeOf(await register(submission()))).toEqual([400, code]);
  expect(received).toEqual([]);
});

test("an instance is made by a provisioner that may make such keys, and with its key alone", async () => {
  const limited = async (permissions: string[]) =>
    (
      await web.call("POST", "/api/v1/api-keys", {
        ...(await web.member(acme, `Pia${permissions.length}`, "owner")),
        body: { name: "provisioner", role: "admin", permissions },
      })
    ).body.secret;
  const provisioner = await limited(["keys:manage", "requests:read", "requests:ask"]);
  expect((await register({}, "mine", provisioner)).status).toBe(201);
  expect(codeOf(await register({}, "mine", await limited(["keys:manage"])))).toEqual([403, "forbidden"]);
  expect(codeOf(await register({}, "mine", operator))).toEqual([403, "forbidden"]);
  expect(codeOf(await register({}, null))).toEqual([400, "missing_idempotency_key"]);
});
