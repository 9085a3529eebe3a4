/** How Postgres reads under row security, as the role of the web. Few rows: plans are forced, not timed. */
import pg from "pg";
import { Prisma, type Tx } from "../lib/base/db/db.ts";
import { createTestDatabase } from "./postgres.ts";

export interface Planner {
  /** The plan of what `read` asks the database last. */
  planOf(read: (tx: Tx) => Promise<unknown>): Promise<string>;
  close(): Promise<void>;
}

export async function createPlanner(organizationId: string): Promise<Planner> {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.appUrl });
  await client.connect();
  await client.query("SELECT set_config('app.organization_id', $1, false)", [organizationId]);
  // Of an empty table everything is quickly read from its beginning to its end.
  await client.query("SET enable_seqscan = off");
  await client.query("SET enable_sort = off");
  return {
    async planOf(read) {
      let plan = "";
      const explained = async (strings: TemplateStringsArray, ...values: unknown[]) => {
        const { text, values: parameters } = Prisma.sql(strings, ...(values as Prisma.Sql[]));
        const { rows } = await client.query(`EXPLAIN ${text}`, parameters);
        plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
        return [];
      };
      await read({ $queryRaw: explained } as unknown as Tx);
      return plan;
    },
    async close() {
      await client.end();
      await database.drop();
    },
  };
}
