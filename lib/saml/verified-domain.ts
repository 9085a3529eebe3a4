import type { Tx } from "../base/db/db.ts";

/**
 * Whether the organization has proved that a domain is its own, so that its provider's word for an address there
 * links the account of a member. The one place where this is asked; no organization can prove a domain yet.
 */
export async function coversDomain(_organizationId: string, _tx: Tx, _domain: string): Promise<boolean> {
  return false;
}
