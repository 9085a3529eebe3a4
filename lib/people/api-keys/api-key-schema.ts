import { z } from "zod";
import { networksSchema, roleSchema } from "../../access/access-schema.ts";
import { PERMISSIONS, type Permission } from "../../access/permissions.ts";

/** The lives of keys offered, in days. */
export const LIFETIMES = [7, 30, 90, 365] as const;
export const DEFAULT_LIFETIME = 90;

const DAY_MS = 24 * 3600_000;
/** The longest time for which the secret before a rotation goes on working. */
const MAX_OVERLAP_MS = 7 * DAY_MS;
export const DEFAULT_OVERLAP_MS = DAY_MS;

const name = z.string().trim().min(1, "Name the key").max(80);
const MOST_SERVERS = 50;
const MOST_TOOLS = 200;
export const permissionSchema = z.enum(Object.keys(PERMISSIONS) as [Permission, ...Permission[]]);
const keyToolSchema = z
  .string()
  .max(300)
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/./, "Write a tool as <server id>/<name>");

const ENDS = "Choose 7, 30, 90 or 365 days, a date, or never";
const expires = z.union(
  [z.literal(LIFETIMES), z.literal("never"), z.iso.datetime({ offset: true, error: ENDS })],
  ENDS,
);

/** `expires`: in days from now, or at a time; by default in 90 days. `networks`: empty or none for any address. */
export const createKeySchema = z.strictObject({
  name,
  role: roleSchema,
  expires: expires.optional(),
  networks: networksSchema.optional(),
  /** Actions: all of the role's unless named. */
  permissions: z
    .array(permissionSchema)
    .min(1, "Choose what the key may do")
    .max(Object.keys(PERMISSIONS).length)
    .transform((chosen) => [...new Set(chosen)])
    .optional(),
  /** Servers with all their tools, and single tools as `<server id>/<name>`: all unless any is named. */
  servers: z.array(z.uuid()).min(1, "Choose a server").max(MOST_SERVERS).optional(),
  tools: z.array(keyToolSchema).min(1, "Choose a tool").max(MOST_TOOLS).optional(),
  /** Whose key it is; without: the maker's own. */
  serviceAccountId: z.uuid().optional(),
});
export type CreateKeyInput = z.infer<typeof createKeySchema>;

export const updateKeySchema = z
  .strictObject({ name: name.optional(), networks: networksSchema.optional() })
  .refine((input) => Object.keys(input).length > 0, "Name what to change");
export type UpdateKeyInput = z.infer<typeof updateKeySchema>;

/** `overlapMs`: how long the secret of before goes on working. `expires`: when the new one ends. */
export const rotateKeySchema = z.strictObject({
  overlapMs: z.int().min(0).max(MAX_OVERLAP_MS).optional(),
  expires: expires.optional(),
});
export type RotateKeyInput = z.infer<typeof rotateKeySchema>;

export const apiKeySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  role: roleSchema,
  /** Null: made by the command line. */
  createdBy: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  /** Whose it is, where it is not its maker's own: it then outlives the maker's membership. */
  serviceAccount: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  createdAt: z.iso.datetime(),
  /** `rotated`: the secret of before still works. `expiring`: within 14 days. */
  state: z.enum(["active", "expiring", "expired", "rotated"]),
  /** Null: never, as of keys from before keys had an end. */
  expiresAt: z.iso.datetime().nullable(),
  /** The end of the secret before the last rotation; null: no such secret works. */
  previousUntil: z.iso.datetime().nullable(),
  rotatedAt: z.iso.datetime().nullable(),
  networks: z.array(z.string()),
  /** Null: all of the role's. */
  permissions: z.array(permissionSchema).nullable(),
  /** Null: all. Servers stand for all their tools. */
  reach: z
    .object({
      servers: z.array(z.object({ id: z.uuid(), name: z.string() })),
      tools: z.array(z.object({ server: z.object({ id: z.uuid(), name: z.string() }), name: z.string() })),
    })
    .nullable(),
  /** To the minute, with the network and the program (`User-Agent`) of that call. */
  lastUsedAt: z.iso.datetime().nullable(),
  lastUsedNetwork: z.string().nullable(),
  lastUsedAgent: z.string().nullable(),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

/** The only responses that hold the secret; just its hash is stored. */
export const newApiKeySchema = apiKeySchema.extend({ secret: z.string() });
export type NewApiKey = z.infer<typeof newApiKeySchema>;
