import { Prisma } from "../../base/db/db.ts";

/**
 * The connections of an organization that lead where this one leads, itself included, as a subquery of ids: a server
 * may be registered twice, or be reached by members with connections of their own, and its tasks are the same ones.
 */
export function connectionsToSameServer(organizationId: string, connectionId: string): Prisma.Sql {
  return Prisma.sql`(SELECT other.id FROM connection other
    JOIN server there ON there.organization_id = other.organization_id AND there.id = other.server_id
    WHERE other.organization_id = ${organizationId}::uuid AND there.url = (
      SELECT here.url FROM connection this
      JOIN server here ON here.organization_id = this.organization_id AND here.id = this.server_id
      WHERE this.organization_id = ${organizationId}::uuid AND this.id = ${connectionId}::uuid))`;
}
