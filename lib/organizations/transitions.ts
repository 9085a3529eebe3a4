import type { Tx } from "../db.ts";
import { appendEvents } from "../events/transitions.ts";
import type { Actor } from "../members/schema.ts";

/** Where the operator of the installation acts through the command line. */
export const COMMAND_LINE: Actor = { kind: "system", id: null, name: "Command line" };

/** Makes an organization; `organizationId` is new. Only as the database's owner. Throws on a slug that is taken. */
export async function createOrganization(
  organizationId: string,
  tx: Tx,
  organization: { slug: string; name: string },
): Promise<void> {
  await tx.organization.create({ data: { id: organizationId, ...organization } });
  await appendEvents(organizationId, tx, [
    { type: "organization.created", actor: COMMAND_LINE, data: organization },
  ]);
}
