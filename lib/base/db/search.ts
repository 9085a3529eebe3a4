/** Text search. */
import { contentOf } from "../content/content-keys.ts";
import { Prisma, type Tx } from "./db.ts";

/** Returns a LIKE pattern for texts that contain `words`; wildcards in `words` are escaped. */
export function containing(words: string): string {
  return `%${words.trim().replace(/[\\%_]/g, "\\$&")}%`;
}

/** Returns true if a server of the organization has `words` in its name. */
export async function namesServer(tx: Tx, words: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ named: boolean }[]>`SELECT EXISTS (SELECT FROM server
    WHERE organization_id = ${tx.organizationId}::uuid AND strpos(lower(name), lower(${words.trim()})) > 0) AS named`;
  return row?.named ?? false;
}

/** What a search's result says besides: that sealed content was not searched. */
export function notSearched(tx: Tx, words: string | undefined): { contentNotSearched?: true } {
  return words && contentOf(tx).kid !== null ? { contentNotSearched: true } : {};
}

/** Rows checked first, among which common words occur. Only then the whole list is searched. */
const NEAR = 2_000;

export interface Search {
  /** The first `limit` rows of the list in its order, with `id`, `key`, and the columns that `said` reads. */
  first(limit: number): Prisma.Sql;
  /** The rows of the list with one of `ids` that meet `condition`, in any order, with `id` and `key`. */
  among(ids: Prisma.Sql, condition: Prisma.Sql): Prisma.Sql;
  /** Whether a row of `first` (alias `near`) contains the words. */
  said: Prisma.Sql;
  /** The ids of all rows of the organization that contain the words. */
  all: Prisma.Sql;
  /** The sort direction of `id` and `key`. */
  direction: Prisma.Sql;
}

/**
 * Finds the first `most` rows of a very long list that contain the words. `near` goes into the query's WITH;
 * `found` reads it. The search has two stages: scanning in list order is slow for rare words, and sorting all
 * matches is slow for common ones.
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
