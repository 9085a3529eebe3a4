/** The directory of an organization: its token, and what its people and groups are worth. */
import { z } from "zod";

/** Roles that a group may give. Nothing makes an owner but an owner. */
export const MAPPED_ROLES = ["viewer", "approver", "operator", "admin"] as const;
export const mappedRoleSchema = z.enum(MAPPED_ROLES);
export type MappedRole = z.infer<typeof mappedRoleSchema>;

/** Roles of people whose groups give none. */
export const DEFAULT_ROLES = ["viewer", "approver"] as const;

const DAY_MS = 24 * 3600_000;
/** How long the secret before a rotation goes on working: at most, and unless said otherwise. */
const MAX_OVERLAP_MS = 7 * DAY_MS;
export const DEFAULT_OVERLAP_MS = DAY_MS;

/** `overlapMs`: how long the secret of before goes on working, if there is one. */
export const makeDirectoryTokenSchema = z.strictObject({
  overlapMs: z.int().min(0).max(MAX_OVERLAP_MS).optional(),
});
export type MakeDirectoryToken = z.infer<typeof makeDirectoryTokenSchema>;

export const updateDirectorySchema = z
  .strictObject({ defaultRole: z.enum(DEFAULT_ROLES).optional(), managesOwners: z.boolean().optional() })
  .refine((input) => Object.keys(input).length > 0, "Name what to change");
export type UpdateDirectory = z.infer<typeof updateDirectorySchema>;

/** `role`: null for none. */
export const mapGroupSchema = z.strictObject({ role: mappedRoleSchema.nullable() });

export const directoryGroupSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  role: mappedRoleSchema.nullable(),
  members: z.int(),
});
export type DirectoryGroup = z.infer<typeof directoryGroupSchema>;

export const directorySchema = z.object({
  /** The base URL that a provider is given. */
  url: z.string(),
  /** Null: there is none. */
  token: z
    .object({
      /** The owner who made it or changed its secret last; null: they are no member any more. */
      madeBy: z.object({ id: z.uuid(), name: z.string() }).nullable(),
      madeAt: z.iso.datetime(),
      rotatedAt: z.iso.datetime().nullable(),
      /** The end of the secret before the last rotation; null: no such secret works. */
      previousUntil: z.iso.datetime().nullable(),
    })
    .nullable(),
  /** To the minute, with the network and the program (`User-Agent`) of that call. */
  lastCalledAt: z.iso.datetime().nullable(),
  lastCalledNetwork: z.string().nullable(),
  lastCalledAgent: z.string().nullable(),
  defaultRole: z.enum(DEFAULT_ROLES),
  managesOwners: z.boolean(),
  /** People whom the directory sees: members, suspended ones, and those who did not accept their invitation yet. */
  people: z.object({ active: z.int(), suspended: z.int(), waiting: z.int() }),
  /** The newest refused calls, newest first. */
  failures: z.array(
    z.object({ id: z.uuid(), at: z.iso.datetime(), call: z.string(), status: z.int(), detail: z.string() }),
  ),
});
export type Directory = z.infer<typeof directorySchema>;

/** The only response that holds the secret; just its hash is stored. */
export const newDirectorySchema = directorySchema.extend({ secret: z.string() });
