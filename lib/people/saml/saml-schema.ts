/** SAML 2.0 identity providers of an organization. */
import { z } from "zod";
import { roleSchema } from "../../access/access-schema.ts";
import { webAddress } from "../../text/schemas/bounded.ts";
import { METADATA_CHARACTERS } from "./tunables.ts";

const name = z.string().trim().min(1, "Give it a name").max(40, "Use at most 40 characters");
const httpsUrl = webAddress(2_000);
const attributeName = z
  .string()
  .trim()
  .max(300, "Use at most 300 characters")
  .transform((text) => (text === "" ? null : text))
  .nullable();

/** What a provider's word gives: whoever runs it could else make themselves owners. */
export const givenRoleSchema = roleSchema.exclude(["owner"], {
  error: "People make owners, no provider does",
});

/** Members of the provider's group `claim` become members, with this role. */
const groupRuleSchema = z.strictObject({
  claim: z.string().trim().min(1, "Name the group").max(300, "Use at most 300 characters"),
  role: givenRoleSchema,
});
export const groupRulesSchema = z.array(groupRuleSchema).max(50, "At most 50 groups");

/** Where the identity provider is described: its metadata, the metadata's address, or by hand. */
const description = {
  metadata: z.string().min(1).max(METADATA_CHARACTERS, "The document is too large").optional(),
  metadataUrl: httpsUrl.optional(),
  ssoUrl: httpsUrl.optional(),
  /** PEM, one to five. */
  certificates: z
    .string()
    .trim()
    .min(1, "Paste the certificate")
    .max(50_000, "Use at most 50,000 characters")
    .optional(),
};
const settings = {
  idpInitiated: z.boolean(),
  signRequests: z.boolean(),
  emailAttribute: attributeName,
  nameAttribute: attributeName,
  groupsAttribute: attributeName,
  groups: groupRulesSchema,
  createAccounts: z.boolean(),
  defaultRole: givenRoleSchema.nullable(),
};

export const createSamlProviderSchema = z
  .strictObject({
    name,
    ...description,
    entityId: z.string().trim().min(1, "Write the entity id").max(1_000).optional(),
    ...z.strictObject(settings).partial().shape,
  })
  .superRefine((input, context) => {
    const byHand = [input.entityId, input.ssoUrl, input.certificates];
    const ways = [input.metadata, input.metadataUrl, byHand.find((value) => value !== undefined)];
    if (ways.filter((way) => way !== undefined).length !== 1)
      context.addIssue({
        code: "custom",
        path: ["metadata"],
        message: "Give the metadata, or its address, or the three values",
      });
    else if (input.metadata === undefined && input.metadataUrl === undefined)
      for (const field of ["entityId", "ssoUrl", "certificates"] as const)
        if (input[field] === undefined)
          context.addIssue({ code: "custom", path: [field], message: "Required" });
  });
export type CreateSamlProvider = z.infer<typeof createSamlProviderSchema>;

/** The entity id stays: metadata of another identity provider is refused. */
export const updateSamlProviderSchema = z
  .strictObject({ name: name.optional(), ...description, ...z.strictObject(settings).partial().shape })
  .refine((input) => Object.keys(input).length > 0, "Name what to change")
  .refine((input) => input.metadata === undefined || input.metadataUrl === undefined, {
    path: ["metadataUrl"],
    message: "Give one of the two",
  });
export type UpdateSamlProvider = z.infer<typeof updateSamlProviderSchema>;

const samlCertificateSchema = z.object({
  /** SHA-256. */
  fingerprint: z.string(),
  expiresAt: z.iso.datetime(),
  pem: z.string(),
});
export type SamlCertificate = z.infer<typeof samlCertificateSchema>;

/** What the last test sign-in brought. */
const testReportSchema = z.object({
  subject: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  groups: z.array(z.string()),
  /** The role by the rules for groups, or the one that new people get; null: none. */
  role: roleSchema.nullable(),
});
export type SamlTestReport = z.infer<typeof testReportSchema>;
export const storedTestReportSchema = testReportSchema.nullable();

export const samlProviderSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  entityId: z.string(),
  ssoUrl: z.string(),
  certificates: z.array(samlCertificateSchema),
  ...settings,
  /** What the identity provider has to know of Intray. */
  own: z.object({
    entityId: z.string(),
    acsUrl: z.string(),
    metadataUrl: z.string(),
    certificate: z.string(),
  }),
  /** Begins a sign-in; for a link. */
  startUrl: z.string(),
  /** `failure`: a code, or null if the test went well. */
  test: z
    .object({ at: z.iso.datetime(), failure: z.string().nullable(), report: storedTestReportSchema })
    .nullable(),
  /**
   * Who described the provider since another person confirmed it, with whom everybody whom it signs in counts as one where
   * a second person is required; empty: it is confirmed.
   */
  heldBy: z.array(z.object({ id: z.uuid().nullable(), name: z.string() })),
  /** The caller, an owner, counts as another person than each of them. */
  mayConfirm: z.boolean(),
  createdAt: z.iso.datetime(),
});
export type SamlProvider = z.infer<typeof samlProviderSchema>;

/** An address at the identity provider to go to, in this browser. */
export const samlStartSchema = z.object({ url: z.url() });

/** The organization's providers as its members see them. `linked`: the account is known there. */
export const samlLinksSchema = z.object({
  items: z.array(z.object({ id: z.uuid(), name: z.string(), linked: z.boolean() })),
});
export type SamlLink = z.infer<typeof samlLinksSchema>["items"][number];
export const createSamlLinkSchema = z.strictObject({ samlProviderId: z.uuid() });
