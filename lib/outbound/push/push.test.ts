/** Push messages to a real push service: what devices show, to whom, how often, and what ends them. */
import { createECDH, randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import {
  createNotificationsFixture,
  type NotificationsFixture,
} from "../../../test/fixtures/notifications-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { insertRequest, insertServer, insertTask } from "../../../test/fixtures/rows.ts";
import { statementsOf } from "../../../test/guards/statements.ts";
import { openPush, type PushService, startPushService } from "../../../test/servers/push-service.ts";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { NOTICES } from "../../engine/jobs/notice-jobs.ts";
import { DELETE_OLD_NOTIFICATIONS } from "../../engine/jobs/retention-jobs.ts";
import { updateOrganization } from "../../people/organizations/organization-writes.ts";
import { recordDecision } from "../../requests/answers/answer-writes.ts";
import { claimRequest } from "../../requests/claims/claim-writes.ts";
import { NO_SUBJECTS } from "../notices/audience.ts";
import { markAllRead, syncNotices } from "../notices/notice-writes.ts";
import { setNoticeSettings } from "../notices/settings.ts";
import { devicesDue, pushNext, retryAfterMs, topicOf } from "./delivery.ts";
import {
  addDevice,
  askTest,
  listDevices,
  noteShown,
  type Person,
  removeDevice,
  seeDevice,
  setShowsText,
} from "./device-writes.ts";
import { pushPublicKey } from "./push-key.ts";
import type { Subscription } from "./push-schema.ts";

const APP = "https://intray.test.example";
const PATIENCE = 180_000;
type Member = Principal & { userId: string };
let fixture: NotificationsFixture;
let service: PushService;
let finance: { id: string; connectionId: string };
let key: string;
let ben: Member;
let ana: Member;

beforeAll(async () => {
  service = await startPushService();
  fixture = await createNotificationsFixture([service.hostAndPort]);
  finance = await insertServer(fixture.database, fixture.organizationId);
  key = await pushPublicKey(fixture.database, fixture.seal);
  ben = await fixture.member("approver", "Benno");
  ana = await fixture.member("admin", "Ana");
});
afterAll(async () => {
  await fixture?.close();
  await service?.close();
});
beforeEach(async () => {
  Object.assign(service, { status: 201, retryAfter: null });
  service.messages.length = 0;
  service.faults.length = 0;
  for (const table of ["push_device", "notice", "notice_preference", "claim"])
    await fixture.sql(`DELETE FROM ${table}`);
  await fixture.sql("UPDATE input_request SET state = 'withdrawn', ended_at = now() WHERE state = 'open'");
  await fixture.sql("UPDATE organization SET push_text = false");
});

async function signIn({ userId }: { userId: string }): Promise<Person> {
  const [row] = await fixture.sql(
    "INSERT INTO session (secret_hash, user_id, expires_at) VALUES ($1, $2, now() + interval '8 hours') RETURNING id",
    [randomBytes(32), userId],
  );
  return { userId, sessionId: String(row?.id) };
}
const means = () => ({ network: fixture.context.network, seal: fixture.seal });
const add = (person: Person, subscription: Subscription = service.subscribe()) =>
  fixture.within((tx) => addDevice(tx, means(), person, { subscription, userAgent: "Firefox/1 Android" }));
async function deviceOf(member: Member) {
  const person = await signIn(member);
  const subscription = service.subscribe();
  const id = await add(person, subscription);
  await push();
  return { id, person, subscription };
}
/** Sends to all devices that are due, until none is. */
async function push(engine = fixture.context): Promise<void> {
  for (;;) {
    const due = await engine.database.withOrganization(fixture.organizationId, devicesDue);
    if (due.length === 0) return;
    for (const id of due) await pushNext(engine, fixture.organizationId, id, APP);
  }
}
/** As if so much time were over. */
async function later(minutes = 1): Promise<void> {
  const by = `${minutes} minutes`;
  await fixture.sql("UPDATE notice SET push_after = push_after - $1::interval WHERE push_after > now()", [
    by,
  ]);
  await fixture.sql(
    "UPDATE push_device SET due_at = due_at - $1::interval, not_before = not_before - $1::interval",
    [by],
  );
}
async function asked(
  more: Parameters<typeof insertRequest>[3] = {},
  task: Parameters<typeof insertTask>[3] = {},
) {
  const taskId = await insertTask(fixture.database, fixture.organizationId, finance, task);
  const request = await insertRequest(fixture.database, fixture.organizationId, taskId, more);
  await fixture.happened({ type: "request.opened", taskId, inputRequestId: request.id });
  await fixture.run(NOTICES);
  return { taskId, ...request };
}
const decide = async ({ id, questionHash }: { id: string; questionHash: string }, by: Member = ana) => {
  await fixture.within((tx) =>
    recordDecision(tx, by, id, { action: "decline", questionHash, holdMs: 60_000 }),
  );
  await fixture.run(NOTICES);
};
const titles = () => service.messages.map(({ message }) => message.notification.title);
const last = () => service.messages.at(-1)?.message.notification;
const rows = () => fixture.sql("SELECT * FROM push_device ORDER BY created_at, id");
const listed = (person: Person) => fixture.within((tx) => listDevices(tx, person, key));

test("the browsers of the test read RFC 8291's own example", () => {
  const keys = createECDH("prime256v1");
  keys.setPrivateKey("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", "base64url");
  const body =
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
  const auth = Buffer.from("BTBZMqHH6r4Tts7J_aSIgg", "base64url");
  expect(openPush(Buffer.from(body, "base64url"), keys, auth).toString()).toBe(
    "When I grow up, I want to be a watermelon",
  );
});

describe("a device", () => {
  test("is told counts alone, signed by the installation's key, within what push services take", async () => {
    const { id: deviceId, subscription } = await deviceOf(ben);
    const { id } = await asked({ message: "Pay INV-100, $1,000.00?" });
    await later();
    await push();
    expect(service.faults).toEqual([]);
    expect(service.messages).toHaveLength(1);
    const [sent] = service.messages;
    expect(sent).toMatchObject({
      endpoint: subscription.endpoint,
      key,
      topic: topicOf(deviceId),
      urgency: "high",
      ttl: 86_400,
      claims: { aud: `https://${service.hostAndPort}`, sub: APP },
      message: { web_push: 8030, app_badge: "1" },
    });
    expect(last()).toMatchObject({ title: "1 request waits for you", navigate: `${APP}/inbox/${id}` });
    for (const never of ["INV-100", "1,000", "process_invoice", "Finance"])
      expect(JSON.stringify(sent?.message)).not.toContain(never);
  });

  test("is told of many at once with one message, of more no sooner than some seconds later, and of each once", async () => {
    await deviceOf(ben);
    for (let n = 0; n < 12; n++) await asked();
    await later();
    await Promise.all([push(), push(fixture.context), push()]);
    expect(titles()).toEqual(["12 requests wait for you"]);
    // The pause after a message, so that it lasts however slow the test is.
    const paused = await fixture.sql(`UPDATE push_device SET not_before = now() + interval '1 minute'
      WHERE not_before - sent_at = interval '4 seconds' RETURNING id`);
    expect(paused).toHaveLength(1);
    await asked();
    await fixture.sql("UPDATE notice SET push_after = now() - interval '1 second' WHERE push_after > now()");
    await push();
    expect(service.messages).toHaveLength(1);
    await later(2);
    await push();
    expect(titles()).toEqual(["12 requests wait for you", "13 requests wait for you"]);
    await later();
    await push();
    expect(service.messages).toHaveLength(2);
  });

  test("has its notification closed when all is decided elsewhere, and hears nothing of what was decided before", async () => {
    await deviceOf(ben);
    const one = await asked();
    const two = await asked();
    await later();
    await push();
    await decide(one);
    await later();
    await push();
    await decide(two);
    await later();
    await push();
    expect(titles()).toEqual(["2 requests wait for you", "1 request waits for you", "No new notifications"]);
    expect(service.messages.map(({ message }) => message.notification.silent)).toEqual([false, true, true]);
    expect(last().data).toMatchObject({ items: [], count: 0 });
    const three = await asked();
    await decide(three);
    await later();
    await push();
    expect(service.messages).toHaveLength(3);
  });

  test("follows what its member reads, and what retention deletes", async () => {
    await deviceOf(ben);
    await asked();
    await later();
    await push();
    await fixture.within((tx) => markAllRead(tx, ben));
    await later();
    await push();
    expect(titles()).toEqual(["1 request waits for you", "No new notifications"]);
    const { id } = await asked();
    await later();
    await push();
    await fixture.engine.withOrganization(
      fixture.organizationId,
      (tx) => tx.$executeRaw`DELETE FROM input_request WHERE id = ${id}::uuid`,
    );
    await later();
    await push();
    expect(titles().slice(2)).toEqual(["1 request waits for you", "No new notifications"]);
  });

  test("is told of no kind that its member has not chosen, also where they choose before it is sent", async () => {
    await deviceOf(ben);
    const choose = (isPushed: boolean) =>
      fixture.within((tx) =>
        setNoticeSettings(tx, ben, { kinds: { request: { app: true, email: false, push: isPushed } } }),
      );
    await choose(false);
    await asked();
    await later();
    await push();
    await choose(true);
    await asked();
    await choose(false);
    await later();
    await push();
    expect(service.messages).toEqual([]);
  });

  test("is told nothing that its member may no longer answer or see", async () => {
    await deviceOf(ben);
    await asked({}, { visibility: "private", requester: ana.userId });
    await asked({ assignee: ana.userId });
    await later();
    await push();
    expect(service.messages).toEqual([]);
    await asked();
    await fixture.sql("UPDATE membership SET role = 'viewer' WHERE user_id = $1", [ben.userId]);
    await later();
    await push();
    await fixture.sql("UPDATE membership SET role = 'approver' WHERE user_id = $1", [ben.userId]);
    expect(service.messages).toEqual([]);
  });

  test("is not told of a request while another member works on it", async () => {
    await deviceOf(ben);
    const { id } = await asked();
    await fixture.within((tx) => claimRequest(tx, ana, id));
    await later();
    await push();
    expect(service.messages).toEqual([]);
    await fixture.sql("DELETE FROM claim");
    await later(6);
    await push();
    expect(titles()).toEqual(["1 request waits for you"]);
  });

  test("is told at its owner's alone, and nothing of another organization", async () => {
    const { person, id } = await deviceOf(ben);
    const anas = await deviceOf(ana);
    const other = uuidv7();
    await fixture.sql(`UPDATE "user" SET proven_at = now() WHERE id = $1`, [ben.userId]);
    await fixture.sql("INSERT INTO organization (id, slug, name) VALUES ($1, 'other', 'Other')", [other]);
    await fixture.sql(
      "INSERT INTO membership (organization_id, id, user_id, role) VALUES ($1, $2, $3, 'approver')",
      [other, uuidv7(), ben.userId],
    );
    const elsewhere = await fixture.database.withOrganization(other, async (tx) => {
      await expect(removeDevice(tx, ben.userId, id)).rejects.toMatchObject({ code: "not_found" });
      const subscription = service.subscribe();
      await addDevice(tx, means(), person, { subscription, userAgent: null });
      return listDevices(tx, person, key);
    });
    expect(elsewhere.items).toHaveLength(1);
    expect(elsewhere.items[0]?.id).not.toBe(id);
    await expect(fixture.within((tx) => removeDevice(tx, ana.userId, id))).rejects.toMatchObject({
      code: "not_found",
    });
    await asked({ assignee: ben.userId });
    await later();
    await push();
    expect(service.messages.map(({ message }) => message.notification.data.deviceId)).toEqual([id]);
    expect((await listed(anas.person)).items.map((device) => device.id)).toEqual([anas.id]);
  });
});

test("a browser that was off has the newest message of each of its member's organizations", async () => {
  const { person, id, subscription } = await deviceOf(ben);
  const other = uuidv7();
  await fixture.sql("INSERT INTO organization (id, slug, name) VALUES ($1, $2, 'Second')", [other, other]);
  await fixture.sql(
    "INSERT INTO membership (organization_id, id, user_id, role) VALUES ($1, $2, $3, 'approver')",
    [other, uuidv7(), ben.userId],
  );
  const within = <T>(work: (tx: Tx) => Promise<T>) => fixture.context.database.withOrganization(other, work);
  // The browser has one subscription, which it gives to both.
  const elsewhere = await fixture.database.withOrganization(other, (tx) =>
    addDevice(tx, means(), person, { subscription, userAgent: null }),
  );
  const server = await insertServer(fixture.database, other);
  const task = await insertTask(fixture.database, other, server);
  const request = await insertRequest(fixture.database, other, task);
  await within((tx) => syncNotices(tx, { ...NO_SUBJECTS, requests: [request.id] }, false));
  await asked();
  await later();
  await push();
  for (const due of await within(devicesDue)) await pushNext(fixture.context, other, due, APP);
  // As a push service keeps them for a browser that is off (RFC 8030, section 5.4).
  const kept = new Map(
    service.messages.map(({ endpoint, topic, message }) => [
      `${endpoint} ${topic}`,
      message.notification.data.deviceId,
    ]),
  );
  expect([...kept.values()].sort()).toEqual([id, elsewhere].sort());
  expect(service.faults).toEqual([]);
});

describe("a push service", () => {
  test.each([404, 410])("that answers %i ends the device", async (status) => {
    await deviceOf(ben);
    service.status = status;
    await asked();
    await later();
    await push();
    expect(service.messages).toHaveLength(1);
    expect(await rows()).toEqual([]);
  });

  test("that fails is tried again with what is then true, for a day, and its error is shown", async () => {
    const { person } = await deviceOf(ben);
    const failure = async () => (await listed(person)).items[0]?.failure?.error;
    const request = await asked();
    service.status = 503;
    await later();
    await push();
    expect(await failure()).toBe("The push service answered 503.");
    await push();
    expect(service.messages).toHaveLength(1); // a moment to recover
    await decide(request);
    await asked();
    await asked();
    await later(60);
    service.status = 201;
    await push();
    expect(titles()).toEqual(["1 request waits for you", "2 requests wait for you"]);
    expect(await failure()).toBeUndefined();

    service.status = 500;
    await asked();
    await later();
    await push();
    await fixture.sql("UPDATE push_device SET failing_since = now() - interval '25 hours'");
    await later(60);
    await push();
    expect(service.messages).toHaveLength(4);
    await later(24 * 60);
    await push();
    expect(service.messages).toHaveLength(4); // given up
    service.status = 201;
    await asked();
    await later();
    await push();
    expect(titles().at(-1)).toBe("4 requests wait for you");
  });

  test("that asks for time gets it, at most an hour of it", async () => {
    await deviceOf(ben);
    Object.assign(service, { status: 429, retryAfter: "1800" });
    await asked();
    await later();
    await push();
    const [row] = await fixture.sql(
      "SELECT extract(epoch FROM not_before - now())::integer AS seconds FROM push_device",
    );
    expect(row?.seconds).toBeGreaterThan(1_700);
    const now = Date.parse("2026-01-01T00:00:00Z");
    expect(retryAfterMs("Thu, 01 Jan 2026 00:00:10 GMT", now)).toBe(10_000);
    expect(["86400", "-1", "soon", null].map((header) => retryAfterMs(header, now))).toEqual([
      3600_000, 0, 0, 0,
    ]);
  });

  test("that is never there, or inside, fails in the same words and at the same beat", async () => {
    const person = await signIn(ben);
    const errors = [];
    for (const host of ["localhost", "unknown.invalid"]) {
      await fixture.sql("DELETE FROM push_device");
      const { p256dh, auth } = service.subscribe();
      await add(person, { endpoint: `https://${host}:8443/push`, p256dh, auth });
      await asked();
      await later();
      const began = performance.now();
      await push();
      expect(performance.now() - began).toBeGreaterThanOrEqual(990);
      errors.push((await listed(person)).items[0]?.failure?.error);
    }
    expect(errors).toEqual(Array(2).fill("The push service can’t be reached."));
  });

  test("is at a public https address", async () => {
    const person = await signIn(ben);
    for (const endpoint of [
      "http://10.0.0.1/x",
      "http://169.254.169.254/x",
      "http://push.example.com/x",
      "https://127.0.0.1/x",
    ])
      await expect(add(person, { ...service.subscribe(), endpoint }), endpoint).rejects.toMatchObject({
        code: "address_not_allowed",
      });
  });

  test("that has a message when the engine dies gets it again under the same version, which the device ignores", {
    timeout: 90_000,
  }, async () => {
    await deviceOf(ben);
    service.status = null;
    await asked();
    await later();
    const engine = await startEngineProcess(fixture.engineEnvironment);
    await until("it is sent", async () => service.messages.length === 1, PATIENCE);
    await engine.kill();
    service.status = 201;
    await push();
    expect(service.messages).toHaveLength(1); // the claim of the engine that died
    await later(5);
    await push();
    const versions = service.messages.map(({ message }) => message.notification.data.version);
    expect([versions.length, new Set(versions).size]).toEqual([2, 1]);
    await later(5);
    await push();
    expect(service.messages).toHaveLength(2);
  });
});

describe("text", () => {
  const allow = (pushText: boolean) => fixture.within((tx) => updateOrganization(tx, ana, { pushText }));

  test("is shown where the organization allows it, the member chose it, and their session is in force", async () => {
    const { id, person } = await deviceOf(ben);
    const first = await asked({ message: "Pay INV-100?\n\nNow" });
    const shows = async () => {
      await later();
      await push();
      return last().data.items.map(({ body }: { body: string }) => body);
    };
    expect(await shows()).toEqual([""]);
    await fixture.within((tx) => setShowsText(tx, ben.userId, id, true));
    await asked({ message: "Pay INV-101?" });
    expect(await shows()).toEqual([""]);
    await allow(true);
    expect(await shows()).toEqual(["Pay INV-100? Now", "Pay INV-101?"]);
    expect(last().data.items.map(({ tag }: { tag: string }) => tag)).toContain(first.id);
    await fixture.sql("UPDATE session SET expires_at = now() - interval '1 second' WHERE id = $1", [
      person.sessionId,
    ]);
    await asked({ message: "Pay INV-102?" });
    expect(await shows()).toEqual([""]);
    const again = await signIn(ben);
    const { subscription } = { subscription: await subscriptionOf(id) };
    await fixture.within((tx) => seeDevice(tx, fixture.seal, again, subscription.endpoint));
    expect(await shows()).toEqual(["Pay INV-100? Now", "Pay INV-101?", "Pay INV-102?"]);
    await allow(false);
    expect(await shows()).toEqual([""]);
    expect(JSON.stringify(await rows())).not.toContain("INV-10");
  });

  test.each([
    ["for two hours", "INSERT INTO sign_in_policy (organization_id) VALUES ($1)", "121 minutes"],
    [
      "for the organization's shorter time",
      "INSERT INTO sign_in_policy (organization_id, idle_ms) VALUES ($1, 900000)",
      "16 minutes",
    ],
  ])("is not shown where nobody has used the session %s", async (_, policy, idle) => {
    await allow(true);
    const { id, person } = await deviceOf(ben);
    await fixture.within((tx) => setShowsText(tx, ben.userId, id, true));
    await fixture.sql(policy, [fixture.organizationId]);
    const shows = async () => {
      await asked({ message: "Pay INV-100?" });
      await later();
      await push();
      return JSON.stringify(last()).includes("INV-100");
    };
    expect(await shows()).toBe(true);
    await fixture.sql("UPDATE session SET last_seen_at = now() - $2::interval WHERE id = $1", [
      person.sessionId,
      idle,
    ]);
    expect(await shows()).toBe(false);
    await fixture.sql("DELETE FROM sign_in_policy");
  });

  test("is read for as many questions as a device shows, and no more", async () => {
    await allow(true);
    const { id } = await deviceOf(ben);
    await fixture.within((tx) => setShowsText(tx, ben.userId, id, true));
    const reads = async () => {
      await asked();
      await later();
      const [, sent] = await statementsOf(() => push());
      return sent.filter((text) => /"message".*"question_hash"/.test(text)).length;
    };
    const counts: number[] = [];
    for (let n = 0; n < 5; n++) counts.push(await reads());
    expect(counts.map((count) => count > 0)).toEqual([true, true, true, true, false]);
  });
});

async function subscriptionOf(id: string): Promise<Subscription> {
  const [row] = await fixture.sql("SELECT sealed_subscription FROM push_device WHERE id = $1", [id]);
  const { organizationId } = fixture;
  const place = { organizationId, table: "push_device", row: id, column: "sealed_subscription" };
  return JSON.parse(fixture.seal.open(place, String(row?.sealed_subscription)));
}

describe("a device goes", () => {
  const revoked = "UPDATE session SET revoked_at = now() WHERE id = $1";
  const endedIn = "UPDATE session SET ended_in = ended_in || $2::uuid WHERE id = $1";
  test.each([
    ["signs out", (id: string) => fixture.sql(revoked, [id])],
    [
      "has the session ended in the organization",
      (id: string) => fixture.sql(endedIn, [id, fixture.organizationId]),
    ],
    [
      "is no longer here for a month",
      () =>
        fixture
          .sql("UPDATE push_device SET seen_at = now() - interval '31 days'")
          .then(() => fixture.run(DELETE_OLD_NOTIFICATIONS)),
    ],
  ])("when its member %s", async (_, end) => {
    const { person } = await deviceOf(ben);
    const other = await deviceOf(ana);
    await fixture.sql("UPDATE push_device SET seen_at = now() WHERE id = $1", [other.id]);
    await end(person.sessionId);
    expect((await listed(person)).items).toEqual([]);
  });

  test("with the membership", async () => {
    const cleo = await fixture.member("approver", "Cleo");
    await deviceOf(cleo);
    await fixture.sql("DELETE FROM membership WHERE user_id = $1", [cleo.userId]);
    expect(await rows()).toEqual([]);
  });

  test("not with another session, and moves to the one that uses the browser", async () => {
    const { person, id, subscription } = await deviceOf(ben);
    const again = await signIn(ben);
    expect(await fixture.within((tx) => seeDevice(tx, fixture.seal, again, subscription.endpoint))).toBe(id);
    await fixture.sql(revoked, [person.sessionId]);
    expect((await listed(again)).items).toMatchObject([{ id, current: true }]);
    expect(
      await fixture.within((tx) => seeDevice(tx, fixture.seal, stranger(ana), subscription.endpoint)),
    ).toBeNull();
    expect(await add(again, subscription)).toBe(id);
  });
});

const stranger = ({ userId }: Member): Person => ({ userId, sessionId: uuidv7() });

test("a member has twenty devices, also where they add two at once", async () => {
  const person = await signIn(ben);
  for (let n = 0; n < 19; n++) await add(person);
  const added = await Promise.allSettled([add(person), add(person)]);
  expect(added.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(await rows()).toHaveLength(20);
});

test("a test is sent at once, and shown only by the device's own word", async () => {
  const { id, person } = await deviceOf(ben);
  const shown = async () => (await listed(person)).items[0]?.test;
  service.status = 500;
  await asked();
  await later();
  await push();
  service.status = 201;
  await fixture.within((tx) => askTest(tx, ben.userId, id));
  expect(await shown()).toMatchObject({ sentAt: null, shownAt: null });
  await push();
  expect(last()).toMatchObject({ title: "Test: this device shows notifications" });
  expect(service.messages.at(-1)?.topic).toBeNull();
  const testId = last().data.testId;
  expect(await shown()).toMatchObject({ id: testId, sentAt: expect.any(String), shownAt: null });
  for (const [who, which] of [
    [ana.userId, testId],
    [ben.userId, uuidv7()],
  ])
    await expect(fixture.within((tx) => noteShown(tx, who, id, which))).rejects.toMatchObject({
      code: "not_found",
    });
  await fixture.within((tx) => noteShown(tx, ben.userId, id, testId));
  expect(await shown()).toMatchObject({ shownAt: expect.any(String) });
  await later();
  await push();
  expect(service.messages.filter(({ message }) => message.notification.data.testId !== null)).toHaveLength(1);
});

test("two processes that make the key at once go on with one", async () => {
  await fixture.sql("DELETE FROM push_key");
  const made = await Promise.all([1, 2, 3].map(() => pushPublicKey(fixture.database, fixture.seal)));
  expect(new Set(made).size).toBe(1);
  expect(JSON.stringify(await fixture.sql("SELECT * FROM push_key"))).toContain("v1.test.");
  key = made[0] ?? "";
});
