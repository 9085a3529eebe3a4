import { z } from "zod";
import type { Tx } from "../../../base/db/db.ts";
import { notFound } from "../../../base/errors.ts";

/** What the TXT record of a domain begins with. */
const RECORD_PREFIX = "intray-domain-verification=";

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

/** The organization's domains by name. There are few: see MOST_DOMAINS. */
export async function listDomains(tx: Tx): Promise<OrganizationDomain[]> {
  const rows = await tx.organizationDomain.findMany({
    where: { organizationId: tx.organizationId },
    orderBy: { domain: "asc" },
  });
  return rows.map(shown);
}

/** Throws `not_found`. */
export async function readDomain(tx: Tx, domainId: string): Promise<OrganizationDomain> {
  const row = await tx.organizationDomain.findFirst({
    where: { organizationId: tx.organizationId, id: domainId },
  });
  if (!row) throw notFound("domain");
  return shown(row);
}

/** Whether the organization has proved that the domain is its own. `domain`: in ASCII and lower case, as of an address. */
export async function isVerifiedDomain(tx: Tx, domain: string): Promise<boolean> {
  const where = { organizationId: tx.organizationId, domain, verifiedAt: { not: null } };
  return (await tx.organizationDomain.count({ where })) > 0;
}

function shown(row: {
  id: string;
  domain: string;
  token: string;
  createdAt: Date;
  verifiedAt: Date | null;
}): OrganizationDomain {
  return {
    id: row.id,
    domain: row.domain,
    record: RECORD_PREFIX + row.token,
    createdAt: row.createdAt.toISOString(),
    verifiedAt: row.verifiedAt?.toISOString() ?? null,
  };
}
