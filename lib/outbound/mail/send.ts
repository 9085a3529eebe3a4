/** Sends due mail: of an organization, and about accounts. */

import { z } from "zod";
import { type Database, Prisma } from "../../base/db/db.ts";
import { countSent } from "../../history/metrics/engine.ts";
import { composeAccountMail, composeMail } from "./compose.ts";
import { BACKOFF_BASE_MS, BACKOFF_CAP_MS, delayMail, endMail, TAKEN_MS, takeMail } from "./mail-writes.ts";
import { MailError, type Mailer } from "./smtp.ts";

/**
 * Sends one due mail of the organization. Returns false if there is none. Delivers at least once: a mail
 * whose reply was lost is sent again under the same Message-ID.
 */
export async function sendDueMail(
  database: Database,
  organizationId: string,
  mailer: Mailer,
  appUrl: string,
): Promise<boolean> {
  const within = <T>(work: Parameters<typeof database.withOrganization<T>>[1]) =>
    database.withOrganization(organizationId, work);
  const mail = await within((tx) => takeMail(tx));
  if (!mail) return false;
  if (mail.notices.length === 0) {
    await within((tx) => endMail(tx, mail, "dropped"));
    return true;
  }
  const letter = composeMail(mail.notices, { organization: mail.organization, appUrl });
  try {
    await mailer.send({ id: mail.id, to: mail.to, ...letter });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    countSent("mail", error.permanent ? "given_up" : "failed");
    await within((tx) =>
      error.permanent ? endMail(tx, mail, "failed", error.message) : delayMail(tx, mail, error.message),
    );
    return true;
  }
  countSent("mail", "ok");
  await within((tx) => endMail(tx, mail, "sent"));
  return true;
}

const rowSchema = z.object({
  id: z.uuid(),
  attempt: z.number(),
  name: z.string(),
  address: z.string(),
  cause: z.string(),
  data: z.record(z.string(), z.unknown()),
  is_last: z.boolean(),
  created_at: z.date(),
});

/**
 * Sends one due mail about a person's account. Returns false if there is none. Delivers at least once, as `sendDueMail`. The mail
 * goes to the account's address as it was when the thing happened, and depends on no session, preference, notice read or
 * membership. At most five of a kind in a day: gate.tell_person.
 */
export async function sendAccountMail(
  database: Database,
  userId: string,
  mailer: Mailer,
  appUrl: string,
): Promise<boolean> {
  const [row] = await database.gate(
    Prisma.sql`SELECT * FROM gate.take_account_mail(${userId}::uuid, ${TAKEN_MS}::bigint)`,
  );
  if (!row) return false;
  const { id, attempt, name, address, cause, data, is_last: isLast, created_at: at } = rowSchema.parse(row);
  const end = (state: "sent" | "failed" | "waiting", error: string | null, waitMs: number) =>
    database.gate(Prisma.sql`SELECT 1 AS done FROM gate.end_account_mail(${id}::uuid, ${attempt}::integer, ${state},
      ${error}, ${Math.ceil(waitMs)}::bigint)`);
  try {
    const letter = composeAccountMail({ cause, data, isLast, at }, appUrl);
    await mailer.send({ id, to: { name, address }, isFixed: true, ...letter });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    countSent("mail", error.permanent ? "given_up" : "failed");
    const waitMs = Math.random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** Math.min(attempt, 20));
    await end(error.permanent ? "failed" : "waiting", error.message, waitMs);
    return true;
  }
  countSent("mail", "ok");
  await end("sent", null, 0);
  return true;
}
