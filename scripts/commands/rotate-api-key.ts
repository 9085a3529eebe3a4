import { listKeys } from "../../lib/people/api-keys/api-key-reads.ts";
import { rotateKeySchema } from "../../lib/people/api-keys/api-key-schema.ts";
import { rotateAnyKey } from "../../lib/people/api-keys/rotation.ts";
import { COMMAND_LINE } from "../../lib/people/organizations/organization-writes.ts";
import { inOneSentence, readEnd } from "./create-api-key.ts";
import { read, required, UsageError } from "./usage.ts";
import { organizationBySlug, withOwnerDatabase } from "./with-database.ts";

/** The most keys that are listed. */
const MOST = 1_000;

/** Lists an organization's keys without their secrets, one JSON object a line. */
export async function listApiKeys(args: string[]): Promise<string> {
  const { values } = read(args, ["org"]);
  const slug = required(values.org, "--org");
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const { items } = await db.withOrganization(organizationId, (tx) => listKeys(tx, { limit: MOST }));
    return items.map((key) => JSON.stringify(key)).join("\n");
  });
}

/** Gives a key a new secret and returns it, for the only time. */
export async function rotateApiKey(args: string[]): Promise<string> {
  const { values, words } = read(args, ["org", "expires", "overlap-hours"], 1);
  const slug = required(values.org, "--org");
  const hours = values["overlap-hours"];
  const input = rotateKeySchema.safeParse({
    expires: readEnd(values.expires),
    overlapMs: hours === undefined ? undefined : Number(hours) * 3600_000,
  });
  if (!input.success) throw new UsageError(input.error.issues[0]?.message ?? "");
  const [keyId = ""] = words;
  if (!/^[0-9a-f-]{36}$/i.test(keyId)) throw new UsageError(`"${keyId}" is not the id of a key.`);
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const { secret } = await db
      .withOrganization(organizationId, (tx) => rotateAnyKey(tx, COMMAND_LINE, keyId, input.data))
      .catch(inOneSentence);
    return secret;
  });
}
