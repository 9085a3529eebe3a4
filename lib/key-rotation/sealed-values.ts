/** Where sealed values stand: every sealed column of every organization, and how to run SQL there. */
import { type Database, Prisma } from "../base/db/db.ts";
import { type SealedColumn, sealedColumns } from "./columns.ts";

/** What values that belong to a person are bound to in the place of an organization. */
const PERSONAL = "user";

export interface SealedValue extends SealedColumn {
  /** PERSONAL where the table is not a tenant's. */
  organizationId: string;
  /** The rows of the organization: `t` is the table's name in the statement. */
  mine: Prisma.Sql;
  query<Row>(sql: Prisma.Sql): Promise<Row[]>;
}

export async function sealedPlaces(db: Database): Promise<SealedValue[]> {
  const organizations = await db.gate<{ id: string }>(Prisma.sql`SELECT id FROM gate.all_organizations()`);
  return (await sealedColumns(db)).flatMap((column) =>
    column.tenant
      ? organizations.map(({ id }) => ({
          ...column,
          organizationId: id,
          mine: Prisma.sql`t.organization_id = ${id}::uuid`,
          query: <Row>(sql: Prisma.Sql) => db.withOrganization(id, (tx) => tx.$queryRaw<Row[]>(sql)),
        }))
      : [
          {
            ...column,
            organizationId: PERSONAL,
            mine: Prisma.sql`true`,
            query: <Row>(sql: Prisma.Sql) => db.gate<Row>(sql),
          },
        ],
  );
}

/** A name out of the database's catalogue. */
export function named(identifier: string): Prisma.Sql {
  return Prisma.raw(`"${identifier.replaceAll('"', '""')}"`);
}
