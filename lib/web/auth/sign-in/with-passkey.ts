import { answerWithPasskey, relyingParty } from "../../../accounts/passkeys.ts";
import { assertionSchema } from "../../../accounts/schema.ts";
import { env } from "../../../base/env.ts";
import { AppError } from "../../../base/errors.ts";
import { database } from "../../database.ts";
import { mayTry } from "../../http/throttle.ts";
import { SIGN_IN_PER_ADDRESS } from "../../tunables.ts";

export type PasskeyResult =
  | { kind: "person"; userId: string; epoch: number }
  | { kind: "refused" }
  | { kind: "throttled" };

/** Checks a passkey. `answer`: the browser authenticator's response, as JSON. */
export async function checkPasskey(answer: string, address: string): Promise<PasskeyResult> {
  if (!(await mayTry(`sign-in address ${address}`, SIGN_IN_PER_ADDRESS))) return { kind: "throttled" };
  const parsed = assertionSchema.safeParse(parseJson(answer));
  if (!parsed.success) return { kind: "refused" };
  try {
    const person = await answerWithPasskey(await database(), relyingParty(env().url), parsed.data);
    return { kind: "person", ...person };
  } catch (error) {
    if (error instanceof AppError && error.code === "passkey_refused") return { kind: "refused" };
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // not an authenticator's response
  }
}
