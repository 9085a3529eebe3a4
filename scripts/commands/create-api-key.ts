import { AppError } from "../../lib/base/errors.ts";
import { createKeySchema } from "../../lib/people/api-keys/api-key-schema.ts";
import { createMakerlessKey } from "../../lib/people/api-keys/api-key-writes.ts";
import { COMMAND_LINE } from "../../lib/people/organizations/organization-writes.ts";
import { read, readRole, required, UsageError } from "./usage.ts";
import { organizationBySlug, withOwnerDatabase } from "./with-database.ts";

/** Makes an API key and returns it, for the only time. */
export async function createApiKey(args: string[]): Promise<string> {
  const { values } = read(args, ["org", "role", "name", "expires", "from", "permissions"]);
  const role = readRole(values.role);
  const slug = required(values.org, "--org");
  const input = createKeySchema.safeParse({
    name: values.name?.trim() || `Command line (${role})`,
    role,
    expires: readEnd(values.expires),
    networks: values.from?.split(","),
    permissions: values.permissions?.split(","),
  });
  if (!input.success) throw new UsageError(input.error.issues[0]?.message ?? "");
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const { secret } = await db
      .withOrganization(organizationId, (tx) => createMakerlessKey(tx, COMMAND_LINE, input.data))
      .catch(inOneSentence);
    return secret;
  });
}

/** A number of days, `never`, a time, or a date, which counts to its end in UTC. Undefined: the default. */
export function readEnd(value: string | undefined): number | string | undefined {
  if (value !== undefined && /^\d{1,3}$/.test(value)) return Number(value);
  return value !== undefined && /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T23:59:59Z` : value;
}

/** Rethrows a refusal of one option as a sentence about it. `options`: those of fields that have another name. */
export function inOneSentence(error: unknown, options: Record<string, string> = {}): never {
  const [first] = error instanceof AppError ? (error.errors ?? []) : [];
  const [field = ""] = first?.field.split(".") ?? [];
  throw first ? new UsageError(`--${options[field] ?? field}: ${first.message}.`) : error;
}
