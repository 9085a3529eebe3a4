import { Prisma } from "../db.ts";
import { verifyPassword } from "../members/password.ts";
import { emailSchema } from "../members/schema.ts";
import { database } from "./database.ts";
import { mayTry } from "./throttle.ts";
import { SIGN_IN_PER_ACCOUNT, SIGN_IN_PER_ADDRESS } from "./tunables.ts";

export type SignInResult = { kind: "person"; userId: string } | { kind: "refused" } | { kind: "throttled" };

/** Checks an account's password. Unknown accounts, and those without a password, take as long as known ones. */
export async function checkPassword(email: string, password: string, address: string): Promise<SignInResult> {
  const account = emailSchema.safeParse(email).data;
  const inLimit =
    (await mayTry(`sign-in address ${address}`, SIGN_IN_PER_ADDRESS)) &&
    (!account || (await mayTry(`sign-in account ${account}`, SIGN_IN_PER_ACCOUNT)));
  if (!inLimit) return { kind: "throttled" };
  const db = await database();
  const [found] = account
    ? await db.gate<{ user_id: string; password_hash: string | null }>(
        Prisma.sql`SELECT * FROM gate.user_by_email(${account})`,
      )
    : [];
  const right = await verifyPassword(password.slice(0, 1000), found?.password_hash ?? null);
  return right && found ? { kind: "person", userId: found.user_id } : { kind: "refused" };
}
