/** A person's account: how they prove who they are, and where they are signed in. */
import { z } from "zod";
import { passwordSchema } from "../members/schema.ts";

export const methodSchema = z.enum(["password", "passkey", "oidc", "demo"]);
/** How a session was opened. */
export type SignInMethod = z.infer<typeof methodSchema>;

const accountSessionSchema = z.object({
  id: z.uuid(),
  /** The one that asks. */
  current: z.boolean(),
  method: methodSchema,
  /** As the browser and the network said when it was opened; null: unknown. */
  userAgent: z.string().nullable(),
  address: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** To the minute. */
  lastSeenAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});
export type AccountSession = z.infer<typeof accountSessionSchema>;

export const accountSessionsSchema = z.object({ items: z.array(accountSessionSchema) });

export const passkeySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type Passkey = z.infer<typeof passkeySchema>;

/** How somebody can sign in. */
export const securitySchema = z.object({
  password: z.boolean(),
  secondFactor: z.object({ active: z.boolean(), recoveryCodesLeft: z.number() }),
  passkeys: z.array(passkeySchema),
  /** Accounts at sign-in providers; `provider` is the issuer where it is not set up any more. */
  identities: z.array(
    z.object({ provider: z.string(), createdAt: z.iso.datetime(), lastUsedAt: z.iso.datetime() }),
  ),
});
export type Security = z.infer<typeof securitySchema>;

export const changePasswordSchema = z.strictObject({
  current: z.string().min(1, "Give your present password").max(1000),
  password: passwordSchema,
});

/** Proves again who is there; left out where the account has no password. */
export const proofSchema = z.strictObject({ currentPassword: z.string().max(1000).optional() });

/** A code of the app (6 digits) or a recovery code; spaces and case do not count. */
export const codeSchema = z.string().trim().min(1, "Type the code").max(40);
export const codeInputSchema = z.strictObject({ code: codeSchema });

export const startedSecondFactorSchema = z.object({
  /** In base32, for typing. */
  secret: z.string(),
  /** `otpauth://…`, what the QR code holds. */
  uri: z.string(),
  /** The QR code's modules, row by row; true is dark. */
  modules: z.array(z.array(z.boolean())),
});
export type StartedSecondFactor = z.infer<typeof startedSecondFactorSchema>;

/** Shown this once. */
export const recoveryCodesSchema = z.object({ recoveryCodes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof recoveryCodesSchema>;

/** What WebAuthn hands to the browser; its shape is the W3C's, as JSON. */
export const passkeyOptionsSchema = z.object({ options: z.record(z.string(), z.unknown()) });
export type PasskeyOptions = z.infer<typeof passkeyOptionsSchema>;

const base64url = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/)
  .max(20_000);
const credential = {
  id: base64url,
  rawId: base64url,
  type: z.literal("public-key"),
  clientExtensionResults: z.record(z.string(), z.unknown()),
  authenticatorAttachment: z.string().optional(),
};

/** RegistrationResponseJSON of WebAuthn, as far as it is read. */
const registrationSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string()).optional(),
  }),
});

/** AuthenticationResponseJSON of WebAuthn, as far as it is read. */
export const assertionSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.optional(),
  }),
});

export const addPasskeySchema = z.strictObject({
  name: z.string().trim().min(1, "Name the passkey").max(60),
  response: registrationSchema,
});
