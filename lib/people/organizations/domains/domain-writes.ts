/** All writes to an organization's domains. A domain is verified by one organization only; the database holds that. */
import { randomBytes } from "node:crypto";
import type { Actor } from "../../../access/access-schema.ts";
import { isUniqueViolation } from "../../../base/db/database-errors.ts";
import type { Tx } from "../../../base/db/db.ts";
import { AppError, notFound } from "../../../base/errors.ts";
import { uuidv7 } from "../../../base/ids.ts";
import { appendEvents } from "../../../history/events/event-writes.ts";

/** A company has a handful; each is looked up in DNS when somebody says so. */
const MOST_DOMAINS = 50;

/** Adds a domain, not verified, and returns its id; that of the same domain added before. Throws `too_many_domains`. */
export async function addDomain(tx: Tx, actor: Actor, domain: string): Promise<string> {
  const known = await tx.organizationDomain.findFirst({
    where: { organizationId: tx.organizationId, domain },
    select: { id: true },
  });
  if (known) return known.id;
  if ((await tx.organizationDomain.count({ where: { organizationId: tx.organizationId } })) >= MOST_DOMAINS)
    throw new AppError("too_many_domains", `There are ${MOST_DOMAINS} domains already; remove one first.`);
  const [id, token] = [uuidv7(), randomBytes(24).toString("base64url")];
  const { count } = await tx.organizationDomain.createMany({
    data: { organizationId: tx.organizationId, id, domain, token },
    skipDuplicates: true,
  });
  if (count === 0) return addDomain(tx, actor, domain);
  await appendEvents(tx, [{ type: "organization.domain_added", actor, data: { domain } }]);
  return id;
}

/**
 * Marks a domain as the organization's own, once DNS or the operator has said so. Of two organizations at once, one wins.
 * Throws `domain_taken` where another organization has it, and `not_found`.
 */
export async function markVerified(tx: Tx, actor: Actor, domainId: string): Promise<void> {
  const changed = await tx.$queryRaw<{ domain: string }[]>`
    UPDATE organization_domain SET verified_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${domainId}::uuid AND verified_at IS NULL
    RETURNING domain`.catch((error: unknown) => {
    if (isUniqueViolation(error))
      throw new AppError("domain_taken", "Another organization here has verified this domain.");
    throw error;
  });
  const [row] = changed;
  if (row)
    await appendEvents(tx, [{ type: "organization.domain_verified", actor, data: { domain: row.domain } }]);
}

/** Throws `not_found`. */
export async function removeDomain(tx: Tx, actor: Actor, domainId: string): Promise<void> {
  const [row] = await tx.$queryRaw<{ domain: string }[]>`DELETE FROM organization_domain
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${domainId}::uuid RETURNING domain`;
  if (!row) throw notFound("domain");
  await appendEvents(tx, [{ type: "organization.domain_removed", actor, data: { domain: row.domain } }]);
}
