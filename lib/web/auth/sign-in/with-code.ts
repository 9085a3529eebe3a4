import { noteRefusal } from "../../../accounts/identities.ts";
import { codeSchema } from "../../../accounts/schema.ts";
import { takeCode } from "../../../accounts/second-factor.ts";
import { Prisma } from "../../../base/db/db.ts";
import { hashSecret } from "../../../base/ids.ts";
import { database } from "../../database.ts";
import { mayTry } from "../../http/throttle.ts";
import { sealing } from "../../sealing.ts";
import { CODES_PER_ACCOUNT, PENDING_SIGN_IN_TRIES } from "../../tunables.ts";
import { credentialsEpoch } from "../sessions.ts";

export type CodeResult =
  | { kind: "person"; userId: string; epoch: number }
  | { kind: "wrong_code" }
  /** Too late, tried too often, or finished already: the password is asked again. */
  | { kind: "sign_in_again" }
  | { kind: "throttled" };

/** Checks the code of the sign-in that `secret` stands for. Of two simultaneous tries, one succeeds. */
export async function checkCode(secret: string | undefined, typed: string): Promise<CodeResult> {
  const db = await database();
  const hash = hashSecret(secret ?? "");
  const [pending] = await db.gate<{ user_id: string | null }>(
    Prisma.sql`SELECT gate.try_pending_sign_in(${hash}, ${PENDING_SIGN_IN_TRIES}::integer) AS user_id`,
  );
  if (!pending?.user_id) return { kind: "sign_in_again" };
  if (!(await mayTry(`code ${pending.user_id}`, CODES_PER_ACCOUNT))) return { kind: "throttled" };
  const epoch = await credentialsEpoch(pending.user_id);
  const given = codeSchema.safeParse(typed).data;
  const code = given ? await takeCode(db, sealing(), pending.user_id, given) : "wrong";
  if (code === "wait") return { kind: "throttled" };
  if (code === "wrong") {
    await noteRefusal(db, pending.user_id, "wrong_code");
    return { kind: "wrong_code" };
  }
  const [taken] = await db.gate<{ user_id: string | null }>(
    Prisma.sql`SELECT gate.take_pending_sign_in(${hash}) AS user_id`,
  );
  return taken?.user_id ? { kind: "person", userId: taken.user_id, epoch } : { kind: "sign_in_again" };
}
