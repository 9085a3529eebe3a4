/**
 * What tasks are about, sealed under a key of the organization (docs/decisions/045). A sealed value stands in the column
 * where the plain one would, and says where it belongs: `sealed/<table.column>/<t|j>/<row>/v1.<key>.<text>`; in JSON as
 * `{"sealed": "…"}`, with members beside it that stay readable. Rows may be sealed or plain at any time.
 */
import { Prisma } from "../../generated/prisma/client.ts";
import { AppError } from "../errors.ts";
import type { Seal } from "../seal.ts";

/** A column that tells what tasks are about, as `table.column`. */
export type ContentColumn =
  | `task.${"arguments" | "asked_arguments" | "label" | "status_message" | "progress" | "outcome" | "result" | "error"}`
  | `input_request.${"message" | "requested_schema" | "url" | "form" | "private_amount" | "assignment_note"}`
  | `answer.${"content" | "comment"}`
  | `vote.${"content" | "comment"}`
  | "delivery.status_before"
  | `draft.${"content" | "comment"}`
  | "request_comment.text"
  | "stream_message.params"
  | "protocol_message.body"
  | "found_task.status_message"
  | "acknowledgement.note"
  | "approval_use.outcome_note"
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
  /**
   * All stored forms that the hash of a content may have. Throws `content_unavailable` if a key can't be opened: without
   * its form, what is known would be taken for new.
   */
  hashes(sha256: string): string[];
  /** A keyed digest (hex) of content, equal for equal texts. */
  digest(purpose: string, text: string): string;
  /** Whether a hash that was given out, in any form, and a stored one are of one content. Throws as `hashes`. */
  isSameHash(given: string, stored: string): boolean;
  /** False: one of the organization's keys can't be opened now. */
  readonly opens: boolean;
  /** Whether this is the id of one of the organization's keys. */
  knows(kid: string): boolean;
  /** Opens the sealed values in rows of a result, each where its column stands (`PLACES`). */
  open<T>(rows: T, unopened?: Unopened): T;
  /** Opens a value as it is stored in this column and row; null: it can't be opened, or is no sealed value of that place. */
  openOne(column: ContentColumn, row: string, stored: unknown): { value: unknown } | null;
}

/**
 * What becomes of a sealed value while its key can't be opened: the reader fails, sees a mark in its place, or for lists of
 * many rows a text that says so, and null for JSON. `flag`: UNOPENED stands for texts too, for readers that act on what
 * they read. A value that an open key refuses is marked for all of them: somebody may have written what only looks sealed.
 */
export type Unopened = "refuse" | "mark" | "blank" | "flag";

/** Stands for a JSON value that can't be opened. */
export const UNOPENED: Readonly<Record<string, unknown>> = Object.freeze({ unopened: true });
/** Stands for a text that can't be opened. */
export const UNOPENED_TEXT = "(can’t be opened)";

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
  openOne: () => null,
};

const SEALED = /^sealed\/([a-z_]+\.[a-z_]+)\/([tj])\/([0-9a-f-]{36})\/(v1\.([0-9a-f-]{36})\.[\w-]+)$/;
const PREFIX = "sealed/";

/** SQL: whether a text is the sealed value of this column and row. Nobody else knows the row's id before it is stored. */
function isSealed(text: Prisma.Sql, column: ContentColumn, row: Prisma.Sql): Prisma.Sql {
  const kind = PLACES[column].kind === "json" ? "j" : "t";
  return Prisma.sql`starts_with(${text}, ${`${PREFIX}${column}/${kind}/`} || ${row}::text || '/')`;
}

/** SQL: the beginning of a text. A sealed one is whole, to be cut once it is open. */
export function beginningOf(
  text: Prisma.Sql,
  column: ContentColumn,
  row: Prisma.Sql,
  characters: number,
): Prisma.Sql {
  return Prisma.sql`CASE WHEN ${isSealed(text, column, row)} THEN ${text}
    ELSE left(${text}, ${characters}::integer) END`;
}

/** SQL: a JSON object with its texts cut, and what else is long null; a sealed one is whole. */
export function beginningsIn(
  json: Prisma.Sql,
  column: ContentColumn,
  row: Prisma.Sql,
  characters: number,
): Prisma.Sql {
  const bytes = 4 * characters;
  return Prisma.sql`CASE WHEN octet_length(${json}::text) <= ${bytes} OR json_typeof(${json}) <> 'object'
      OR ${isSealed(Prisma.sql`${json} ->> 'sealed'`, column, row)} THEN ${json}
    ELSE (SELECT json_object_agg(given.key, CASE WHEN json_typeof(given.value) = 'string'
        THEN to_json(left(given.value #>> '{}', ${characters}::integer))
        WHEN octet_length(given.value::text) <= ${bytes} THEN given.value END)
      FROM json_each(${json}) given) END`;
}

interface Place {
  kind: "text" | "json";
  /** The members of a row that hold the column's value in results: in no other one is a text taken for a sealed value. */
  as: string[];
  /** What may stand beside a sealed JSON value; with any other member it is somebody's own text. */
  beside?: "anything" | string[];
  /** Members of the row itself alone. */
  isOutermost?: true;
  /** Nobody but Intray writes the outermost members, so that a value which does not open was changed in the database. */
  isOurs?: true;
}

const PLACES: Record<ContentColumn, Place> = {
  "task.arguments": { kind: "json", as: ["arguments", "shortArguments"] },
  "task.asked_arguments": { kind: "json", as: ["asked_arguments", "askedArguments"] },
  "task.label": { kind: "text", as: ["label"] },
  "task.status_message": { kind: "text", as: ["status_message", "statusMessage", "was"] },
  "task.progress": { kind: "json", as: ["progress"], isOurs: true },
  "task.outcome": { kind: "text", as: ["outcome"] },
  "task.result": { kind: "json", as: ["result"] },
  "task.error": { kind: "json", as: ["error"], beside: ["code"] },
  "input_request.message": { kind: "text", as: ["message", "previousMessage"] },
  "input_request.requested_schema": {
    kind: "json",
    as: ["requested_schema", "requestedSchema", "schema", "previousSchema"],
  },
  "input_request.url": { kind: "text", as: ["url", "previousUrl"] },
  "input_request.form": {
    kind: "json",
    as: ["form", "formKind", "decidedField"],
    beside: ["alike"],
    isOurs: true,
  },
  "input_request.private_amount": { kind: "text", as: ["private_amount", "privateAmount"] },
  "input_request.assignment_note": { kind: "text", as: ["assignment_note", "assignmentNote", "note"] },
  "answer.content": { kind: "json", as: ["content"] },
  "answer.comment": { kind: "text", as: ["comment"] },
  "vote.content": { kind: "json", as: ["content"] },
  "vote.comment": { kind: "text", as: ["comment"] },
  "delivery.status_before": { kind: "text", as: ["status_before", "statusBefore"] },
  "draft.content": { kind: "json", as: ["content", "draftContent"] },
  "draft.comment": { kind: "text", as: ["comment", "draftComment"] },
  "request_comment.text": { kind: "text", as: ["text"] },
  "stream_message.params": { kind: "json", as: ["params", "question"], isOurs: true },
  "protocol_message.body": { kind: "json", as: ["body"] },
  "found_task.status_message": { kind: "text", as: ["status_message", "statusMessage"] },
  "acknowledgement.note": { kind: "text", as: ["note"] },
  "approval_use.outcome_note": { kind: "text", as: ["outcome_note", "outcomeNote"] },
  "event.data": { kind: "json", as: ["data", "document"], beside: "anything", isOutermost: true },
};

/** The members of rows that hold JSON of content: what is in them is somebody's text, and not looked at. */
const JSON_MEMBERS = new Set(Object.values(PLACES).flatMap(({ kind, as }) => (kind === "json" ? as : [])));

/**
 * The members of rows under which results have rows of other tables, or parts of one, as JSON. Other JSON is servers' and
 * people's own, whose members may have any name: it is not looked into.
 */
const PARTS = new Set([
  "acknowledgement",
  "assignment",
  "candidates",
  "delivery",
  "inputRequests",
  "requests",
  "unattributedQuestions",
  "votes",
]);

/** A stored value that has the form of a sealed one. Its writer had the key, or knew its id, or made one up. */
interface Lookalike {
  column: ContentColumn;
  place: Place;
  row: string;
  kid: string;
  value: string;
  beside: Record<string, unknown>;
}

function lookalike(stored: unknown): Lookalike | null {
  const isJson = isPlainObject(stored);
  const text = isJson ? stored.sealed : stored;
  if (typeof text !== "string" || !text.startsWith(PREFIX)) return null;
  const [, column = "", kind, row = "", value = "", kid = ""] = SEALED.exec(text) ?? [];
  const place = Object.hasOwn(PLACES, column) ? PLACES[column as ContentColumn] : undefined;
  if (!place || (kind === "j") !== isJson || isJson !== (place.kind === "json")) return null;
  const { sealed: _, ...beside } = isJson ? stored : {};
  const { beside: may = [] } = place;
  if (may !== "anything" && Object.keys(beside).some((name) => !may.includes(name))) return null;
  return { column: column as ContentColumn, place, row, kid, value, beside };
}

/** The key's id that a stored value names, if it has the form of a sealed one. */
export function sealedUnder(stored: unknown): string | null {
  return lookalike(stored)?.kid ?? null;
}

/**
 * The key's id that a stored value names, if it has the form of a value that was sealed for this column and row. Callers
 * can't know the id of a row that they make, so that what they write is no such value.
 */
export function sealedFor(column: ContentColumn, row: string, stored: unknown): string | null {
  const found = lookalike(stored);
  return found && found.column === column && found.row === row ? found.kid : null;
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
      ...[...seals].map(([kid, seal]) => {
        if (!seal) throw unavailable();
        return keyed(kid, seal, sha256);
      }),
    ],
    digest: (purpose, text) => sealing().digest(purpose, text).toString("hex"),
    isSameHash: (given, stored) => given === stored || content.hashes(given).includes(stored),
    opens: [...seals.values()].every((seal) => seal !== null),
    knows: (kid) => seals.has(kid),
    open: (rows, unopened = "refuse") => openAll(rows, opener(organizationId, seals, unopened)),
    openOne(column, row, stored) {
      const found = lookalike(stored);
      if (!found || found.column !== column || found.row !== row) return null;
      const seal = seals.get(found.kid);
      return seal ? unsealed(organizationId, seal, found) : null;
    },
  };
  return content;
}

/** Returns what was sealed, or null if this is no value that the key has sealed for this place. */
function unsealed(
  organizationId: string,
  seal: Seal,
  { column, place, row, value }: Lookalike,
): { value: unknown } | null {
  const [table = "", name = ""] = column.split(".");
  const isJson = place.kind === "json";
  try {
    const text = seal.open({ organizationId, table, row, column: `${name}/${isJson ? "j" : "t"}` }, value);
    return { value: isJson ? JSON.parse(text) : text };
  } catch {
    return null;
  }
}

/** Returns what stands for a stored value in results; null: the value itself, which is somebody's text. */
type Opener = (
  stored: unknown,
  member: string,
  isOutermost: boolean,
  ids: () => Set<string>,
) => { value: unknown } | null;

function opener(organizationId: string, seals: ReadonlyMap<string, Seal | null>, unopened: Unopened): Opener {
  return (stored, member, isOutermost, ids) => {
    const found = lookalike(stored);
    // Text of somebody who knew no key's id, or text in a place where no sealed value stands: ids of keys get known, as
    // they stand in exports.
    if (!found || !seals.has(found.kid)) return null;
    const { column, place, row, kid } = found;
    if (!place.as.includes(member) || (place.isOutermost && !isOutermost)) return null;
    const seal = seals.get(kid) ?? null;
    const belongs = ids().has(row);
    const opened = seal && belongs ? unsealed(organizationId, seal, found) : null;
    if (opened) return opened;
    const isWaiting = belongs && seal === null;
    if (unopened === "refuse" && (isWaiting || place.isOurs)) throw unavailable(`${column} of ${row}`);
    if (place.kind === "text") {
      // Whoever acts on a text that an open key refuses acts on it as it stands: a server may have written it.
      if (unopened === "flag") return isWaiting ? { value: UNOPENED } : null;
      return { value: UNOPENED_TEXT };
    }
    if (unopened === "blank") return { value: blank(found) };
    // Followers of the history go on by the codes and ids that stay readable.
    return { value: column === "event.data" ? { ...found.beside, ...UNOPENED } : UNOPENED };
  };
}

/** A blank error keeps its code. */
function blank({ beside }: Lookalike): unknown {
  return typeof beside.code === "string" ? { code: beside.code, message: UNOPENED_TEXT } : null;
}

/** Returns the rows with opened values. A value opens only in a row that names the row it was sealed for. */
function openAll<T>(rows: T, open: Opener): T {
  if (!Array.isArray(rows)) return openRow(rows, open) as T;
  return rows.map((row) => openRow(row, open)) as T;
}

function openRow(row: unknown, open: Opener): unknown {
  let known: Set<string> | undefined;
  const ids = () => {
    known ??= idsIn(row, new Set());
    return known;
  };
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) walk(each);
    if (!isPlainObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === "string" ? member.startsWith(PREFIX) : JSON_MEMBERS.has(name)) {
        const opened = open(member, name, value === row, ids);
        if (opened) value[name] = opened.value;
      } else if (PARTS.has(name)) walk(member);
    }
  };
  walk(row);
  return row;
}

/** The ids by which a row names rows: `id`, `taskId`, `task_id`. No other text names any. */
function idsIn(value: unknown, ids: Set<string>): Set<string> {
  if (Array.isArray(value)) for (const each of value) idsIn(each, ids);
  if (!isPlainObject(value)) return ids;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== "string") {
      if (PARTS.has(name)) idsIn(member, ids);
    } else if (/^id$|_id$|Id$/.test(name)) ids.add(member);
  }
  return ids;
}

/** A plain object: no date, buffer or decimal. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A key of the organization can't be opened now. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === "content_unavailable";
}

export function unavailable(what?: string): AppError {
  const why = what === undefined ? undefined : new Error(`${what} can't be opened`);
  return new AppError(
    "content_unavailable",
    "This content is encrypted and can’t be read now. Nothing is lost. Tell the person who runs Intray.",
    { cause: why },
  );
}

/** JSON with the members of each object in one order, as a jsonb column gives another than was written. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner) =>
    isPlainObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
