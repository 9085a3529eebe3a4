import { Prisma } from "../../base/db/db.ts";

/**
 * Subquery for the ids of all connections to the same URL, including this one. A server may be registered
 * twice, or be reached by members' own connections, and its tasks are shared.
 */
export function connectionsToSameServer(organizationId: string, connectionId: string): Prisma.Sql {
  return Prisma.sql`(SELECT other.id FROM connection other
    JOIN server there ON there.organization_id = other.organization_id AND there.id = other.server_id
    WHERE other.organization_id = ${organizationId}::uuid AND there.url = (
      SELECT here.url FROM connection this
      JOIN server here ON here.organization_id = this.organization_id AND here.id = this.server_id
      WHERE this.organization_id = ${organizationId}::uuid AND this.id = ${connectionId}::uuid))`;
}
