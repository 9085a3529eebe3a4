import type { Principal } from "../../../access/principal.ts";
import type { Database } from "../../../base/db/db.ts";
import { AppError } from "../../../base/errors.ts";
import { type FindTexts, NameError } from "../../../base/network/dns.ts";
import { readDomain } from "./domain-reads.ts";
import { markVerified } from "./domain-writes.ts";

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
