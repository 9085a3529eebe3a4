/**
 * Mails about accounts. They go to the account's address as it was when the thing happened, and depend on no session,
 * preference, notice read or membership. At most five of a kind in a day: gate.tell_person.
 */
import { z } from "zod";
import { type Database, Prisma } from "../../base/db/db.ts";
import { countSent } from "../../history/metrics/engine.ts";
import { composeAccountMail } from "./compose.ts";
import { BACKOFF_BASE_MS, BACKOFF_CAP_MS, TAKEN_MS } from "./mail-writes.ts";
import { MailError, type Mailer } from "./smtp.ts";

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

/** Sends one due mail of a person's. Returns false if there is none. Delivers at least once, as `sendDueMail`. */
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
