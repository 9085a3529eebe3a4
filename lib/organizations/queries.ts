import { roleSchema } from "../access/schema.ts";
import { type Database, Prisma, type Tx } from "../base/db/db.ts";
import type { Organization, OwnOrganization } from "./schema.ts";

export async function readOrganization(organizationId: string, tx: Tx): Promise<Organization> {
  const found = await tx.organization.findUniqueOrThrow({
    where: { id: organizationId },
    select: {
      id: true,
      slug: true,
      name: true,
      fourEyes: true,
      keysWithoutEnd: true,
      exportedAt: true,
      createdAt: true,
    },
  });
  return {
    ...found,
    exportedAt: found.exportedAt?.toISOString() ?? null,
    createdAt: found.createdAt.toISOString(),
  };
}

/** The organizations of a person, first joined first. The only query across organizations. */
export async function organizationsOf(db: Database, userId: string): Promise<OwnOrganization[]> {
  const rows = await db.gate<Omit<OwnOrganization, "role"> & { role: string }>(
    Prisma.sql`SELECT id, slug, name, role FROM gate.organizations_of(${userId}::uuid)`,
  );
  return rows.map((row) => ({ ...row, role: roleSchema.parse(row.role) }));
}
