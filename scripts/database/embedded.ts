import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "../../lib/base/env.ts";
import { openCluster, readRecord } from "./cluster.ts";
import { createOwner, withLogin } from "./roles.ts";
import { prepareDataFolder, readOrCreateSecrets, readSecrets, type Secrets } from "./secrets.ts";
import { hostOf, type Options, type Server, startServer } from "./server.ts";

export type EmbeddedPostgres = {
  server: Server;
  secrets: Secrets;
  superuserUrl: string;
  /** Database `intray`, as its owner. */
  ownerUrl: string;
  /** Database `invoice`, the sample server's own. */
  invoiceUrl: string;
};

/** Starts (or adopts) the Postgres of a data folder, and makes everything that the migrations build on. */
export async function startEmbedded(dataDir: string, options: Options = {}): Promise<EmbeddedPostgres> {
  prepareDataFolder(dataDir);
  const known = readSecrets(dataDir);
  const home = readRecord(dataDir).home ?? dataDir;
  if (!known && existsSync(join(home, "postgres"))) {
    throw new ConfigurationError(
      `${join(dataDir, "secrets.json")} is gone, and without it the database beside it cannot be opened: put it back, or start with another INTRAY_DATA_DIR.`,
    );
  }
  const secrets = known ?? readOrCreateSecrets(dataDir);
  const cluster = await openCluster(dataDir, secrets.superuserPassword);
  const server = await startServer(cluster, options);
  const place = `${hostOf(cluster, server.port)}:${server.port}`;
  const urlFor = (user: string, password: string, database: string) =>
    withLogin(`postgresql://${place}/${database}`, user, password);
  const superuserUrl = urlFor("postgres", secrets.superuserPassword, "postgres");
  await createOwner(superuserUrl, {
    role: "intray_owner",
    password: secrets.ownerPassword,
    database: "intray",
    may: "createrole createdb",
  });
  await createOwner(superuserUrl, {
    role: "invoice",
    password: secrets.invoicePassword,
    database: "invoice",
  });
  return {
    server,
    secrets,
    superuserUrl,
    ownerUrl: urlFor("intray_owner", secrets.ownerPassword, "intray"),
    invoiceUrl: urlFor("invoice", secrets.invoicePassword, "invoice"),
  };
}
