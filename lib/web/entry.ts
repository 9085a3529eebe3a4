/**
 * A call's first transaction begins with the look at its key, where the call is known to need one at once: one round trip
 * and one transaction less (docs/decisions/052). `database()` gives it to whoever asks first for a transaction of the key's
 * organization in the same call.
 */
import type { Database, Entrant, Entry } from "../base/db/db.ts";
import { scope } from "../base/process/scope.ts";

/** Keeps a transaction for the call's first work. Returns false if the call has no place for one. */
export function keepEntry(entry: Entry<Entrant>): boolean {
  const { first } = scope();
  if (!first || first.entry) return false;
  first.entry = entry;
  return true;
}

/** Gives back the connection of a transaction that nobody has used, before anything that takes long. */
export async function leaveEntry(): Promise<void> {
  const { first } = scope();
  const entry = first?.entry;
  if (!entry) return;
  first.entry = null;
  await entry.leave();
}

/** The database, whose first transaction in a call is the one that was kept. */
export function withEntries(database: Database): Database {
  return {
    ...database,
    withOrganization(organizationId, work) {
      const { first } = scope();
      const entry = first?.entry;
      if (entry?.row.organization_id !== organizationId)
        return database.withOrganization(organizationId, work);
      first!.entry = null;
      return entry.run(work);
    },
  };
}
