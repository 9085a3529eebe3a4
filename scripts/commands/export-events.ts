import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { exportedLines } from "../../lib/history/events/event-export.ts";
import { appendEvents } from "../../lib/history/events/event-writes.ts";
import { COMMAND_LINE } from "../../lib/people/organizations/organization-writes.ts";
import { CommandError, read, required } from "./usage.ts";
import { organizationBySlug, withOwnerDatabase } from "./with-database.ts";

/** Writes a history to a new file, or to stdout; returns an empty text. */
export async function exportEventsCommand(args: string[]): Promise<string> {
  const { values } = read(args, ["org", "out"]);
  const slug = required(values.org, "--org");
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    await db.withOrganization(organizationId, (tx) =>
      appendEvents(tx, [{ type: "events.exported", actor: COMMAND_LINE }]),
    );
    const lines = Readable.from(exportedLines((work) => db.withOrganization(organizationId, work)));
    if (values.out === undefined) await pipeline(lines, process.stdout, { end: false });
    else
      await pipeline(lines, createWriteStream(values.out, { flags: "wx", mode: 0o600 })).catch(
        (error: NodeJS.ErrnoException) => {
          throw error.path ? new CommandError(`${values.out}: ${error.code}.`, { cause: error }) : error;
        },
      );
    return "";
  });
}
