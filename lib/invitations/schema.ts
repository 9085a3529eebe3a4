import { z } from "zod";
import { personSchema, roleSchema } from "../access/schema.ts";
import { emailSchema, passwordSchema } from "../members/schema.ts";

export const createInvitationSchema = z.strictObject({ email: emailSchema, role: roleSchema });
export type CreateInvitation = z.infer<typeof createInvitationSchema>;

/** `renew`: makes a new link for another week, and ends the old one. */
export const updateInvitationSchema = z
  .strictObject({ role: roleSchema.optional(), renew: z.literal(true).optional() })
  .refine((input) => Object.keys(input).length > 0, "Name what to change");
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
});
export type Invitation = z.infer<typeof invitationSchema>;

/** The only response that holds the link; just a hash of its token is stored. */
export const newInvitationSchema = invitationSchema.extend({ url: z.url() });
export type NewInvitation = z.infer<typeof newInvitationSchema>;

/** `url` is present if the link was renewed. */
export const updatedInvitationSchema = invitationSchema.extend({ url: z.url().optional() });

const token = z.string().min(1).max(200);
export const joinSchema = z.strictObject({ token });
export const joinWithAccountSchema = z.strictObject({
  token,
  name: z.string().trim().min(1, "Say who you are").max(80),
  password: passwordSchema,
});
