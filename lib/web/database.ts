import { createDatabase, type Database, refusePowerfulRole } from "../base/db/db.ts";
import { need } from "../base/env.ts";
import { AppError } from "../base/errors.ts";
import { forget, onePerProcess } from "../base/process/process-wide.ts";
import { scope } from "../base/process/scope.ts";
import { fairTurns, type Shares } from "./fair-turns.ts";
import { DATABASE_CONNECTIONS, DATABASE_RETRY_AFTER_MS, DATABASE_SHARES, GATE_SHARES } from "./tunables.ts";

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
    return fairDatabase(opened, DATABASE_SHARES, GATE_SHARES);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/**
 * Shares the connections of the web's pool, so that nobody's slow reads, and no flood, keep others waiting: transactions among
 * organizations, and statements before an organization is known among the networks that call.
 */
export function fairDatabase(database: Database, transactions: Shares, statements: Shares): Database {
  const byOrganization = fairTurns(transactions, busy);
  const byNetwork = fairTurns(statements, busy);
  return {
    ...database,
    withOrganization: (organizationId, work) =>
      byOrganization(organizationId, () => database.withOrganization(organizationId, work)),
    gate: (query) => byNetwork(scope().caller?.network ?? "none", () => database.gate(query)),
  };
}

function busy(): AppError {
  return new AppError("database_busy", "Too many calls wait for the database just now. Try again.", {
    retryAfterMs: DATABASE_RETRY_AFTER_MS,
  });
}
