import { z } from "zod";
import { roleSchema } from "../../access/access-schema.ts";
import { pageQuerySchema } from "../../base/page.ts";
import { LOCALES, type Locale } from "../../text/formats/locales.ts";

/** A member's own preferences, in this organization. */
export const preferencesSchema = z.object({
  /** Single keys act on the page (WCAG 2.1.4 asks for a switch). */
  singleKeys: z.boolean(),
  /** The member read or dismissed the first-visit cards. */
  tourSeen: z.boolean(),
  /** How close the rows of the inbox stand. */
  density: z.enum(["comfortable", "compact"]),
  /** How dates, times and numbers are written; null: as the browser asks. */
  locale: z.enum(Object.keys(LOCALES) as [Locale]).nullable(),
});
export type Preferences = z.infer<typeof preferencesSchema>;

export const updatePreferencesSchema = z
  .strictObject(preferencesSchema.partial().shape)
  .refine((input) => Object.keys(input).length > 0, "Name what to change");
export type UpdatePreferences = z.infer<typeof updatePreferencesSchema>;

export const meSchema = z.object({
  user: z.object({ id: z.uuid(), name: z.string(), email: z.string() }).nullable(),
  organization: z.object({ id: z.uuid(), slug: z.string(), name: z.string() }),
  role: roleSchema,
});
export type Me = z.infer<typeof meSchema>;

/** `id`: the membership, to which requests are assigned. `userId`: the person, in history and answers. */
export const memberSchema = z.object({
  id: z.uuid(),
  userId: z.uuid(),
  name: z.string(),
  email: z.string(),
  role: roleSchema,
  createdAt: z.iso.datetime(),
  /** Who counts as one person with the member, first of all: `id` is null for the command line. Null: nobody else. */
  countsWith: z.object({ id: z.uuid().nullable(), name: z.string() }).nullable(),
  /** The owner who vouched that the member is a person of their own. */
  vouchedBy: z.string().nullable(),
  /** Whether the caller may vouch for the member. */
  mayVouch: z.boolean(),
  /** Whether somebody has proved that the account's address is theirs. */
  proven: z.boolean(),
  /** Null: in force. `cause`: an admin, or the directory that the organization's people come from. */
  suspended: z
    .object({ at: z.iso.datetime(), by: z.string(), cause: z.enum(["admin", "directory"]) })
    .nullable(),
});
export type Member = z.infer<typeof memberSchema>;

/** A member who may answer, for assigning. Ids as in `memberSchema`. `email`: where another name in the list reads the same. */
export const answererSchema = memberSchema
  .pick({ id: true, userId: true, name: true, role: true })
  .extend({ email: z.string().optional() });
export type Answerer = z.infer<typeof answererSchema>;

/** `inputRequestId`: only members to whom the caller could give that request. */
export const answererQuerySchema = z.object({
  q: z.string().max(200).optional(),
  inputRequestId: z.uuid().optional(),
});

/** `state`: those who work here, which is the default, or those who are suspended. */
export const memberQuerySchema = pageQuerySchema.extend({
  q: z.string().max(200).optional(),
  state: z.enum(["active", "suspended"]).optional(),
});
export type MemberQuery = z.infer<typeof memberQuerySchema>;

export const updateMemberSchema = z.strictObject({ role: roleSchema });

/** A member's session that works in the caller's organization now. Nothing shows of others. */
const memberSessionSchema = z.object({
  id: z.uuid(),
  method: z.string(),
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
export type MemberSession = z.infer<typeof memberSessionSchema>;
export const memberSessionsSchema = z.object({ items: z.array(memberSessionSchema) });

/** Shown only once. */
export const memberPasswordLinkSchema = z.object({ url: z.url(), expiresAt: z.iso.datetime() });
export type MemberPasswordLink = z.infer<typeof memberPasswordLinkSchema>;

/** The member as whom an admin looks at lists, and until when. */
export const viewAsSchema = z.object({ userId: z.uuid(), name: z.string(), until: z.iso.datetime() });
export type ViewAs = z.infer<typeof viewAsSchema>;

export const passwordSchema = z.string().min(10, "Use at least 10 characters").max(200);
/** As stored: trimmed, and in lower case. */
export const emailSchema = z
  .string()
  .max(1_000)
  .trim()
  .toLowerCase()
  .pipe(z.email("Write a whole e-mail address").max(254));

const setupInputSchema = z.object({
  organizationName: z.string().trim().min(1, "Name the organization").max(80),
  name: z.string().trim().min(1, "Say who you are").max(80),
  email: emailSchema,
  password: passwordSchema,
});
export type SetupInput = z.infer<typeof setupInputSchema>;

/** The input of /setup; the token proves that the person runs this installation. */
export const setupRequestSchema = z.object({
  token: z.string().trim().min(1, "Enter the setup token").max(200),
  ...setupInputSchema.shape,
});
export type SetupRequest = z.infer<typeof setupRequestSchema>;

/** Input of a person who forgot their password. */
export const forgotPasswordSchema = z.strictObject({ email: emailSchema });

/** The token of a link that sets a password. */
export const passwordLinkSchema = z.strictObject({ token: z.string().min(1).max(200) });
export const setPasswordInputSchema = passwordLinkSchema.extend({ password: passwordSchema });
