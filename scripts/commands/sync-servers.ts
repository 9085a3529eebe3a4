import { env } from "../../lib/base/env.ts";
import { operatorServers } from "../../lib/servers/operator-file.ts";
import { syncServers } from "../sync-servers.ts";
import { CommandError, read } from "./usage.ts";
import { withOwnerDatabase } from "./with-database.ts";

/** Gives organizations the servers of INTRAY_SERVERS_FILE; returns a line for each change. */
export async function syncServersCommand(args: string[]): Promise<string> {
  read(args, []);
  if (env().serversFile === undefined) throw new CommandError("INTRAY_SERVERS_FILE is not set.");
  operatorServers(); // before a database is started for it
  const lines = await withOwnerDatabase((db) => syncServers(db, (line) => process.stderr.write(`${line}\n`)));
  return lines.join("\n");
}
