/** Exports an organization's data as lines of JSON, without any secrets (exported-columns.ts). */
import type { Content } from "../../base/content/content.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { siteOf } from "../../text/foreign/address.ts";
import type { Part } from "./exported-columns.ts";

/** Each row as a line without its line break. `last`: the position to continue from, null after all rows. */
export interface ExportedRows {
  lines: string[];
  last: string | null;
}

/** A line whose sealed values are opened. What can't be opened is marked: an export goes on. */
function openedLine(content: Content, line: string): string {
  return JSON.stringify(content.open(JSON.parse(line), "mark"));
}

/** The members of a line in which the address of a question to open a site stands, by kind. */
const WITH_ADDRESSES: Record<string, string[]> = {
  input_request: ["url", "requested_schema"],
  stream_message: ["params"],
};

/**
 * A line with sites in place of such addresses, which are for the connection's owner to open; an export is for whoever it
 * is handed to.
 */
function withSitesAlone(kind: string, line: string): string {
  const members = WITH_ADDRESSES[kind];
  if (!members || !line.includes('"url"')) return line;
  const row: Record<string, unknown> = JSON.parse(line);
  for (const name of members) row[name] = name === "url" ? siteIn(row.url) : sitesIn(row[name]);
  return JSON.stringify(row);
}

/** What can't be opened is marked, and is no address. */
const siteIn = (value: unknown) => (typeof value === "string" ? siteOf(value) : value);

function sitesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sitesIn);
  if (typeof value !== "object" || value === null) return value;
  const { mode } = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === "url" && mode === "url" ? siteIn(member) : sitesIn(member),
    ]),
  );
}

/** A batch ends after the row by which it has as many: a task's result alone may have 8 MB. */
const BATCH_BYTES = 2 * 1024 * 1024;

/** The next rows of a part after `after`, at most `limit`; none: that was all. */
export async function exportRows(
  tx: Tx,
  part: Part,
  after: string | null,
  limit: number,
): Promise<ExportedRows> {
  const [order, type] = part.order;
  const plain = part.columns.split(/\s+/).map((column) => `r.${column}`);
  const made = Object.entries(part.made ?? {}).map(([name, expression]) => `${expression} AS ${name}`);
  const owner = part.table === "organization" ? "id" : "organization_id";
  // Built of the constants above only, so no injection is possible.
  const fields = Prisma.raw(`'${part.kind}' AS kind, ${[...plain, ...made].join(", ")}`);
  const from = Prisma.raw(`${part.table} r`);
  const key = Prisma.raw(order);
  const own = Prisma.sql`${Prisma.raw(`r.${owner}`)} = ${tx.organizationId}::uuid`;
  const further = after === null ? Prisma.empty : Prisma.sql`AND ${key} > ${after}${Prisma.raw(`::${type}`)}`;
  const rows = await tx.$queryRaw<{ line: string; at: string }[]>`
    WITH sized AS (SELECT ${key} AS key, octet_length(r::text) AS bytes FROM ${from}
      WHERE ${own} ${further} ORDER BY ${key} LIMIT ${limit})
    SELECT (SELECT row_to_json(line)::text FROM (SELECT ${fields}) line) AS line, (${key})::text AS at
    FROM (SELECT key, sum(bytes) OVER (ORDER BY key) - bytes AS before FROM sized) sized JOIN ${from} ON ${key} = sized.key
    WHERE ${own} AND sized.before < ${BATCH_BYTES} ORDER BY ${key}`;
  const content = contentOf(tx);
  const opened = rows.map(({ line, at }) => ({
    line: withSitesAlone(part.kind, line.includes('"sealed/') ? openedLine(content, line) : line),
    at,
  }));
  // Columns of type json keep their line breaks; within JSON strings line breaks are always escaped.
  return { lines: opened.map((row) => row.line.replace(/[\r\n]+/g, " ")), last: rows.at(-1)?.at ?? null };
}
