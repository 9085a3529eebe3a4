import type { Database } from "../../base/db/db.ts";
import type { Seal } from "../../base/seal.ts";
import { countSent } from "../../history/metrics/engine.ts";
import { MailError, type Mailer } from "../mail/smtp.ts";
import { composeDigest } from "./compose-digest.ts";
import { type DigestOutcome, settleDigest, type TakenDigest, takeDigest } from "./digest-writes.ts";
import { unsubscribeToken } from "./unsubscribe.ts";

/**
 * Sends one due digest of the organization, or finds that nothing waits for its member. Returns false if none is due. Delivers at
 * least once: a mail whose reply was lost is sent again under the same Message-ID.
 */
export async function sendDueDigest(
  { database, seal }: { database: Database; seal: Seal },
  organizationId: string,
  mailer: Mailer,
  appUrl: string,
): Promise<boolean> {
  const taken = await database.withOrganization(organizationId, takeDigest);
  if (!taken) return false;
  const token = unsubscribeToken(seal, { organizationId, userId: taken.userId });
  const outcome = taken.count === 0 ? SKIPPED : await send(mailer, taken, { appUrl, token });
  await database.withOrganization(organizationId, (tx) => settleDigest(tx, taken, outcome));
  return true;
}

const SKIPPED: DigestOutcome = { kind: "skipped" };

async function send(
  mailer: Mailer,
  taken: TakenDigest,
  { appUrl, token }: { appUrl: string; token: string },
): Promise<DigestOutcome> {
  const unsubscribePage = `${appUrl}/unsubscribe#token=${token}`;
  const letter = composeDigest(taken, { appUrl, unsubscribePage });
  try {
    const unsubscribeUrl = `${appUrl}/api/unsubscribe/${token}`;
    await mailer.send({ id: taken.mailId, to: taken.to, unsubscribeUrl, ...letter });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    countSent("mail", error.permanent ? "given_up" : "failed");
    return { kind: "failed", error: error.message, permanent: error.permanent };
  }
  countSent("mail", "ok");
  return { kind: "sent" };
}
