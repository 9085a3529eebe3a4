import { reseal } from "../../lib/base/key-rotation/reseal.ts";
import { createSeal } from "../../lib/base/seal.ts";
import { CommandError, read } from "./usage.ts";
import { sealingKeys, withOwnerDatabase } from "./with-database.ts";

/**
 * Seals all secrets again under the first key. Returns a line for each kind of secret, and fails if some
 * could not be opened or are still under an older key.
 */
export async function resealCommand(args: string[]): Promise<string> {
  read(args, []);
  return withOwnerDatabase(async (db) => {
    const seal = createSeal(sealingKeys());
    const done = await reseal(db, seal);
    const result = done
      .map(
        ({ table, column, resealed }) => `${table}.${column}: ${resealed} sealed again under "${seal.kid}"`,
      )
      .join("\n");
    const sum = (count: "changed" | "unopened") => done.reduce((all, each) => all + each[count], 0);
    if (sum("unopened") > 0)
      throw new CommandError(
        `${sum("unopened")} could not be opened: their key is not in INTRAY_KEYS, or they were altered.`,
        { result },
      );
    if (sum("changed") > 0)
      throw new CommandError(`${sum("changed")} changed meanwhile: run it again.`, { result });
    return result;
  });
}
