import { operatorServers } from "../../lib/servers/operator-file.ts";
import { MigrationError, migrate } from "../migrate.ts";
import { syncServersAt } from "../sync-servers.ts";
import { CommandError, read } from "./usage.ts";
import { withOwnerUrl } from "./with-database.ts";

/** Brings the database up to this version, and the operator's servers into it; nothing to print. */
export async function migrateCommand(args: string[]): Promise<string> {
  read(args, []);
  operatorServers(); // before anything is changed
  return withOwnerUrl(async (ownerUrl) => {
    await migrate(ownerUrl, say).catch((error: unknown) => {
      throw error instanceof MigrationError ? new CommandError(error.message, { cause: error }) : error;
    });
    await syncServersAt(ownerUrl, say);
    return "";
  });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
