import { noteRefusal } from "../../../accounts/identities.ts";
import { answerWithPasskey, ownerOfPasskey, relyingParty } from "../../../accounts/passkeys.ts";
import { assertionSchema } from "../../../accounts/schema.ts";
import { env } from "../../../base/env.ts";
import { AppError } from "../../../base/errors.ts";
import { database } from "../../database.ts";
import { mayTry } from "../../http/throttle.ts";
import { PASSKEYS_PER_ORIGIN } from "../../tunables.ts";
import type { Origin } from "../origin.ts";

export type PasskeyResult =
  | { kind: "person"; userId: string; epoch: number }
  /** `userId`: the owner of the passkey that was named, if there is one. */
  | { kind: "refused"; userId: string | null }
  | { kind: "throttled"; retryAfterMs: number };

/** Checks a passkey. `answer`: the browser authenticator's response, as JSON. */
export async function checkPasskey(answer: string, origin: Pick<Origin, "key">): Promise<PasskeyResult> {
  if (!(await mayTry(`passkey ${origin.key}`, PASSKEYS_PER_ORIGIN)))
    return { kind: "throttled", retryAfterMs: PASSKEYS_PER_ORIGIN.windowMs };
  const parsed = assertionSchema.safeParse(parseJson(answer));
  if (!parsed.success) return { kind: "refused", userId: null };
  const db = await database();
  try {
    const person = await answerWithPasskey(db, relyingParty(env().url), parsed.data);
    return { kind: "person", ...person };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "passkey_refused") throw error;
    const userId = await ownerOfPasskey(db, parsed.data.id);
    if (userId) await noteRefusal(db, userId, "passkey_refused");
    return { kind: "refused", userId };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // not an authenticator's response
  }
}
