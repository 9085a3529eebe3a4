import { resolve } from "node:path";
import { ConfigurationError, env } from "../../lib/base/env.ts";
import { supervisorOf } from "../supervise/single.ts";
import { startEmbedded } from "./embedded.ts";
import { allowLogins } from "./roles.ts";
import { prepareDataFolder, readOrCreateSecrets } from "./secrets.ts";

/** What a command needs that works on this installation's database, whether the app runs or not. */
export type OpenDatabase = {
  ownerUrl: string;
  /** As INTRAY_KEYS spells them. */
  keys: string;
  /** Gives the two app roles their logins; only after the migrations. */
  roles(): Promise<{ appDatabaseUrl: string; engineDatabaseUrl: string }>;
  close(): Promise<void>;
};

/** DATABASE_URL's database, else the embedded one: the running one, or started for as long as this is open. */
export async function openDatabase(): Promise<OpenDatabase> {
  const settings = env();
  const dataDir = resolve(settings.dataDir);
  prepareDataFolder(dataDir);
  const embedded = settings.databaseUrl ? undefined : await startEmbedded(dataDir, { detached: true });
  const secrets = readOrCreateSecrets(dataDir);
  const ownerUrl = embedded?.ownerUrl ?? (settings.databaseUrl as string);
  const keys = process.env.INTRAY_KEYS || secrets.intrayKeys;
  if (!embedded && !settings.keys)
    throw new ConfigurationError("INTRAY_KEYS is not set, and this command needs it.");
  return {
    ownerUrl,
    keys,
    async roles() {
      const { appDatabaseUrl, engineDatabaseUrl } = settings;
      if (appDatabaseUrl && engineDatabaseUrl) return { appDatabaseUrl, engineDatabaseUrl };
      return allowLogins(ownerUrl, secrets);
    },
    async close() {
      // A start that came meanwhile has adopted it: then it is no longer ours to stop.
      if (!embedded || embedded.server.adopted || supervisorOf(dataDir)) return;
      await embedded.server.stop("fast");
    },
  };
}
