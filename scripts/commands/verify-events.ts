import { verifyEvents } from "../../lib/events/queries.ts";
import { CommandError, read, required } from "./usage.ts";
import { organizationBySlug, withOwnerDatabase } from "./with-database.ts";

/** Checks a history's chain; returns `{ok, lines, head, brokenAt}`, and fails where the chain does. */
export async function verifyEventsCommand(args: string[]): Promise<string> {
  const { values } = read(args, ["org"]);
  const slug = required(values.org, "--org");
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const found = await db.withOrganization(organizationId, (tx) => verifyEvents(organizationId, tx));
    const result = JSON.stringify(found);
    if (!found.ok)
      throw new CommandError(`The history of "${slug}" does not hold at line ${found.brokenAt}.`, { result });
    return result;
  });
}
