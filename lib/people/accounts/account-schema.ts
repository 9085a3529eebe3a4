/** A person's account: the ways to sign in, and the open sessions. */
import { z } from "zod";
import { passwordSchema } from "../members/member-schema.ts";

export const methodSchema = z.enum(["password", "passkey", "oidc", "saml", "demo"]);
/** How a session was opened. */
export type SignInMethod = z.infer<typeof methodSchema>;

const accountSessionSchema = z.object({
  id: z.uuid(),
  /** The session of this call. */
  current: z.boolean(),
  method: methodSchema,
  /** The browser and the address at the opening; null: unknown. */
  userAgent: z.string().nullable(),
  address: z.string().nullable(),
  /** The agent that the member let in by this session; null: a browser's. */
  agent: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** To the minute. */
  lastSeenAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});
export type AccountSession = z.infer<typeof accountSessionSchema>;

export const accountSessionsSchema = z.object({ items: z.array(accountSessionSchema) });

/** What happened to an account. `type`: as in lib/people/accounts/security-event-words.ts; refused sign-ins of an hour are one. */
const securityEventSchema = z.object({
  id: z.uuid(),
  type: z.string(),
  data: z.record(z.string(), z.unknown()),
  times: z.number().int(),
  at: z.iso.datetime(),
  lastAt: z.iso.datetime(),
});
export type SecurityEvent = z.infer<typeof securityEventSchema>;
export const securityEventsSchema = z.object({ items: z.array(securityEventSchema) });

export const passkeySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type Passkey = z.infer<typeof passkeySchema>;

/** A person's ways to sign in. */
export const securitySchema = z.object({
  password: z.boolean(),
  /** `recoveryCodesDated`: of those left, how many were made before codes were hashed as passwords are. */
  secondFactor: z.object({
    active: z.boolean(),
    recoveryCodesLeft: z.number(),
    recoveryCodesDated: z.number(),
  }),
  passkeys: z.array(passkeySchema),
  /** Accounts at sign-in providers. `provider` is the issuer once the provider is no longer configured. */
  identities: z.array(
    z.object({ provider: z.string(), createdAt: z.iso.datetime(), lastUsedAt: z.iso.datetime() }),
  ),
});
export type Security = z.infer<typeof securitySchema>;

export const changePasswordSchema = z.strictObject({
  current: z.string().min(1, "Enter your current password").max(1000),
  password: passwordSchema,
});

/** The current password, as proof of presence; omitted if the account has none. */
export const proofSchema = z.strictObject({ currentPassword: z.string().max(1000).optional() });

/** A code of the app (6 digits) or a recovery code; spaces and case are ignored. */
export const codeSchema = z.string().trim().min(1, "Enter the code").max(40);
export const codeInputSchema = z.strictObject({ code: codeSchema });

export const startedSecondFactorSchema = z.object({
  /** In base32, for typing. */
  secret: z.string(),
  /** The content of the QR code, `otpauth://…`. */
  uri: z.string(),
  /** The QR code's modules, row by row; true is dark. */
  modules: z.array(z.array(z.boolean())),
});
export type StartedSecondFactor = z.infer<typeof startedSecondFactorSchema>;

/** Shown only once. */
export const recoveryCodesSchema = z.object({ recoveryCodes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof recoveryCodesSchema>;

/** WebAuthn's options for the browser, as JSON in the W3C's shape. */
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
  authenticatorAttachment: z.string().max(100).optional(),
};

/** The parts of WebAuthn's RegistrationResponseJSON that are read. */
const registrationSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(100)).max(20).optional(),
  }),
});

/** The parts of WebAuthn's AuthenticationResponseJSON that are read. */
export const assertionSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.optional(),
  }),
});

/** How a person shows again that it is them: the strongest that the account has. */
export const stepUpSchema = z.object({
  /** Whether the session has shown it lately enough. */
  fresh: z.boolean(),
  ways: z.array(z.enum(["code", "password", "passkey", "provider"])),
});
export type StepUp = z.infer<typeof stepUpSchema>;

export const giveFactorSchema = z.union([
  z.strictObject({ password: z.string().max(1000) }),
  codeInputSchema,
  z.strictObject({ passkey: assertionSchema }),
]);
export type GiveFactor = z.infer<typeof giveFactorSchema>;

export const addPasskeySchema = z.strictObject({
  name: z.string().trim().min(1, "Name the passkey").max(60),
  response: registrationSchema,
});
