/** An input request's row as SQL returns it, and as the API shows it. Sealed columns are never selected. */
import { z } from "zod";
import { actorSchema } from "../access/access-schema.ts";
import { agentOf, type Principal, selfOf } from "../access/principal.ts";
import { beginningOf, beginningsIn, UNOPENED_TEXT } from "../base/content/content.ts";
import { Prisma } from "../base/db/db.ts";
import { choiceValueSchema, type Form, fieldKindSchema } from "../mcp/forms/form.ts";
import { ownUnderFourEyes } from "../people/members/one-maker.ts";
import { choiceIn } from "../servers/recipes/choices.ts";
import { iso, SHORT_ARGUMENTS } from "../tasks/task-row.ts";
import { gateRuleSchema } from "../tasks/task-schema.ts";
import { namesIn } from "../text/facts/party.ts";
import { isRecord } from "../text/json.ts";
import { actionsFor } from "./answers/answer-content.ts";
import { ASKED_TO_REVISE, decidedWords } from "./answers/decided-words.ts";
import { isApproval } from "./answers/form-buttons.ts";
import { CLAIM_IS_LIVE } from "./claims/claim-checks.ts";
import { MESSAGE_IN_LISTS } from "./limits.ts";
import {
  actionSchema,
  awayPersonSchema,
  deliveryStateSchema,
  type InputRequestSummary,
  needsInfoSchema,
  requestStateSchema,
  type SeenBecause,
} from "./request-schema.ts";
import { CLAIM_IDLE_MS } from "./request-status.ts";
import { callerStandsInFor } from "./voting/voter-sql.ts";
import { toApproval, type VotesRow, votesOf } from "./voting/votes-row.ts";
import { warningsAt } from "./warnings.ts";

/**
 * When a request was decided, or ended without a decision, as an index spells it; of one from before the column, when it
 * ended. Of an open one, when it was asked. Alias `r`.
 */
export const DECIDED_AT = Prisma.sql`(CASE WHEN r.decided_at IS NOT NULL THEN r.decided_at
  WHEN r.ended_at IS NOT NULL THEN r.ended_at ELSE r.created_at END)`;

/**
 * What requests that are answered together have in common: server, form and tool. Null if a person has to read the
 * question by itself: it replaced another question, or an earlier version captured or reworded it without judging
 * warnings, or Intray asks it, and its form does not say what is asked.
 */
export const ALIKE = Prisma.sql`CASE WHEN r.judged_hash = r.question_hash AND r.replaces IS NULL AND r.origin = 'server'
  THEN encode(sha256(convert_to(r.alike || ' ' || t.tool, 'UTF8')), 'hex') END`;

/** What says what was decided, as `decidedFieldOf` has it where no field was answered alone, or a sealed form; alias `r`. */
export const DECIDED_FIELD = Prisma.sql`CASE WHEN jsonb_exists(r.form, 'sealed') THEN r.form
  WHEN jsonb_array_length(r.form -> 'fields') > 1 THEN '[]' ELSE r.form -> 'fields' -> 0 END`;

/** A field without what the words of an answer don't need: the choices that were not made, and long titles. Aliases `f` and `a`. */
const SHORT_FIELD = Prisma.sql`jsonb_build_object('name', f -> 'name', 'title', left(f ->> 'title', 200), 'kind', f -> 'kind', 'options',
  (SELECT coalesce(jsonb_agg(jsonb_build_object('value', o -> 'value', 'title', left(o ->> 'title', 200))), '[]')
    FROM jsonb_array_elements(coalesce(f -> 'options', '[]')) o
    WHERE o -> 'value' = (a.content -> (f ->> 'name'))::jsonb))`;

/** The same of an accepted answer, in short. Alias `a`. */
export const ANSWERED_FIELD = Prisma.sql`CASE WHEN a.action = 'accept' THEN CASE
    WHEN jsonb_exists(r.form, 'sealed') THEN r.form
    WHEN jsonb_array_length(r.form -> 'fields') > 1 THEN
      (SELECT coalesce(jsonb_agg(${SHORT_FIELD}), '[]') FROM jsonb_array_elements(r.form -> 'fields') f
        WHERE ARRAY[f ->> 'name'] = (SELECT array_agg(key)
          FROM jsonb_object_keys(CASE json_typeof(a.content) WHEN 'object' THEN a.content::jsonb ELSE '{}' END) key))
    ELSE (SELECT ${SHORT_FIELD} FROM jsonb_array_elements(r.form -> 'fields') f) END END`;

/** Whether the form can be shown, as its kind, or a sealed form where `ANSWERED_FIELD` is none; aliases `r` and `a`. */
const FORM_KIND = Prisma.sql`CASE WHEN jsonb_exists(r.form, 'sealed') THEN CASE WHEN a.action = 'accept' THEN NULL ELSE r.form END
  ELSE jsonb_build_object('kind', r.form -> 'kind') END`;

/** What tells whether more follows than a list shows. Alias `r`. */
export const SHORT_MESSAGE = Prisma.sql`${beginningOf(Prisma.sql`r.message`, "input_request.message", Prisma.sql`r.id`, MESSAGE_IN_LISTS + 1)} AS message`;

/** The answer's content as lists have it. Alias `a`. */
export const SHORT_CONTENT = Prisma.sql`${beginningsIn(Prisma.sql`a.content`, "answer.content", Prisma.sql`a.id`, MESSAGE_IN_LISTS + 1)} AS content`;

/**
 * The columns of a request as the principal sees it, with JOINS; aliases `r` and `t`. `inList`: texts no longer than a
 * list shows.
 */
export const summaryOf = (
  principal: Principal,
  { inList = false } = {},
) => Prisma.sql`r.id, r.state, r.task_id AS "taskId", t.server_id AS "serverId", s.name AS "serverName",
  t.tool, t.label, r.mode, ${FORM_KIND} AS "formKind", r.origin, t.recipe_version IS NOT NULL AS "isRecipes", t.gate, t.gate_rule AS "gateRule", ${inList ? SHORT_MESSAGE : Prisma.sql`r.message`}, r.question_hash AS "questionHash", r.amount, r.currency, r.private_amount AS "privateAmount",
  r.warnings, r.due_at AS "dueAt", ${ALIKE} AS alike, r.visibility, r.requester_user_id AS "requesterId", t.requested_by AS "requestedBy", assignee.id AS "assigneeId",
  assignee.name AS "assigneeName", claimant.id AS "claimantId", claimant.name AS "claimantName",
  c.claimed_at AS "claimedAt", c.active_at AS "claimActiveAt", r.created_at AS "createdAt", ${DECIDED_AT} AS "decidedAt", r.expires_at AS "expiresAt", r.decide_by AS "decideBy",
  r.asked_again AS "askedAgain", r.reworded_at AS "rewordedAt", a.id AS "answerId", a.action, ${inList ? SHORT_CONTENT : Prisma.sql`a.content`}, a.comment, a.revise, ${ANSWERED_FIELD} AS "decidedField", a.answered_by AS "answeredBy",
  a.created_at AS "answeredAt", a.withdrawn_at AS "withdrawnAt", d.state AS "deliveryState", d.attempts,
  d.deliver_after AS "deliverAfter", d.sent_at AS "sentAt", d.accepted_at AS "acceptedAt",
  d.confirmed_at AS "confirmedAt", d.flagged, d.in_doubt AS "inDoubt", d.waiting_since AS "waitingSince",
  CASE WHEN d.waiting_since IS NULL THEN NULL WHEN EXISTS (SELECT FROM elicitation_task e
    WHERE e.organization_id = r.organization_id AND e.input_request_id = r.id AND e.state = 'completed')
    THEN 'fetch' ELSE 'question' END AS "waitingFor",
  d.error AS "deliveryError", t.cancel_requested_at AS "cancelRequestedAt", CASE WHEN r.origin = 'intray' THEN (SELECT k.fetched_at FROM agent_call k
    WHERE k.organization_id = r.organization_id AND k.task_id = r.task_id) END AS "fetchedAt", coalesce(link.user_id, link.authorized_by) AS "openerId", opener.name AS "openerName",
  ${ownUnderFourEyes(principal.organizationId, principal)} AS "fourEyes", ${votesOf(principal, { inList })}, ${talkOf(principal)},
  CASE WHEN r.state = 'open' AND r.assignee_user_id IS NOT NULL THEN ${callerStandsInFor(
    principal,
    Prisma.sql`r.assignee_user_id`,
    Prisma.sql`r.approval`,
  )} END AS "standsInFor",
  ${SHORT_ARGUMENTS}`;

/** The columns of a request about what people say of it, and the caller's own snooze. An agent sees nothing of that. */
function talkOf(principal: Principal): Prisma.Sql {
  if (agentOf(principal) !== null)
    return Prisma.sql`0 AS comments, NULL::jsonb AS "needsInfo", NULL::timestamptz AS "snoozedUntil"`;
  return Prisma.sql`(SELECT count(*)::integer FROM request_comment k WHERE k.organization_id = r.organization_id
      AND k.input_request_id = r.id AND k.deleted_at IS NULL) AS comments, r.needs_info AS "needsInfo",
    CASE WHEN r.state = 'open' THEN (SELECT z.ends_at FROM request_snooze z WHERE z.organization_id = r.organization_id
      AND z.user_id = ${selfOf(principal)}::uuid AND z.input_request_id = r.id AND z.ends_at > now()) END AS "snoozedUntil"`;
}

/**
 * Joins the connection (`link`), who alone may open a site (`opener`), and the answer in force, else the last one,
 * whose delivery tells the outcome.
 */
export const JOINS = Prisma.sql`JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
  JOIN server s ON s.organization_id = t.organization_id AND s.id = t.server_id
  JOIN connection link ON link.organization_id = r.organization_id AND link.id = r.connection_id
  LEFT JOIN "user" opener ON opener.id = coalesce(link.user_id, link.authorized_by)
  LEFT JOIN "user" assignee ON assignee.id = r.assignee_user_id
  LEFT JOIN claim c ON c.organization_id = r.organization_id AND c.input_request_id = r.id AND ${CLAIM_IS_LIVE}
  LEFT JOIN "user" claimant ON claimant.id = c.user_id
  LEFT JOIN LATERAL (SELECT * FROM answer WHERE answer.organization_id = r.organization_id
    AND answer.input_request_id = r.id ORDER BY withdrawn_at DESC NULLS FIRST LIMIT 1) a ON true
  LEFT JOIN delivery d ON d.organization_id = a.organization_id AND d.answer_id = a.id`;

export interface RequestRow extends VotesRow {
  id: string;
  state: string;
  taskId: string;
  serverId: string;
  serverName: string;
  tool: string;
  label: string | null;
  /** Null if the arguments are long. */
  shortArguments: unknown;
  mode: "form" | "url";
  formKind: unknown;
  origin: "server" | "intray";
  isRecipes: boolean;
  /** Of the task. */
  gate: string | null;
  gateRule: unknown;
  message: string;
  questionHash: string;
  amount: number | null;
  currency: string | null;
  privateAmount: string | null;
  warnings: string[];
  dueAt: Date | null;
  alike: string | null;
  visibility: string;
  requesterId: string | null;
  requestedBy: unknown;
  assigneeId: string | null;
  assigneeName: string | null;
  standsInFor: unknown;
  claimantId: string | null;
  claimantName: string | null;
  claimedAt: Date | null;
  claimActiveAt: Date | null;
  createdAt: Date;
  decidedAt: Date;
  expiresAt: Date | null;
  decideBy: Date | null;
  askedAgain: boolean;
  rewordedAt: Date | null;
  action: string | null;
  content: unknown;
  comment: string | null;
  revise: boolean | null;
  decidedField: unknown;
  answeredBy: unknown;
  answeredAt: Date | null;
  withdrawnAt: Date | null;
  deliveryState: string | null;
  attempts: number | null;
  deliverAfter: Date | null;
  sentAt: Date | null;
  acceptedAt: Date | null;
  confirmedAt: Date | null;
  flagged: boolean | null;
  inDoubt: boolean | null;
  waitingSince: Date | null;
  waitingFor: "question" | "fetch" | null;
  deliveryError: string | null;
  cancelRequestedAt: Date | null;
  fetchedAt: Date | null;
  openerId: string | null;
  openerName: string | null;
  fourEyes: boolean;
  comments: number;
  needsInfo: unknown;
  snoozedUntil: Date | null;
}

/** The request as `principal` sees it. */
export function toSummary(principal: Principal, row: RequestRow): InputRequestSummary {
  return {
    id: row.id,
    state: requestStateSchema.parse(row.state),
    taskId: row.taskId,
    server: { id: row.serverId, name: row.serverName },
    tool: row.tool,
    label: row.label,
    party: partyOf(row),
    mode: row.mode,
    origin: row.origin,
    gate: isGate(row) ? { rule: gateRuleSchema.nullable().parse(row.gateRule) } : null,
    message: row.message,
    questionHash: row.questionHash,
    actions: actionsFor({ ...row, isShown: isShown(row.formKind ?? row.decidedField) }),
    amount: amountIn(row),
    warnings: warningsAt(row, Date.now()),
    alike: row.alike,
    seenBecause: seenBecause(principal, row),
    requestedBy: actorSchema.parse(row.requestedBy),
    assignedTo: person(row.assigneeId, row.assigneeName),
    standsInFor: awayPersonSchema.nullable().parse(row.standsInFor ?? null),
    claimedBy: toClaim(row),
    createdAt: row.createdAt.toISOString(),
    decidedAt: row.state === "open" ? null : row.decidedAt.toISOString(),
    expiresAt: iso(row.expiresAt),
    askedAgain: row.askedAgain,
    rewordedAt: iso(row.rewordedAt),
    task: { cancelRequestedAt: iso(row.cancelRequestedAt), fetchedAt: iso(row.fetchedAt) },
    // Also one who is gone: the site stays theirs.
    urlOwner: row.mode === "url" ? person(row.openerId, row.openerName ?? "a former member") : null,
    fourEyes: row.fourEyes,
    approval: toApproval(row),
    comments: row.comments,
    needsInfo: needsInfoSchema.nullable().parse(row.needsInfo),
    snoozedUntil: iso(row.snoozedUntil),
    answer: toAnswer(row),
    delivery: toDelivery(row),
  };
}

/** A form that can't be opened can't be shown either. */
function isShown(formKind: unknown): boolean {
  const kind: Form["kind"] = "supported";
  return z.looseObject({ kind: z.literal(kind) }).safeParse(formKind).success;
}

const privateAmountSchema = z.object({ amount: z.number(), currency: z.string().nullish() });

/** The amount of a question, which stands apart where the organization seals content. */
export function amountIn(
  row: Pick<RequestRow, "amount" | "currency" | "privateAmount">,
): { value: number; currency: string | null } | null {
  if (row.amount !== null) return { value: row.amount, currency: row.currency };
  if (row.privateAmount === null || row.privateAmount === UNOPENED_TEXT) return null;
  const { amount, currency = null } = privateAmountSchema.parse(JSON.parse(row.privateAmount));
  return { value: amount, currency };
}

function partyOf({ shortArguments, label }: RequestRow): string | null {
  const args = z.record(z.string(), z.unknown()).nullable().parse(shortArguments);
  return args && namesIn(args, label).party;
}

/** The nearest reason counts. Somebody else's private request is visible only to an assignee of its task. */
function seenBecause({ userId }: Principal, row: RequestRow): SeenBecause {
  if (userId !== null && row.assigneeId === userId) return "assigned";
  if (userId !== null && row.claimantId === userId) return "claimed";
  if (row.visibility === "organization") return "organization";
  return row.requesterId === userId ? "requester" : "assigned";
}

function toClaim(row: RequestRow): InputRequestSummary["claimedBy"] {
  const { claimedAt, claimActiveAt } = row;
  const holder = person(row.claimantId, row.claimantName);
  if (!holder || !claimedAt || !claimActiveAt) return null;
  const until = new Date(claimActiveAt.getTime() + CLAIM_IDLE_MS);
  return { ...holder, at: claimedAt.toISOString(), until: until.toISOString() };
}

/** A gated task asks one question of Intray's own: whether to make its call. */
function isGate({ origin, gate }: Pick<RequestRow, "origin" | "gate">): boolean {
  return origin === "intray" && gate !== null;
}

function toAnswer(row: RequestRow): InputRequestSummary["answer"] {
  const { answeredAt, withdrawnAt } = row;
  if (!answeredAt || withdrawnAt) return null;
  return answerOf({ ...row, answeredAt });
}

const onlyFieldSchema = z.object({
  name: z.string(),
  title: z.string(),
  kind: fieldKindSchema,
  options: z.array(z.object({ value: choiceValueSchema, title: z.string() })).optional(),
});

/** An opened form, whose fields are parsed only where they were answered: it may have thousands of choices. */
const openedFormSchema = z.object({
  kind: z.enum(["supported", "unsupported", "secret"] satisfies Form["kind"][]),
  fields: z.array(z.looseObject({ name: z.string() })).optional(),
});

/** What SHORT_FIELD and ANSWERED_FIELD have of a plain form. */
function answeredFields(
  { kind, fields = [] }: z.infer<typeof openedFormSchema>,
  content: Record<string, unknown> | null,
): unknown {
  if (kind !== "supported") return null;
  const short = (field: (typeof fields)[number]) => ({
    ...field,
    ...(Array.isArray(field.options) && {
      options: field.options.filter((option) => isRecord(option) && option.value === content?.[field.name]),
    }),
  });
  const [only] = fields;
  if (fields.length < 2) return only ? short(only) : null;
  const names = Object.keys(content ?? {});
  return fields.filter(({ name }) => names.length === 1 && names[0] === name).map(short);
}

/** Whose question it is. */
export type AskedBy = Pick<RequestRow, "origin" | "isRecipes" | "gate" | "tool">;
type AnswerRow = AskedBy &
  Pick<RequestRow, "action" | "content" | "comment" | "revise" | "decidedField" | "answeredBy">;

/**
 * What was decided, in words; of a recipe's question by the choice alone. `decidedField`: as `decidedFieldOf` has it, or an opened
 * form.
 */
export function wordsOf(
  action: string,
  content: Record<string, unknown> | null,
  decidedField: unknown,
  asked: AskedBy,
): string {
  const opened = openedFormSchema.safeParse(decidedField);
  const answered = opened.success ? answeredFields(opened.data, content) : decidedField;
  const isApprovals = isApproval(asked);
  // An approval may be given by the form's other fields, or by none of them.
  if (Array.isArray(answered) && isApprovals && action === "accept") return "Answered";
  const field = onlyFieldSchema
    .nullable()
    .catch(null)
    .parse([answered].flat()[0] ?? null);
  const said = asked.isRecipes && asked.origin === "server" && content ? choiceIn(content) : content;
  const isField = field && said && (field.name in said || Object.keys(said).length === 0);
  return decidedWords(action, said, isField ? field : null, isApprovals);
}

export function answerOf({
  answeredAt,
  ...row
}: AnswerRow & { answeredAt: Date }): NonNullable<InputRequestSummary["answer"]> {
  const action = actionSchema.parse(row.action);
  const content = z.record(z.string(), z.unknown()).nullable().parse(row.content);
  return {
    action,
    content,
    comment: row.comment,
    revise: row.revise === true,
    words: row.revise ? ASKED_TO_REVISE : wordsOf(action, content, row.decidedField, row),
    by: actorSchema.parse(row.answeredBy),
    at: answeredAt.toISOString(),
  };
}

function toDelivery(row: RequestRow): InputRequestSummary["delivery"] {
  if (!row.deliveryState || !row.deliverAfter) return null;
  return {
    state: deliveryStateSchema.parse(row.deliveryState),
    attempts: row.attempts ?? 0,
    deliverAfter: row.deliverAfter.toISOString(),
    sentAt: iso(row.sentAt),
    acceptedAt: iso(row.acceptedAt),
    confirmedAt: iso(row.confirmedAt),
    flagged: row.flagged === true,
    inDoubt: row.inDoubt === true,
    waitingSince: iso(row.waitingSince),
    waitingFor: row.waitingFor,
    error: row.deliveryError,
  };
}

export function person(id: string | null, name: string | null): { id: string; name: string } | null {
  return id !== null && name !== null ? { id, name } : null;
}
