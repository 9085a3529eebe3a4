/** Webhooks to a real receiver: signed, retried under the same id, and given up as configured. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import {
  createNotificationsFixture,
  type NotificationsFixture,
} from "../../../test/fixtures/notifications-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { insertRequest, insertServer, insertTask } from "../../../test/fixtures/rows.ts";
import { expectedSignature, type Receiver, startReceiver } from "../../../test/servers/receiver.ts";
import type { Principal } from "../../access/principal.ts";
import { NOTICES } from "../../engine/jobs/notice-jobs.ts";
import { DELETE_OLD_NOTIFICATIONS } from "../../engine/jobs/retention-jobs.ts";
import { WEBHOOK_DELIVERIES, WEBHOOK_OUTBOX } from "../../engine/jobs/sending-jobs.ts";
import { listNotices } from "../notices/notice-reads.ts";
import type { WebhookEvent } from "./webhook-schema.ts";
import { createWebhook, resendDelivery, rotateSecret, sendTest } from "./webhook-writes.ts";

const PATIENCE = 180_000;
let fixture: NotificationsFixture;
let receiver: Receiver;
let dead: Receiver;
let finance: { id: string; connectionId: string };
let ana: Principal;

beforeAll(async () => {
  receiver = await startReceiver();
  dead = await startReceiver();
  dead.status = null;
  fixture = await createNotificationsFixture([receiver.hostAndPort, dead.hostAndPort]);
  finance = await insertServer(fixture.database, fixture.organizationId);
  ana = await fixture.member("admin", "Ana");
});
afterAll(async () => {
  await Promise.all([receiver?.close(), dead?.close()]);
  await WEBHOOK_DELIVERIES.settled?.(fixture.context);
  await fixture?.close();
});
beforeEach(async () => {
  await fixture.sql("DELETE FROM webhook_endpoint");
  receiver.calls.length = 0;
  receiver.status = 204;
});

const add = (events: WebhookEvent[], url = `${receiver.url}/hook`) =>
  fixture.within((tx) =>
    createWebhook(
      tx,
      ana,
      { network: fixture.context.network, seal: fixture.seal },
      {
        url,
        events,
      },
    ),
  );
const deliveries = () =>
  fixture.sql("SELECT id, type, state, attempts, log FROM webhook_delivery ORDER BY created_at, id");
const due = () => fixture.sql("UPDATE webhook_delivery SET not_before = now() - interval '1 second'");
async function ended(more: Parameters<typeof insertTask>[3] = {}) {
  const taskId = await insertTask(fixture.database, fixture.organizationId, finance, {
    state: "completed",
    ...more,
  });
  await fixture.happened({
    type: "task.completed",
    taskId,
    data: { outcome: "PAID $1,000.00", isError: false },
  });
  await fixture.run(WEBHOOK_OUTBOX);
  return taskId;
}
/** Sends due deliveries until the first is in `state` after this number of attempts. */
const sent = (state: string, attempts: number) =>
  until(
    `${state} after ${attempts}`,
    async () => {
      await WEBHOOK_DELIVERIES.run(fixture.context, fixture.organizationId);
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
  const request = await insertRequest(fixture.database, fixture.organizationId, taskId);
  await fixture.happened({ type: "request.opened", taskId, inputRequestId: request.id });
  await fixture.run(WEBHOOK_OUTBOX);
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
  await fixture.within((tx) => resendDelivery(tx, String(id)));
  await sent("delivered", 4);
  expect(receiver.calls.at(-1)?.headers["webhook-id"]).toBe(id);
});

test("a rotated secret signs beside the one before it, and alone after a day", async () => {
  const { id, secret } = await add(["task.completed"]);
  const rotated = await fixture.within((tx) => rotateSecret(tx, ana, fixture.seal, id));
  await fixture.within((tx) => sendTest(tx, id));
  await sent("delivered", 1);
  const [call] = receiver.calls;
  const both = [rotated.secret, secret].map((each) => expectedSignature(each, call!));
  expect(call!.headers["webhook-signature"]).toBe(both.join(" "));
  await fixture.sql("UPDATE webhook_endpoint SET previous_until = now() - interval '1 second'");
  await fixture.sql(
    "UPDATE webhook_delivery SET state = 'pending', ended_at = NULL, not_before = now() - interval '1 second'",
  );
  await sent("delivered", 2);
  expect(receiver.calls[1]!.headers["webhook-signature"]).toBe(
    expectedSignature(rotated.secret, receiver.calls[1]!),
  );
  await fixture.run(DELETE_OLD_NOTIFICATIONS);
  expect(await fixture.sql("SELECT sealed_previous_secret FROM webhook_endpoint")).toEqual([
    { sealed_previous_secret: null },
  ]);
});

test("410 switches a webhook off, and so do three days without success; admins are told, and it can be switched on again", async () => {
  const { id } = await add(["task.completed"]);
  await ended();
  receiver.status = 410;
  await sent("failed", 1);
  const reason = async () =>
    (await fixture.sql("SELECT disabled_reason FROM webhook_endpoint"))[0]?.disabled_reason;
  expect(await reason()).toBe("gone");
  await fixture.run(NOTICES);
  const notified = async (person: Principal) =>
    (await fixture.within((tx) => listNotices(tx, person, { limit: 9, unread: "true" }))).items
      .map(({ cause }) => cause)
      .filter((cause) => cause === "webhook.disabled");
  expect([await notified(ana), await notified(fixture.operator)]).toEqual([["webhook.disabled"], []]);
  await ended();
  expect(await deliveries()).toHaveLength(1);

  await fixture.sql(
    "UPDATE webhook_endpoint SET disabled_reason = NULL, failing_since = now() - interval '3 days 1 minute' WHERE id = $1",
    [id],
  );
  await fixture.sql(
    "UPDATE webhook_delivery SET state = 'pending', ended_at = NULL, not_before = now() - interval '1 second'",
  );
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
      await WEBHOOK_DELIVERIES.run(fixture.context, fixture.organizationId);
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

test("a name that leads inside, and one that leads nowhere, fail the same way and at the same beat", async () => {
  const logs = [];
  for (const host of ["localhost", "unknown.invalid"]) {
    await fixture.sql("DELETE FROM webhook_endpoint");
    await add(["task.completed"], `https://${host}:8443/hook`);
    await ended();
    const { log } = await sent("pending", 1);
    const attempts = log as { status: number | null; error: string; durationMs: number }[];
    logs.push(attempts.map(({ status, error }) => ({ status, error })));
    expect(attempts[0]?.durationMs).toBeGreaterThanOrEqual(990);
  }
  expect(logs[0]).toEqual(logs[1]);
  expect(logs[0]).toEqual([{ status: null, error: "unreachable" }]);
});

test("an engine that dies between sending and storing sends it again, under the same id", {
  timeout: 90_000,
}, async () => {
  receiver.status = null;
  await add(["task.completed"]);
  await ended();
  const engine = await startEngineProcess(fixture.engineEnvironment);
  await until("it is sent", async () => receiver.calls.length === 1, PATIENCE);
  await engine.kill();
  expect(await deliveries()).toMatchObject([{ state: "pending", log: [] }]);
  receiver.status = 204;
  await due();
  const done = await sent("delivered", 1);
  expect(receiver.calls.map(({ headers }) => headers["webhook-id"])).toEqual([done.id, done.id]);
});
