import { createDatabase, type Database } from "../base/db/db.ts";
import { refusePowerfulRole } from "../base/db/role-check.ts";
import { need } from "../base/env.ts";
import { withEntries } from "./entry.ts";
import { fairDatabase } from "./fair-database.ts";
import { DATABASE_CONNECTIONS, DATABASE_SHARES } from "./tunables.ts";

// On globalThis: Next's bundles and scripts/web.ts have a copy of this module each, and the pool must not multiply.
const key = Symbol.for("intray.database");
const shared = globalThis as { [key]?: Promise<Database> };

/** The web's database, as a role that row security binds, shared fairly among organizations. Throws ConfigurationError for any other role. */
export function database(): Promise<Database> {
  shared[key] ??= open().catch((error: unknown) => {
    delete shared[key]; // a database that is down now may be back at the next call
    throw error;
  });
  return shared[key];
}

async function open(): Promise<Database> {
  const opened = createDatabase(need("appDatabaseUrl"), { connections: DATABASE_CONNECTIONS });
  try {
    await refusePowerfulRole(opened, "APP_DATABASE_URL");
    return withEntries(fairDatabase(opened, DATABASE_SHARES));
  } catch (error) {
    await opened.close();
    throw error;
  }
}
