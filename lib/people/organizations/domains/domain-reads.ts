import type { Tx } from "../../../base/db/db.ts";
import { notFound } from "../../../base/errors.ts";
import { type OrganizationDomain, RECORD_PREFIX } from "./domain-schema.ts";

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
