/** List cursors: opaque to clients; inside, the sort key of the last item. */
import { z } from "zod";
import { AppError } from "./errors.ts";
import type { Page } from "./page.ts";

/** The sort key of a list ordered by time and id. */
export interface Position {
  createdAt: Date;
  id: string;
}

/** The sort key of a list that can be ordered in several ways. A null `key` sorts last. */
export interface OrderedPosition {
  order: string;
  key: string | number | null;
  id: string;
}

/** Postgres rejects year 0. */
const time = z.iso.datetime().refine((text) => text >= "0001");
const positionSchema = z.tuple([time, z.uuid()]);
const sequenceSchema = z.tuple([z.string().regex(/^\d{1,18}$/)]);
const toolSchema = z.tuple([z.uuid(), z.string(), z.int().min(0)]);
const KEYS = { time: time.nullable(), number: z.number().nullable() };

/** Returns the position that a list by time and id continues after; null: start. Throws `invalid_input`. */
export function readPosition(cursor: string | undefined): Position | null {
  if (!cursor) return null;
  const [createdAt, id] = decode(cursor, positionSchema);
  return { createdAt: new Date(createdAt), id };
}

/**
 * Returns the position after which a list in `order` continues, or null for its start. Throws
 * `invalid_input`, also for a cursor of another order.
 */
export function readOrderedPosition(
  cursor: string | undefined,
  order: string,
  keyIs: "time" | "number",
): OrderedPosition | null {
  if (!cursor) return null;
  const [, key, id] = decode(cursor, z.tuple([z.literal(order), KEYS[keyIs], z.uuid()]));
  return { order, key, id };
}

/** Returns the order of the list whose page ended with this cursor. Throws `invalid_input`. */
export function readOrder(cursor: string): string {
  return decode(cursor, z.tuple([z.string()]).rest(z.unknown()))[0];
}

/** Returns the number after which a list continues, or null for its start. Throws `invalid_input`. */
export function readSequence(cursor: string | undefined): bigint | null {
  return cursor ? BigInt(decode(cursor, sequenceSchema)[0]) : null;
}

/** Makes a page from up to `limit + 1` rows; the extra row only proves that a next page exists. */
export function toPage<Row, Item>(
  rows: Row[],
  limit: number,
  keyOf: (row: Row) => Position | OrderedPosition | bigint,
  toItem: (row: Row) => Item,
): Page<Item> {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(toItem),
    nextCursor: last === undefined ? null : encode(partsOf(keyOf(last))),
  };
}

/** The cursor of a list by number that goes on below this one. */
export function sequenceCursor(key: bigint): string {
  return encode(partsOf(key));
}

/** Where a list of tools goes on: behind this one, or where it was, if it is gone meanwhile. */
export interface ToolPosition {
  serverId: string;
  tool: string;
  index: number;
}

export function toolCursor({ serverId, tool, index }: ToolPosition): string {
  return encode([serverId, tool, index]);
}

/** Returns the position after which a list of tools continues, or null for its start. Throws `invalid_input`. */
export function readToolPosition(cursor: string | undefined): ToolPosition | null {
  if (!cursor) return null;
  const [serverId, tool, index] = decode(cursor, toolSchema);
  return { serverId, tool, index };
}

function encode(parts: unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

function partsOf(key: Position | OrderedPosition | bigint): unknown[] {
  if (typeof key === "bigint") return [String(key)];
  if ("order" in key) return [key.order, key.key, key.id];
  return [key.createdAt.toISOString(), key.id];
}

function decode<T>(cursor: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch (cause) {
    const errors = [{ field: "cursor", message: "Use the nextCursor of a page, unchanged." }];
    throw new AppError("invalid_input", "The cursor is not one of ours.", { cause, errors });
  }
}
