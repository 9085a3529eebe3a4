import type { Tx } from "../base/db/db.ts";

/**
 * Whether the organization has proved that an e-mail domain is its own, so that it speaks for the domain's addresses. No
 * organization can prove one yet: everybody whom a directory brings is invited.
 */
export async function isVerifiedDomain(_organizationId: string, _tx: Tx, _domain: string): Promise<boolean> {
  return false;
}
