/**
 * Seals what was stored before the switch, or opens it again: in batches, table after table, in passes until one finds
 * nothing. A batch is one transaction that also moves the mark, so a killed engine's work goes on where it was.
 */
import { type Content, type ContentColumn, sealedFor } from "../../base/content/content.ts";
import { asStored, contentOf } from "../../base/content/content-keys.ts";
import { readable } from "../../base/content/content-writes.ts";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { isRecord } from "../../text/json.ts";

/** Groups of rows of a batch. Small, since people and engines wait for the locked rows. */
const BATCH = 50;
/** Groups that are read at once, and characters after which a batch ends: results have megabytes, and a transaction some seconds. */
const READ_AT_ONCE = 5;
const BATCH_CHARACTERS = 4_000_000;
/** Between two passes while something is left. */
const AGAIN_MS = 1_000;
/** Between looks at what an earlier version, or a transaction under way at the switch, wrote since. */
const LOOK_AGAIN_MS = 60_000;
/** Rows of the last hours are looked at each time, all rows once a day. */
const RECENT_MS = 2 * 3600_000;
const DAY_MS = 24 * 3600_000;

interface Column {
  name: string;
  kind: "text" | "json" | "jsonb";
}

interface Table {
  name: string;
  /** The column along which rows are read; rows of one value go together. */
  by: string;
  /** The column that values are bound to. */
  row: string;
  /** The primary key besides the organization. */
  key: string[];
  columns: Column[];
  /** When a row was written last, of small tables whose rows are written long after what `by` names was made. */
  written?: string;
  /** Columns read besides, for `more`. */
  besides?: string[];
  /** Further changes of a row: assignments, from what the row has. */
  more?(content: Content, row: Record<string, unknown>): Prisma.Sql[];
}

const text = (name: string): Column => ({ name, kind: "text" });
const json = (name: string): Column => ({ name, kind: "json" });
const jsonb = (name: string): Column => ({ name, kind: "jsonb" });

/** Tasks first: the search texts of requests are made of their tasks' content, too. */
const TABLES: Table[] = [
  {
    name: "task",
    by: "id",
    row: "id",
    key: ["id"],
    columns: [
      json("arguments"),
      json("asked_arguments"),
      text("label"),
      text("status_message"),
      jsonb("progress"),
      text("outcome"),
      json("result"),
      jsonb("error"),
    ],
    besides: ["request_digest"],
    more: keyedDigest,
  },
  {
    name: "race",
    by: "id",
    row: "id",
    key: ["id"],
    columns: [],
    besides: ["request_digest"],
    more: keyedDigest,
  },
  {
    name: "input_request",
    by: "id",
    row: "id",
    key: ["id"],
    columns: [text("message"), json("requested_schema"), text("url"), jsonb("form"), text("assignment_note")],
    besides: [
      "key",
      "question_hash",
      "judged_hash",
      "earlier_hashes",
      "amount",
      "currency",
      "private_amount",
    ],
    more: (content, row) => [...keyedHashes(content, row), ...amount(content, row)],
  },
  {
    name: "answer",
    by: "id",
    row: "id",
    key: ["id"],
    columns: [json("content"), text("comment")],
    besides: ["question_hash"],
    more: keyedHashes,
  },
  {
    name: "vote",
    by: "id",
    row: "id",
    key: ["id"],
    columns: [json("content"), text("comment")],
    besides: ["question_hash", "content_digest"],
    more: keyedHashes,
  },
  {
    name: "automatic_decision",
    by: "input_request_id",
    row: "input_request_id",
    key: ["input_request_id"],
    columns: [],
    besides: ["content_digest"],
    more: keyedHashes,
  },
  { name: "delivery", by: "id", row: "id", key: ["id"], columns: [text("status_before")] },
  {
    name: "draft",
    by: "input_request_id",
    row: "input_request_id",
    key: ["input_request_id", "user_id"],
    columns: [jsonb("content"), text("comment")],
    written: "updated_at",
  },
  { name: "request_comment", by: "id", row: "id", key: ["id"], columns: [text("text")] },
  { name: "stream_message", by: "id", row: "id", key: ["id"], columns: [jsonb("params")] },
  {
    name: "protocol_message",
    by: "task_id",
    row: "task_id",
    key: ["id"],
    columns: [jsonb("body")],
  },
  { name: "found_task", by: "id", row: "id", key: ["id"], columns: [text("status_message")] },
  {
    name: "acknowledgement",
    by: "task_id",
    row: "task_id",
    key: ["task_id"],
    columns: [text("note")],
    written: "acknowledged_at",
  },
  {
    name: "approval_use",
    by: "input_request_id",
    row: "input_request_id",
    key: ["input_request_id"],
    columns: [text("outcome_note")],
    written: "reported_at",
  },
];

interface State {
  kid: string | null;
  atTable: string | null;
  atRow: string | null;
  leftOver: number;
  finished: boolean;
  /** All rows were looked at within a day. */
  recentOnly: boolean;
  /** Nothing is to be sealed, and all that was is open since a day. */
  over: boolean;
}

/** Converts one batch. Returns true if more is left to do at once. */
export async function convertContent(organizationId: string, database: Database): Promise<boolean> {
  try {
    return await database.withOrganization(organizationId, (tx) => convertBatch(tx));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "content_unavailable") throw error;
    await database.withOrganization(organizationId, (tx) => postpone(tx));
    return false;
  }
}

async function convertBatch(tx: Tx): Promise<boolean> {
  const [state] = await tx.$queryRaw<State[]>`
    SELECT kid, at_table AS "atTable", at_row AS "atRow", left_over::float8 AS "leftOver",
      finished_at IS NOT NULL AS finished,
      finished_at > now() - ${DAY_MS} * interval '1 ms' AS "recentOnly",
      kid IS NULL AND changed_at < now() - ${DAY_MS} * interval '1 ms' AND finished_at IS NOT NULL AS over
    FROM content_sealing WHERE organization_id = ${tx.organizationId}::uuid AND look_at <= now()
    FOR UPDATE SKIP LOCKED`;
  if (!state) return false;
  const content = contentOf(tx);
  // Another transaction turned the switch meanwhile: its own look follows.
  if (content.kid !== state.kid) return false;
  if (state.atTable === null) {
    await beginPass(tx, state);
    return true;
  }
  const at = TABLES.findIndex(({ name }) => name === state.atTable);
  const table = TABLES[at];
  if (!table) throw new Error(`there is no content in the table ${state.atTable}`);
  const done = await convertRows(asStored(tx), content, table, state);
  const last = done.last ?? null;
  const following = last === null ? TABLES[at + 1] : table;
  const next = following?.name ?? null;
  await tx.$executeRaw`UPDATE content_sealing SET at_table = ${next ?? table.name},
      at_row = ${last ?? firstRow(state, following)}::uuid,
      looked = looked + ${done.looked}, left_over = left_over + ${done.left}, unopened = unopened + ${done.unopened}
    WHERE organization_id = ${tx.organizationId}::uuid`;
  if (next !== null) return true;
  await endPass(tx);
  return false;
}

/** Where a look begins: at the first row, or at one that was made a while ago, as ids begin with their time. */
function firstRow({ finished, recentOnly }: State, table?: Table): string {
  if (!finished || !recentOnly || table?.written) return "00000000-0000-0000-0000-000000000000";
  const hex = (Date.now() - RECENT_MS).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

async function beginPass(tx: Tx, state: State): Promise<void> {
  const counts = TABLES.map(
    ({ name }) =>
      Prisma.sql`(SELECT count(*) FROM ${Prisma.raw(name)} WHERE organization_id = ${tx.organizationId}::uuid)`,
  );
  // Counting is for the figure that people see: not again once all is done.
  const rows = state.finished ? Prisma.sql`rows` : Prisma.join(counts, " + ");
  await tx.$executeRaw`UPDATE content_sealing SET at_table = ${TABLES[0]!.name}, at_row = ${firstRow(state)}::uuid,
      looked = 0, left_over = 0, unopened = CASE WHEN ${state.recentOnly ?? false} THEN unopened ELSE 0 END,
      rows = ${rows} WHERE organization_id = ${tx.organizationId}::uuid`;
}

/** A pass that found nothing to do ends the work, until the next look. */
async function endPass(tx: Tx): Promise<void> {
  await tx.$executeRaw`
    UPDATE content_sealing SET at_table = NULL, at_row = NULL,
      finished_at = CASE WHEN left_over > 0 THEN finished_at
        WHEN finished_at > now() - ${DAY_MS} * interval '1 ms' THEN finished_at ELSE now() END,
      look_at = CASE WHEN left_over > 0 AND finished_at IS NULL THEN now() + ${AGAIN_MS} * interval '1 ms'
        WHEN kid IS NULL AND changed_at < now() - ${DAY_MS} * interval '1 ms' THEN 'infinity'
        ELSE now() + ${LOOK_AGAIN_MS} * interval '1 ms' END
    WHERE organization_id = ${tx.organizationId}::uuid`;
}

async function postpone(tx: Tx): Promise<void> {
  await tx.$executeRaw`UPDATE content_sealing SET look_at = now() + ${LOOK_AGAIN_MS} * interval '1 ms'
    WHERE organization_id = ${tx.organizationId}::uuid`;
}

interface Done {
  /** The last row of the batch; null: the table has no more. */
  last: string | null;
  looked: number;
  /** Converted, or held by somebody: another pass is needed. */
  left: number;
  unopened: number;
}

async function convertRows(
  tx: Tx,
  content: Content,
  table: Table,
  { atRow, finished, recentOnly }: State,
): Promise<Done> {
  const name = Prisma.raw(table.name);
  const by = Prisma.raw(table.by);
  const lately =
    table.written && finished && recentOnly
      ? Prisma.sql`AND ${Prisma.raw(table.written)} > now() - ${RECENT_MS} * interval '1 ms'`
      : Prisma.empty;
  const groups = await tx.$queryRaw<{ at: string; rows: number }[]>`
    SELECT ${by} AS at, count(*)::integer AS rows FROM ${name}
    WHERE organization_id = ${tx.organizationId}::uuid AND ${by} > ${atRow}::uuid ${lately}
    GROUP BY ${by} ORDER BY ${by} LIMIT ${BATCH}`;
  const names = [
    ...new Set([
      table.row,
      ...table.key,
      ...table.columns.map((each) => each.name),
      ...(table.besides ?? []),
    ]),
  ];
  const done: Done = { last: null, looked: 0, left: 0, unopened: 0 };
  let characters = 0;
  for (let at = 0; at < groups.length && characters < BATCH_CHARACTERS; at += READ_AT_ONCE) {
    const some = groups.slice(at, at + READ_AT_ONCE);
    const rows = await tx.$queryRaw<Record<string, unknown>[]>`
      SELECT ${Prisma.raw(names.join(", "))} FROM ${name}
      WHERE organization_id = ${tx.organizationId}::uuid AND ${by} = ANY (${some.map((group) => group.at)}::uuid[])
      ORDER BY ${Prisma.raw(table.key.join(", "))} FOR NO KEY UPDATE SKIP LOCKED`;
    const count = some.reduce((sum, group) => sum + group.rows, 0);
    done.last = some.at(-1)!.at;
    done.looked += count;
    done.left += count - rows.length;
    for (const row of rows) {
      const { set, lost, read } = converted(content, table, row);
      characters += read;
      done.unopened += lost;
      if (set.length === 0) continue;
      done.left++;
      const named = table.key.map((key) =>
        typeof row[key] === "bigint"
          ? Prisma.sql`${Prisma.raw(key)} = ${row[key]}`
          : Prisma.sql`${Prisma.raw(key)} = ${row[key]}::uuid`,
      );
      await tx.$executeRaw`UPDATE ${name} SET ${Prisma.join(set, ", ")}
        WHERE organization_id = ${tx.organizationId}::uuid AND ${Prisma.join(named, " AND ")}`;
    }
  }
  return done;
}

/** The assignments that make a row what it is to be, how many of its values no key opens, and how many characters it has. */
function converted(
  content: Content,
  table: Table,
  row: Record<string, unknown>,
): { set: Prisma.Sql[]; lost: number; read: number } {
  const set: Prisma.Sql[] = [];
  let [lost, read] = [0, 0];
  const bound = String(row[table.row]);
  for (const { name, kind } of table.columns) {
    const stored = row[name];
    if (stored === null || stored === undefined) continue;
    const column = `${table.name}.${name}` as ContentColumn;
    // A text that only looks sealed, with a key's id or another row's, is text.
    const kid = sealedFor(column, bound, stored);
    const isSealed = kid !== null && content.knows(kid);
    if (isSealed) read += String(isRecord(stored) ? stored.sealed : stored).length;
    if (isSealed ? kid === content.kid : content.kid === null) continue;
    const opened = isSealed ? content.openOne(column, bound, stored) : { value: stored };
    if (!opened) {
      lost++;
      continue;
    }
    const value =
      kind === "text"
        ? content.text(column, bound, opened.value as string)
        : JSON.stringify(content.json(column, bound, opened.value, readable(content, column, opened.value)));
    read += String(value).length;
    set.push(Prisma.sql`${Prisma.raw(name)} = ${value}${Prisma.raw(`::${kind}`)}`);
  }
  set.push(...(table.more?.(content, row) ?? []));
  return { set, lost, read };
}

function keyedDigest(content: Content, row: Record<string, unknown>): Prisma.Sql[] {
  const stored = row.request_digest;
  if (!(stored instanceof Uint8Array)) return [];
  const before = Buffer.from(stored).toString("hex");
  const after = content.hash(before);
  return after === before ? [] : [Prisma.sql`request_digest = ${Buffer.from(after, "hex")}`];
}

/** Hashes stay keyed when content is opened again: nobody needs to undo them, and nobody could. */
function keyedHashes(content: Content, row: Record<string, unknown>): Prisma.Sql[] {
  const set: Prisma.Sql[] = [];
  const one = (name: string, hash: unknown) => {
    if (typeof hash !== "string") return;
    const after = content.hash(hash);
    if (after !== hash) set.push(Prisma.sql`${Prisma.raw(name)} = ${after}`);
  };
  // On servers without keys of their own the question's hash is its key.
  if (row.key === row.question_hash) one("key", row.key);
  one("question_hash", row.question_hash);
  one("judged_hash", row.judged_hash);
  one("content_digest", row.content_digest);
  if (Array.isArray(row.earlier_hashes)) {
    const after = row.earlier_hashes.map((hash: string) => content.hash(hash));
    if (after.some((hash, index) => hash !== (row.earlier_hashes as string[])[index]))
      set.push(Prisma.sql`earlier_hashes = ${after}::text[]`);
  }
  return set;
}

function amount(content: Content, row: Record<string, unknown>): Prisma.Sql[] {
  const { id, amount: value, currency, private_amount: stored } = row;
  const seal = (said: string) => content.text("input_request.private_amount", String(id), said);
  if (content.kid !== null && value !== null) {
    const sealed = seal(JSON.stringify({ amount: value, currency }));
    return [Prisma.sql`private_amount = ${sealed}, amount = NULL, currency = NULL`];
  }
  const column = "input_request.private_amount";
  if (typeof stored !== "string" || sealedFor(column, String(id), stored) === content.kid) return [];
  const opened = content.openOne(column, String(id), stored);
  if (!opened) return [];
  if (content.kid !== null) return [Prisma.sql`private_amount = ${seal(opened.value as string)}`];
  const said = JSON.parse(opened.value as string) as { amount: number; currency?: string | null };
  return [
    Prisma.sql`private_amount = NULL, amount = ${said.amount}::float8, currency = ${said.currency ?? null}`,
  ];
}
