import { readSecondFactor } from "../../../accounts/second-factor.ts";
import { Prisma } from "../../../base/db/db.ts";
import { hashSecret, randomSecret } from "../../../base/ids.ts";
import { hashPassword, isDated, verifyPassword } from "../../../members/password.ts";
import { emailSchema } from "../../../members/schema.ts";
import { database } from "../../database.ts";
import { mayTry } from "../../http/throttle.ts";
import { PENDING_SIGN_IN_MS, SIGN_IN_PER_ACCOUNT, SIGN_IN_PER_ADDRESS } from "../../tunables.ts";

export type SignInResult =
  | { kind: "person"; userId: string; epoch: number }
  /** The password was right, and a code is needed too. `secret` is for the browser that gave the password. */
  | { kind: "second_factor"; secret: string }
  | { kind: "refused" }
  | { kind: "throttled" };

/** Checks an account's password. Accounts that are unknown or have no password take as long. */
export async function checkPassword(email: string, password: string, address: string): Promise<SignInResult> {
  const account = emailSchema.safeParse(email).data;
  const inLimit =
    (await mayTry(`sign-in address ${address}`, SIGN_IN_PER_ADDRESS)) &&
    (!account || (await mayTry(`sign-in account ${account}`, SIGN_IN_PER_ACCOUNT)));
  if (!inLimit) return { kind: "throttled" };
  const db = await database();
  const [found] = account
    ? await db.gate<{ user_id: string; password_hash: string | null; epoch: number }>(
        Prisma.sql`SELECT user_id, password_hash, epoch FROM gate.account_by_email(${account})`,
      )
    : [];
  const given = password.slice(0, 1000);
  const right = await verifyPassword(given, found?.password_hash ?? null);
  if (!right || !found?.password_hash) return { kind: "refused" };
  if (isDated(found.password_hash))
    await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.rehash_password(${found.user_id}::uuid,
      ${found.password_hash}, ${await hashPassword(given)})`);
  if (!(await readSecondFactor(db, found.user_id))?.confirmed)
    return { kind: "person", userId: found.user_id, epoch: found.epoch };
  const secret = randomSecret();
  await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.open_pending_sign_in(${hashSecret(secret)},
    ${found.user_id}::uuid, ${PENDING_SIGN_IN_MS}::bigint)`);
  return { kind: "second_factor", secret };
}
