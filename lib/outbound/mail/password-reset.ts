/**
 * Mails to people who forgot their passwords. The web notes an address and answers; here an account is looked for, a link
 * is made, and goes to the address alone. The secret is made with each attempt and is stored nowhere.
 */
import { z } from "zod";
import { type Database, Prisma } from "../../base/db/db.ts";
import { hashSecret, randomSecret, uuidv7 } from "../../base/ids.ts";
import { countSent } from "../../history/metrics/engine.ts";
import { passwordLinkUrl } from "../../people/members/set-password.ts";
import { escapeHtml, htmlPage } from "./compose.ts";
import { BACKOFF_BASE_MS, BACKOFF_CAP_MS, TAKEN_MS } from "./mail-writes.ts";
import { MailError, type Mailer } from "./smtp.ts";

/** A mailed link works for an hour: somebody waits for it. */
const RESET_LINK_MS = 3600_000;
/** Mails for one account: strangers who ask send no more, and the last link still works. */
const MAILED_AN_HOUR = 3;

const rowSchema = z.object({
  attempt: z.number(),
  kind: z.enum(["link", "no_password"]),
  name: z.string(),
  address: z.string(),
});

/** Mails what somebody asked for, if an account has the address. Tries again within the hour, each time by a new link. */
export async function sendPasswordReset(
  database: Database,
  resetId: string,
  mailer: Mailer,
  appUrl: string,
): Promise<void> {
  const token = randomSecret();
  const [row] = await database.gate(
    Prisma.sql`SELECT * FROM gate.take_password_reset(${resetId}::uuid, ${hashSecret(token)},
      ${RESET_LINK_MS}::bigint, ${TAKEN_MS}::bigint, ${MAILED_AN_HOUR}::integer)`,
  );
  if (!row) return;
  const { attempt, kind, name, address } = rowSchema.parse(row);
  const end = (waitMs: number | null) =>
    database.gate(
      Prisma.sql`SELECT 1 AS done FROM gate.end_password_reset(${resetId}::uuid, ${attempt}::integer, ${waitMs}::bigint)`,
    );
  const letter = composePasswordReset({ url: kind === "link" ? passwordLinkUrl(token) : null, appUrl });
  try {
    await mailer.send({ id: uuidv7(), to: { name, address }, isFixed: true, ...letter });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    countSent("mail", error.permanent ? "given_up" : "failed");
    const waitMs = Math.random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** Math.min(attempt, 20));
    await end(error.permanent ? null : Math.ceil(waitMs));
    return;
  }
  countSent("mail", "ok");
  await end(null);
}

/**
 * Composes the mail to whoever forgot their password. `url`: the link that sets a new one; null: the account has no
 * password, and its person signs in otherwise. Nothing of who asked stands in it, and no name of anybody's choice.
 */
function composePasswordReset({ url, appUrl }: { url: string | null; appUrl: string }): {
  subject: string;
  text: string;
  html: string;
} {
  const what = url
    ? "Somebody asked for a new password for your Intray account."
    : "Somebody asked for a new password for your Intray account, which has none.";
  const how = url
    ? "The link works once, for an hour. It ends your sessions everywhere, and leaves two-step sign-in on."
    : "Sign in as you did before: with single sign-on, or with a passkey.";
  const advice =
    "If this was not you, do nothing: nobody else got this mail, and your account stays as it is.";
  const [address, label] = url ? [url, "Set a new password"] : [`${appUrl}/sign-in`, "Sign in"];
  return {
    subject: url ? "Set a new password for Intray" : "Signing in to Intray",
    text: [what, address, how, advice].join("\n\n"),
    html: htmlPage(
      `<p><strong>${escapeHtml(what)}</strong><br><a href="${escapeHtml(address)}">${label}</a></p>`,
      `<p>${escapeHtml(how)}</p><p class="quiet">${escapeHtml(advice)}</p>`,
    ),
  };
}
