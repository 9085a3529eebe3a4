/**
 * What tasks are about, sealed under a key of the organization (docs/decisions/045). A sealed value stands in the column
 * where the plain one would, and says where it belongs: `sealed/<table.column>/<t|j>/<row>/v1.<key>.<text>`; in JSON as
 * `{"sealed": "…"}`, with members beside it that stay readable. Rows may be sealed or plain at any time.
 */
import { AppError } from "../errors.ts";
import type { Seal } from "../seal.ts";

/** A column that tells what tasks are about, as `table.column`. */
export type ContentColumn =
  | `task.${"arguments" | "label" | "status_message" | "progress" | "outcome" | "result" | "error"}`
  | `input_request.${"message" | "requested_schema" | "url" | "form" | "private_amount" | "assignment_note"}`
  | `answer.${"content" | "comment"}`
  | "delivery.status_before"
  | `draft.${"content" | "comment"}`
  | "stream_message.params"
  | "protocol_message.body"
  | "found_task.status_message"
  | "acknowledgement.note"
  | "event.data";

/** The organization's way of keeping content, of one transaction. */
export interface Content {
  /** The key that seals; null: content is written plainly. */
  readonly kid: string | null;
  /** Returns the stored form of a text. Throws `content_unavailable` if the key can't be opened. */
  text<T extends string | null>(column: ContentColumn, row: string, value: T): T | string;
  /** Returns the stored form of a JSON value. `beside`: what stays readable of it. */
  json(column: ContentColumn, row: string, value: unknown, beside?: Record<string, unknown>): unknown;
  /** Returns the stored form of a SHA-256 (hex) of content: keyed, so that nobody tries texts until one fits. */
  hash(sha256: string): string;
  /** All stored forms that the hash of a content may have. */
  hashes(sha256: string): string[];
  /** A keyed digest (hex) of content, equal for equal texts. */
  digest(purpose: string, text: string): string;
  /** Whether a hash that was given out, in any form, and a stored one are of one content. */
  isSameHash(given: string, stored: string): boolean;
  /** False: one of the organization's keys can't be opened now. */
  readonly opens: boolean;
  /** Whether this is the id of one of the organization's keys. */
  knows(kid: string): boolean;
  /** Opens every sealed value in rows of a result. */
  open<T>(rows: T, unopened?: Unopened): T;
}

/**
 * What becomes of a value that can't be opened: the reader fails, sees a mark in its place, or for lists of many rows a
 * text that says so, and null for JSON.
 */
export type Unopened = "refuse" | "mark" | "blank";

/** Stands for a JSON value that can't be opened. */
export const UNOPENED: Readonly<Record<string, unknown>> = Object.freeze({ unopened: true });
/** Stands for a text that can't be opened. */
export const UNOPENED_TEXT = "(can't be opened)";

/** Of an organization that never had a key. */
export const PLAIN: Content = {
  kid: null,
  text: (_column, _row, value) => value,
  json: (_column, _row, value) => value,
  hash: (sha256) => sha256,
  hashes: (sha256) => [sha256],
  digest: () => {
    throw new Error("nothing is sealed");
  },
  isSameHash: (given, stored) => given === stored,
  opens: true,
  knows: () => false,
  open: (rows) => rows,
};

const SEALED = /^sealed\/([a-z_]+)\.([a-z_]+)\/([tj])\/([0-9a-f-]{36})\/(v1\.([0-9a-f-]{36})\.[\w-]+)$/;
const PREFIX = "sealed/";

/** A stored text that looks like a sealed value, under a key with this id. Its writer knew the id, or made it up. */
export function sealedUnder(stored: unknown): string | null {
  const text = isRecord(stored) ? stored.sealed : stored;
  return typeof text === "string" && text.startsWith(PREFIX) ? (SEALED.exec(text)?.[6] ?? null) : null;
}

interface Keys {
  organizationId: string;
  /** By id, oldest first; null for a key that can't be opened. */
  seals: ReadonlyMap<string, Seal | null>;
  /** The id of the one that seals. */
  current: string | null;
}

export function createContent({ organizationId, seals, current }: Keys): Content {
  const sealing = (): Seal => {
    const seal = current === null ? null : seals.get(current);
    if (!seal) throw unavailable();
    return seal;
  };
  const sealed = (column: ContentColumn, kind: "t" | "j", row: string, text: string): string => {
    const seal = sealing();
    const [table = "", name = ""] = column.split(".");
    const place = { organizationId, table, row, column: `${name}/${kind}` };
    return `${PREFIX}${column}/${kind}/${row}/${seal.sealRepeatably(place, text)}`;
  };
  const keyed = (kid: string, seal: Seal, sha256: string) =>
    `${kid.slice(0, 8)}${seal.digest("hash", sha256).toString("hex").slice(0, 56)}`;
  const isKeyed = (hash: string) => [...seals.keys()].some((kid) => hash.startsWith(kid.slice(0, 8)));

  const content: Content = {
    kid: current,
    text: (column, row, value) =>
      current === null || value === null ? value : sealed(column, "t", row, value),
    json(column, row, value, beside) {
      if (current === null || value === null || value === undefined) return value;
      return { ...beside, sealed: sealed(column, "j", row, JSON.stringify(value)) };
    },
    hash: (sha256) => (current === null || isKeyed(sha256) ? sha256 : keyed(current, sealing(), sha256)),
    hashes: (sha256) => [
      sha256,
      ...[...seals].flatMap(([kid, seal]) => (seal ? [keyed(kid, seal, sha256)] : [])),
    ],
    digest: (purpose, text) => sealing().digest(purpose, text).toString("hex"),
    isSameHash: (given, stored) => given === stored || content.hashes(given).includes(stored),
    opens: [...seals.values()].every((seal) => seal !== null),
    knows: (kid) => seals.has(kid),
    open: (rows, unopened = "refuse") => openAll(rows, opener(organizationId, seals, unopened)),
  };
  return content;
}

type Opener = (text: string, ids: () => Set<string>) => { value: unknown } | null;

function opener(organizationId: string, seals: ReadonlyMap<string, Seal | null>, unopened: Unopened): Opener {
  return (text, ids) => {
    const [, table = "", column = "", kind, row = "", value = "", kid = ""] = SEALED.exec(text) ?? [];
    if (kid === "") return null;
    const belongs = ids().has(row);
    // Somebody else's text that only looks sealed: its writer knew neither a key's id nor the row's.
    if (!belongs && !seals.has(kid)) return null;
    try {
      const seal = seals.get(kid);
      if (!seal || !belongs) throw new Error(belongs ? "no key" : "the value belongs to another row");
      const opened = seal.open({ organizationId, table, row, column: `${column}/${kind}` }, value);
      return { value: kind === "j" ? JSON.parse(opened) : opened };
    } catch (error) {
      if (unopened === "refuse") throw unavailable(`${table}.${column} of ${row}`, error);
      if (kind === "t") return { value: UNOPENED_TEXT };
      return { value: unopened === "mark" ? UNOPENED : null };
    }
  };
}

/** Returns the rows with opened values. A value opens only in a row that names the row it was sealed for. */
function openAll<T>(rows: T, open: Opener): T {
  if (!Array.isArray(rows)) return openRow(rows, open) as T;
  return rows.map((row) => openRow(row, open)) as T;
}

function openRow(row: unknown, open: Opener): unknown {
  let known: Set<string> | undefined;
  const ids = () => {
    known ??= namesIn(row, new Set());
    return known;
  };
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") {
      const opened = value.startsWith(PREFIX) ? open(value, ids) : null;
      return opened ? opened.value : value;
    }
    if (Array.isArray(value)) return value.map(walk);
    if (!isRecord(value)) return value;
    if (typeof value.sealed === "string" && value.sealed.startsWith(PREFIX)) {
      const opened = open(value.sealed, ids);
      // A blank error keeps its code.
      if (opened?.value === null && typeof value.code === "string")
        return { code: value.code, message: UNOPENED_TEXT };
      if (opened) return opened.value;
    }
    for (const [name, member] of Object.entries(value)) {
      const opened = walk(member);
      if (opened !== member) value[name] = opened;
    }
    return value;
  };
  return walk(row);
}

function namesIn(value: unknown, names: Set<string>): Set<string> {
  if (typeof value === "string") {
    if (value.length === 36) names.add(value);
  } else if (Array.isArray(value)) for (const each of value) namesIn(each, names);
  else if (isRecord(value)) for (const each of Object.values(value)) namesIn(each, names);
  return names;
}

/** A plain object: no date, buffer or decimal. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function unavailable(what?: string, cause?: unknown): AppError {
  const why = what === undefined ? undefined : new Error(`${what} can't be opened`, { cause });
  return new AppError(
    "content_unavailable",
    "What this is about is sealed, and can't be opened now. Nothing is lost; tell whoever runs Intray.",
    { cause: why },
  );
}

/** JSON with the members of each object in one order, as a jsonb column gives another than was written. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
