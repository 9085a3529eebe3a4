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

/** So many rows are read one by one before an index is asked. What is common is found among them, and rare beyond. */
const NEAR = 2_000;

export interface Search {
  /** Of the common table expression; one a query. */
  name: string;
  /** Rows of a list in its order, with the columns `id`, `key` and those of `also`, under one more condition. */
  rows(condition: Prisma.Sql, also: Prisma.Sql, limit: number): Prisma.Sql;
  /** Whether a row has the words. */
  said: Prisma.Sql;
  /** The column that `indexed` gives the values of. */
  id: Prisma.Sql;
  /** The ids of all rows that have them, by an index. */
  indexed: Prisma.Sql;
  /** How `id` and `key` are ordered. */
  direction: Prisma.Sql;
}

/**
 * The first `most` rows of a very long list that have the words: `near` belongs into the query's WITH, `found` reads it.
 * Neither alone would do: in the list's order a rare word is looked for to the end, and by the index all that have a
 * common one are read to be ordered.
 */
export function nearAndBeyond(search: Search, most: number): { near: Prisma.Sql; found: Prisma.Sql } {
  const { rows, said, id, indexed, direction } = search;
  const name = Prisma.raw(search.name);
  const more = Prisma.sql`(SELECT count(*) = ${NEAR} AND count(*) FILTER (WHERE said) < ${most} FROM ${name})`;
  return {
    near: Prisma.sql`${name} AS MATERIALIZED (${rows(Prisma.sql`true`, Prisma.sql`, ${said} AS said`, NEAR)})`,
    found: Prisma.sql`(SELECT id, key FROM ${name} WHERE said ORDER BY key ${direction}, id ${direction} LIMIT ${most})
      UNION (${rows(Prisma.sql`${more} AND ${id} = ANY (ARRAY(${indexed}))`, Prisma.empty, most)})`,
  };
}
