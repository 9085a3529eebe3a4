import { createMakerlessKey } from "../../lib/api-keys/transitions.ts";
import { COMMAND_LINE } from "../../lib/organizations/transitions.ts";
import { read, readRole, required } from "./usage.ts";
import { organizationBySlug, withOwnerDatabase } from "./with-database.ts";

/** Makes an API key and returns it, for the only time. */
export async function createApiKey(args: string[]): Promise<string> {
  const { values } = read(args, ["org", "role", "name"]);
  const role = readRole(values.role);
  const slug = required(values.org, "--org");
  const name = values.name?.trim() || `Command line (${role})`;
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const { secret } = await db.withOrganization(organizationId, (tx) =>
      createMakerlessKey(organizationId, tx, COMMAND_LINE, { name, role }),
    );
    return secret;
  });
}
