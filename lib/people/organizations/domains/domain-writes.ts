/** All writes to an organization's domains. A domain is verified by one organization only; the database holds that. */

import { randomBytes } from "node:crypto";
import type { Actor } from "../../../access/access-schema.ts";
import type { Principal } from "../../../access/principal.ts";
import { isUniqueViolation } from "../../../base/db/database-errors.ts";
import type { Database, Tx } from "../../../base/db/db.ts";
import { AppError, notFound } from "../../../base/errors.ts";
import { uuidv7 } from "../../../base/ids.ts";
import { type FindTexts, NameError } from "../../../base/network/guarded-lookup.ts";
import { appendEvents } from "../../../history/events/event-writes.ts";
import { readDomain } from "./domain-reads.ts";

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

/**
 * Looks in DNS for the record that proves a domain, and marks the domain. Throws `domain_not_proven`, `dns_unavailable`,
 * `domain_taken`, and `not_found`. A domain that was verified stays so: nothing is looked up.
 */
export async function verifyDomain(
  organizationId: string,
  db: Database,
  { actor }: Principal,
  findTexts: FindTexts,
  domainId: string,
): Promise<void> {
  const found = await db.withOrganization(organizationId, (tx) => readDomain(tx, domainId));
  if (found.verifiedAt) return;
  const texts = await findTexts(found.domain).catch((error: unknown) => {
    if (!(error instanceof NameError)) throw error;
    throw new AppError(
      "dns_unavailable",
      `DNS gave no answer about ${found.domain}. Try again in a moment.`,
      {
        cause: error,
      },
    );
  });
  if (!texts.includes(found.record))
    throw new AppError(
      "domain_not_proven",
      `${found.domain} has no TXT record “${found.record}” yet. A new record may take some minutes, in some places hours.`,
    );
  await db.withOrganization(organizationId, (tx) => markVerified(tx, actor, domainId));
}
