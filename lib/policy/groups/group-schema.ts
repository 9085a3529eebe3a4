/** Groups of an organization, which stages of its policy name. */
import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";

/** Most members of a group that admins make, as of a policy's own. */
export const MOST_MEMBERS = 200;

const name = z.string().trim().min(1, "Give it a name").max(100, "At most 100 characters");
/** Ids of memberships. */
const members = z.array(z.uuid()).max(MOST_MEMBERS, `At most ${MOST_MEMBERS} people`);

export const createGroupSchema = z.strictObject({ name, members: members.default([]) });
export type CreateGroup = z.infer<typeof createGroupSchema>;

/** Members by what changes, so that two changes at once add up. Who is to be added and removed stays as they are. */
export const updateGroupSchema = z
  .strictObject({ name: name.optional(), add: members.default([]), remove: members.default([]) })
  .refine(
    ({ name, add, remove }) => name !== undefined || add.length + remove.length > 0,
    "Name what to change",
  );
export type UpdateGroup = z.infer<typeof updateGroupSchema>;

const namedSchema = z.object({ id: z.uuid(), name: z.string() });
export type Named = z.infer<typeof namedSchema>;

const groupSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /** `organization`: admins made it here. `directory`: it is the identity provider's, and nobody changes it here. */
  origin: z.enum(["organization", "directory"]),
  /** How many members of the organization are in it, without those who are suspended. */
  size: z.number(),
  /** By name, those who are suspended last; of a large group of the directory the first. */
  members: z.array(namedSchema.extend({ userId: z.uuid(), role: z.string(), suspended: z.boolean() })),
  /** The stages of the policy in force that name it. `as`: the name there, by which the group was meant. */
  usedIn: z.array(
    z.object({
      rule: z.string(),
      stage: z.string(),
      how: z.enum(["approvers", "escalation"]),
      as: z.string(),
    }),
  ),
  /** The rules of the policy in force whose conditions ask who is in it, as far as that can be told. */
  askedIn: z.array(z.string()),
  /** Null: the directory did. */
  changedAt: z.iso.datetime().nullable(),
  changedBy: actorSchema.nullable(),
});
export type Group = z.infer<typeof groupSchema>;

export const savedGroupSchema = groupSchema;
export const groupsSchema = z.object({ items: z.array(groupSchema) });
export type Groups = z.infer<typeof groupsSchema>;

/** A change of one group, as the history tells it. */
export const groupChangeSchema = z.object({
  id: z.uuid(),
  what: z.enum(["create", "change", "delete"]),
  name: z.string(),
  /** The name before; null: it stays, or there was none. */
  was: z.string().nullable(),
  added: z.array(namedSchema),
  removed: z.array(namedSchema),
});
export type GroupChange = z.infer<typeof groupChangeSchema>;

/** Others may have the same name. Null: they have left. */
const addressedSchema = namedSchema.extend({ email: z.string().nullable() });

/** A change of one group that waits for a second admin, with the present addresses of its people. */
export const proposedGroupChangeSchema = groupChangeSchema.extend({
  added: z.array(addressedSchema),
  removed: z.array(addressedSchema),
});
export type ProposedGroupChange = z.infer<typeof proposedGroupChangeSchema>;
