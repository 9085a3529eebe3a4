/**
 * Sends push messages (RFC 8030). A device is due whenever a notice of its member changes: triggers of the database see to that. One
 * engine takes a due device, commits what the device is going to show, sends it outside of any transaction, and records the result.
 * If the engine dies, another one sends again; the device ignores a version that it has handled.
 */
import { encryptNotification, vapidHeaders } from "@block65/webcrypto-web-push";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { publishChange } from "../../base/live-updates.ts";
import { type Network, receiverUrl } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { countSent } from "../../history/metrics/engine.ts";
import { subscriptionPlace } from "./device-writes.ts";
import { messageOf, type Shown, shownSchema } from "./notifications.ts";
import { pushSigningKey, type VapidKey } from "./push-key.ts";
import { addDeviceSchema, type Subscription } from "./push-schema.ts";
import { readState } from "./state.ts";

/** Duration of a claim, longer than any attempt. */
const TAKEN_MS = 60_000;
/** Time for a push service to respond. */
const DEADLINE_MS = 10_000;
/** Shortest time between two messages to a device; what changes meanwhile goes together. */
const BETWEEN_MS = 4_000;
const BACKOFF_BASE_MS = 15_000;
const BACKOFF_CAP_MS = 3600_000;
/** After this long without success, a device is tried again only when there is something new. */
const GIVEN_UP_MS = 24 * 3600_000;
/** How long a push service keeps a message for a device that is off. */
const TTL_SECONDS = 24 * 3600;

interface PushMeans {
  database: Database;
  network: Network;
  seal: Seal;
}

/** Returns the organization's devices that are due. */
export async function devicesDue(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM push_device
    WHERE organization_id = ${tx.organizationId}::uuid AND due_at <= now() AND not_before <= now()`;
  return rows.map(({ id }) => id);
}

/** Sends a device its state. Returns false if the device is not due, or shows everything. */
export async function pushNext(
  { database, network, seal }: PushMeans,
  organizationId: string,
  deviceId: string,
  appUrl: string,
): Promise<boolean> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => database.withOrganization(organizationId, work);
  const key = await pushSigningKey(database, seal);
  if (!key) return false;
  const taken = await within((tx) => take(tx, seal, deviceId, appUrl));
  if (!taken) return false;
  const outcome = await send(network, taken, { key, subject: subjectOf(appUrl) });
  countSent("push", outcome.kind === "taken" ? "ok" : outcome.kind === "gone" ? "given_up" : "failed");
  await within((tx) => settle(tx, taken, outcome));
  return true;
}

interface Taken {
  id: string;
  userId: string;
  /** The attempt's number since the push service last took a message. */
  attempts: number;
  claimedUntil: Date;
  /** When the device is due again, even if nothing happens; null: never. */
  nextDueAt: Date | null;
  subscription: Subscription;
  message: Record<string, unknown>;
  testId: string | null;
}

interface DeviceRow {
  userId: string;
  sessionId: string;
  sealedSubscription: string;
  showsText: boolean;
  shown: unknown;
  attempts: number;
  claimedUntil: Date;
  testId: string | null;
}

/** Claims the device, and keeps what it is going to show. Null: it is not due, or has nothing to be told. */
async function take(tx: Tx, seal: Seal, deviceId: string, appUrl: string): Promise<Taken | null> {
  const [row] = await tx.$queryRaw<DeviceRow[]>`
    UPDATE push_device SET attempts = attempts + 1, not_before = now() + ${TAKEN_MS} * interval '1 ms',
      due_at = now() + ${TAKEN_MS} * interval '1 ms'
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${deviceId}::uuid AND due_at <= now() AND not_before <= now()
    RETURNING user_id AS "userId", session_id AS "sessionId", sealed_subscription AS "sealedSubscription",
      shows_text AS "showsText", shown, attempts, due_at AS "claimedUntil",
      CASE WHEN test_sent_at IS NULL THEN test_id END AS "testId"`;
  if (!row) return null;
  const shown: Shown = shownSchema.parse(row.shown);
  const { next, items, count, nextDueAt } = await readState(tx, row, shown);
  const { attempts, claimedUntil, testId } = row;
  if (next === shown && attempts === 1 && testId === null) {
    await tx.$executeRaw`UPDATE push_device SET attempts = 0, not_before = now(), due_at = ${nextDueAt}::timestamptz
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${deviceId}::uuid`;
    return null;
  }
  await tx.$executeRaw`UPDATE push_device SET shown = ${JSON.stringify(next)}::jsonb
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${deviceId}::uuid`;
  const { version } = next;
  const subscription = addDeviceSchema.parse(
    JSON.parse(seal.open(subscriptionPlace(tx.organizationId, deviceId), row.sealedSubscription)),
  );
  const message = messageOf({ deviceId, version, items, count, testId }, appUrl);
  return {
    id: deviceId,
    userId: row.userId,
    attempts,
    claimedUntil,
    nextDueAt,
    subscription,
    message,
    testId,
  };
}

type Outcome =
  | { kind: "taken" }
  /** The subscription is no more. */
  | { kind: "gone" }
  | { kind: "failed"; error: string; waitMs: number };

/** Sends one attempt. Follows no redirect, and reads only the response's status and `Retry-After`. */
async function send(
  network: Network,
  { id, subscription, message, testId, attempts }: Taken,
  { key, subject }: { key: VapidKey; subject: string },
): Promise<Outcome> {
  const failed = (error: string, waitMs = 0): Outcome => ({
    kind: "failed",
    error,
    waitMs: Math.max(waitMs, Math.random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** attempts)),
  });
  try {
    const url = receiverUrl(network, subscription.endpoint);
    const target = { endpoint: url.href, expirationTime: null, keys: subscription };
    const body = await encryptNotification(target, Buffer.from(JSON.stringify(message)));
    const reply = await network.fetch(url, {
      method: "POST",
      headers: {
        ...(await authorization(url, key, subject)),
        "content-type": "application/octet-stream",
        "content-encoding": "aes128gcm",
        ttl: String(TTL_SECONDS),
        urgency: "high",
        // A message replaces the one before it that the device did not get yet; a test replaces none. A browser has one
        // subscription for all organizations, so that each of its devices needs a topic of its own.
        ...(testId === null && { topic: topicOf(id) }),
      },
      body,
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    await reply.body?.cancel();
    const { status } = reply;
    if (status >= 200 && status < 300) return { kind: "taken" };
    if (status === 404 || status === 410) return { kind: "gone" };
    return failed(
      `The push service answered ${status}.`,
      retryAfterMs(reply.headers.get("retry-after"), Date.now()),
    );
  } catch (error) {
    // Also for an address that is not allowed any more: it is told as one that can't be reached.
    const isTimeout = (error as Error).name === "TimeoutError";
    return failed(
      isTimeout ? "The push service did not answer in time." : "The push service can’t be reached.",
    );
  }
}

/** Of at most 32 characters (RFC 8030, section 5.4). */
export const topicOf = (deviceId: string) => deviceId.replaceAll("-", "");

/**
 * The header of VAPID (RFC 8292), whose audience is always https. A push service at plain http is one of a test, on a host that the
 * operator named.
 */
async function authorization(url: URL, key: VapidKey, subject: string): Promise<Record<string, string>> {
  const secure = new URL(url);
  secure.protocol = "https:";
  const keys = { p256dh: "", auth: "" };
  const { headers } = await vapidHeaders(
    { endpoint: secure.href, expirationTime: null, keys },
    { subject, ...key },
  );
  return headers;
}

/** Whom a push service may ask about this sender: an https address, or one of mail. */
function subjectOf(appUrl: string): string {
  const { protocol, origin, hostname } = new URL(appUrl);
  return protocol === "https:" ? origin : `mailto:intray@${hostname}`;
}

/** Returns the wait that a push service asks for, in seconds or as a date, at most an hour; 0 if it asks for none. */
export function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), BACKOFF_CAP_MS);
}

/** Records an attempt, unless another one was made meanwhile, whose result counts. */
async function settle(tx: Tx, taken: Taken, outcome: Outcome): Promise<void> {
  const { attempts, claimedUntil, nextDueAt, testId } = taken;
  // For the list of devices, which shows the outcome of a test, and failures.
  if (outcome.kind !== "taken" || testId !== null || attempts > 1)
    await publishChange(tx, "notice", [taken.userId]);
  const thisAttempt = Prisma.sql`organization_id = ${tx.organizationId}::uuid AND id = ${taken.id}::uuid AND attempts = ${attempts}`;
  if (outcome.kind === "gone") {
    await tx.$executeRaw`DELETE FROM push_device WHERE ${thisAttempt}`;
    return;
  }
  if (outcome.kind === "taken") {
    // A notice that changed since the claim has made the device due earlier.
    await tx.$executeRaw`UPDATE push_device SET attempts = 0, failing_since = NULL, error = NULL, sent_at = now(),
        not_before = now() + ${BETWEEN_MS} * interval '1 ms',
        due_at = CASE WHEN due_at = ${claimedUntil}::timestamptz THEN ${nextDueAt}::timestamptz
          ELSE least(due_at, ${nextDueAt}::timestamptz) END,
        test_sent_at = CASE WHEN test_id = ${testId}::uuid THEN coalesce(test_sent_at, now()) ELSE test_sent_at END
      WHERE ${thisAttempt}`;
    return;
  }
  await tx.$executeRaw`UPDATE push_device SET failing_since = coalesce(failing_since, now()), error = ${outcome.error},
      not_before = now() + ${outcome.waitMs} * interval '1 ms',
      due_at = CASE WHEN failing_since < now() - ${GIVEN_UP_MS} * interval '1 ms' AND due_at = ${claimedUntil}::timestamptz
        THEN ${nextDueAt}::timestamptz ELSE now() END
    WHERE ${thisAttempt}`;
}
