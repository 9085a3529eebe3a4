/** Scoped reads of history. */
import { z } from "zod";
import { type Actor, actorSchema } from "../../access/access-schema.ts";
import { type Content, sealedUnder } from "../../base/content/content.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import { readSequence, sequenceCursor, toPage } from "../../base/cursor.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { containing, notSearched } from "../../base/db/search.ts";
import type { SearchedPage } from "../../base/page.ts";
import { shortTexts } from "../../text/foreign/short-texts.ts";
import type { Anchor, EventQuery, ExportedEvent, OrganizationEvent, TaskEvent } from "./event-schema.ts";
import { readLine } from "./verify.ts";

/** Lines that one page of a search looks through: no index has their texts. */
const SEARCHED = 10_000;
/** The most characters of a line's texts in a list; the export has all of them. */
const DATA_IN_LISTS = 10_000;
/** A line whose details are longer, as stored, has none in a list: they may be 10,000 short values. */
const LONGEST_IN_LISTS = 64 * 1024;
/** SQL: of a line `e` whose details are that long. What fits in a few pages is not looked at whole. */
const IS_LONG = Prisma.sql`coalesce(pg_column_size(e.data) > 2000 AND length(e.data::text) > ${LONGEST_IN_LISTS}::integer, false)`;

/**
 * Lists the organization's history, newest first. A search looks through SEARCHED lines a page, and may find none there:
 * `nextCursor` says whether older ones are left. `hidden`, a condition on the alias `e`, is true of lines whose details may
 * not be read, nor found by what they say.
 */
export async function listEvents(
  tx: Tx,
  query: EventQuery,
  hidden = Prisma.sql`false`,
): Promise<SearchedPage<OrganizationEvent>> {
  const { limit } = query;
  const words = query.q?.trim() || undefined;
  const [found] = await tx.$queryRaw<
    { seqs: bigint[] | null; long: bigint[] | null; lookedTo: bigint | null }[]
  >`
    WITH looked AS MATERIALIZED (
      SELECT e.organization_id, e.seq, e.type, e.actor, e.task_id, e.data FROM event e WHERE ${matching(tx, query)}
      ORDER BY e.seq DESC LIMIT ${words ? SEARCHED : limit + 1})
    , shown AS MATERIALIZED (SELECT e.seq, ${IS_LONG} AS long FROM looked e
        WHERE ${words ? saidIn(words, hidden) : Prisma.sql`true`} ORDER BY e.seq DESC LIMIT ${limit + 1})
    SELECT ARRAY(SELECT seq FROM shown WHERE NOT long) AS seqs, ARRAY(SELECT seq FROM shown WHERE long) AS long,
      (SELECT CASE WHEN count(*) = ${SEARCHED} THEN min(seq) END FROM looked) AS "lookedTo"`;
  const lines = (seqs: bigint[], data: boolean) =>
    tx.event.findMany({
      where: { organizationId: tx.organizationId, seq: { in: seqs } },
      select: { seq: true, at: true, type: true, actor: true, taskId: true, inputRequestId: true, data },
    });
  const short = await lines(found?.seqs ?? [], true);
  const long = found?.long?.length ? await lines(found.long, false) : [];
  const rows = [...short, ...long.map((line) => ({ ...line, data: {}, isLong: true }))].sort((one, other) =>
    Number(other.seq - one.seq),
  );
  const page = toPage(
    rows,
    limit,
    (row) => row.seq,
    (row) => {
      const event = readEvent(row);
      return {
        ...event,
        taskId: row.taskId,
        data: shortTexts(event.data, DATA_IN_LISTS),
        ...("isLong" in row && { detailsLeftOut: true as const }),
      };
    },
  );
  const older = words && found?.lookedTo != null ? sequenceCursor(found.lookedTo) : null;
  return { ...page, nextCursor: page.nextCursor ?? older, ...notSearched(tx, words) };
}

/** Condition on the alias `e`: the filters of a list, but for its words. */
function matching(
  tx: Tx,
  { cursor, type, actorId, taskId, inputRequestId, from, to }: EventQuery,
): Prisma.Sql {
  const before = readSequence(cursor);
  const conditions = [Prisma.sql`e.organization_id = ${tx.organizationId}::uuid`];
  if (before !== null) conditions.push(Prisma.sql`e.seq < ${before}`);
  if (actorId) conditions.push(Prisma.sql`e.actor_id = ${actorId}`);
  if (taskId) conditions.push(Prisma.sql`e.task_id = ${taskId}::uuid`);
  if (inputRequestId) conditions.push(Prisma.sql`e.input_request_id = ${inputRequestId}::uuid`);
  if (type) conditions.push(Prisma.sql`(${Prisma.join(type.map(typed), " OR ")})`);
  if (from) conditions.push(Prisma.sql`e.at >= ${from}::timestamptz`);
  if (to) conditions.push(Prisma.sql`e.at < ${to}::timestamptz`);
  return Prisma.join(conditions, " AND ");
}

/** Matches a type, or all types with a first word. The column compares bytes, and "/" follows ".". */
function typed(wanted: string): Prisma.Sql {
  return wanted.includes(".")
    ? Prisma.sql`e.type = ${wanted}`
    : Prisma.sql`(e.type >= ${`${wanted}.`} AND e.type < ${`${wanted}/`})`;
}

/** Condition on the alias `e`: who did it, what it was, the task's name or a text of the details has the words. */
function saidIn(words: string, hidden: Prisma.Sql): Prisma.Sql {
  const has = (text: Prisma.Sql) =>
    Prisma.sql`(${text} ILIKE ${containing(words)} AND NOT starts_with(${text}, 'sealed/'))`;
  return Prisma.sql`(${has(Prisma.sql`(e.actor ->> 'name')`)}
    OR ${has(Prisma.sql`translate(e.type, '._', '  ')`)}
    OR ((EXISTS (SELECT FROM task named WHERE named.organization_id = e.organization_id AND named.id = e.task_id
          AND (${has(Prisma.sql`named.label`)} OR ${has(Prisma.sql`named.tool`)}))
        OR EXISTS (SELECT FROM jsonb_path_query(e.data, '$.** ? (@.type() == "string" || @.type() == "number")') said
          WHERE ${has(Prisma.sql`(said #>> '{}')`)}))
      AND NOT (${hidden})))`;
}

/**
 * Returns the lines after `after`, oldest first, with fields read from the digested text: a manipulated line
 * shows its manipulated values. Lines that `hidden`, a condition on the alias `e`, is true of have no payload; their
 * digests stay, so that the chain can be verified.
 */
export async function exportEvents(
  tx: Tx,
  after: bigint,
  limit: number,
  hidden = Prisma.sql`false`,
): Promise<ExportedEvent[]> {
  const rows = await tx.$queryRaw<Omit<ExportedEvent, keyof OrganizationEvent>[]>`
    SELECT event_line(seq, at, type, actor, task_id, input_request_id, payload_digest, data) AS line,
      CASE WHEN payload_digest IS NOT NULL AND NOT (${hidden}) THEN data::text END AS payload,
      encode(digest, 'hex') AS digest, encode(hash, 'hex') AS hash
    FROM event e WHERE organization_id = ${tx.organizationId}::uuid AND seq > ${after} ORDER BY seq LIMIT ${limit}`;
  const content = contentOf(tx);
  return rows.map((row) => {
    const { payloadDigest: _, ...fields } = readLine(row.line, row.payload);
    // The line's text determines the shape of its fields. The digests are of what is stored, which stays sealed.
    return { ...fields, ...openedData(content, fields), ...row } as ExportedEvent;
  });
}

/** The details of a line that is stored sealed, as `opened`. */
function openedData(content: Content, fields: { data: unknown }): { opened?: unknown } {
  if (sealedUnder(fields.data) === null) return {};
  return { opened: content.open(structuredClone(fields), "mark").data };
}

/** Returns true if a line has this hash (hex), i.e. if the history up to a stored hash is still there. */
export async function hasHash(tx: Tx, hash: string): Promise<boolean> {
  return (
    (await tx.event.count({
      where: { organizationId: tx.organizationId, hash: Buffer.from(hash, "hex") },
      take: 1,
    })) > 0
  );
}

/** The actor of a line that was manipulated or written by a newer version. */
const UNKNOWN: Actor = { kind: "system", id: null, name: "Unknown" };

/** Returns the first anchor whose line is missing or has another hash, or null if the chain still contains all. */
export async function firstBrokenAnchor(tx: Tx, anchors: Anchor[]): Promise<Anchor | null> {
  const rows = await tx.event.findMany({
    where: { organizationId: tx.organizationId, seq: { in: anchors.map(({ seq }) => BigInt(seq)) } },
    select: { seq: true, hash: true },
  });
  const known = new Map(rows.map(({ seq, hash }) => [Number(seq), Buffer.from(hash).toString("hex")]));
  const broken = anchors.filter(({ seq, hash }) => known.get(seq) !== hash);
  return broken.reduce<Anchor | null>((first, each) => (first && first.seq <= each.seq ? first : each), null);
}

/** Converts a stored line for readers. */
export function readEvent(row: {
  seq: bigint;
  at: Date;
  type: string;
  actor: unknown;
  inputRequestId: string | null;
  data: unknown;
}): TaskEvent {
  return {
    seq: Number(row.seq),
    at: row.at.toISOString(),
    type: row.type,
    actor: actorSchema.catch(UNKNOWN).parse(row.actor),
    inputRequestId: row.inputRequestId,
    data: z
      .record(z.string(), z.unknown())
      .catch({})
      .parse(row.data ?? {}),
    ...(row.data === null && { detailsDeleted: true as const }),
  };
}

/** Lines read per transaction, and held in memory at once; of long ones fewer. */
const BATCH = 200;
const BATCH_CHARACTERS = 500_000;

/**
 * Yields the history as NDJSON, oldest first, in pieces. `within` opens a transaction for each; `hidden` is as for
 * `exportEvents`.
 */
export async function* exportedLines(
  within: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  { batch = BATCH, hidden }: { batch?: number; hidden?: Prisma.Sql } = {},
): AsyncGenerator<string> {
  let after = 0n;
  for (;;) {
    const events = await within(async (tx) => {
      const count = await countWithin(tx, after, batch, BATCH_CHARACTERS);
      return count === 0 ? [] : exportEvents(tx, after, count, hidden);
    });
    const last = events.at(-1);
    if (!last) return;
    after = BigInt(last.seq);
    yield events.map((event) => `${JSON.stringify(event)}\n`).join("");
  }
}

/** Returns how many of the next lines have at most so many characters of details together; one at least, if there are any. */
async function countWithin(tx: Tx, after: bigint, lines: number, characters: number): Promise<number> {
  const [found] = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::integer AS count
    FROM (SELECT row_number() OVER (ORDER BY seq) AS number, sum(length(coalesce(data::text, ''))) OVER (ORDER BY seq) AS size
      FROM (SELECT seq, data FROM event
        WHERE organization_id = ${tx.organizationId}::uuid AND seq > ${after} ORDER BY seq LIMIT ${lines}) next) sized
    WHERE size <= ${characters} OR number = 1`;
  return found?.count ?? 0;
}
