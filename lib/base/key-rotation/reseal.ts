/** Reseals values that are sealed under another key than the ring's first. */
import { type Database, Prisma } from "../db/db.ts";
import type { Seal, SealedPlace } from "../seal.ts";

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

// Lists every sealed column of every organization, with a way to query each.

/** Replaces the organization id in the binding of a person's values. */
const PERSONAL = "user";

interface SealedValue extends SealedColumn {
  /** PERSONAL if the table is not a tenant's. */
  organizationId: string;
  /** Condition for the organization's rows; `t` is the table's alias. */
  mine: Prisma.Sql;
  query<Row>(sql: Prisma.Sql): Promise<Row[]>;
}

async function sealedPlaces(db: Database): Promise<SealedValue[]> {
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
function named(identifier: string): Prisma.Sql {
  return Prisma.raw(`"${identifier.replaceAll('"', '""')}"`);
}

/** Values resealed per statement. Kept small, since the engine waits for the locked rows. */
const BATCH = 100;

export interface Resealed {
  table: string;
  column: string;
  /** Now sealed under the first key. */
  resealed: number;
  /** Changed by another process meanwhile, under an older key if that process does not know the first one. */
  changed: number;
  /** Not openable: the key is not in the ring, or the value was altered. Left unchanged. */
  unopened: number;
}

/**
 * Reseals every sealed column of every organization, as the database's owner, while Intray runs: values
 * changed meanwhile are left alone. May be stopped at any time; the next run continues with the remaining
 * values.
 */
export async function reseal(db: Database, seal: Seal): Promise<Resealed[]> {
  const sums = new Map<string, Resealed>();
  for (const place of await sealedPlaces(db)) {
    const { table, column } = place;
    const sum = sums.get(`${table}.${column}`) ?? { table, column, resealed: 0, changed: 0, unopened: 0 };
    sums.set(`${table}.${column}`, sum);
    await resealPlace(seal, place, sum);
  }
  return [...sums.values()];
}

interface Value {
  row: string;
  sealed: string;
}

async function resealPlace(seal: Seal, place: SealedValue, sum: Resealed): Promise<void> {
  const { organizationId, table, column } = place;
  for (let after: string | null = null; ; ) {
    const values: Value[] = await place.query<Value>(nextValues(place, seal.kid, after));
    const last = values.at(-1);
    if (!last) return;
    after = last.row;
    const moved = values.flatMap(({ row, sealed }) => {
      const at = { organizationId, table, row, column };
      const opened = openOrNull(seal, at, sealed);
      return opened === null ? [] : [{ row, sealed, again: seal.seal(at, opened) }];
    });
    const written = await place.query(writeBack(place, moved));
    sum.unopened += values.length - moved.length;
    sum.resealed += written.length;
    sum.changed += moved.length - written.length;
  }
}

function nextValues(
  { table, column, key, mine }: SealedValue,
  kid: string,
  after: string | null,
): Prisma.Sql {
  return Prisma.sql`SELECT t.${named(key)}::text AS "row", t.${named(column)} AS sealed FROM ${named(table)} t
    WHERE ${mine} AND (${after}::uuid IS NULL OR t.${named(key)} > ${after}::uuid)
      AND t.${named(column)} IS NOT NULL AND split_part(t.${named(column)}, '.', 2) <> ${kid}
    ORDER BY t.${named(key)} LIMIT ${BATCH}`;
}

/** Updates only values that still equal the opened ones (compare-and-set). */
function writeBack(
  { table, column, key, mine }: SealedValue,
  moved: (Value & { again: string })[],
): Prisma.Sql {
  const list = (values: string[], type: string) => Prisma.sql`${values}::${Prisma.raw(type)}[]`;
  return Prisma.sql`UPDATE ${named(table)} t SET ${named(column)} = new.again
    FROM unnest(${list(
      moved.map(({ row }) => row),
      "uuid",
    )}, ${list(
      moved.map(({ sealed }) => sealed),
      "text",
    )},
      ${list(
        moved.map(({ again }) => again),
        "text",
      )}) AS new ("row", sealed, again)
    WHERE ${mine} AND t.${named(key)} = new."row" AND t.${named(column)} = new.sealed RETURNING 1 AS one`;
}

function openOrNull(seal: Seal, place: SealedPlace, sealed: string): string | null {
  try {
    return seal.open(place, sealed);
  } catch {
    return null; // counted as unopened: the key is missing, or the value was altered
  }
}

/** Counts sealed values by key id. */
export async function countByKey(db: Database): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { table, column, mine, query } of await sealedPlaces(db)) {
    const found = await query<{ kid: string; count: number }>(Prisma.sql`
      SELECT split_part(t.${named(column)}, '.', 2) AS kid, count(*)::integer AS count
      FROM ${named(table)} t WHERE ${mine} AND t.${named(column)} IS NOT NULL GROUP BY 1`);
    for (const { kid, count } of found) counts.set(kid, (counts.get(kid) ?? 0) + count);
  }
  return counts;
}
