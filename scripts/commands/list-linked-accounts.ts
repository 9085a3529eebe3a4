import { Prisma } from "../../lib/base/db/db.ts";
import { read } from "./usage.ts";
import { withOwnerDatabase } from "./with-database.ts";

/** Lists accounts that were made by a link which an admin was shown, and that are in several organizations. */
export async function listLinkedAccounts(args: string[]): Promise<string> {
  read(args, [], 0);
  return withOwnerDatabase(async (db) => {
    const rows = await db.gate<{ email: string; organizations: string }>(
      Prisma.sql`SELECT * FROM gate.accounts_made_by_link()`,
    );
    return rows.map(({ email, organizations }) => `${email}: ${organizations}`).join("\n");
  });
}
