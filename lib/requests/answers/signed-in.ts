/** How the person who decides had signed in, as the history keeps it with the decision. */
import { z } from "zod";

const time = z.iso.datetime().nullable();

export const signedInSchema = z.object({
  /** `password`, `passkey`, `oidc`, `saml`, `demo`; `key`: an API key; `slack`, `teams`: the linked account there. */
  method: z.string(),
  /** The provider's id in the settings. */
  provider: z.string().nullable(),
  /** What was shown, in the provider's words; Intray's own are `pwd` and `otp` (RFC 8176). */
  amr: z.array(z.string()),
  acr: z.string().nullable(),
  /** When the provider asked. */
  authenticatedAt: time,
  /** When they last showed Intray that it is them. */
  factorAt: time,
});
export type SignedIn = z.infer<typeof signedInSchema>;

/** As `gate.session_proof` writes it; of a key the method alone. */
const proofSchema = z.object({
  method: z.string(),
  provider: z.string().nullish(),
  amr: z.array(z.string()).nullish(),
  acr: z.string().nullish(),
  authenticatedAt: z.string().nullish(),
  factorAt: z.string().nullish(),
});

/** Null: no session is known. */
export function toSignedIn(proof: unknown): SignedIn | null {
  const read = proofSchema.nullable().parse(proof);
  if (!read) return null;
  return {
    method: read.method,
    provider: read.provider ?? null,
    amr: read.amr ?? [],
    acr: read.acr ?? null,
    authenticatedAt: toTime(read.authenticatedAt),
    factorAt: toTime(read.factorAt),
  };
}

/** In UTC, whatever the database's zone is; null for a time without end. */
function toTime(text: string | null | undefined): string | null {
  const ms = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
