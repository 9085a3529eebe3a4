/** Finding words in texts. */
import { Prisma, type Tx } from "./db.ts";

/** A LIKE pattern for texts that contain `words`, whose own wildcards mean themselves. */
export function containing(words: string): string {
  return `%${words.trim().replace(/[\\%_]/g, "\\$&")}%`;
}

/** Whether a server of the organization has these words in its name. */
export async function namesServer(organizationId: string, tx: Tx, words: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ named: boolean }[]>`SELECT EXISTS (SELECT FROM server
    WHERE organization_id = ${organizationId}::uuid AND strpos(lower(name), lower(${words.trim()})) > 0) AS named`;
  return row?.named ?? false;
}

/** So many rows are read one by one before all texts are. What is common is found among them, and rare beyond. */
const NEAR = 2_000;

export interface Search {
  /** The first so many rows of the list in its order, with `id`, `key`, and the columns that `said` reads. */
  first(limit: number): Prisma.Sql;
  /** Those of the list with one of these ids, under a condition, in any order, with `id` and `key`. */
  among(ids: Prisma.Sql, condition: Prisma.Sql): Prisma.Sql;
  /** Whether a row of `first`, of the alias `near`, has the words. */
  said: Prisma.Sql;
  /** The ids of all rows of the organization that have them. */
  all: Prisma.Sql;
  /** How `id` and `key` are ordered. */
  direction: Prisma.Sql;
}

/**
 * The first `most` rows of a very long list that have the words: `near` belongs into the query's WITH, `found` reads it.
 * Neither alone would do: in the list's order a rare word is looked for to the end, and all that have a common one are
 * many to be ordered.
 */
export function nearAndBeyond(
  { first, among, said, all, direction }: Search,
  most: number,
): { near: Prisma.Sql; found: Prisma.Sql } {
  const more = Prisma.sql`(SELECT count(*) = ${NEAR} AND count(*) FILTER (WHERE said) < ${most} FROM near)`;
  const order = Prisma.sql`ORDER BY key ${direction}, id ${direction} LIMIT ${most}`;
  return {
    near: Prisma.sql`near AS MATERIALIZED (SELECT near.id, near.key, ${said} AS said FROM (${first(NEAR)}) near)`,
    found: Prisma.sql`(SELECT id, key FROM near WHERE said ${order})
      UNION (SELECT id, key FROM (${among(all, more)}) beyond ${order})`,
  };
}
