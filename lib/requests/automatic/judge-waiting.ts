/**
 * Asks the rules that answer by themselves about the requests that wait for it (docs/decisions/073). One transaction judges a
 * request and has the effect, so an engine may die at any moment, and any number may try.
 */
import { z } from "zod";
import type { Principal } from "../../access/principal.ts";
import { UNOPENED, UNOPENED_TEXT } from "../../base/content/content.ts";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { formSchema } from "../../mcp/forms/form.ts";
import { askedForByOneOf } from "../../people/members/one-maker.ts";
import { type Authors, authorsSchema, fingerprintOf } from "../../policy/automatic/authors.ts";
import type { AutomaticRule } from "../../policy/automatic/automatic-schema.ts";
import { excludedBy } from "../../policy/automatic/eligible.ts";
import { judgeAutomatic } from "../../policy/automatic/judge.ts";
import { lockAutomatic } from "../../policy/automatic/switch.ts";
import type { Calendar } from "../../policy/calendar/calendar-schema.ts";
import { judgePolicy } from "../../policy/judge.ts";
import { POLICY_OF_TASK, readAsked } from "../../policy/judge-request.ts";
import { HAS_CHANGED_TOOL } from "../../servers/tool-versions.ts";
import { checkedContent, contentDigest } from "../answers/answer-content.ts";
import { answerByRule } from "../answers/answer-writes.ts";
import { saysNo } from "../answers/rejection.ts";
import { CLAIM_IS_LIVE } from "../claims/claim-checks.ts";
import { lockRequest } from "../lock-request.ts";
import { amountIn } from "../request-row.ts";
import { countSimilar } from "../similar/similar.ts";
import { askedBy } from "../voting/voter-sql.ts";
import { warningsAt } from "../warnings.ts";
import { dayIn } from "./automatic-answer-reads.ts";
import {
  answeredOn,
  dropDecision,
  noteDecision,
  type Outcome,
  type Said,
  waitingDecisions,
} from "./automatic-answer-writes.ts";

/** Requests of one turn, each in a transaction of its own. */
const AT_ONCE = 100;

/** Returns true if more may wait. One that fails is left to people, and does not stop the others. */
export async function judgeWaiting(organizationId: string, database: Database): Promise<boolean> {
  const waiting = await database.withOrganization(organizationId, (tx) => waitingDecisions(tx, AT_ONCE));
  const failures: unknown[] = [];
  let judged = 0;
  for (const id of waiting)
    await database
      .withOrganization(organizationId, (tx) => judgeDecision(tx, id))
      .then((isJudged) => {
        if (isJudged) judged += 1;
      })
      .catch(async (error: unknown) => {
        failures.push(error);
        // People have what can't be judged: it would keep the others waiting, turn after turn.
        await database.withOrganization(organizationId, (tx) => dropDecision(tx, id));
      });
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} requests could not be judged by automatic rules`);
  return waiting.length === AT_ONCE && judged > 0;
}

/** Returns false if somebody works on its task at this moment: it waits for the next turn. */
export async function judgeDecision(tx: Tx, inputRequestId: string): Promise<boolean> {
  const isStopped = await lockAutomatic(tx);
  const [task] = await tx.$queryRaw<{ id: string }[]>`
    SELECT t.id FROM task t WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = (
      SELECT r.task_id FROM input_request r WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid)
    FOR NO KEY UPDATE SKIP LOCKED`;
  if (!task) return false;
  const row = await readWaiting(tx, inputRequestId);
  if (!row) return true;
  const said = await whatRulesSay(tx, row);
  if (!said) {
    await dropDecision(tx, inputRequestId);
    return true;
  }
  const outcome = await carryOut(tx, row, said, isStopped);
  await noteDecision(tx, inputRequestId, said, outcome);
  return true;
}

interface Waiting {
  id: string;
  /** Nobody has decided, claimed or been given it, or asks or tells something about it. */
  isFree: boolean;
  origin: "server" | "intray";
  isRecipes: boolean;
  mode: "form" | "url";
  form: unknown;
  message: string;
  url: string | null;
  askedAgain: boolean;
  isReworded: boolean;
  isFlagged: boolean;
  warnings: string[];
  dueAt: Date | null;
  visibility: string;
  hasApproval: boolean;
  amount: number | null;
  currency: string | null;
  privateAmount: string | null;
  policy: unknown;
  authors: unknown;
  tool: string;
  label: string | null;
  arguments: unknown;
  holdMs: number;
}

/** Null: it was judged, or is gone. */
async function readWaiting(tx: Tx, inputRequestId: string): Promise<Waiting | null> {
  const [row] = await tx.$queryRaw<Waiting[]>`
    SELECT r.id, r.task_id AS "taskId", r.state = 'open' AND t.cancel_requested_at IS NULL AND t.finished_at IS NULL AND r.assignee_user_id IS NULL AND r.needs_info IS NULL
        AND NOT EXISTS (SELECT FROM request_comment o WHERE o.organization_id = r.organization_id AND o.input_request_id = r.id)
        AND NOT EXISTS (SELECT FROM claim c WHERE c.organization_id = r.organization_id AND c.input_request_id = r.id
          AND ${CLAIM_IS_LIVE})
        AND NOT EXISTS (SELECT FROM vote v WHERE v.organization_id = r.organization_id AND v.input_request_id = r.id)
        AND NOT EXISTS (SELECT FROM answer a WHERE a.organization_id = r.organization_id AND a.input_request_id = r.id) AS "isFree",
      r.origin, t.recipe_version IS NOT NULL AS "isRecipes", r.mode, r.form, r.message, r.url, r.asked_again AS "askedAgain",
      r.replaces IS NOT NULL OR r.reworded_at IS NOT NULL OR cardinality(r.earlier_hashes) > 0 AS "isReworded",
      coalesce(t.tool_hints->'annotations'->'destructiveHint' = 'true'::jsonb, false) OR ${HAS_CHANGED_TOOL}
        OR t.adopted AS "isFlagged",
      r.warnings, r.due_at AS "dueAt", t.visibility, r.approval IS NOT NULL AS "hasApproval",
      r.amount, r.currency, r.private_amount AS "privateAmount", ${POLICY_OF_TASK} AS policy,
      (SELECT w.automatic_authors FROM policy_version w WHERE w.organization_id = t.organization_id
        ORDER BY w.version DESC LIMIT 1) AS authors,
      t.tool, t.label, t.arguments, (SELECT o.undo_window_ms FROM organization o WHERE o.id = t.organization_id) AS "holdMs"
    FROM automatic_decision d
      JOIN input_request r ON r.organization_id = d.organization_id AND r.id = d.input_request_id
      JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
    WHERE d.organization_id = ${tx.organizationId}::uuid AND d.input_request_id = ${inputRequestId}::uuid AND d.state = 'waiting'
    FOR UPDATE OF d`;
  return row ?? null;
}

interface Verdict extends Said {
  matched: AutomaticRule;
  calendar: Calendar | null;
  now: Date;
}

/** What a rule says of the request, by the policy of now; null: people alone have it. */
async function whatRulesSay(tx: Tx, row: Waiting): Promise<Verdict | null> {
  if (!row.isFree || !row.policy) return null;
  const form = formSchema.parse(row.form);
  const excluded = excludedBy({
    ...row,
    form,
    warnings: warningsAt(row, Date.now()),
    isPrivate: row.visibility === "private",
  });
  if (excluded !== null || !isOpened(row)) return null;
  const args = z.record(z.string(), z.unknown()).parse(row.arguments);
  const amount = amountIn(row);
  const { asked, ownGroups, ...inForce } = readAsked(
    { policy: row.policy, tool: row.tool, label: row.label, arguments: args },
    {
      ...{ message: row.message, url: row.url, askedAgain: row.askedAgain },
      ...{ amount: amount?.value ?? null, currency: amount?.currency ?? null },
      fields: form.kind === "supported" ? form.fields.map(({ name }) => name) : [],
    },
  );
  // Nobody gets their own requests answered by joining a group: who is in the policy's own is saved with it.
  const known = { ...asked, requester: { ...asked.requester, groups: ownGroups } };
  // It keeps the rule under which it was asked; a policy that asks for people by now counts too.
  if (judgePolicy(inForce, asked) !== null || judgePolicy(inForce, known) !== null) return null;
  const rules = inForce.policy.automatic ?? [];
  const asks = rules.some(({ mode, when }) => mode !== "off" && when.includes("similar"));
  const similar = asks
    ? await countSimilar(tx, ruleOf(tx.organizationId, ""), row.id)
    : { accepted: 0, declined: 0, repeats: false };
  const matching = (["live", "shadow"] as const)
    .map(
      (mode) =>
        judgeAutomatic(
          rules.filter((rule) => rule.mode === mode),
          known,
          similar,
          ({ answer: { action, content = {} } }) => saysNo(form, action, content),
        ).rule,
    )
    .find((rule) => rule !== null);
  if (!matching) return null;
  const fingerprint = fingerprintOf(matching, inForce);
  const authors = authorsSchema.parse(row.authors ?? {});
  if (await isOfAuthors(tx, row.id, authors, matching.name)) return null;
  const { action, content = {} } = matching.answer;
  return {
    ...{ matched: matching, calendar: inForce.calendar, now: asked.now },
    ...{ rule: matching.name, version: inForce.version, fingerprint, action },
    contentDigest: contentDigest(action, action === "accept" ? content : null),
  };
}

/** Whether everything that rules read could be decrypted: a missing key would look like a missing value. */
function isOpened({ arguments: args, label, message, privateAmount }: Waiting): boolean {
  return args !== UNOPENED && ![label, message, privateAmount].includes(UNOPENED_TEXT);
}

/** Whether who wrote the rule asked for the task, or counts as one person with who did. Nobody known to have written it: so too. */
async function isOfAuthors(tx: Tx, inputRequestId: string, authors: Authors, rule: string): Promise<boolean> {
  const makers = Object.hasOwn(authors, rule) ? (authors[rule]?.makers ?? []) : [];
  if (makers.length === 0) return true;
  const [found] = await tx.$queryRaw<{ isOwn: boolean }[]>`
    SELECT ${askedForByOneOf(makers)} OR EXISTS (
      SELECT FROM unnest(${makers}::uuid[]) part (person) WHERE ${askedBy(Prisma.sql`part.person`)}) AS "isOwn"
    FROM task t JOIN input_request r ON r.organization_id = t.organization_id AND r.task_id = t.id
    WHERE t.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid`;
  return found?.isOwn !== false;
}

async function carryOut(
  tx: Tx,
  row: Waiting,
  { matched, version, calendar, now }: Verdict,
  isStopped: boolean,
): Promise<Outcome> {
  const { action, content } = matched.answer;
  try {
    checkedContent(row, { action, ...(action === "accept" && { content: content ?? {} }) });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { state: "failed", reason: whyUnfit(error) };
  }
  if (matched.mode === "shadow") return { state: "shadow" };
  if (isStopped) return { state: "kept", reason: "stopped" };
  if (Math.random() < matched.sample) return { state: "kept", reason: "sample" };
  const day = dayIn(calendar?.zone ?? "UTC", now);
  if ((await answeredOn(tx, matched.name, day)) >= matched.dailyCap) return { state: "kept", reason: "cap" };
  const name = `${matched.name} (version ${version})`;
  const { actor } = ruleOf(tx.organizationId, name);
  const request = await lockRequest(tx, ruleOf(tx.organizationId, name), row.id);
  const { questionHash } = request;
  const answerId = await answerByRule(
    tx,
    request,
    actor,
    { action, ...(action === "accept" && { content: content ?? {} }), questionHash, holdMs: row.holdMs },
    { name: matched.name, version },
  );
  return { state: "answered", answerId, day };
}

/** A rule sees what everybody in the organization does. */
function ruleOf(organizationId: string, name: string): Principal {
  return { organizationId, userId: null, role: "approver", actor: { kind: "rule", id: null, name } };
}

const MOST_WORDS = 300;

function whyUnfit({ message, errors }: AppError): string {
  const words = (errors ?? []).map((error) => error.message).join(" ");
  return (words || message).slice(0, MOST_WORDS);
}
