import { type Database, Prisma } from "../base/db/db.ts";

/** A column that holds sealed values, and what names a row of it. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The part of the primary key that is not the organization: what values are bound to as their row. */
  key: string;
  /** Of an organization; else of a person. */
  tenant: boolean;
}

/**
 * Every column whose name begins with `sealed_`, out of the database's own catalogue, so that none is forgotten. Throws
 * where a table's rows are not named by one column (and the organization): nobody could say what its values are bound to.
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
