import { z } from "zod";
import { roleSchema } from "../../../access/access-schema.ts";

const HOUR_MS = 3600_000;
const MINUTE_MS = 60_000;

/** What a provider may say in `acr` and `amr`, without white space: acr_values is sent as words. */
const said = z
  .string()
  .regex(/^[!-~]{1,200}$/, "Use one word of at most 200 characters")
  .refine((value) => !value.includes('"'), "Leave quotation marks out");
const distinct = <T extends z.ZodType>(each: T, most: number) =>
  z
    .array(each)
    .max(most, `At most ${most}`)
    .refine((values) => new Set(values).size === values.length, "Each once");

/** How the people of an organization have to have signed in, and how long their sessions last in it. */
export const signInPolicySchema = z.strictObject({
  /** Ids of providers, one of which has to have opened a session; empty: any way of signing in. */
  providers: distinct(z.string().min(1).max(60), 10),
  /** How long ago the provider may have asked the person; null: any time. */
  providerAgeMs: z
    .int()
    .min(15 * MINUTE_MS, "At least 15 minutes")
    .max(720 * HOUR_MS, "At most 720 hours")
    .nullable(),
  /** How long ago one of the providers may have signed in the person of an API key; null: any time. */
  keyAgeMs: z
    .int()
    .min(HOUR_MS, "At least an hour")
    .max(90 * 24 * HOUR_MS, "At most 90 days")
    .nullable()
    .default(null),
  /** One of these, and all of these, the provider has to have said; empty: nothing. */
  acrValues: distinct(said, 10),
  amrValues: distinct(said, 10),
  /** The weakest role for which a password alone is not enough; null: none. */
  secondFactorFrom: roleSchema.nullable(),
  /** Shorter than the installation's; null: as long as that. */
  sessionMs: z
    .int()
    .min(15 * MINUTE_MS, "At least 15 minutes")
    .max(8 * HOUR_MS, "At most 8 hours")
    .nullable(),
  idleMs: z
    .int()
    .min(5 * MINUTE_MS, "At least 5 minutes")
    .max(2 * HOUR_MS, "At most 2 hours")
    .nullable(),
});
export type SignInPolicy = z.infer<typeof signInPolicySchema>;

/**
 * What keeps a session out of an organization, as gate.sign_in_refusal answers. `again`: too long ago. `auth_time`, `acr`
 * and `amr`: the provider did not say when, or not what is asked for.
 */
export const REFUSALS = ["provider", "again", "auth_time", "acr", "amr", "second_factor"] as const;
export type RefusalKind = (typeof REFUSALS)[number];

/** A sign-in provider as people know it. */
export const namedProviderSchema = z.object({ id: z.string(), name: z.string() });
export type NamedProvider = z.infer<typeof namedProviderSchema>;

export const shownSignInPolicySchema = signInPolicySchema.extend({
  /** The providers that the organization can require. */
  offered: z.array(namedProviderSchema),
});
export type ShownSignInPolicy = z.infer<typeof shownSignInPolicySchema>;

/** An organization without rules of its own. */
export const ANY_SIGN_IN: SignInPolicy = {
  providers: [],
  providerAgeMs: null,
  keyAgeMs: null,
  acrValues: [],
  amrValues: [],
  secondFactorFrom: null,
  sessionMs: null,
  idleMs: null,
};
