/** Past decisions on requests like this one, from bounded reads of requests that the principal may see. */
import { setImmediate as otherCalls } from "node:timers/promises";
import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { type Form, formSchema } from "../../mcp/forms/form.ts";
import type { Similar } from "../../policy/automatic/judge.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { isRecord } from "../../text/json.ts";
import { shorten } from "../../text/labels.ts";
import { ANSWERED_FIELD, amountIn, answerOf, SHORT_CONTENT, SHORT_MESSAGE } from "../request-row.ts";
import {
  type Decided,
  isLike,
  type KeyFigures,
  keyFigures,
  repeatOf,
  wasChanged,
  wasLetThrough,
} from "./key-figures.ts";
import { judgeParty } from "./party.ts";
import type { SimilarRequest, SimilarRequests } from "./similar-schema.ts";

/** Number of latest settled requests of the same server and tool that are compared. */
export const LOOKED_AT = 200;
/** Number of tasks with the same label that are compared. */
const SAME_LABEL = 20;
const SHOWN = 5;
/** Longer arguments (in bytes) are not searched for names: they hold lists of lines, not names. */
const LONGEST_ARGUMENTS = 40_000;

/** Throws `not_found`, also for invisible requests. */
export async function readSimilar(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
): Promise<SimilarRequests> {
  const { asked, settled, named, like } = await readCompared(tx, principal, inputRequestId);
  return {
    items: like.slice(0, SHOWN).map(toItem),
    decided: countWords(like),
    party: judgeParty(asked, settled, { mayBeMore: settled.length === LOOKED_AT }),
    repeats: firstRepeat(asked, [...named, ...settled]),
  };
}

/**
 * Counts what people decided on requests like this one, in the app themselves: for rules that answer in their place. What rules
 * answered, or programs by a key, proves nothing, but a bill that one of them approved is a repeat as well.
 */
export async function countSimilar(tx: Tx, principal: Principal, inputRequestId: string): Promise<Similar> {
  const { like } = await readCompared(tx, principal, inputRequestId, true);
  const accepted = like.filter(({ isLetThrough }) => isLetThrough).length;
  const { asked, settled, named } = await readCompared(tx, principal, inputRequestId);
  const repeats = firstRepeat(asked, [...named, ...settled]) !== null;
  return { accepted, declined: like.length - accepted, repeats };
}

/** Number of latest settled requests among which people's decisions are looked for, where rules answered the others. */
const LOOKED_THROUGH = 2_000;

/** SQL condition on the request `p`: a person answered it. */
const BY_PEOPLE = Prisma.sql`EXISTS (SELECT FROM answer people WHERE people.organization_id = p.organization_id
  AND people.input_request_id = p.id AND people.withdrawn_at IS NULL AND people.answered_by ->> 'kind' = 'member')`;

/** `byPeople`: only what people decided themselves is compared. */
async function readCompared(tx: Tx, principal: Principal, inputRequestId: string, byPeople = false) {
  const [row] = await tx.$queryRaw<AskedRow[]>`
    SELECT ${COLUMNS}, CASE WHEN jsonb_exists(r.form, 'sealed') OR ${IS_SHORT_FORM} THEN r.form END AS form, r.server_id AS "serverId", r.tool, r.mode, ${FIELD_NAMES} AS "fieldNames"
    FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid AND ${visibleTask(principal)}`;
  if (!row) throw notFound("request");
  row.fieldNames = fieldNamesOf(readForm(row.form)) ?? row.fieldNames;
  const asked = figuresOf(row);
  const settled = await readSettled(tx, principal, row, byPeople);
  const named =
    row.label === null
      ? []
      : await decidedBefore(tx, principal, row, ofLabel(tx.organizationId, row, byPeople));
  return { asked, settled, named, like: settled.filter((each) => isLike(asked, each)) };
}

interface FactRow {
  id: string;
  message: string;
  label: string | null;
  amount: number | null;
  currency: string | null;
  privateAmount: string | null;
  /** Null if it is too long. */
  form: unknown;
  arguments: unknown;
}

interface AskedAbout {
  formDigest: string | null;
  taskId: string;
  serverId: string;
  tool: string;
  mode: string;
  fieldNames: unknown;
}

type AskedRow = FactRow & AskedAbout;

interface DecidedRow extends FactRow {
  isSealed: boolean;
  formDigest: string | null;
  origin: "server" | "intray";
  isRecipes: boolean;
  gate: string | null;
  tool: string;
  action: string;
  content: unknown;
  comment: string | null;
  revise: boolean | null;
  decidedField: unknown;
  answeredBy: unknown;
  answeredAt: Date;
}

/**
 * SQL: whether the arguments of task `t` are too long to be searched for names. The first size is known without reading the
 * value; the second bounds the text.
 */
export const HAS_LONG_ARGUMENTS = Prisma.sql`CASE WHEN pg_column_size(t.arguments) > ${LONGEST_ARGUMENTS} THEN true
    ELSE octet_length(t.arguments::text) > ${LONGEST_ARGUMENTS} END`;

/** Longer forms (in bytes) are not read for what the choices of 200 answers were called. */
const LONGEST_FORM = 8_000;
/** The first size is known without reading the value. A sealed form is longer by a third and what names its place. Alias `r`. */
const IS_SHORT_FORM = Prisma.sql`CASE WHEN pg_column_size(r.form) > ${2 * LONGEST_FORM} THEN false
    WHEN jsonb_exists(r.form, 'sealed') THEN octet_length(r.form::text) <= ${2 * LONGEST_FORM}
    ELSE octet_length(r.form::text) <= ${LONGEST_FORM} END`;

/** Aliases `r` and `t`. */
const COLUMNS = Prisma.sql`r.id, r.task_id AS "taskId", ${SHORT_MESSAGE}, t.label, r.amount, r.currency,
  r.private_amount AS "privateAmount", r.alike AS "formDigest",
  CASE WHEN NOT (${HAS_LONG_ARGUMENTS}) THEN t.arguments END AS arguments`;

/**
 * The names of a form's fields. A tool may ask several questions of a task; only those with the same fields
 * are compared.
 */
const FIELD_NAMES = Prisma.sql`jsonb_path_query_array(r.form, '$.fields[*].name')`;

/** The last settled requests of this server and tool, read along an index before anything is judged. */
function lastSettled(organizationId: string, { serverId, tool }: AskedAbout, byPeople: boolean): Prisma.Sql {
  const last = (most: number) => Prisma.sql`SELECT p.* FROM input_request p
    WHERE p.organization_id = ${organizationId}::uuid AND p.server_id = ${serverId}::uuid AND p.tool = ${tool}
      AND p.state = 'settled'
    ORDER BY p.created_at DESC, p.id DESC LIMIT ${most}`;
  if (!byPeople) return last(LOOKED_AT);
  return Prisma.sql`SELECT p.* FROM (${last(LOOKED_THROUGH)}) p WHERE ${BY_PEOPLE}
    ORDER BY p.created_at DESC, p.id DESC LIMIT ${LOOKED_AT}`;
}

/** The decisions among the last settled requests, which are also all that is known of a party. */
export function readSettled(
  tx: Tx,
  principal: Principal,
  asked: AskedAbout,
  byPeople = false,
): Promise<Found[]> {
  return decidedBefore(tx, principal, asked, lastSettled(tx.organizationId, asked, byPeople));
}

/** Requests of tasks with this label, including those whose answer is still on its way. */
function ofLabel(organizationId: string, { serverId, tool, label }: AskedRow, byPeople: boolean): Prisma.Sql {
  return Prisma.sql`SELECT p.* FROM (
      SELECT id FROM task WHERE organization_id = ${organizationId}::uuid AND server_id = ${serverId}::uuid
        AND label = ${label} AND tool = ${tool} ORDER BY created_at DESC LIMIT ${SAME_LABEL}
    ) named JOIN input_request p ON p.organization_id = ${organizationId}::uuid AND p.task_id = named.id
      AND p.state IN ('answered', 'settled') AND ${byPeople ? BY_PEOPLE : Prisma.sql`true`}`;
}

async function decidedBefore(
  tx: Tx,
  principal: Principal,
  asked: AskedAbout,
  candidates: Prisma.Sql,
): Promise<Found[]> {
  const rows = await tx.$queryRaw<DecidedRow[]>`
    SELECT ${COLUMNS}, CASE WHEN ${IS_SHORT_FORM} THEN r.form END AS form, jsonb_exists(r.form, 'sealed') AS "isSealed", r.origin, t.recipe_version IS NOT NULL AS "isRecipes", t.gate, t.tool, a.id AS "answerId", a.action, ${SHORT_CONTENT}, a.comment, a.revise, CASE WHEN jsonb_exists(r.form, 'sealed') THEN NULL ELSE ${ANSWERED_FIELD} END AS "decidedField", a.answered_by AS "answeredBy", a.created_at AS "answeredAt"
    FROM (${candidates}) r
      JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
      JOIN answer a ON a.organization_id = r.organization_id AND a.input_request_id = r.id AND a.withdrawn_at IS NULL
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.task_id <> ${asked.taskId}::uuid AND r.mode = ${asked.mode}
      AND (jsonb_exists(r.form, 'sealed') OR ${FIELD_NAMES} = ${JSON.stringify(asked.fieldNames)}::jsonb)
      AND ${visibleTask(principal)}
    ORDER BY a.created_at DESC`;
  const names = JSON.stringify(asked.fieldNames);
  const found: Found[] = [];
  for (const [at, row] of rows.entries()) {
    // Together they may have some megabytes of arguments and forms.
    if (at % READ_AT_ONCE === 0) await otherCalls();
    const form = readForm(row.form);
    // A sealed form that is too long to be read has the same fields if it is the same form.
    const isSame =
      row.isSealed && form === null ? row.formDigest !== null && row.formDigest === asked.formDigest : true;
    if (!isSame || JSON.stringify(fieldNamesOf(form) ?? asked.fieldNames) !== names) continue;
    found.push(toDecided(row.isSealed ? { ...row, decidedField: row.form } : row, form));
  }
  return found;
}

const READ_AT_ONCE = 10;

function readForm(form: unknown): Form | null {
  return formSchema.nullable().catch(null).parse(form);
}

/** Null: the form was not read. */
function fieldNamesOf(form: Form | null): string[] | null {
  return form === null ? null : form.kind === "supported" ? form.fields.map(({ name }) => name) : [];
}

type Found = Decided & { id: string; message: string; isChanged: boolean };

function figuresOf(row: FactRow): KeyFigures {
  const { label } = row;
  const args = isRecord(row.arguments) ? row.arguments : {};
  return keyFigures(args, { label, amount: amountIn(row) });
}

function toDecided(row: DecidedRow, form: Form | null): Found {
  const answer = answerOf(row);
  const isLetThrough = wasLetThrough(answer, form);
  const isChanged = wasChanged(answer, form);
  return { ...figuresOf(row), id: row.id, message: row.message, answer, isLetThrough, isChanged };
}

function toItem({ id, message, label, amount, party, answer, isChanged }: Found): SimilarRequest {
  const decided = isChanged ? null : amount;
  return { id, message: shorten(message, 200), label, amount: decided, party, answer, at: answer.at };
}

function countWords(like: Found[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answer } of like) {
    counts[answer.words] = (counts[answer.words] ?? 0) + 1;
  }
  return counts;
}

/** Returns the decided request that this one may repeat; the same label outranks the same amount. */
function firstRepeat(asked: KeyFigures, decided: Found[]): SimilarRequests["repeats"] {
  const now = new Date();
  const found = decided.map((each) => ({ each, by: repeatOf(asked, each, now) }));
  const repeat = found.find(({ by }) => by === "label") ?? found.find(({ by }) => by === "amount");
  return repeat?.by ? { ...toItem(repeat.each), by: repeat.by } : null;
}
