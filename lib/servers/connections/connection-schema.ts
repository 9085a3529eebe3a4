import { z } from "zod";
import { personSchema } from "../../access/access-schema.ts";

/** States of a connection. `not_connected`: nobody signed in, or somebody disconnected. */
const CONNECTION_STATES = ["not_connected", "connected", "needs_reauth", "needs_scope"] as const;
export const connectionStateSchema = z.enum(CONNECTION_STATES);
export type ConnectionState = z.infer<typeof connectionStateSchema>;

/** One scope as in RFC 6749 (3.3). */
const scopeSchema = z
  .string()
  .max(300)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "A scope has no spaces or quotes");
export const scopesSchema = z.array(scopeSchema).max(50);

export const connectionSchema = z.object({
  /** Null if this connection does not exist yet. */
  id: z.uuid().nullable(),
  /** True for the organization's shared connection, which admins connect; false for the caller's own. */
  shared: z.boolean(),
  state: connectionStateSchema,
  /** The member who signed in at the server. */
  connectedBy: personSchema.nullable(),
  /** The authorization server. */
  issuer: z.string().nullable(),
  scopes: z.array(z.string()),
  /** With `needs_scope`: the scopes that a new sign-in requests. */
  neededScopes: z.array(z.string()),
  connectedAt: z.iso.datetime().nullable(),
  /** The current token's expiry; null if unknown. */
  expiresAt: z.iso.datetime().nullable(),
  /** True if tokens are renewed automatically. */
  renews: z.boolean(),
  /** Number of open tasks on the connection. */
  openTasks: z.int(),
});
export type ServerConnection = z.infer<typeof connectionSchema>;

export const connectSchema = z.strictObject({
  shared: z.boolean(),
  /** Replaces the scopes that the server asks for. */
  scopes: scopesSchema.optional(),
  /** An admin's yes to the hosts that a refusal (`hosts_not_allowed`) named, all of them. */
  allowHosts: z.array(z.string().min(1).max(300)).max(10).optional(),
});
export type ConnectInput = z.infer<typeof connectSchema>;

/** The URL for the browser, which must return to `redirectUri` within ten minutes. */
export const departureSchema = z.object({
  authorizationUrl: z.url(),
  /** The authorization server. */
  issuer: z.string(),
  scopes: z.array(z.string()),
  /** Intray's address for answers of this authorization server. */
  redirectUri: z.url(),
});
export type Departure = z.infer<typeof departureSchema>;
