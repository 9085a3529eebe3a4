import { MigrationError, migrate } from "../migrate.ts";
import { CommandError, read } from "./usage.ts";
import { withOwnerUrl } from "./with-database.ts";

/** Brings the database up to this version; nothing to print. */
export async function migrateCommand(args: string[]): Promise<string> {
  read(args, []);
  return withOwnerUrl(async (ownerUrl) => {
    await migrate(ownerUrl, (line) => process.stderr.write(`${line}\n`)).catch((error: unknown) => {
      throw error instanceof MigrationError ? new CommandError(error.message, { cause: error }) : error;
    });
    return "";
  });
}
