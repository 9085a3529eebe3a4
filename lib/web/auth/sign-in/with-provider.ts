import { z } from "zod";
import { log } from "../../../base/log.ts";
import { claimsSchema, type Refusal, signInIdentity } from "../../../people/accounts/identities.ts";
import { emailSchema } from "../../../people/members/member-schema.ts";
import { services } from "../../tenant.ts";
import type { Proof } from "../sessions.ts";
import type { SignedIn } from "./credentials.ts";
import { PROVEN_EMAIL, SIGNED } from "./oidc.ts";
import type { SignInProvider } from "./providers.ts";

/** What the ID token says of the sign-in. A claim of another shape counts as not made. */
const signedSchema = z.object({
  sid: z.string().min(1).max(255).optional().catch(undefined),
  auth_time: z.number().int().min(0).max(253_402_300_799).optional().catch(undefined),
  acr: z.string().min(1).max(255).optional().catch(undefined),
  amr: z.array(z.string().max(255)).max(50).optional().catch(undefined),
});

function proofOf(provider: string, subject: string, signed: unknown): Proof {
  const { sid, auth_time, acr, amr } = signedSchema.parse(signed ?? {});
  return {
    provider,
    subject,
    ...(sid !== undefined && { session: sid }),
    // Of a provider whose clock is ahead, no later than now: else its word would last longer.
    ...(auth_time !== undefined && { authenticatedAt: new Date(Math.min(auth_time * 1000, Date.now())) }),
    ...(acr !== undefined && { acr }),
    ...(amr !== undefined && { amr }),
  };
}

/** Returns the user whom a provider's checked claims sign in, or a code for the sign-in page. */
export async function signInWithProvider(
  provider: SignInProvider,
  claims: unknown,
): Promise<SignedIn | { refused: Refusal | "provider_failed" }> {
  const parsed = claimsSchema.safeParse(claims);
  // openid-client compares the issuer with the discovery document; this compares it with the operator's
  // setting.
  if (!parsed.success || parsed.data.iss !== provider.issuer) {
    log.warn(
      { provider: provider.id },
      "A sign-in provider answered with another issuer, or without a subject",
    );
    return { refused: "provider_failed" };
  }
  const provenEmail = emailSchema.safeParse((claims as Record<string, unknown>)[PROVEN_EMAIL]).data ?? null;
  const found = await signInIdentity(await services(), provider, parsed.data, provenEmail);
  if ("refused" in found) {
    log.info({ provider: provider.id, code: found.refused }, "A sign-in was refused");
    return found;
  }
  return {
    ...found,
    proof: proofOf(provider.id, parsed.data.sub, (claims as Record<string, unknown>)[SIGNED]),
  };
}
