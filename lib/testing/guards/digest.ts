/** What the tables hold, as one text a table: two equal pictures say that nothing was changed between them. */
import type pg from "pg";

export type Picture = Record<string, string>;

/** Columns that say when something was last seen, and tables that count calls. */
const WHEN_SEEN = ["last_used_at", "last_seen_at"];
const COUNTERS = ["throttle"];

/** All rows of an organization, and of the people in it; without an organization, all rows there are. */
export async function picture(client: pg.Client, organizationId?: string): Promise<Picture> {
  const { rows: tables } = await client.query<{ name: string; columns: string[] }>(
    `SELECT table_name AS name, array_agg(column_name::text) AS columns FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name NOT LIKE '\\_%' GROUP BY table_name`,
  );
  const entries: [string, string][] = [];
  for (const { name, columns } of tables.filter(({ name: table }) => !COUNTERS.includes(table))) {
    const where = organizationId ? belongsTo(name, columns) : "true";
    if (!where) continue;
    const { rows } = await client.query(
      `SELECT count(*) || ' ' || coalesce(md5(string_agg(line, ',' ORDER BY line)), '') AS digest
        FROM (SELECT (to_jsonb(t) - $1::text[])::text AS line FROM "${name}" t WHERE ${where}) lines`,
      [WHEN_SEEN, ...(organizationId ? [organizationId] : [])],
    );
    entries.push([name, rows[0].digest]);
  }
  return Object.fromEntries(entries);
}

function belongsTo(table: string, columns: string[]): string | null {
  const members = "(SELECT user_id FROM membership WHERE organization_id = $2)";
  if (table === "organization") return "t.id = $2";
  if (columns.includes("organization_id")) return "t.organization_id = $2";
  if (table === "user") return `t.id IN ${members}`;
  return columns.includes("user_id") ? `t.user_id IN ${members} AND $2 IS NOT NULL` : null;
}
