/** The password of an account. A link sets it without the one before: lib/people/members/set-password.ts. */
import { type Database, Prisma } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { hashSecret, randomSecret } from "../../base/ids.ts";
import { hashNewPassword } from "../members/new-password.ts";
import { verifyPassword } from "../members/password.ts";

export async function readPasswordHash(db: Database, userId: string): Promise<string | null> {
  const [row] = await db.gate<{ hash: string | null }>(
    Prisma.sql`SELECT gate.password_hash(${userId}::uuid) AS hash`,
  );
  return row?.hash ?? null;
}

/**
 * Replaces the password and ends the person's other sessions. Throws `no_password`, `wrong_password`, and
 * `invalid_input` for one that is easy to guess; of
 * two simultaneous calls, one wins.
 */
export async function changePassword(
  db: Database,
  { id: userId, name, email }: { id: string; name: string; email: string },
  keptSessionId: string,
  input: { current: string; password: string },
): Promise<undefined> {
  const before = await readPasswordHash(db, userId);
  if (before === null)
    throw new AppError(
      "no_password",
      "Your account has no password; ask the person who runs Intray for a link to set one.",
    );
  if (!(await verifyPassword(input.current, before, userId))) throw wrongPassword("current");
  const after = await hashNewPassword(input.password, [name, email], userId);
  const [row] = await db.gate<{ done: boolean }>(
    Prisma.sql`SELECT gate.change_password(${userId}::uuid, ${before}, ${after}, ${keptSessionId}::uuid) AS done`,
  );
  if (!row?.done) throw wrongPassword("current");
}

/**
 * Returns a secret with which the account of an address can be given a password, once, or null if there is no
 * such account. Only as the database's owner.
 */
export async function makePasswordLinkFor(
  db: Database,
  email: string,
  lifetimeMs: number,
): Promise<string | null> {
  const token = randomSecret();
  const made = await db.gate(
    Prisma.sql`INSERT INTO password_link (token_hash, user_id, expires_at)
      SELECT ${hashSecret(token)}, id, now() + ${lifetimeMs} * interval '1 ms' FROM "user" WHERE email = ${email}
      RETURNING user_id`,
  );
  return made.length === 1 ? token : null;
}

/**
 * Checks the password before a new way to sign in is added, since a browser left open must not be enough. An
 * account without a password passes. Throws `wrong_password`.
 */
export async function proveAgain(
  db: Database,
  userId: string,
  password: string | undefined,
  field = "currentPassword",
): Promise<void> {
  const hash = await readPasswordHash(db, userId);
  if (hash !== null && !(await verifyPassword(password ?? "", hash, userId))) throw wrongPassword(field);
}

function wrongPassword(field: string): AppError {
  return new AppError("wrong_password", "The password is wrong.", {
    errors: [{ field, message: "This is not your password" }],
  });
}
