import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { allowLogins, createOwner, withClient, withLogin } from "../../scripts/database/roles.ts";
import { migrate } from "../../scripts/migrate.ts";

/** One password for every role: these databases hold no secrets, and live as long as a test file. */
const password = "intray-test";
/** The roles that connect behind a pooler, where TEST_POOLER names one (scripts/test-run/pooler.ts). */
export const POOLED_LOGINS = { roles: ["intray_app", "intray_engine"], password };

export type TestDatabase = {
  /** As the migrations' owner, whom row security binds too. */
  ownerUrl: string;
  appUrl: string;
  engineUrl: string;
  /** Past the pooler, if there is one. */
  appDirectUrl: string;
  engineDirectUrl: string;
  /** Past row security, to inspect rows; never for running the code under test. */
  adminUrl: string;
  /** Runs a statement as `adminUrl`, on connections that are kept: each new one costs milliseconds. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into rows of any shape
  sql(text: string, values?: unknown[]): Promise<any[]>;
  drop(): Promise<void>;
};

/** Makes a migrated, empty database; takes about 70 ms. One for a test file, dropped in afterAll. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const admin = adminUrl();
  const template = process.env.TEST_DATABASE_TEMPLATE;
  if (!template) throw new Error("There is no template database: run the tests with vitest.");
  const name = `intray_test_${randomBytes(6).toString("hex")}`;
  await withClient(admin, (client) =>
    client.query(`create database ${name} template ${template} owner intray_owner strategy file_copy`),
  );
  const url = databaseUrl(admin, name);
  const appDirectUrl = withLogin(url, "intray_app", password);
  const engineDirectUrl = withLogin(url, "intray_engine", password);
  const admins = new pg.Pool({ connectionString: url, max: 10, allowExitOnIdle: true });
  // One that a test ends is made anew.
  admins.on("error", () => undefined);
  return {
    ownerUrl: withLogin(url, "intray_owner", password),
    appUrl: pooled(appDirectUrl),
    engineUrl: pooled(engineDirectUrl),
    appDirectUrl,
    engineDirectUrl,
    adminUrl: url,
    async sql(text, values = []) {
      const run = () => admins.query(text, values);
      // Postgres may end the test's side of a deadlock, which nothing is written by.
      const { rows } = await run().catch((error) => (error.code === "40P01" ? run() : Promise.reject(error)));
      return rows;
    },
    async drop() {
      if (!admins.ending) await admins.end();
      await withClient(admin, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** A raw connection to the Postgres of a URL, whose host may be the folder of its socket: for a proxy. */
export function connectRaw(url: string): Socket {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname);
  return host.startsWith("/") ? connect(join(host, `.s.PGSQL.${port}`)) : connect(Number(port), host);
}

/** Makes the migrated template, names it in TEST_DATABASE_TEMPLATE for the workers, returns its removal. */
export async function prepareTemplate(admin: string): Promise<() => Promise<void>> {
  const name = `intray_template_${randomBytes(6).toString("hex")}`;
  await createOwner(admin, { role: "intray_owner", password, database: name, may: "createrole createdb" });
  const ownerUrl = withLogin(databaseUrl(admin, name), "intray_owner", password);
  await migrate(ownerUrl, () => {});
  await allowLogins(ownerUrl, { appPassword: password, enginePassword: password });
  process.env.TEST_DATABASE_TEMPLATE = name;
  return () =>
    withClient(admin, async (client) => void (await client.query(`drop database ${name} with (force)`)));
}

function databaseUrl(admin: string, name: string): string {
  const url = new URL(admin);
  url.pathname = `/${name}`;
  // A test process that is busy for seconds must not report the database as down.
  url.searchParams.set("connect_timeout", "60");
  return url.href;
}

function pooled(url: string): string {
  const address = process.env.TEST_POOLER;
  return address ? url.replace(/@[^/]+/, `@${address}`) : url;
}

function adminUrl(): string {
  const url = process.env.TEST_DATABASE_ADMIN_URL;
  if (!url) throw new Error("There is no Postgres for the tests: run them with vitest.");
  return url;
}
