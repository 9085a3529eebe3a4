/** Members' devices: all reads and writes but those of sending, which delivery.ts does. */
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import { NetworkError } from "../../base/network/address-rules.ts";
import { type Network, receiverUrl } from "../../base/network/network.ts";
import type { Seal, SealedPlace } from "../../base/seal.ts";
import type { Device, Devices, Subscription } from "./push-schema.ts";

/** Devices of a member in one organization. */
const MOST_DEVICES = 20;

/** A member, and the session in which they ask. */
export interface Person {
  userId: string;
  sessionId: string;
}

export async function listDevices(
  tx: Tx,
  { userId, sessionId }: Person,
  publicKey: string,
): Promise<Devices> {
  const { pushText } = await tx.organization.findFirstOrThrow({
    where: { id: tx.organizationId },
    select: { pushText: true },
  });
  const rows = await tx.pushDevice.findMany({
    where: { organizationId: tx.organizationId, userId },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    select: {
      id: true,
      sessionId: true,
      userAgent: true,
      showsText: true,
      createdAt: true,
      seenAt: true,
      sentAt: true,
      error: true,
      failingSince: true,
      testId: true,
      testAskedAt: true,
      testSentAt: true,
      testShownAt: true,
    },
  });
  return {
    textAllowed: pushText,
    publicKey,
    items: rows.map((row) => ({
      id: row.id,
      userAgent: row.userAgent,
      current: row.sessionId === sessionId,
      showsText: row.showsText,
      createdAt: row.createdAt.toISOString(),
      seenAt: row.seenAt.toISOString(),
      sentAt: row.sentAt?.toISOString() ?? null,
      failure:
        row.error !== null && row.failingSince !== null
          ? { error: row.error, since: row.failingSince.toISOString() }
          : null,
      test: testOf(row),
    })),
  };
}

function testOf(
  row: Record<"testAskedAt" | "testSentAt" | "testShownAt", Date | null> & { testId: string | null },
): Device["test"] {
  const { testId, testAskedAt, testSentAt, testShownAt } = row;
  if (testId === null || testAskedAt === null) return null;
  return {
    id: testId,
    askedAt: testAskedAt.toISOString(),
    sentAt: testSentAt?.toISOString() ?? null,
    shownAt: testShownAt?.toISOString() ?? null,
  };
}

/**
 * Adds the browser of a session, or takes a known one over into the session. The caller keeps the session from ending meanwhile.
 * Throws `address_not_allowed`, `too_many_devices`.
 */
export async function addDevice(
  tx: Tx,
  { network, seal }: { network: Network; seal: Seal },
  { userId, sessionId }: Person,
  { subscription, userAgent }: { subscription: Subscription; userAgent: string | null },
): Promise<string> {
  const { organizationId } = tx;
  checkEndpoint(network, subscription.endpoint);
  // One at a time, so that two at once do not exceed the limit.
  await tx.$queryRaw`SELECT FROM membership WHERE organization_id = ${organizationId}::uuid AND user_id = ${userId}::uuid FOR UPDATE`;
  const endpointDigest = digestOf(seal, subscription.endpoint);
  const known = await tx.pushDevice.findFirst({
    where: { organizationId, userId, endpointDigest },
    select: { id: true },
  });
  if (!known && (await tx.pushDevice.count({ where: { organizationId, userId } })) >= MOST_DEVICES)
    throw new AppError("too_many_devices", `You have ${MOST_DEVICES} devices already; remove one first.`);
  const id = known?.id ?? uuidv7();
  const sealedSubscription = seal.seal(subscriptionPlace(organizationId, id), JSON.stringify(subscription));
  const now = {
    sessionId,
    userAgent: userAgent?.slice(0, 300) ?? null,
    sealedSubscription,
    seenAt: new Date(),
  };
  if (known) await tx.pushDevice.updateMany({ where: { organizationId, id, userId }, data: now });
  else
    await tx.pushDevice.create({
      data: { organizationId, id, userId, endpointDigest, dueAt: new Date(), ...now },
    });
  await publishChange(tx, "notice", [userId]);
  return id;
}

/** Notes that the session's browser still has this subscription. Returns the device's id, or null if it is none of the member's here. */
export async function seeDevice(
  tx: Tx,
  seal: Seal,
  { userId, sessionId }: Person,
  endpoint: string,
): Promise<string | null> {
  const where = { organizationId: tx.organizationId, userId, endpointDigest: digestOf(seal, endpoint) };
  const known = await tx.pushDevice.findFirst({ where, select: { id: true } });
  if (!known) return null;
  // Text may be shown again where it waited for the member to sign in.
  await tx.pushDevice.updateMany({ where, data: { sessionId, seenAt: new Date(), dueAt: new Date() } });
  return known.id;
}

/** Chooses whether the device shows text. Throws `not_found`. */
export async function setShowsText(tx: Tx, userId: string, id: string, showsText: boolean): Promise<void> {
  await update(tx, userId, id, Prisma.sql`shows_text = ${showsText}, due_at = now()`);
}

/** Throws `not_found`. */
export async function removeDevice(tx: Tx, userId: string, id: string): Promise<void> {
  const { count } = await tx.pushDevice.deleteMany({
    where: { organizationId: tx.organizationId, id, userId },
  });
  if (count === 0) throw notFound("device");
  await publishChange(tx, "notice", [userId]);
}

/** Asks for a test message, at once also where the last messages failed. Throws `not_found`. */
export async function askTest(tx: Tx, userId: string, id: string): Promise<void> {
  await update(
    tx,
    userId,
    id,
    Prisma.sql`test_id = ${uuidv7()}::uuid, test_asked_at = now(), test_sent_at = NULL, test_shown_at = NULL, due_at = now(),
      not_before = CASE WHEN error IS NULL THEN not_before ELSE now() END`,
  );
}

/** Takes the device's word that it showed a test. Throws `not_found` for a test that another one has replaced. */
export async function noteShown(tx: Tx, userId: string, id: string, testId: string): Promise<void> {
  const found = await tx.pushDevice.count({
    where: { organizationId: tx.organizationId, id, userId, testId },
  });
  if (found === 0) throw notFound("test");
  // The word may come before the engine has stored that the push service took the message.
  await update(
    tx,
    userId,
    id,
    Prisma.sql`test_sent_at = coalesce(test_sent_at, now()), test_shown_at = coalesce(test_shown_at, now())`,
  );
}

async function update(tx: Tx, userId: string, id: string, changes: Prisma.Sql): Promise<void> {
  const changed = await tx.$executeRaw`UPDATE push_device SET ${changes}
    WHERE organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid AND id = ${id}::uuid`;
  if (changed === 0) throw notFound("device");
  await publishChange(tx, "notice", [userId]);
}

/** Deletes devices whose browser has not been here for so long. A session that expires leaves its device until then. */
export async function forgetOldDevices(tx: Tx, keepMs: number): Promise<void> {
  await tx.$executeRaw`DELETE FROM push_device WHERE organization_id = ${tx.organizationId}::uuid
    AND seen_at < now() - ${keepMs} * interval '1 ms'`;
}

function checkEndpoint(network: Network, endpoint: string): void {
  try {
    receiverUrl(network, endpoint);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw new AppError("address_not_allowed", "Intray sends push messages to public https addresses only.", {
      errors: [{ field: "endpoint", message: "Use a public https address" }],
      cause: error,
    });
  }
}

export function subscriptionPlace(organizationId: string, id: string): SealedPlace {
  return { organizationId, table: "push_device", row: id, column: "sealed_subscription" };
}

const digestOf = (seal: Seal, endpoint: string) => new Uint8Array(seal.digest("push endpoint", endpoint));
