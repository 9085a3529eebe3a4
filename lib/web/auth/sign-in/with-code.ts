import { noteRefusal } from "../../../accounts/identities.ts";
import { codeSchema } from "../../../accounts/schema.ts";
import { appCodeWaitMs, isAppCode, takeCode } from "../../../accounts/second-factor.ts";
import { Prisma } from "../../../base/db/db.ts";
import { hashSecret } from "../../../base/ids.ts";
import { database } from "../../database.ts";
import { mayTry } from "../../http/throttle.ts";
import { sealing } from "../../sealing.ts";
import { CODES_PER_ACCOUNT, PENDING_SIGN_IN_TRIES } from "../../tunables.ts";
import type { Origin } from "../origin.ts";
import { credentialsEpoch } from "../sessions.ts";

/** `isRecovery`: the code was none of an app. */
export type CodeResult = { isRecovery: boolean } & (
  | { kind: "person"; userId: string; epoch: number }
  | { kind: "wrong_code"; userId: string }
  /** Too late, tried too often, or finished already: the password is asked again. */
  | { kind: "sign_in_again" }
  | { kind: "throttled"; userId: string; retryAfterMs: number }
);

/** Checks the code of the sign-in that `secret` stands for. Of two simultaneous tries, one succeeds. */
export async function checkCode(
  secret: string | undefined,
  typed: string,
  { network, browser }: Pick<Origin, "network" | "browser">,
): Promise<CodeResult> {
  const isRecovery = !isAppCode(typed);
  const db = await database();
  const hash = hashSecret(secret ?? "");
  const [pending] = await db.gate<{ user_id: string | null }>(
    Prisma.sql`SELECT gate.try_pending_sign_in(${hash}, ${PENDING_SIGN_IN_TRIES}::integer) AS user_id`,
  );
  const userId = pending?.user_id;
  if (!userId) return { kind: "sign_in_again", isRecovery };
  // By place as well, so that somebody elsewhere who has the password does not keep the person's recovery code out.
  if (!(await mayTry(`code ${userId} ${browser ?? network}`, CODES_PER_ACCOUNT)))
    return { kind: "throttled", userId, retryAfterMs: CODES_PER_ACCOUNT.windowMs, isRecovery };
  const epoch = await credentialsEpoch(userId);
  const given = codeSchema.safeParse(typed).data;
  const code = given ? await takeCode(db, sealing(), userId, given) : "wrong";
  if (code === "wait")
    return { kind: "throttled", userId, retryAfterMs: await appCodeWaitMs(db, userId), isRecovery };
  if (code === "wrong") {
    await noteRefusal(db, userId, "wrong_code");
    return { kind: "wrong_code", userId, isRecovery };
  }
  const [taken] = await db.gate<{ user_id: string | null }>(
    Prisma.sql`SELECT gate.take_pending_sign_in(${hash}) AS user_id`,
  );
  return taken?.user_id
    ? { kind: "person", userId: taken.user_id, epoch, isRecovery }
    : { kind: "sign_in_again", isRecovery };
}
