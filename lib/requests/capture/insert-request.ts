/** What is stored of a new question: its columns, by which rule people agree on it, and its row. */
import { z } from "zod";
import { contentOf } from "../../base/content/content-keys.ts";
import { sealWrite } from "../../base/content/content-writes.ts";
import { Prisma, storable, storableText, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { formSchema } from "../../mcp/forms/form.ts";
import { questionHash } from "../../mcp/forms/question-hash.ts";
import { shownOf } from "../../mcp/forms/shown.ts";
import type { Question } from "../../mcp/peer.ts";
import type { Approval } from "../../policy/judge.ts";
import { judgeRequest } from "../../policy/judge-request.ts";
import { amountOf } from "../../text/amount.ts";
import { isRecord } from "../../text/json.ts";
import { judgeQuestion } from "../warnings.ts";

/** The most characters of a question that the history keeps. The hash beside them is of the whole question. */
export const EVENT_CHARACTERS = 4_000;

export interface NewRequest {
  id: string;
  taskId: string;
  connectionId: string;
  /** Names the question: the server's key, or the hash of its words. */
  key: string;
  /** Whose question it is: a server's, or Intray's own. */
  origin: "server" | "intray";
  replaces: string | null;
  askedAgain: boolean;
  /** The question's text changes again and again. If true, `reworded_at` is set to now. */
  isRestless: boolean;
  endsAt: Date | null;
  /** The question as it is shown; null members stand for SQL's null. */
  shown: ShownColumns;
  /** Who has to agree; null: any one approver. */
  approval: Approval | null;
  /** The earlier request that a person asked to revise; null: none. */
  revises?: string | null;
}

export interface ShownColumns {
  mode: string;
  message: string;
  requestedSchema: Prisma.InputJsonValue | null;
  url: string | null;
  form: Prisma.InputJsonValue;
  questionHash: string;
  judgedHash: string;
  amount: number | null;
  currency: string | null;
  warnings: string[];
  dueAt: Date | null;
}

export interface AskingTask {
  id: string;
  connectionId: string;
  /**
   * When the question ends, by the database's clock: when its task ends, or when the server stops waiting, if that is
   * known.
   */
  endsAt: Date | null;
  arguments: unknown;
  tool: string;
  /** Its questions are those of a recipe, which the server knows nothing of. */
  isRecipes: boolean;
  label: string | null;
  /** The organization's policy, with the facts about the task that its rules need; null: no policy. */
  policy: unknown;
  /** The tool's own claim. */
  destructive: unknown;
  visibility: string;
  over: boolean;
  /** It has been asked anything before. */
  hasRequests: boolean;
  /** Its requests that count against the most that a task may have. */
  taken: number;
  /** A person may be asked this question again: its answer could not be delivered. */
  mayReopen: boolean;
  /** This question was answered before. */
  confirmedBefore: boolean;
}

/** The stored columns of a question as it is put now. `hash`: its question hash, where the caller has it. */
export function columnsOf(
  task: Pick<AskingTask, "id" | "tool" | "arguments" | "destructive">,
  question: Omit<Question, "address">,
  hash = questionHash({ taskId: task.id, ...question }),
): ShownColumns {
  const shown = shownOf(question);
  const args = argumentsSchema.parse(task.arguments);
  const amount = amountOf(args, shown.message);
  const { tool, destructive } = task;
  return {
    mode: question.mode,
    message: storableText(shown.message),
    requestedSchema:
      shown.requestedSchema === undefined ? null : (storable(shown.requestedSchema) as Prisma.InputJsonValue),
    url: shown.url === null ? null : storableText(shown.url),
    form: storable(shown.form) as Prisma.InputJsonValue,
    questionHash: hash,
    amount: amount?.value ?? null,
    currency: amount?.currency ?? null,
    ...judgeQuestion({ ...shown, tool, destructive, arguments: args }),
    judgedHash: hash,
  };
}

/** Of any size: zod's record would copy them name by name, and other questions could not be known to be about the same ones. */
const argumentsSchema = z.custom<Record<string, unknown>>(isRecord);

/** Who has to agree on a question, by the policy; null: any one approver. */
export function approvalOf(
  task: Pick<AskingTask, "policy" | "tool" | "label" | "arguments">,
  shown: Pick<ShownColumns, "message" | "amount" | "currency" | "form" | "url">,
  askedAgain: boolean,
): Approval | null {
  if (!task.policy) return null;
  const { message, amount, currency, url } = shown;
  const form = formSchema.parse(shown.form);
  const fields = form.kind === "supported" ? form.fields.map(({ name }) => name) : [];
  const args = argumentsSchema.parse(task.arguments);
  return judgeRequest({ ...task, arguments: args }, { message, amount, currency, fields, url, askedAgain });
}

/** The rule in a line of the history. */
export function namedIn(approval: Approval | null): { approval?: Pick<Approval, "rule" | "version"> } {
  return approval ? { approval: { rule: approval.rule, version: approval.version } } : {};
}

/**
 * Inserts an open request. `askKey`: the server's key for this question (2026-07-28), which the same statement stores as an ask. Null:
 * the caller stores the ask (`addAsk()`), or there is none.
 */
export async function insertRequest(
  tx: Tx,
  {
    id,
    taskId,
    connectionId,
    origin,
    replaces,
    askedAgain,
    isRestless,
    endsAt,
    approval,
    revises = null,
    ...asked
  }: NewRequest,
  askKey: string | null,
): Promise<void> {
  const shown = sealed(tx, id, asked.shown);
  const request = Prisma.sql`INSERT INTO input_request (organization_id, id, task_id, connection_id, key, origin, state, mode,
      message, requested_schema, url, form, question_hash, judged_hash, amount, currency, private_amount, warnings, due_at,
      replaces, asked_again, expires_at, reworded_at, approval, revises)
    VALUES (${tx.organizationId}::uuid, ${id}::uuid, ${taskId}::uuid, ${connectionId}::uuid, ${storableText(asked.key)}, ${origin}, 'open',
      ${shown.mode}, ${shown.message}, ${json(shown.requestedSchema)}::json, ${shown.url}, ${json(shown.form)}::jsonb,
      ${shown.questionHash}, ${shown.judgedHash}, ${shown.amount}::float8, ${shown.currency}, ${shown.privateAmount ?? null},
      ${shown.warnings}::text[], ${time(shown.dueAt)}::timestamptz, ${replaces}::uuid, ${askedAgain}, ${time(endsAt)}::timestamptz,
      CASE WHEN ${isRestless} THEN now() END, ${json(approval && storable(approval))}::jsonb, ${revises}::uuid)`;
  if (askKey === null) await tx.$executeRaw(request);
  else
    await tx.$executeRaw`WITH opened AS (${request})
      INSERT INTO ask (organization_id, id, input_request_id, task_id, key)
      VALUES (${tx.organizationId}::uuid, ${uuidv7()}::uuid, ${id}::uuid, ${taskId}::uuid, ${askKey})`;
}

function sealed(tx: Tx, id: string, shown: ShownColumns): ShownColumns & { privateAmount?: string | null } {
  const { data } = sealWrite(contentOf(tx), "inputRequest", { data: { id, ...shown } }) as {
    data: ShownColumns & { privateAmount?: string | null };
  };
  return data;
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** With its zone in it, whatever the session's is. */
function time(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}
