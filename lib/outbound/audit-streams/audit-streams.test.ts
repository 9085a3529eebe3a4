/** Audit streams to real receivers: nothing missing, in order, whatever dies on the way. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import {
  createNotificationsFixture,
  type NotificationsFixture,
} from "../../../test/fixtures/notifications-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { insertServer, insertTask } from "../../../test/fixtures/rows.ts";
import { BUCKET_KEYS, type Bucket, startBucket } from "../../../test/servers/destinations/bucket.ts";
import { type Authority, createAuthority } from "../../../test/servers/destinations/certificates.ts";
import { type SyslogServer, startSyslog } from "../../../test/servers/destinations/syslog.ts";
import { expectedSignature, type Receiver, startReceiver } from "../../../test/servers/receiver.ts";
import type { Principal } from "../../access/principal.ts";
import { createDatabase } from "../../base/db/db.ts";
import { NetworkError } from "../../base/network/address-rules.ts";
import { NOTICES } from "../../engine/jobs/notice-jobs.ts";
import { RETENTION } from "../../engine/jobs/retention-jobs.ts";
import { exportedLines } from "../../history/events/event-reads.ts";
import { verifyExport } from "../../history/events/verify-export.ts";
import { listNotices } from "../notices/notice-reads.ts";
import { readAuditStream } from "./audit-stream-reads.ts";
import { type CreateAuditStream, createAuditStreamSchema } from "./audit-stream-schema.ts";
import {
  createAuditStream,
  removeAuditStream,
  testAuditStream,
  updateAuditStream,
} from "./audit-stream-writes.ts";
import { deliverBatch, pauseAfter, streamsDue } from "./delivery.ts";
import { PAUSE_CAP_MS } from "./tunables.ts";

const OWN = "intray.test.example";
let fixture: NotificationsFixture;
let receiver: Receiver;
let syslog: SyslogServer;
let otherName: SyslogServer;
let bucket: Bucket;
let authority: Authority;
let otherAuthority: Authority;
let olga: Principal & { userId: string };

beforeAll(async () => {
  authority = await createAuthority("Test CA");
  otherAuthority = await createAuthority("Another CA");
  [receiver, bucket, syslog, otherName] = await Promise.all([
    startReceiver(),
    startBucket(),
    startSyslog(authority, "127.0.0.1", "localhost"),
    startSyslog(authority, "logs.test.example"),
  ]);
  fixture = await createNotificationsFixture(
    [receiver, bucket, syslog, otherName].map(({ hostAndPort }) => hostAndPort),
  );
  olga = await fixture.member("owner", "Olga");
});
afterAll(async () => {
  await Promise.all([receiver, bucket, syslog, otherName].map((server) => server?.close()));
  await fixture?.close();
});
beforeEach(async () => {
  await fixture.sql("DELETE FROM audit_stream");
  Object.assign(receiver, { status: 204 }).calls.length = 0;
  Object.assign(bucket, { status: 200 }).objects.clear();
  Object.assign(syslog, { behaviour: "well", connections: 0 });
  syslog.messages.length = 0;
  syslog.broken.length = 0;
});

const services = () => ({ network: fixture.context.network, seal: fixture.seal });
const add = (input: Record<string, unknown>) =>
  fixture.within((tx) =>
    createAuditStream(tx, olga, services(), createAuditStreamSchema.parse(input) as CreateAuditStream),
  );
const addWebhook = () => add({ kind: "webhook", url: `${receiver.url}/audit` });
const addSyslog = (more: Record<string, unknown> = {}) =>
  add({ kind: "syslog", host: "127.0.0.1", port: syslog.port, ca: authority.ca, ...more });
const addBucket = (more: Record<string, unknown> = {}) =>
  add({ kind: "s3", url: bucket.url, prefix: "intray/", ...BUCKET_KEYS, ...more });
const deliver = (id: string) => deliverBatch(fixture.context, fixture.organizationId, id, OWN);
const read = (id: string) => fixture.within((tx) => readAuditStream(tx, id));
const due = () => fixture.sql("UPDATE audit_stream SET not_before = now() - interval '1 second'");
/** Appends lines with a payload of about this many characters. */
async function lines(count: number, size = 10) {
  await fixture.happened(
    ...Array.from({ length: count }, (_, n) => ({
      type: "server.updated" as const,
      data: { n, text: "ü".repeat(size) },
    })),
  );
}
async function exported(): Promise<string[]> {
  const pieces = exportedLines((work) => fixture.within(work));
  let all = "";
  for await (const piece of pieces) all += piece;
  return all.trimEnd().split("\n");
}
const texts = () => receiver.calls.flatMap(({ body }) => body.trimEnd().split("\n"));
const events = (from: string[]) =>
  from.map((text) => JSON.parse(text)).filter(({ line }) => line !== undefined);
const positions = (from: string[]) => events(from).map(({ seq }) => seq as number);
async function* each(from: string[]) {
  yield* from;
}
const verified = (from: string[], kept = {}) => verifyExport(each(from), kept);
const countTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

describe("what is sent", () => {
  test("a webhook gets the whole history as an export has it, signed, and what follows it", async () => {
    const { id, secret } = await addWebhook();
    while (await deliver(id));
    const sent = events(texts()).map(({ organizationId, previousHash: _, ...event }) => {
      expect(organizationId).toBe(fixture.organizationId);
      return JSON.stringify(event);
    });
    expect(sent).toEqual(await exported());
    expect(await verified(texts())).toMatchObject({ ok: true, lines: sent.length });
    const [call] = receiver.calls;
    expect(call?.headers["content-type"]).toBe("application/x-ndjson");
    expect(call?.headers["webhook-signature"]).toBe(expectedSignature(secret!, call!));
    await lines(1);
    await deliver(id);
    expect(positions(texts())).toEqual(countTo((await read(id)).position));
    expect(await read(id)).toMatchObject({ behind: 0, failingSince: null, lastError: null });
    expect(await deliver(id)).toBe(false);
  });

  test("the details of a private task are withheld, and the chain holds without them", async () => {
    const server = await insertServer(fixture.database, fixture.organizationId);
    const taskId = await insertTask(fixture.database, fixture.organizationId, server, {
      visibility: "private",
    });
    await fixture.happened({ type: "task.completed", taskId, data: { outcome: "CONFIDENTIAL" } });
    const { id } = await addWebhook();
    while (await deliver(id));
    expect(texts().join()).not.toContain("CONFIDENTIAL");
    const line = events(texts()).find((event) => event.taskId === taskId);
    expect(line).toMatchObject({ type: "task.completed", payload: null, data: {} });
    expect(await verified(texts())).toMatchObject({ ok: true });
  });
});

describe("a chain that was made anew", () => {
  test("is found by its anchor, though it holds in itself", async () => {
    const { id } = await addWebhook();
    while (await deliver(id));
    const [first, last] = [events(texts())[0], events(texts()).at(-1)];
    const other = await createNotificationsFixture();
    try {
      const pieces = exportedLines((work) => other.within(work));
      const remade: string[] = [];
      for await (const piece of pieces) remade.push(...piece.trimEnd().split("\n"));
      expect(await verified(remade)).toMatchObject({ ok: true });
      expect(await verified(remade, { anchor: { seq: first.seq, hash: first.hash } })).toMatchObject({
        ok: false,
        brokenAt: first.seq,
        fault: "rewritten",
      });
    } finally {
      await other.close();
    }
    expect(await verified(await exported(), { anchor: { seq: last.seq, hash: last.hash } })).toMatchObject({
      ok: true,
    });
    expect(await verified(texts(), { anchor: { seq: last.seq + 1, hash: last.hash } })).toMatchObject({
      fault: "cut",
    });
  });

  test("a stream that was tampered with does not verify", async () => {
    await lines(4);
    const { id } = await addWebhook();
    while (await deliver(id));
    const all = texts();
    const changed = (n: number, change: object) =>
      all.with(n, JSON.stringify({ ...JSON.parse(all[n]!), ...change }));
    expect(await verified(changed(1, { type: "key.created" }))).toMatchObject({
      brokenAt: 2,
      fault: "altered",
    });
    expect(await verified(changed(1, { previousHash: "0".repeat(64) }))).toMatchObject({ fault: "unlinked" });
    expect(await verified(all.toSpliced(2, 1))).toMatchObject({ fault: "gap" });
    const [, second] = events(all);
    const note = { kind: "anchor", organizationId: fixture.organizationId, at: second.at, seq: 2 };
    const anchored = (hash: string) => [...all, JSON.stringify({ ...note, hash })];
    expect(await verified(anchored(second.hash))).toMatchObject({ ok: true });
    expect(await verified(anchored("0".repeat(64)))).toMatchObject({ brokenAt: 2, fault: "rewritten" });
    // A stream may say a line twice, but not in two ways.
    expect(await verified([...all, all[1]!])).toMatchObject({ ok: true });
    expect(await verified([...all, changed(1, { hash: "0".repeat(64) })[1]!])).toMatchObject({
      fault: "altered",
    });
  });
});

describe("syslog by TLS", () => {
  test("gets a frame a line, which verifies with its header before it", async () => {
    const { id, secret } = await addSyslog();
    expect(secret).toBeNull();
    await lines(3);
    while (await deliver(id));
    expect(syslog.broken).toEqual([]);
    expect(syslog.messages[0]).toMatchObject({ priority: 110, host: OWN, app: "intray", id: "event" });
    const logged = syslog.messages.map(
      ({ at, host, id: kind, text }) => `<110>1 ${at} ${host} intray - ${kind} - ${text}`,
    );
    expect(await verified(logged)).toMatchObject({ ok: true, lines: (await read(id)).position });
  });

  test.each<[string, () => Promise<{ id: string }>, string]>([
    ["another CA", () => addSyslog({ ca: otherAuthority.ca }), "certificate_untrusted"],
    ["the machine's CAs", () => addSyslog({ ca: null }), "certificate_untrusted"],
    ["another name", () => addSyslog({ port: otherName.port }), "certificate_name"],
  ])("sends nothing to a server whose certificate does not fit: %s", async (_, make, error) => {
    const { id } = await make();
    expect(await deliver(id)).toBe(false);
    expect((await read(id)).lastError?.code).toBe(error);
    expect((await read(id)).position).toBe(0);
    expect([...syslog.messages, ...otherName.messages]).toEqual([]);
  });

  test("a server that closes in the middle of a frame gets all of it again", async () => {
    await lines(20, 500);
    const { id } = await addSyslog();
    syslog.behaviour = { closesAfterBytes: 10_007 };
    expect(await deliver(id)).toBe(false);
    const before = syslog.messages.map(({ text }) => text);
    expect(before.length).toBeGreaterThan(0);
    expect(await read(id)).toMatchObject({
      position: 0,
      lastError: { code: expect.stringMatching(/closed_early|unreachable/) },
    });
    syslog.behaviour = "well";
    await due();
    while (await deliver(id));
    const all = syslog.messages.map(({ text }) => text);
    expect(positions(all.slice(before.length))).toEqual(countTo((await read(id)).position));
    expect(await verified(all)).toMatchObject({ ok: true });
  });

  test("a server that never reads holds a test for its time and no longer, and takes nothing", {
    tags: ["full"],
  }, async () => {
    const { id } = await addSyslog();
    syslog.behaviour = "never reads";
    const began = Date.now();
    const within = <T>(work: Parameters<typeof fixture.within<T>>[0]) => fixture.within(work);
    const found = await testAuditStream(fixture.organizationId, within, { ...services(), own: OWN }, id);
    expect(found).toEqual({ ok: false, error: "timeout" });
    expect(Date.now() - began).toBeGreaterThan(9_000);
    syslog.behaviour = "well";
    expect(await testAuditStream(fixture.organizationId, within, { ...services(), own: OWN }, id)).toEqual({
      ok: true,
      error: null,
    });
    expect(syslog.messages.map(({ id: kind }) => kind)).toEqual(["test"]);
    expect((await read(id)).position).toBe(0);
  });

  test("addresses inside are refused when added and at every connection", async () => {
    await expect(addSyslog({ host: "169.254.169.254" })).rejects.toMatchObject({
      code: "address_not_allowed",
    });
    await expect(addSyslog({ host: "10.0.0.1" })).rejects.toMatchObject({ code: "address_not_allowed" });
    await expect(addSyslog({ host: "::1" })).rejects.toMatchObject({ code: "address_not_allowed" });
    // A name is looked up when it is connected to.
    const { id } = await addSyslog({ host: "localhost", port: 1 });
    expect(await deliver(id)).toBe(false);
    // As a name that leads nowhere.
    expect((await read(id)).lastError?.code).toBe("name_unknown");
    await expect(
      fixture.context.network.connectTls(
        { host: "127.0.0.1", port: syslog.port + 1, ca: null },
        AbortSignal.timeout(5_000),
      ),
    ).rejects.toThrow(NetworkError);
  });
});

describe("a bucket", () => {
  test("gets objects named by positions, whose signatures hold, and which verify one after the other", async () => {
    const { id } = await addBucket();
    while (await deliver(id));
    await lines(2);
    while (await deliver(id));
    expect(bucket.refused).toEqual([]);
    const { position } = await read(id);
    const padded = (seq: number) => String(seq).padStart(12, "0");
    const names = [...bucket.objects.keys()];
    expect(names.at(-1)).toBe(
      `/audit/intray/${fixture.organizationId}/${padded(position - 1)}-${padded(position)}.ndjson`,
    );
    expect(names).toEqual(names.toSorted());
    const all = [...bucket.objects.values()].join("").trimEnd().split("\n");
    expect(await verified(all)).toMatchObject({ ok: true, lines: position });
  });

  test("a wrong secret is refused and told; new keys let it go on where it was", async () => {
    const { id } = await addBucket({ secretAccessKey: "wrong" });
    expect(await deliver(id)).toBe(false);
    expect(bucket.refused.splice(0)).toEqual(["another signature"]);
    expect(await read(id)).toMatchObject({ position: 0, lastError: { code: "status_403" } });
    const { accessKeyId, secretAccessKey } = BUCKET_KEYS;
    await fixture.within((tx) =>
      updateAuditStream(tx, olga, fixture.seal, id, { accessKeyId, secretAccessKey }),
    );
    while (await deliver(id));
    expect((await read(id)).behind).toBe(0);
    const [row] = await fixture.sql("SELECT sealed_secret, settings FROM audit_stream");
    expect(JSON.stringify(row)).not.toContain(secretAccessKey);
  });
});

describe("a destination that is away", () => {
  test("is tried again after growing pauses and gets all lines in order; owners are told after an hour, and again when it works", async () => {
    const { id } = await addWebhook();
    receiver.status = 503;
    expect(await deliver(id)).toBe(false);
    expect(await read(id)).toMatchObject({ position: 0, lastError: { code: "status_503" } });
    expect(await fixture.within((tx) => streamsDue(tx))).toEqual([]);
    await due();
    await fixture.sql("UPDATE audit_stream SET failing_since = now() - interval '2 hours'");
    expect(await deliver(id)).toBe(false);
    await due();
    expect(await deliver(id)).toBe(false);
    await fixture.run(NOTICES);
    const notices = () => fixture.within((tx) => listNotices(tx, olga, { limit: 20 } as never));
    expect((await notices()).items.filter(({ cause }) => cause === "audit_stream.failing")).toHaveLength(1);
    receiver.status = 204;
    receiver.calls.length = 0;
    await due();
    while (await deliver(id));
    expect(positions(texts())).toEqual(countTo((await read(id)).position));
    expect(
      events(texts())
        .map(({ type }) => type)
        .slice(-2),
    ).toEqual(["audit_stream.failing", "audit_stream.recovered"]);
    await fixture.run(NOTICES);
    expect((await notices()).items.filter(({ cause }) => cause === "audit_stream.failing")).toEqual([]);
  });

  test("pauses grow up to five minutes, and never end", () => {
    expect(pauseAfter(1, 0)).toBe(500);
    expect(pauseAfter(4, 1)).toBe(8_000);
    expect(pauseAfter(1_000_000, 1)).toBe(PAUSE_CAP_MS);
  });

  test("a paused stream sends nothing, and goes on where it was", async () => {
    const { id } = await addWebhook();
    const pause = (paused: boolean) =>
      fixture.within((tx) => updateAuditStream(tx, olga, fixture.seal, id, { paused }));
    await pause(true);
    expect(await deliver(id)).toBe(false);
    expect(receiver.calls).toEqual([]);
    await pause(false);
    while (await deliver(id));
    expect(positions(texts())).toEqual(countTo((await read(id)).position));
    await fixture.within((tx) => removeAuditStream(tx, olga, id));
    expect(await deliver(id)).toBe(false);
  });
});

describe("engines", () => {
  test("of two senders one has the stream, and what a late one says does not move the position", async () => {
    const { id } = await addWebhook();
    receiver.status = null;
    const second = createDatabase(fixture.engineEnvironment.ENGINE_DATABASE_URL!, { connections: 2 });
    try {
      const first = deliver(id);
      await until("the first call", async () => receiver.calls.length === 1);
      const other = { ...fixture.context, database: second };
      expect(await deliverBatch(other, fixture.organizationId, id, OWN)).toBe(false);
      expect(receiver.calls).toHaveLength(1);
      // The first one's claim is over, as after a long pause of its machine.
      await fixture.sql("UPDATE audit_stream SET claimed_until = now() - interval '1 second'");
      receiver.status = 204;
      while (await deliverBatch(other, fixture.organizationId, id, OWN));
      const { position } = await read(id);
      receiver.drop();
      await first;
      expect(await read(id)).toMatchObject({ position, failingSince: null, lastError: null });
    } finally {
      await second.close();
    }
  });

  test("killed in the middle of a batch: no line is missing, and repeated ones are the same", {
    tags: ["full"],
  }, async () => {
    const { id } = await addWebhook();
    receiver.status = null;
    const environment = { ...fixture.engineEnvironment, INTRAY_ALLOW_HOSTS: receiver.hostAndPort };
    const killed = await startEngineProcess(environment);
    await until("a batch on its way", async () => receiver.calls.length > 0);
    await killed.kill();
    expect((await read(id)).position).toBe(0);
    receiver.status = 204;
    await lines(700);
    await fixture.sql("UPDATE audit_stream SET claimed_until = now() - interval '1 second'");
    const engines = await Promise.all([startEngineProcess(environment), startEngineProcess(environment)]);
    await until("all lines", async () => (await read(id)).behind === 0);
    await lines(30);
    await until("more lines", async () => (await read(id)).behind === 0);
    await sleep(500);
    await Promise.all(engines.map((engine) => engine.drain()));
    const { position } = await read(id);
    expect([...new Set(positions(texts()))]).toEqual(countTo(position));
    // The killed engine's batch came once more, and nothing else did.
    const [first, ...rest] = receiver.calls;
    expect(positions(rest.flatMap(({ body }) => body.trimEnd().split("\n")))).toEqual(countTo(position));
    expect(positions(first!.body.trimEnd().split("\n"))[0]).toBe(1);
    expect(await verified(texts())).toMatchObject({ ok: true, lines: position });
  });
});

test("an organization's streams, and what is in them, are its own", async () => {
  const { id } = await addWebhook();
  const stranger = "00000000-0000-7000-8000-000000000001";
  const rows = await fixture.database.withOrganization(
    stranger,
    (tx) => tx.$queryRaw<unknown[]>`SELECT * FROM audit_stream`,
  );
  expect(rows).toEqual([]);
  expect(await deliverBatch(fixture.context, stranger, id, OWN)).toBe(false);
  // The web may not move a position.
  await expect(fixture.within((tx) => tx.$executeRaw`UPDATE audit_stream SET seq = 5`)).rejects.toThrow(
    /permission/,
  );
});

test("there are at most five streams, and a certificate is one", async () => {
  for (let n = 0; n < 5; n++) await addWebhook();
  await expect(addWebhook()).rejects.toMatchObject({ code: "too_many_audit_streams" });
  await fixture.sql("DELETE FROM audit_stream");
  for (const ca of ["nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])
    await expect(addSyslog({ ca })).rejects.toMatchObject({ code: "invalid_input" });
});

test("lines whose details retention had deleted before are told as a gap, with their count", async () => {
  await lines(3);
  await fixture.sql(
    "UPDATE event SET data = NULL WHERE seq > (SELECT max(seq) - 3 FROM event) AND payload_digest IS NOT NULL",
  );
  const { id } = await addWebhook();
  while (await deliver(id));
  const { position, swept } = await read(id);
  expect(swept).toBe(3);
  expect(texts().map((text) => JSON.parse(text))).toContainEqual(
    expect.objectContaining({ kind: "gap", lines: 3, last: position }),
  );
  expect(await verified(texts())).toMatchObject({ ok: true, lines: position });
});

// Each test sends the whole history: those that make it large come last.
test("an anchor follows after five minutes, and after a thousand lines; there is none without lines", async () => {
  const { id } = await addWebhook();
  while (await deliver(id));
  expect(texts().map((text) => JSON.parse(text).kind)).not.toContain("anchor");
  await fixture.sql("UPDATE audit_stream SET anchored_at = now() - interval '6 minutes'");
  expect(await deliver(id)).toBe(true);
  const anchor = JSON.parse(texts().at(-1)!);
  const last = events(texts()).at(-1);
  expect(anchor).toMatchObject({
    kind: "anchor",
    organizationId: fixture.organizationId,
    seq: last.seq,
    hash: last.hash,
  });
  await fixture.sql("UPDATE audit_stream SET anchored_at = now() - interval '6 minutes'");
  expect(await fixture.within((tx) => streamsDue(tx))).toEqual([]);
  await fixture.sql("UPDATE audit_stream SET anchored_at = now()");
  await lines(1_001);
  while (await deliver(id));
  expect(texts().filter((text) => JSON.parse(text).kind === "anchor")).toHaveLength(2);
  expect(await verified(texts())).toMatchObject({ ok: true });
});

test("details wait for a stream that does not have them yet, for thirty days and no longer", async () => {
  const kept = async () =>
    (await fixture.sql("SELECT count(*)::integer AS kept FROM event WHERE data IS NOT NULL"))[0]
      ?.kept as number;
  const age = (days: number) => fixture.sql("UPDATE event SET at = at - $1 * interval '1 day'", [days]);
  const { id } = await addWebhook();
  await lines(5);
  // The operator's floor is thirty days.
  await age(40);
  await fixture.sql("UPDATE organization SET keep_payloads_days = 1");
  const before = await kept();
  expect(before).toBeGreaterThan(5);
  await fixture.run(RETENTION);
  expect(await kept()).toBe(before);
  while (await deliver(id));
  await fixture.run(RETENTION);
  expect(await kept()).toBe(0);
  // Away for longer: the details go, and the stream says so.
  const { position, swept } = await read(id);
  await lines(5);
  await age(70);
  await fixture.run(RETENTION);
  expect(await kept()).toBe(0);
  receiver.calls.length = 0;
  while (await deliver(id));
  expect(JSON.parse(texts()[0]!)).toMatchObject({ kind: "gap", lines: 5, first: position + 1 });
  expect(positions(texts())).toEqual(Array.from({ length: 5 }, (_, n) => position + 1 + n));
  expect((await read(id)).swept).toBe(swept + 5);
});

test("batches are bounded by their size too, and one large line goes alone", async () => {
  const { id } = await addWebhook();
  while (await deliver(id));
  receiver.calls.length = 0;
  await lines(5, 400_000);
  while (await deliver(id));
  expect(receiver.calls.map(({ body }) => positions(body.trimEnd().split("\n")).length)).toEqual([2, 2, 1]);
  await lines(1, 2_000_000);
  expect(await deliver(id)).toBe(true);
  expect((await read(id)).behind).toBe(0);
});
