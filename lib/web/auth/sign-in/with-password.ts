import { Prisma } from "../../../base/db/db.ts";
import { need } from "../../../base/env.ts";
import { hashSecret, randomSecret } from "../../../base/ids.ts";
import { readSecondFactor } from "../../../people/accounts/second-factor.ts";
import { beginTry } from "../../../people/accounts/tries.ts";
import { emailSchema } from "../../../people/members/member-schema.ts";
import { hashPassword, isDated, verifyPassword } from "../../../people/members/password.ts";
import { database } from "../../database.ts";
import { PASSWORD_TRIES, PENDING_SIGN_IN_MS } from "../../tunables.ts";
import type { Origin } from "../origin.ts";

export type SignInResult =
  | { kind: "person"; userId: string; epoch: number }
  /** The password was right, and a code is needed too. `secret` is for the browser that gave the password. */
  | { kind: "second_factor"; userId: string; secret: string }
  /** `userId`: the account that has the address, for the records. */
  | { kind: "refused"; userId: string | null }
  | { kind: "throttled"; userId: string | null; retryAfterMs: number };

/** Checks an account's password. Accounts that are unknown or have no password take as long. */
export async function checkPassword(
  email: string,
  password: string,
  origin: Pick<Origin, "network" | "browser">,
): Promise<SignInResult> {
  const account = emailSchema.safeParse(email).data ?? null;
  const db = await database();
  const attempt = await beginTry(db, need("authSecret"), PASSWORD_TRIES, account, origin);
  if (attempt.waitMs > 0) return { kind: "throttled", userId: attempt.userId, retryAfterMs: attempt.waitMs };
  const [found] = account
    ? await db.gate<{ user_id: string; password_hash: string | null; epoch: number }>(
        Prisma.sql`SELECT user_id, password_hash, epoch FROM gate.account_by_email(${account})`,
      )
    : [];
  const given = password.slice(0, 1000);
  const knownAs = attempt.isKnown ? (attempt.userId ?? undefined) : undefined;
  const right = await verifyPassword(given, found?.password_hash ?? null, knownAs);
  if (!right || !found?.password_hash) return { kind: "refused", userId: attempt.userId };
  await attempt.wasRight();
  if (isDated(found.password_hash))
    await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.rehash_password(${found.user_id}::uuid,
      ${found.password_hash}, ${await hashPassword(given, found.user_id)})`);
  if (!(await readSecondFactor(db, found.user_id))?.confirmed)
    return { kind: "person", userId: found.user_id, epoch: found.epoch };
  const secret = randomSecret();
  await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.open_pending_sign_in(${hashSecret(secret)},
    ${found.user_id}::uuid, ${PENDING_SIGN_IN_MS}::bigint)`);
  return { kind: "second_factor", userId: found.user_id, secret };
}
