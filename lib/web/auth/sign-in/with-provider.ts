import { claimsSchema, type Refusal, signInIdentity } from "../../../accounts/identities.ts";
import { log } from "../../../base/log.ts";
import { emailSchema } from "../../../members/schema.ts";
import { services } from "../../tenant.ts";
import { PROVEN_EMAIL } from "./oidc.ts";
import type { SignInProvider } from "./providers.ts";

/** Returns the user whom a provider's checked claims sign in, or a code for the sign-in page. */
export async function signInWithProvider(
  provider: SignInProvider,
  claims: unknown,
): Promise<{ userId: string; epoch: number } | { refused: Refusal | "provider_failed" }> {
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
  if ("refused" in found) log.info({ provider: provider.id, code: found.refused }, "A sign-in was refused");
  return found;
}
