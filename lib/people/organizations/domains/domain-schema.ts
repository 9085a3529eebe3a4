import { z } from "zod";

/** What the TXT record of a domain begins with. */
export const RECORD_PREFIX = "intray-domain-verification=";

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A domain as in e-mail addresses: in ASCII (`xn--…`), with at least two labels. */
export const domainSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(253, "Use at most 253 characters")
  .refine((domain) => {
    const labels = domain.split(".");
    return (
      labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "")
    );
  }, "Write a domain such as acme.example");

export const addDomainSchema = z.strictObject({ domain: domainSchema });

export const organizationDomainSchema = z.object({
  id: z.uuid(),
  domain: z.string(),
  /** The text of the TXT record that proves the domain. */
  record: z.string(),
  createdAt: z.iso.datetime(),
  /** Null: not proved yet. */
  verifiedAt: z.iso.datetime().nullable(),
});
export type OrganizationDomain = z.infer<typeof organizationDomainSchema>;
