import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Tx } from "../../lib/base/db/db.ts";
import { exportedLines, firstBrokenAnchor, hasHash } from "../../lib/history/events/event-reads.ts";
import type { Anchor, Fault, Verification } from "../../lib/history/events/event-schema.ts";
import { appendEvents, reportBroken } from "../../lib/history/events/event-writes.ts";
import { verifyEvents } from "../../lib/history/events/verify.ts";
import { anchorOf, type Kept, verifyExport } from "../../lib/history/events/verify-export.ts";
import { COMMAND_LINE } from "../../lib/people/organizations/organization-writes.ts";
import { CommandError, read, required, UsageError } from "./usage.ts";
import { organizationBySlug, withOwnerDatabase } from "./with-database.ts";

/**
 * Checks a history's chain, in the database or in a file: an export, or what an audit stream delivered. Returns
 * `{ok, lines, head, brokenAt, fault}`, and fails if the chain is broken. `--head`: a hash kept elsewhere, which one of
 * the lines must have. `--anchor`: `position:hash`. `--stream`: a file of an audit stream; the database must
 * still contain each of its lines and anchors.
 */
export async function verifyEventsCommand(args: string[]): Promise<string> {
  const { values } = read(args, ["org", "file", "head", "anchor", "stream"]);
  if (values.head !== undefined && !/^[0-9a-f]{64}$/.test(values.head))
    throw new UsageError("--head is no hash: 64 of 0-9 and a-f.");
  if (values.file !== undefined && (values.org ?? values.stream) !== undefined)
    throw new UsageError("Give --org or --file, not both; --stream goes with --org.");
  const kept = { head: values.head, anchor: readAnchor(values.anchor) };
  const found =
    values.file === undefined
      ? await inDatabase(required(values.org, "--org"), kept, values.stream)
      : await inFile(values.file, kept);
  const result = JSON.stringify(found);
  if (found.fault !== null)
    throw new CommandError(`The history does not hold: ${WHAT[found.fault]} ${found.brokenAt}.`, { result });
  return result;
}

const WHAT: Record<Fault, string> = {
  gap: "there is no line",
  altered: "somebody altered line",
  unlinked: "earlier lines were replaced, seen at line",
  cut: "its end was cut or rewritten from line",
  rewritten: "it was rewritten: it differs from its anchor at line",
};

function readAnchor(text: string | undefined): Anchor | undefined {
  if (text === undefined) return undefined;
  const [, seq, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (!seq || !hash) throw new UsageError("--anchor is a position, a colon and a hash: 64 of 0-9 and a-f.");
  return { seq: Number(seq), hash };
}

async function inDatabase(slug: string, kept: Kept, stream: string | undefined): Promise<Verification> {
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const within = <T>(work: (tx: Tx) => Promise<T>) => db.withOrganization(organizationId, work);
    const found = await verifyEvents(within);
    const judged = found.ok ? await compare(within, found, kept, stream) : found;
    await within((tx) => reportBroken(tx, COMMAND_LINE, judged));
    return judged;
  });
}

/** Compares a chain that holds in itself with what was kept elsewhere. */
async function compare(
  within: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  found: Verification,
  { head, anchor }: Kept,
  stream: string | undefined,
): Promise<Verification> {
  if (head !== undefined && !(await within((tx) => hasHash(tx, head))))
    return { ...found, ok: false, brokenAt: found.lines + 1, fault: "cut" };
  const given = anchor ? [anchor] : [];
  for await (const anchors of stream === undefined ? [given] : batches(given, linesOf(stream))) {
    const broken = await within((tx) => firstBrokenAnchor(tx, anchors));
    if (broken) return { ...found, ok: false, brokenAt: broken.seq, fault: "rewritten" };
  }
  return found;
}

/** Anchors compared per transaction. */
const BATCH = 1_000;

async function* batches(given: Anchor[], texts: AsyncIterable<string>): AsyncGenerator<Anchor[]> {
  let batch = given;
  for await (const text of texts) {
    const anchor = anchorOf(text);
    if (anchor) batch.push(anchor);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

async function inFile(path: string, kept: Kept): Promise<Verification> {
  return verifyExport(linesOf(path), kept);
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code ? new CommandError(`${path}: ${code}.`, { cause: error }) : error;
  }
}

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
