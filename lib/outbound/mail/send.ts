import type { Database } from "../../base/db/db.ts";
import { countSent } from "../../history/metrics/engine.ts";
import { composeMail } from "./compose.ts";
import { delayMail, endMail, takeMail } from "./mail-writes.ts";
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
