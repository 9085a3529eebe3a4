/** Puts a word into all texts of an organization, so that a leaked text reveals its origin. */
import type pg from "pg";

/** Columns left alone: a changed value could not be opened or found, or would change who sees the row. */
const KEPT = /^sealed_|_hash$|^slug$|^visibility$/;

/**
 * Puts the canary into every text in the rows of an organization, except where a constraint allows certain
 * words only. Returns the columns that carry it.
 */
export async function placeCanaries(
  client: pg.Client,
  organizationId: string,
  canary: string,
): Promise<string[]> {
  const placed: string[] = [];
  for (const { table, column, type } of await textColumns(client)) {
    if (KEPT.test(column)) continue;
    const value =
      type === "text"
        ? `"${column}" || ' ' || $2`
        : // The names in actors, and similar ones in other objects.
          `replace("${column}"::jsonb::text, '"name": "', '"name": "' || $2 || ' ')::${type}`;
    try {
      const { rowCount } = await client.query(
        `UPDATE "${table}" SET "${column}" = ${value} WHERE organization_id = $1 AND "${column}" IS NOT NULL`,
        [organizationId, canary],
      );
      if (rowCount) placed.push(`${table}.${column}`);
    } catch (error) {
      // The column allows certain words only, or a hash of something else.
      if (!["23514", "23503"].includes((error as pg.DatabaseError).code ?? "")) throw error;
    }
  }
  return placed;
}

/** All ids in the rows of an organization, its own among them. */
export async function idsIn(client: pg.Client, organizationId: string): Promise<Set<string>> {
  const { rows: columns } = await client.query<{ table: string; column: string }>(
    `${TENANT_COLUMNS} AND c.data_type = 'uuid' AND c.column_name <> 'organization_id'`,
  );
  const byTable = Map.groupBy(columns, ({ table }) => table);
  // One statement of all tables: one a column would take longer to send than to run.
  const parts = [...byTable].map(
    ([table, its]) =>
      `SELECT unnest(ARRAY[${its.map(({ column }) => `"${column}"::text`).join(", ")}]) AS id
        FROM "${table}" WHERE organization_id = $1`,
  );
  const { rows } = await client.query<{ id: string }>(
    `SELECT DISTINCT id FROM (${parts.join(" UNION ALL ")}) found WHERE id IS NOT NULL`,
    [organizationId],
  );
  return new Set([organizationId, ...rows.map(({ id }) => id)]);
}

/** Every row of an organization, as text. */
export async function rowsOf(client: pg.Client, organizationId: string): Promise<string> {
  const { rows: tables } = await client.query<{ table: string }>(
    `SELECT DISTINCT "table" FROM (${TENANT_COLUMNS}) tenants`,
  );
  const parts = tables.map(
    ({ table }) => `SELECT to_jsonb(t)::text AS text FROM "${table}" t WHERE organization_id = $1`,
  );
  const { rows } = await client.query<{ text: string }>(parts.join(" UNION ALL "), [organizationId]);
  return rows.map(({ text }) => text).join("\n");
}

/** Columns of the tables that have an organization. */
const TENANT_COLUMNS = `SELECT c.table_name AS "table", c.column_name AS "column", c.data_type AS type
  FROM information_schema.columns c JOIN information_schema.columns o
    ON o.table_schema = c.table_schema AND o.table_name = c.table_name AND o.column_name = 'organization_id'
  WHERE c.table_schema = 'public' AND c.is_generated = 'NEVER'`;

async function textColumns(client: pg.Client) {
  const { rows } = await client.query<{ table: string; column: string; type: string }>(
    `${TENANT_COLUMNS} AND c.data_type IN ('text', 'json', 'jsonb')`,
  );
  return rows;
}
