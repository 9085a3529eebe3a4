/** Webhooks to a real receiver: signed, retried under the same id, and given up as configured. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startEngineProcess } from "../../test/engine-process.ts";
import { insertRequest, insertServer, insertTask } from "../../test/fixtures/rows.ts";
import { createTellingWorld, type TellingWorld } from "../../test/fixtures/telling-world.ts";
import { until } from "../../test/fixtures/world.ts";
import { expectedSignature, type Receiver, startReceiver } from "../../test/servers/receiver.ts";
import type { Principal } from "../access/principal.ts";
import { FORGET_TOLD, NOTICES, WEBHOOK_DELIVERIES, WEBHOOK_OUTBOX } from "../engine/jobs/notifications.ts";
import { listNotices } from "../notices/queries.ts";
import type { WebhookEvent } from "./schema.ts";
import { createWebhook, resendDelivery, rotateSecret, sendTest } from "./transitions.ts";

const PATIENCE = 45_000;
let world: TellingWorld;
let receiver: Receiver;
let dead: Receiver;
let finance: { id: string; connectionId: string };
let ana: Principal;

beforeAll(async () => {
  receiver = await startReceiver();
  dead = await startReceiver();
  dead.status = null;
  world = await createTellingWorld([receiver.hostAndPort, dead.hostAndPort]);
  finance = await insertServer(world.database, world.organizationId);
  ana = await world.member("admin", "Ana");
});
afterAll(async () => {
  await Promise.all([receiver?.close(), dead?.close()]);
  await WEBHOOK_DELIVERIES.settled?.(world.context);
  await world?.close();
});
beforeEach(async () => {
  await world.sql("DELETE FROM webhook_endpoint");
  receiver.calls.length = 0;
  receiver.status = 204;
});

const add = (events: WebhookEvent[], url = `${receiver.url}/hook`) =>
  world.within((tx) =>
    createWebhook(
      world.organizationId,
      tx,
      ana,
      { network: world.context.network, seal: world.seal },
      {
        url,
        events,
      },
    ),
  );
const deliveries = () =>
  world.sql("SELECT id, type, state, attempts, log FROM webhook_delivery ORDER BY created_at, id");
const due = () => world.sql("UPDATE webhook_delivery SET not_before = now()");
async function ended(more: Parameters<typeof insertTask>[3] = {}) {
  const taskId = await insertTask(world.database, world.organizationId, finance, {
    state: "completed",
    ...more,
  });
  await world.happened({
    type: "task.completed",
    taskId,
    data: { outcome: "PAID $1,000.00", isError: false },
  });
  await world.run(WEBHOOK_OUTBOX);
  return taskId;
}
/** Sends due deliveries until the first is in `state` after this number of attempts. */
const sent = (state: string, attempts: number) =>
  until(
    `${state} after ${attempts}`,
    async () => {
      await WEBHOOK_DELIVERIES.run(world.context, world.organizationId);
      const [first] = await deliveries();
      const logged = (first?.log as unknown[] | undefined)?.length;
      return first?.state === state && logged === attempts && first;
    },
    PATIENCE,
  );

test("what was chosen is told, with ids and states alone, signed as the standard says; private tasks are not", async () => {
  const { secret } = await add(["task.completed"]);
  await ended({ visibility: "private" });
  const taskId = await ended();
  const request = await insertRequest(world.database, world.organizationId, taskId);
  await world.happened({ type: "request.opened", taskId, inputRequestId: request.id });
  await world.run(WEBHOOK_OUTBOX);
  const { id } = await sent("delivered", 1);
  expect(receiver.calls).toHaveLength(1);
  const [call] = receiver.calls;
  expect(JSON.parse(call!.body)).toEqual({
    type: "task.completed",
    timestamp: expect.any(String),
    data: { taskId, state: "completed", isError: false, serverId: finance.id, tool: "process_invoice" },
  });
  expect(call!.headers["webhook-id"]).toBe(id);
  expect(Math.abs(Date.now() / 1000 - Number(call!.headers["webhook-timestamp"]))).toBeLessThan(60);
  expect(call!.headers["webhook-signature"]).toBe(expectedSignature(secret, call!));
});

test("a failure is tried again under the same id, a redirect is not followed, and what is kept is status and time alone", async () => {
  await add(["task.completed"]);
  await ended();
  receiver.status = 500;
  await sent("pending", 1);
  receiver.status = 302;
  await due();
  await sent("pending", 2);
  receiver.status = 200;
  await due();
  const { id, log } = await sent("delivered", 3);
  expect(receiver.calls.map(({ path }) => path)).toEqual(["/hook", "/hook", "/hook"]);
  expect(new Set(receiver.calls.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([id]));
  expect((log as { status: number }[]).map(({ status }) => status)).toEqual([500, 302, 200]);
  expect(JSON.stringify(log)).not.toContain("secret");
  await world.within((tx) => resendDelivery(world.organizationId, tx, String(id)));
  await sent("delivered", 4);
  expect(receiver.calls.at(-1)?.headers["webhook-id"]).toBe(id);
});

test("a rotated secret signs beside the one before it, and alone after a day", async () => {
  const { id, secret } = await add(["task.completed"]);
  const rotated = await world.within((tx) => rotateSecret(world.organizationId, tx, ana, world.seal, id));
  await world.within((tx) => sendTest(world.organizationId, tx, id));
  await sent("delivered", 1);
  const [call] = receiver.calls;
  const both = [rotated.secret, secret].map((each) => expectedSignature(each, call!));
  expect(call!.headers["webhook-signature"]).toBe(both.join(" "));
  await world.sql("UPDATE webhook_endpoint SET previous_until = now()");
  await world.sql("UPDATE webhook_delivery SET state = 'pending', ended_at = NULL, not_before = now()");
  await sent("delivered", 2);
  expect(receiver.calls[1]!.headers["webhook-signature"]).toBe(
    expectedSignature(rotated.secret, receiver.calls[1]!),
  );
  await world.run(FORGET_TOLD);
  expect(await world.sql("SELECT sealed_previous_secret FROM webhook_endpoint")).toEqual([
    { sealed_previous_secret: null },
  ]);
});

test("410 switches a webhook off, and so do three days without success; admins are told, and it can be switched on again", async () => {
  const { id } = await add(["task.completed"]);
  await ended();
  receiver.status = 410;
  await sent("failed", 1);
  const reason = async () =>
    (await world.sql("SELECT disabled_reason FROM webhook_endpoint"))[0]?.disabled_reason;
  expect(await reason()).toBe("gone");
  await world.run(NOTICES);
  const told = async (person: Principal) =>
    (
      await world.within((tx) => listNotices(world.organizationId, tx, person, { limit: 9, unread: "true" }))
    ).items
      .map(({ cause }) => cause)
      .filter((cause) => cause === "webhook.disabled");
  expect([await told(ana), await told(world.operator)]).toEqual([["webhook.disabled"], []]);
  await ended();
  expect(await deliveries()).toHaveLength(1);

  await world.sql(
    "UPDATE webhook_endpoint SET disabled_reason = NULL, failing_since = now() - interval '3 days 1 minute' WHERE id = $1",
    [id],
  );
  await world.sql("UPDATE webhook_delivery SET state = 'pending', ended_at = NULL, not_before = now()");
  receiver.status = 503;
  await sent("pending", 2);
  expect(await reason()).toBe("failing");
});

test("a receiver that never answers holds no other up", async () => {
  await add(["task.completed"], `${dead.url}/hook`);
  await add(["task.completed"]);
  for (let at = 0; at < 8; at++) await ended();
  await until(
    "all are there",
    async () => {
      await WEBHOOK_DELIVERIES.run(world.context, world.organizationId);
      return receiver.calls.length === 8;
    },
    PATIENCE,
  );
  expect(dead.calls.length).toBeLessThanOrEqual(4);
});

test("addresses inside, and plain http outside, are refused", async () => {
  for (const url of [
    "http://10.0.0.1/x",
    "http://169.254.169.254/x",
    "http://hooks.example.com/x",
    "https://127.0.0.1/x",
  ])
    await expect(add(["task.completed"], url), url).rejects.toMatchObject({ code: "address_not_allowed" });
});

test("an engine that dies between sending and storing sends it again, under the same id", {
  timeout: 90_000,
}, async () => {
  receiver.status = null;
  await add(["task.completed"]);
  await ended();
  const engine = await startEngineProcess(world.engineEnvironment);
  await until("it is sent", async () => receiver.calls.length === 1, PATIENCE);
  await engine.kill();
  expect(await deliveries()).toMatchObject([{ state: "pending", log: [] }]);
  receiver.status = 204;
  await due();
  const done = await sent("delivered", 1);
  expect(receiver.calls.map(({ headers }) => headers["webhook-id"])).toEqual([done.id, done.id]);
});
