import { type Database, Prisma } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import { hashSecret } from "../../base/ids.ts";
import { hashNewPassword } from "./new-password.ts";

/**
 * Sets a password by a link, which it uses up, and ends the person's sessions. Of two simultaneous calls, one
 * wins. Throws `link_expired`, and
 * `invalid_input`, which uses nothing up, for one that is easy to guess.
 */
export async function setPassword(
  db: Database,
  input: { token: string; password: string },
): Promise<undefined> {
  const passwordHash = await hashNewPassword(input.password, []);
  const [row] = await db.gate<{ userId: string | null }>(
    Prisma.sql`SELECT gate.set_password(${hashSecret(input.token)}, ${passwordHash}) AS "userId"`,
  );
  if (!row?.userId)
    throw new AppError("link_expired", "This link was used or is too old; ask for a new one.");
}

/** Addresses that wait for an engine to look them up: it takes seconds, so more come from one who tries many. */
const MOST_WAITING = 1_000;

/**
 * Notes that a link is wanted for an address. Reads no account: what it does, and how long it takes, is the same for an
 * address that has none. An engine mails the link (lib/outbound/mail/password-reset.ts).
 */
export async function askPasswordReset(db: Database, email: string): Promise<void> {
  await db.gate(
    Prisma.sql`SELECT 1 AS done FROM gate.ask_password_reset(${email}, ${MOST_WAITING}::integer)`,
  );
}

/** The token stands in the fragment, which no log and no other site sees. Opening it decides nothing. */
export function passwordLinkUrl(token: string): string {
  return `${env().url}/set-password#token=${token}`;
}

/** Whether a link still sets a password. Uses nothing up. */
export async function isPasswordLinkInForce(db: Database, token: string): Promise<boolean> {
  const [row] = await db.gate<{ inForce: boolean }>(
    Prisma.sql`SELECT gate.password_link_in_force(${hashSecret(token)}) AS "inForce"`,
  );
  return row?.inForce === true;
}
