import { type Database, Prisma } from "../db/db.ts";

/** A column with sealed values, and the key column of its rows. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key's column besides the organization. Sealed values are bound to its value as their row. */
  key: string;
  /** True if rows belong to an organization, false if to a person. */
  tenant: boolean;
}

/**
 * Returns every column whose name begins with `sealed_`, from the database's catalog so that none is missed.
 * Throws if a table's primary key is not one column (plus the organization), since its values' row would be
 * ambiguous.
 */
export async function sealedColumns(db: Database): Promise<SealedColumn[]> {
  const found = await db.gate<{ table: string; column: string; keys: string[] }>(Prisma.sql`
    SELECT t.relname AS "table", a.attname AS "column", ARRAY(
        SELECT k.attname::text FROM pg_attribute k WHERE k.attrelid = t.oid AND k.attnum = ANY (p.conkey)
        ORDER BY k.attname) AS keys
    FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname LIKE 'sealed\_%' AND NOT a.attisdropped
      LEFT JOIN pg_constraint p ON p.conrelid = t.oid AND p.contype = 'p'
    WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') ORDER BY 1, 2`);
  return found.map(({ table, column, keys }) => {
    const [key, ...more] = keys.filter((name) => name !== "organization_id");
    if (key === undefined || more.length > 0)
      throw new Error(`${table}.${column} is sealed, and its rows are not named by one column`);
    return { table, column, key, tenant: keys.includes("organization_id") };
  });
}
