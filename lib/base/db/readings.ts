/** What a transaction reads at its end: it comes with the transaction's last write, and costs no round trip of its own. */
import { asStored } from "../content/content-keys.ts";
import { Prisma, type Tx } from "./db.ts";
import { type DeferredWrite, deferWrite } from "./deferred-writes.ts";

export interface Reading {
  query: Prisma.Sql;
  /** Takes the rows, as JSON has them and content is stored. What it keeps counts once the transaction is committed. */
  take(rows: unknown[]): void;
}

/** Runs a query after the transaction's other statements. Deferred writes are not seen by it. */
export function readAtEnd(tx: Tx, reading: Reading): void {
  deferWrite(tx, READINGS, [reading]);
}

/** Read with the history (lib/history/events/event-writes.ts) by transactions that have lines for it. */
export const READINGS: DeferredWrite<Reading> = {
  name: "readings",
  order: 6,
  async write(tx, readings) {
    await sendReading(tx, Prisma.sql`SELECT ${readColumns(readings)}`, readings);
  },
};

/** SQL of the readings' columns, for the query that `sendReading` sends. */
export function readColumns(readings: Reading[]): Prisma.Sql {
  return Prisma.join(
    readings.map(
      ({ query }, n) =>
        Prisma.sql`(SELECT json_agg(found) FROM (${query}) found) AS ${Prisma.raw(columnOf(n))}`,
    ),
  );
}

/** Sends a statement that has the readings' columns, and hands on what was read. */
export async function sendReading(tx: Tx, statement: Prisma.Sql, readings: Reading[]): Promise<void> {
  // Content is opened by whoever takes the rows, since each is a row of its own.
  const [row] = await asStored(tx).$queryRaw<Record<string, unknown[] | null>[]>(statement);
  for (const [n, { take }] of readings.entries()) take(row?.[columnOf(n)] ?? []);
}

function columnOf(n: number): string {
  return `reading_${n}`;
}
