/** Reads what people decided in the past, with all that rules can say something about. */
import { z } from "zod";
import { type Actor, actorSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { UNOPENED_TEXT } from "../../base/content/content.ts";
import { openingWhatOpens } from "../../base/content/content-keys.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { type Form, formSchema } from "../../mcp/forms/form.ts";
import { REQUESTER } from "../../people/members/one-maker.ts";
import { type Approval, approvalSchema } from "../../policy/judge.ts";
import { GROUPS_OF_REQUESTER, ROLE_OF_REQUESTER } from "../../policy/judge-request.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { type AskedBy, amountIn } from "../request-row.ts";
import { type Action, type Amount, actionSchema } from "../request-schema.ts";
import { HAS_LONG_ARGUMENTS, LOOKED_AT } from "../similar/similar.ts";

/** A request that people decided, as it was asked. What is known of its requester is known of now. */
export interface PastRequest extends AskedBy {
  id: string;
  taskId: string;
  server: { id: string; name: string };
  label: string | null;
  message: string;
  mode: "form" | "url";
  url: string | null;
  form: Form;
  amount: Amount | null;
  askedAgain: boolean;
  isReworded: boolean;
  isFlagged: boolean;
  warnings: string[];
  dueAt: Date | null;
  askedAt: Date;
  taskCreatedAt: Date;
  arguments: Record<string, unknown>;
  /** Names in them are not compared. */
  hasLongArguments: boolean;
  requestedBy: Actor;
  /** The user behind who requested it. */
  person: string | null;
  role: string | null;
  /** Names of the organization's groups. */
  isIn: string[];
  /** Who had to agree on it. Null: any one member decided. */
  approval: Approval | null;
  answer: { action: Action; content: Record<string, unknown> | null; by: Actor; at: Date };
}

export interface Candidate {
  id: string;
  /** About what its row takes in memory. */
  bytes: number;
}

/** What people decided themselves: what a program answered by a key, or a rule, says nothing of them. */
const BY_PEOPLE = Prisma.sql`a.answered_by ->> 'kind' = 'member'`;
/** Settled requests among which those that people decided are looked for. */
const LOOKED_THROUGH = 2_000;

/**
 * The requests that were asked since then and that people have decided, oldest first; of more than `limit` the latest. Private
 * ones are nobody's to learn from.
 */
export async function listDecided(
  tx: Tx,
  principal: Principal,
  from: Date,
  limit: number,
): Promise<Candidate[]> {
  const rows = await tx.$queryRaw<Candidate[]>`
    SELECT r.id, pg_column_size(t.arguments) + pg_column_size(r.form) + pg_column_size(r.message) AS bytes
    FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
      JOIN answer a ON a.organization_id = r.organization_id AND a.input_request_id = r.id AND a.withdrawn_at IS NULL
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.state IN ('answered', 'settled')
      AND r.created_at >= ${from}::timestamptz AND r.visibility = 'organization' AND ${BY_PEOPLE} AND ${visibleTask(principal)}
    ORDER BY r.created_at DESC, r.id DESC LIMIT ${limit}`;
  return rows.reverse();
}

/** These requests, in this order; those that were deleted meanwhile are left out. `toPast` makes them what they are. */
export async function readDecided(tx: Tx, ids: string[]): Promise<PastRow[]> {
  const rows = await openingWhatOpens(tx, "blank").$queryRaw<PastRow[]>`
    SELECT ${COLUMNS}, t.arguments FROM input_request r ${JOINS}
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ANY (${ids}::uuid[])`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/**
 * What people decided of this server and tool that was asked before, as much of it as a request is compared with; oldest first.
 * Arguments that nobody would search are left where they are: together they may be hundreds of megabytes.
 */
export async function readDecidedBefore(
  tx: Tx,
  principal: Principal,
  { serverId, tool, before }: { serverId: string; tool: string; before: Date },
): Promise<PastRow[]> {
  const rows = await openingWhatOpens(tx, "blank").$queryRaw<PastRow[]>`
    SELECT ${COLUMNS}, CASE WHEN ${HAS_LONG_ARGUMENTS} THEN '{}' ELSE t.arguments END AS arguments FROM (SELECT p.* FROM input_request p
        WHERE p.organization_id = ${tx.organizationId}::uuid AND p.server_id = ${serverId}::uuid AND p.tool = ${tool}
          AND p.state = 'settled' AND p.created_at < ${before}::timestamptz
        ORDER BY p.created_at DESC, p.id DESC LIMIT ${LOOKED_THROUGH}) r ${JOINS}
    WHERE r.visibility = 'organization' AND ${BY_PEOPLE} AND ${visibleTask(principal)}
    ORDER BY r.created_at DESC, r.id DESC LIMIT ${LOOKED_AT}`;
  return rows.reverse();
}

/** A request as it is read: parsing it is most of the work. */
export interface PastRow extends AskedBy {
  id: string;
  taskId: string;
  serverId: string;
  serverName: string;
  label: string | null;
  message: string;
  mode: "form" | "url";
  url: string | null;
  form: unknown;
  amount: number | null;
  currency: string | null;
  privateAmount: string | null;
  askedAgain: boolean;
  isReworded: boolean;
  isFlagged: boolean;
  warnings: string[];
  dueAt: Date | null;
  askedAt: Date;
  taskCreatedAt: Date;
  arguments: unknown;
  hasLongArguments: boolean;
  requestedBy: unknown;
  person: string | null;
  role: string | null;
  isIn: string[] | null;
  approval: unknown;
  action: string;
  content: unknown;
  hasContent: boolean;
  answeredBy: unknown;
  answeredAt: Date;
}

const COLUMNS = Prisma.sql`r.id, r.task_id AS "taskId", r.server_id AS "serverId", s.name AS "serverName", r.tool, t.label, r.message,
  r.mode, r.origin, r.url, r.form, r.amount, r.currency, r.private_amount AS "privateAmount", r.asked_again AS "askedAgain",
  (r.replaces IS NOT NULL OR r.reworded_at IS NOT NULL OR cardinality(r.earlier_hashes) > 0) AS "isReworded", r.warnings, r.due_at AS "dueAt", r.created_at AS "askedAt",
  coalesce(t.tool_hints -> 'annotations' ->> 'destructiveHint' = 'true', false) OR t.adopted AS "isFlagged",
  t.recipe_version IS NOT NULL AS "isRecipes", t.gate, t.created_at AS "taskCreatedAt", ${HAS_LONG_ARGUMENTS} AS "hasLongArguments",
  t.requested_by AS "requestedBy", ${REQUESTER} AS person, ${ROLE_OF_REQUESTER} AS role, ${GROUPS_OF_REQUESTER} AS "isIn", r.approval,
  a.id AS "answerId", a.action, a.content, a.content IS NOT NULL AS "hasContent", a.answered_by AS "answeredBy", a.created_at AS "answeredAt"`;

const JOINS = Prisma.sql`JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
  JOIN server s ON s.organization_id = r.organization_id AND s.id = r.server_id
  JOIN answer a ON a.organization_id = r.organization_id AND a.input_request_id = r.id AND a.withdrawn_at IS NULL`;

const record = z.record(z.string(), z.unknown());

/** Null: something of it can't be opened, so that nobody knows what rules would say. */
export function toPast({
  serverId,
  serverName,
  action,
  content,
  hasContent,
  answeredBy,
  answeredAt,
  ...row
}: PastRow): PastRequest | null {
  const texts = [row.label, row.message, row.url, row.privateAmount];
  const isBlank = row.form === null || row.arguments === null || (hasContent && content === null);
  if (isBlank || texts.includes(UNOPENED_TEXT)) return null;
  return {
    ...row,
    server: { id: serverId, name: serverName },
    form: formSchema.parse(row.form),
    amount: amountIn(row),
    arguments: record.parse(row.arguments),
    requestedBy: actorSchema.parse(row.requestedBy),
    isIn: row.isIn ?? [],
    approval: approvalSchema.nullable().parse(row.approval),
    answer: {
      action: actionSchema.parse(action),
      content: record.nullable().parse(content),
      by: actorSchema.parse(answeredBy),
      at: answeredAt,
    },
  };
}
