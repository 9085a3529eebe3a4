import { z } from "zod";
import { actorSchema, networksSchema, roleSchema } from "../../access/access-schema.ts";
import { namedProviderSchema, REFUSALS } from "./sign-in/sign-in-schema.ts";

/** The reasons offered for declining, in the order of the list. */
export const declineReasonsSchema = z.strictObject({
  reasons: z
    .array(z.string().trim().min(1, "Write a reason").max(200, "Use at most 200 characters"))
    .max(20, "At most 20 reasons")
    .refine((reasons) => new Set(reasons).size === reasons.length, "Each reason once"),
});
export type DeclineReasons = z.infer<typeof declineReasonsSchema>;

const name = z.string().trim().min(1, "Name the organization").max(80, "Use at most 80 characters");

/** A proposal to require no second person any more. */
const fourEyesProposalSchema = z.object({
  by: actorSchema,
  at: z.iso.datetime(),
  /** Without anybody's acceptance. */
  takesEffectAt: z.iso.datetime(),
  /** Whether the caller may: nobody accepts who counts as one person with whoever proposed. */
  mayAccept: z.boolean(),
  mayWithdraw: z.boolean(),
});
export type FourEyesProposal = z.infer<typeof fourEyesProposalSchema>;

/** A deletion that an owner asked for and any owner may take back. */
const deletionSchema = z.object({ by: actorSchema, at: z.iso.datetime(), takesEffectAt: z.iso.datetime() });
export type Deletion = z.infer<typeof deletionSchema>;

/** While it stands nothing is swept, and no deletion takes effect. */
const holdSchema = z.object({ by: actorSchema, at: z.iso.datetime(), reason: z.string() });
export type Hold = z.infer<typeof holdSchema>;

export const setHoldSchema = z.strictObject({
  reason: z.string().trim().min(1, "Give the reason").max(500, "Use at most 500 characters"),
});

export const organizationSchema = z.object({
  id: z.uuid(),
  slug: z.string(),
  name: z.string(),
  /** A task's requester may not accept what the task asks. */
  fourEyes: z.boolean(),
  /** Null: nothing is proposed. */
  fourEyesProposal: fourEyesProposalSchema.nullable(),
  /** Changes of the policy need a second admin. */
  twoPersonPolicy: z.boolean(),
  /** New API keys may have no end. */
  keysWithoutEnd: z.boolean(),
  /** Push notifications may carry the text of questions, on devices whose members choose that. */
  pushText: z.boolean(),
  /** When the organization was last exported completely. */
  exportedAt: z.iso.datetime().nullable(),
  /** Null: nobody asked for it. */
  deletion: deletionSchema.nullable(),
  /** Null: none stands. */
  hold: holdSchema.nullable(),
  /** Details of the history and finished tasks are kept at least as long: the operator's setting. */
  keepAtLeastDays: z.int(),
  createdAt: z.iso.datetime(),
});
export type Organization = z.infer<typeof organizationSchema>;

export const updateOrganizationSchema = z
  .strictObject({
    name: name.optional(),
    fourEyes: z.boolean().optional(),
    twoPersonPolicy: z.boolean().optional(),
    keysWithoutEnd: z.boolean().optional(),
    pushText: z.boolean().optional(),
  })
  .refine((input) => Object.keys(input).length > 0, "Name what to change");
export type UpdateOrganization = z.infer<typeof updateOrganizationSchema>;

/** The networks from which sessions and keys are taken; empty: all. `version` counts the changes. */
const savedAddressesSchema = z.object({ networks: z.array(z.string()), version: z.int() });
export type SavedAddresses = z.infer<typeof savedAddressesSchema>;

export const addressesSchema = savedAddressesSchema.extend({
  /**
   * The caller as Intray sees them. `network`: what to list for them, the address itself or the /64 of IPv6; null: no
   * address is known. `isPrivate`: it is none of the internet's, as where a proxy stands in front that
   * INTRAY_TRUSTED_PROXIES does not count.
   */
  seen: z.object({ address: z.string(), network: z.string().nullable(), isPrivate: z.boolean() }),
});
export type Addresses = z.infer<typeof addressesSchema>;

/** `version`: of the list that the author saw. */
export const saveAddressesSchema = z.strictObject({ networks: networksSchema, version: z.int() });
export type SaveAddresses = z.infer<typeof saveAddressesSchema>;

/** The slug, typed as a confirmation. */
export const deleteOrganizationSchema = z.strictObject({ slug: z.string().max(100) });

/** One of a person's organizations. */
const ownOrganizationSchema = organizationSchema
  .pick({ id: true, slug: true, name: true })
  .extend({ role: roleSchema });
export type OwnOrganization = z.infer<typeof ownOrganizationSchema>;

/** One of them, as a session sees it. */
export const listedOrganizationSchema = ownOrganizationSchema.extend({
  /** What keeps this session out of it; null: nothing. */
  refusal: z.enum(REFUSALS).nullable(),
  /** The providers that it asks for; empty where nothing keeps the session out. */
  providers: z.array(namedProviderSchema),
});
export type ListedOrganization = z.infer<typeof listedOrganizationSchema>;

export const chooseOrganizationSchema = z.strictObject({ organizationId: z.uuid() });

/** One line of an export: its kind, and its values under the names of the database's columns. */
export const exportedLineSchema = z.looseObject({ kind: z.string() });

/** How long the screens hold an answer before it is sent, in ms; 0: not at all. */
export const undoWindowSchema = z.strictObject({ holdMs: z.int().min(0).max(60_000) });
export type UndoWindow = z.infer<typeof undoWindowSchema>;
