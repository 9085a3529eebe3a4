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
    await client.query("BEGIN");
    try {
      const { rowCount } = await client.query(
        `UPDATE "${table}" SET "${column}" = ${value} WHERE organization_id = $1 AND "${column}" IS NOT NULL`,
        [organizationId, canary],
      );
      await client.query("COMMIT");
      if (rowCount) placed.push(`${table}.${column}`);
    } catch (error) {
      await client.query("ROLLBACK");
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
  const ids = new Set([organizationId]);
  for (const { table, column } of columns) {
    const { rows } = await client.query(
      `SELECT DISTINCT "${column}"::text AS id FROM "${table}" WHERE organization_id = $1 AND "${column}" IS NOT NULL`,
      [organizationId],
    );
    for (const { id } of rows) ids.add(id);
  }
  return ids;
}

/** Every row of an organization, as text. */
export async function rowsOf(client: pg.Client, organizationId: string): Promise<string> {
  const { rows: tables } = await client.query<{ table: string }>(
    `SELECT DISTINCT "table" FROM (${TENANT_COLUMNS}) tenants`,
  );
  const texts: string[] = [];
  for (const { table } of tables) {
    const { rows } = await client.query(
      `SELECT string_agg(to_jsonb(t)::text, E'\\n') AS text FROM "${table}" t WHERE organization_id = $1`,
      [organizationId],
    );
    texts.push(rows[0].text ?? "");
  }
  return texts.join("\n");
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
