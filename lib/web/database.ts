import { createDatabase, type Database } from "../base/db/db.ts";
import { refusePowerfulRole } from "../base/db/role-check.ts";
import { need } from "../base/env.ts";
import { forget, onePerProcess } from "../base/process/process-wide.ts";
import { DATABASE_CONNECTIONS, DATABASE_SHARES } from "./tunables.ts";
import { fairDatabase } from "./web-database.ts";

/** The web's database, as a role that row security binds, shared fairly among organizations. Throws ConfigurationError for any other role. */
export const database: () => Promise<Database> = onePerProcess("web database", () =>
  open().catch((error: unknown) => {
    forget("web database"); // a database that is down now may be back at the next call
    throw error;
  }),
);

async function open(): Promise<Database> {
  const opened = createDatabase(need("appDatabaseUrl"), { connections: DATABASE_CONNECTIONS });
  try {
    await refusePowerfulRole(opened, "APP_DATABASE_URL");
    return fairDatabase(opened, DATABASE_SHARES);
  } catch (error) {
    await opened.close();
    throw error;
  }
}
