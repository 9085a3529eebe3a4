/** What members read and change of their accounts on any platform. The platforms' own files link accounts. */
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import type { OwnAccount } from "./account-schema.ts";
import type { Platform } from "./platforms.ts";

interface AccountRow {
  name: string;
  linkedAt: Date;
  sentAt: Date | null;
  failingSince: Date | null;
  error: string | null;
  testAskedAt: Date | null;
  testSentAt: Date | null;
}

/** Null: the member has linked none. */
export async function readOwnAccount(
  { account, personName }: Platform,
  tx: Tx,
  userId: string,
): Promise<OwnAccount | null> {
  const [row] = await tx.$queryRaw<
    AccountRow[]
  >`SELECT ${personName} AS name, linked_at AS "linkedAt", sent_at AS "sentAt",
      failing_since AS "failingSince", error, test_asked_at AS "testAskedAt", test_sent_at AS "testSentAt"
    FROM ${account} WHERE organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid`;
  if (!row) return null;
  const { name, linkedAt, sentAt, failingSince, error, testAskedAt, testSentAt } = row;
  return {
    name,
    linkedAt: linkedAt.toISOString(),
    sentAt: sentAt?.toISOString() ?? null,
    failure: error !== null && failingSince !== null ? { error, since: failingSince.toISOString() } : null,
    test: testAskedAt && {
      askedAt: testAskedAt.toISOString(),
      deliveredAt: testSentAt?.toISOString() ?? null,
    },
  };
}

/** After an account was linked: the member is told of what waits already. */
export async function noteLinked(
  { name, account, after }: Platform,
  tx: Tx,
  { userId, actor }: Principal & { userId: string },
  personName: string,
): Promise<void> {
  const { organizationId } = tx;
  await tx.$executeRaw`UPDATE ${account} SET due_at = now() WHERE organization_id = ${organizationId}::uuid AND user_id = ${userId}::uuid`;
  await tx.$executeRaw`UPDATE notice SET ${after} = now() WHERE organization_id = ${organizationId}::uuid
    AND user_id = ${userId}::uuid AND input_request_id IS NOT NULL AND ${after} IS NULL AND read_at IS NULL AND withdrawn_at IS NULL`;
  await publishChange(tx, "notice", [userId]);
  await appendEvents(tx, [{ type: `${name}.account_linked`, actor, data: { userId, name: personName } }]);
}

/** Throws `not_found` if no account is linked. Messages that were posted stay as they are. */
export async function unlinkFrom(
  { name, title, account }: Platform,
  tx: Tx,
  { userId, actor }: Principal & { userId: string },
): Promise<void> {
  const gone = await tx.$executeRaw`DELETE FROM ${account}
    WHERE organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid`;
  if (gone === 0) throw notFound(`${title} account`);
  await publishChange(tx, "notice", [userId]);
  await appendEvents(tx, [{ type: `${name}.account_unlinked`, actor, data: { userId } }]);
}

/** Asks for a test message, at once also where the last messages failed. Throws `not_found`. */
export async function askTest({ title, account }: Platform, tx: Tx, userId: string): Promise<void> {
  const asked =
    await tx.$executeRaw`UPDATE ${account} SET test_asked_at = now(), test_sent_at = NULL, due_at = now(),
      not_before = CASE WHEN error IS NULL THEN not_before ELSE now() END
    WHERE organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid`;
  if (asked === 0) throw notFound(`${title} account`);
  await publishChange(tx, "notice", [userId]);
}
