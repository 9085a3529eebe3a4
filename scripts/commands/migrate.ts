import { need } from "../../lib/base/env.ts";
import { operatorServers } from "../../lib/servers/operator-file.ts";
import { allowLogins } from "../database/roles.ts";
import { MigrationError, migrate } from "../migrate.ts";
import { syncServersAt } from "../sync-servers.ts";
import { CommandError, read } from "./usage.ts";
import { withOwnerUrl } from "./with-database.ts";

const LOGINS = "--logins";

/** Brings the database up to this version, and the operator's servers into it; nothing to print. */
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

/** Those that web and engine will come with. */
function passwords() {
  const of = (url: string) => decodeURIComponent(new URL(url).password);
  return { appPassword: of(need("appDatabaseUrl")), enginePassword: of(need("engineDatabaseUrl")) };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
