import pg from "pg";
import { connectTimeoutMs } from "../../lib/base/db/db.ts";
import { ConfigurationError } from "../../lib/base/env.ts";

const { escapeIdentifier, escapeLiteral } = pg;

export function withLogin(url: string, user: string, password: string): string {
  const changed = new URL(url);
  changed.username = user;
  changed.password = encodeURIComponent(password);
  return changed.href;
}

/**
 * Makes a login role and its database, as the superuser. The app's owner may create roles (the migrations do)
 * and databases, and is no superuser: row security binds it.
 */
export async function createOwner(
  superuserUrl: string,
  owner: { role: string; password: string; database: string; may?: string },
): Promise<void> {
  const role = escapeIdentifier(owner.role);
  const database = escapeIdentifier(owner.database);
  await alone(superuserUrl, async (client) => {
    const roles = await client.query("select from pg_roles where rolname = $1", [owner.role]);
    const verb = roles.rowCount ? "alter" : "create";
    await client.query(
      `${verb} role ${role} login ${owner.may ?? ""} nosuperuser nobypassrls password ${escapeLiteral(owner.password)}`,
    );
    const databases = await client.query("select from pg_database where datname = $1", [owner.database]);
    if (databases.rowCount) return;
    await client.query(`create database ${database} owner ${role}`);
    await client.query(`revoke connect on database ${database} from public`);
  });
}

export type Logins = { appPassword: string; enginePassword: string };

/** Lets the two roles that the migrations made log in, as the owner. A working login is left alone. */
export async function allowLogins(
  ownerUrl: string,
  logins: Logins,
): Promise<{ appDatabaseUrl: string; engineDatabaseUrl: string }> {
  const appDatabaseUrl = withLogin(ownerUrl, "intray_app", logins.appPassword);
  const engineDatabaseUrl = withLogin(ownerUrl, "intray_engine", logins.enginePassword);
  if (!(await canLogIn(appDatabaseUrl))) await allowLogin(ownerUrl, "intray_app", logins.appPassword);
  if (!(await canLogIn(engineDatabaseUrl)))
    await allowLogin(ownerUrl, "intray_engine", logins.enginePassword);
  return { appDatabaseUrl, engineDatabaseUrl };
}

async function allowLogin(ownerUrl: string, role: string, password: string): Promise<void> {
  try {
    await alone(ownerUrl, async (client) => {
      const { rows } = await client.query("select current_database() as name");
      await client.query(`alter role ${escapeIdentifier(role)} login password ${escapeLiteral(password)}`);
      await client.query(
        `grant connect on database ${escapeIdentifier(rows[0].name)} to ${escapeIdentifier(role)}`,
      );
    });
  } catch (error) {
    if ((error as { code?: string }).code !== "42501") throw error;
    throw new ConfigurationError(
      `DATABASE_URL's user may not give ${role} a password: set APP_DATABASE_URL and ENGINE_DATABASE_URL.`,
    );
  }
}

/** An arbitrary number. */
const ROLES_LOCK = 5_118_402;

/** One process at a time: of two that change a role at once, Postgres fails one. */
function alone(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  return withClient(url, async (client) => {
    // Held until the client ends.
    await client.query("select pg_advisory_lock($1)", [ROLES_LOCK]);
    await use(client);
  });
}

async function canLogIn(url: string): Promise<boolean> {
  try {
    await withClient(url, (client) => client.query("select 1"));
    return true;
  } catch (error) {
    // Wrong password, no login role, no right to connect: allowLogin repairs these.
    if (["28P01", "28000", "42501"].includes((error as { code?: string }).code ?? "")) return false;
    throw error;
  }
}

export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs(url, 10_000),
  });
  client.on("error", () => {}); // a lost connection fails the query that needs it
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
