import { need } from "../../lib/base/env.ts";
import { operatorServers } from "../../lib/servers/operator-file.ts";
import { allowLogins } from "../database/roles.ts";
import { MigrationError, migrate } from "../migrate.ts";
import { syncServersAt } from "../sync-servers.ts";
import { CommandError, read } from "./usage.ts";
import { withOwnerUrl } from "./with-database.ts";

const LOGINS = "--logins";

/** Migrates the database to this version, and syncs the operator's servers; returns an empty text. */
export async function migrateCommand(args: string[]): Promise<string> {
  read(
    args.filter((word) => word !== LOGINS),
    [],
  );
  operatorServers(); // before anything is changed
  return withOwnerUrl(async (ownerUrl) => {
    await migrate(ownerUrl, say).catch((error: unknown) => {
      throw error instanceof MigrationError ? new CommandError(error.message, { cause: error }) : error;
    });
    if (args.includes(LOGINS)) await allowLogins(ownerUrl, passwords());
    await syncServersAt(ownerUrl, say);
    return "";
  });
}

/** The passwords with which web and engine will log in. */
function passwords() {
  const of = (url: string) => decodeURIComponent(new URL(url).password);
  return { appPassword: of(need("appDatabaseUrl")), enginePassword: of(need("engineDatabaseUrl")) };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
