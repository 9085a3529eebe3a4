/** The contents of the tables, as one digest per table: equal pictures show that nothing was changed. */
import type pg from "pg";

export type Picture = Record<string, string>;

/** Excluded: columns of when something was last seen, and tables that count calls. */
const WHEN_SEEN = ["last_used_at", "last_seen_at"];
const COUNTERS = ["throttle"];

/** All rows of an organization, and of the people in it; without an organization, all rows. */
export async function picture(client: pg.Client, organizationId?: string): Promise<Picture> {
  const { rows } = await client.query<{ name: string; digest: string }>({
    // A named statement, so that a connection plans it once.
    name: organizationId ? "picture of one" : "picture of all",
    text: lookingAt(await tablesOf(client), organizationId !== undefined),
    values: organizationId ? [organizationId] : [],
  });
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

interface Table {
  name: string;
  columns: string[];
  /** The columns as values that can be hashed. */
  hashable: string[];
}

const known = new WeakMap<pg.Client, Promise<Table[]>>();

/** The tables, read once per connection, since reading them takes longer than the picture. */
function tablesOf(client: pg.Client): Promise<Table[]> {
  const tables = known.get(client) ?? readTables(client);
  known.set(client, tables);
  return tables;
}

async function readTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT table_name AS name, array_agg(column_name::text) AS columns, array_agg(format(
        CASE WHEN data_type IN ('json', 'tsvector') THEN 't.%I::text' ELSE 't.%I' END, column_name
      )) FILTER (WHERE column_name <> ALL ($1)) AS hashable
      FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name NOT LIKE '\\_%' AND table_name <> ALL ($2)
      GROUP BY table_name`,
    [WHEN_SEEN, COUNTERS],
  );
  return rows;
}

/** SQL that sums the rows' hashes, which needs no sorting. */
function lookingAt(tables: Table[], ofOne: boolean): string {
  return tables
    .flatMap(({ name, columns, hashable }) => {
      const where = ofOne ? belongsTo(name, columns) : "true";
      if (!where) return [];
      return `SELECT '${name}' AS name, count(*) || ' ' ||
          coalesce(sum(hash_record_extended(ROW(${hashable.join()}), 0)::numeric), 0) AS digest
        FROM "${name}" t WHERE ${where}`;
    })
    .join(" UNION ALL ");
}

function belongsTo(table: string, columns: string[]): string | null {
  const members = "(SELECT user_id FROM membership WHERE organization_id = $1)";
  if (table === "organization") return "t.id = $1";
  if (columns.includes("organization_id")) return "t.organization_id = $1";
  if (table === "user") return `t.id IN ${members}`;
  return columns.includes("user_id") ? `t.user_id IN ${members}` : null;
}
