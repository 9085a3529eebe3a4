import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { hasHash } from "../../lib/events/queries.ts";
import type { Fault, Verification } from "../../lib/events/schema.ts";
import { reportBroken } from "../../lib/events/transitions.ts";
import { verifyEvents } from "../../lib/events/verify.ts";
import { verifyExport } from "../../lib/events/verify-export.ts";
import { COMMAND_LINE } from "../../lib/organizations/transitions.ts";
import { CommandError, read, required, UsageError } from "./usage.ts";
import { organizationBySlug, withOwnerDatabase } from "./with-database.ts";

/**
 * Checks a history's chain, in the database or in an export. Returns `{ok, lines, head, brokenAt, fault}`,
 * and fails if the chain is broken. `--head`: a hash kept elsewhere, which one of the lines must have.
 */
export async function verifyEventsCommand(args: string[]): Promise<string> {
  const { values } = read(args, ["org", "file", "head"]);
  if (values.head !== undefined && !/^[0-9a-f]{64}$/.test(values.head))
    throw new UsageError("--head is no hash: 64 of 0-9 and a-f.");
  if (values.file !== undefined && values.org !== undefined)
    throw new UsageError("Give --org or --file, not both.");
  const found =
    values.file === undefined
      ? await inDatabase(required(values.org, "--org"), values.head)
      : await inFile(values.file, values.head);
  const result = JSON.stringify(found);
  if (found.fault !== null)
    throw new CommandError(`The history does not hold: ${WHAT[found.fault]} ${found.brokenAt}.`, { result });
  return result;
}

const WHAT: Record<Fault, string> = {
  gap: "there is no line",
  altered: "somebody altered line",
  unlinked: "what came before was exchanged, seen at line",
  cut: "its end was cut or rewritten from line",
};

async function inDatabase(slug: string, head: string | undefined): Promise<Verification> {
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const found = await verifyEvents((work) => db.withOrganization(organizationId, work));
    const known = await db.withOrganization(
      organizationId,
      async (tx) => head === undefined || (await hasHash(organizationId, tx, head)),
    );
    const judged: Verification =
      found.ok && !known ? { ...found, ok: false, brokenAt: found.lines + 1, fault: "cut" } : found;
    await db.withOrganization(organizationId, (tx) => reportBroken(organizationId, tx, COMMAND_LINE, judged));
    return judged;
  });
}

async function inFile(path: string, head: string | undefined): Promise<Verification> {
  const file = createReadStream(path);
  const texts = createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY });
  try {
    return await verifyExport(texts, head);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code ? new CommandError(`${path}: ${code}.`, { cause: error }) : error;
  }
}
