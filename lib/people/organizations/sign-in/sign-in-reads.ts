import { roleSchema } from "../../../access/access-schema.ts";
import type { Tx } from "../../../base/db/db.ts";
import { ANY_SIGN_IN, type SignInPolicy } from "./sign-in-schema.ts";

/** The organization's rules for signing in. */
export async function readSignInPolicy(tx: Tx): Promise<SignInPolicy> {
  const row = await tx.signInPolicy.findUnique({ where: { organizationId: tx.organizationId } });
  if (!row) return ANY_SIGN_IN;
  return {
    providers: row.providers,
    providerAgeMs: msOf(row.providerAgeMs),
    keyAgeMs: msOf(row.keyAgeMs),
    acrValues: row.acrValues,
    amrValues: row.amrValues,
    secondFactorFrom: row.secondFactorFrom === null ? null : roleSchema.parse(row.secondFactorFrom),
    sessionMs: msOf(row.sessionMs),
    idleMs: msOf(row.idleMs),
  };
}

function msOf(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}
