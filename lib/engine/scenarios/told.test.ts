/**
 * What wakes an idle engine. Here the scans for lost notices come once a day: whatever happens was told, or was due at
 * a time that the engine knew.
 */
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  createNotificationsFixture,
  type NotificationsFixture,
} from "../../../test/fixtures/notifications-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { type Receiver, startReceiver } from "../../../test/servers/receiver.ts";
import { publishChange } from "../../base/live-updates.ts";
import { createWebhook, sendTest } from "../../outbound/webhooks/webhook-writes.ts";

vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  IDLE_LOOK_MS: 24 * 3600_000,
  PUMP_MS: 24 * 3600_000,
}));

let fixture: NotificationsFixture;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  fixture = await createNotificationsFixture([receiver.hostAndPort]);
  await fixture.startEngine();
  await follows("statistics");
});
afterAll(async () => {
  await fixture?.close();
  await receiver?.close();
});

const follows = (follower: string) =>
  until(`${follower} has read the history`, async () => {
    const rows = await fixture.sql(
      `SELECT FROM event_head h JOIN event_follower f ON f.organization_id = h.organization_id
       WHERE f.follower = $1 AND f.seq = h.seq`,
      [follower],
    );
    return rows.length === 1;
  });

test.each(["notices", "webhooks", "statistics", "metrics"])(
  "a line of the history wakes its follower %s",
  async (follower) => {
    await follows(follower);
    for (let line = 0; line < 3; line++) {
      await fixture.happened({ type: "server.created" });
      await follows(follower);
    }
  },
);

test("a hint of the web wakes the engine that publishes it, which asks for hints only when told", async () => {
  const client = new pg.Client({ connectionString: fixture.adminUrl });
  const payloads: string[] = [];
  client.on("notification", ({ payload }) => payloads.push(payload ?? ""));
  await client.connect();
  await client.query("LISTEN intray_change");
  const { organizationId } = fixture;
  await fixture.within((tx) => publishChange(tx, "task", [organizationId]));
  await until("the hint came", async () => payloads.length > 0);
  await client.end();
  expect(JSON.parse(payloads[0]!)).toEqual({ o: organizationId, c: [["task", organizationId]] });
});

test("a webhook's next attempt is made when it is due, though nobody tells of it then", async () => {
  const ana = await fixture.member("admin", "Ana");
  const { seal, context } = fixture;
  const { id } = await fixture.within((tx) =>
    createWebhook(
      tx,
      ana,
      { network: context.network, seal },
      { url: `${receiver.url}/hook`, events: ["task.completed"] },
    ),
  );
  receiver.status = 500;
  await fixture.within((tx) => sendTest(tx, id));
  const attempts = async () => {
    const [row] = await fixture.sql("SELECT state, attempts FROM webhook_delivery");
    return row;
  };
  await until("the first attempt failed", async () => receiver.calls.length === 1);
  receiver.status = 204;
  await until("the next one arrived", async () => (await attempts())?.state === "delivered");
  expect(receiver.calls.length).toBe(Number((await attempts())?.attempts));

  // Where an attempt takes long, the time of the next one is known only when it has ended.
  await fixture.sql("DELETE FROM webhook_delivery");
  receiver.calls.length = 0;
  receiver.status = null;
  await fixture.within((tx) => sendTest(tx, id));
  await until("an attempt is under way", async () => receiver.calls.length === 1);
  receiver.status = 204;
  await until("the next one arrived", async () => (await attempts())?.state === "delivered");
});
