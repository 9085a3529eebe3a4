import { Prisma } from "../../lib/base/db/db.ts";
import { readEmail } from "./create-user.ts";
import { CommandError, read } from "./usage.ts";
import { withOwnerDatabase } from "./with-database.ts";

/** Turns two-step sign-in off for a person who has lost the phone and the recovery codes. */
export async function removeSecondFactor(args: string[]): Promise<string> {
  const { words } = read(args, [], 1);
  const email = readEmail(words[0], "The e-mail address");
  return withOwnerDatabase(async (db) => {
    const [row] = await db.gate<{ done: boolean }>(
      Prisma.sql`SELECT gate.remove_second_factor(u.id, true) AS done FROM "user" u WHERE u.email = ${email}`,
    );
    if (!row?.done) throw new CommandError(`${email} has no account with two-step sign-in.`);
    return `Two-step sign-in of ${email} is off.`;
  });
}
