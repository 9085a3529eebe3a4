import { z } from "zod";
import { personSchema } from "../../access/schema.ts";

/** How a connection stands. `not_connected`: nobody signed in, or somebody disconnected it. */
const CONNECTION_STATES = ["not_connected", "connected", "needs_reauth", "needs_scope"] as const;
export const connectionStateSchema = z.enum(CONNECTION_STATES);
export type ConnectionState = z.infer<typeof connectionStateSchema>;

/** One scope as RFC 6749 (3.3) spells it. */
const scopeSchema = z
  .string()
  .max(300)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "A scope has no spaces or quotes");
export const scopesSchema = z.array(scopeSchema).max(50);

export const connectionSchema = z.object({
  /** Null while there is none: nobody of this kind has connected yet. */
  id: z.uuid().nullable(),
  /** The organization's shared one, which admins connect; else the caller's own. */
  shared: z.boolean(),
  state: connectionStateSchema,
  /** Who signed in at the server. */
  connectedBy: personSchema.nullable(),
  /** The authorization server. */
  issuer: z.string().nullable(),
  scopes: z.array(z.string()),
  /** With `needs_scope`: what a new sign-in asks for. */
  neededScopes: z.array(z.string()),
  connectedAt: z.iso.datetime().nullable(),
  /** When its present token ends; null: not said. */
  expiresAt: z.iso.datetime().nullable(),
  /** It gets its next token by itself. */
  renews: z.boolean(),
  /** Tasks on it that have not ended. */
  openTasks: z.int(),
});
export type ServerConnection = z.infer<typeof connectionSchema>;

export const connectSchema = z.strictObject({
  shared: z.boolean(),
  /** Instead of what the server asks for. */
  scopes: scopesSchema.optional(),
});
export type ConnectInput = z.infer<typeof connectSchema>;

/** Where the browser has to go; the way back is `/oauth/callback`, in the same browser, within ten minutes. */
export const departureSchema = z.object({
  authorizationUrl: z.url(),
  /** Who is asked there. */
  issuer: z.string(),
  scopes: z.array(z.string()),
});
export type Departure = z.infer<typeof departureSchema>;
