import { z } from "zod";
import { personSchema, roleSchema } from "../../access/access-schema.ts";
import { emailSchema, passwordSchema } from "../members/member-schema.ts";

/** `showLink`: answers with the link also where Intray could mail it. */
const showLink = z.boolean().optional();
export const createInvitationSchema = z.strictObject({ email: emailSchema, role: roleSchema, showLink });
export type CreateInvitation = z.infer<typeof createInvitationSchema>;

/** `renew`: makes a new link for another week, and ends the old one. */
export const updateInvitationSchema = z
  .strictObject({ role: roleSchema.optional(), renew: z.literal(true).optional(), showLink })
  .refine(({ role, renew }) => role !== undefined || renew, "Name what to change");
export type UpdateInvitation = z.infer<typeof updateInvitationSchema>;

export const invitationSchema = z.object({
  id: z.uuid(),
  email: z.string(),
  role: roleSchema,
  /** Null: an API key of the command line, or a person who has left. */
  invitedBy: personSchema.nullable(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** The link is too old, or its inviter may not invite any more. Renewing the invitation revives it. */
  expired: z.boolean(),
  /** The link was mailed to the address, and is shown to nobody. Who joins by it has proved the address. */
  mailed: z.boolean(),
});
export type Invitation = z.infer<typeof invitationSchema>;

/**
 * The only response that holds the link; just a hash of its token is stored. `url` is omitted where the link was
 * mailed. `mailFailed`: it could not be, and this is another one.
 */
export const newInvitationSchema = invitationSchema.extend({
  url: z.url().optional(),
  mailFailed: z.literal(true).optional(),
});
export type NewInvitation = z.infer<typeof newInvitationSchema>;

const token = z.string().min(1).max(200);

/** What the holder of a link may see. It is the same whether or not the address has an account. */
export const lookedAtInvitationSchema = z.object({
  organization: z.string(),
  inviter: z.string().nullable(),
  role: roleSchema,
  /** The address, all but its first letter and its domain hidden. */
  email: z.string(),
  mailed: z.boolean(),
  /**
   * The browser's session: none, of the invitation's address, of another one, of an admin who looks as a member; or of
   * an account of the address that nobody has proved, and which joins nothing else.
   */
  session: z.enum(["none", "own", "other", "view", "unproven"]),
  /** Whose session that is. */
  signedInAs: z.string().nullable(),
  /** Whether an account can be made here, with a password. */
  passwords: z.boolean(),
});
export type LookedAtInvitation = z.infer<typeof lookedAtInvitationSchema>;
export const joinSchema = z.strictObject({ token });
export const joinWithAccountSchema = z.strictObject({
  token,
  name: z.string().trim().min(1, "Say who you are").max(80),
  password: passwordSchema,
});
