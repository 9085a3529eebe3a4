/** Lists every sealed column of every organization, with a way to query each. */
import { type Database, Prisma } from "../base/db/db.ts";
import { type SealedColumn, sealedColumns } from "./columns.ts";

/** Replaces the organization id in the binding of a person's values. */
const PERSONAL = "user";

export interface SealedValue extends SealedColumn {
  /** PERSONAL if the table is not a tenant's. */
  organizationId: string;
  /** Condition for the organization's rows; `t` is the table's alias. */
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

/** Quotes an identifier from the database's catalog. */
export function named(identifier: string): Prisma.Sql {
  return Prisma.raw(`"${identifier.replaceAll('"', '""')}"`);
}
