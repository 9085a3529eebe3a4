import { env, need } from "../../lib/base/env.ts";
import { reseal } from "../../lib/base/key-rotation/reseal.ts";
import { createSeal } from "../../lib/base/seal.ts";
import { rotateReceiptKey } from "../../lib/requests/receipts/receipt-writes.ts";
import { operatorServers } from "../../lib/servers/operator-file.ts";
import { allowLogins } from "../database/roles.ts";
import { MigrationError, migrate } from "../migrate.ts";
import { syncServers, syncServersAt } from "../sync-servers.ts";
import { CommandError, read } from "./usage.ts";
import { sealingKeys, withOwnerDatabase, withOwnerUrl } from "./with-database.ts";

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

/** Gives organizations the servers of INTRAY_SERVERS_FILE; returns a line for each change. */
export async function syncServersCommand(args: string[]): Promise<string> {
  read(args, []);
  if (env().serversFile === undefined) throw new CommandError("INTRAY_SERVERS_FILE is not set.");
  operatorServers(); // before a database is started for it
  const lines = await withOwnerDatabase((db) => syncServers(db, (line) => process.stderr.write(`${line}\n`)));
  return lines.join("\n");
}

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

/** Signs receipts with a new key from now on; prints its id. The old one's public half stays in the list. */
export async function rotateReceiptKeyCommand(args: string[]): Promise<string> {
  read(args, []);
  return withOwnerDatabase((db) => rotateReceiptKey(db, createSeal(sealingKeys())));
}
