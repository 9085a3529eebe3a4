/**
 * All writes to what rules say of requests (`automatic_decision`). The caller holds the lock of the request's task.
 */
import { contentOf } from "../../base/content/content-keys.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";

/** Notes a request that was stored just now, for an engine to ask the rules about it. */
export async function queueDecision(tx: Tx, inputRequestId: string): Promise<void> {
  await tx.$executeRaw`INSERT INTO automatic_decision (organization_id, input_request_id)
    VALUES (${tx.organizationId}::uuid, ${inputRequestId}::uuid)`;
}

/** The requests that rules have still to be asked about, oldest first. */
export async function waitingDecisions(tx: Tx, most: number): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT d.input_request_id AS id FROM automatic_decision d
    WHERE d.organization_id = ${tx.organizationId}::uuid AND d.state = 'waiting'
    ORDER BY d.created_at, d.input_request_id LIMIT ${most}`;
  return rows.map(({ id }) => id);
}

/** No rule is about the request, or people have it. */
export async function dropDecision(tx: Tx, inputRequestId: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM automatic_decision
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND state = 'waiting'`;
}

export interface Said {
  rule: string;
  version: number;
  fingerprint: string;
  action: "accept" | "decline";
  /** SHA-256 of exactly what it says. */
  contentDigest: string;
}

export type Outcome =
  | { state: "shadow" }
  | { state: "kept"; reason: "sample" | "cap" | "stopped" }
  | { state: "failed"; reason: string }
  | { state: "answered"; answerId: string; day: string };

/** Notes what the rule said, once. */
export async function noteDecision(
  tx: Tx,
  inputRequestId: string,
  { rule, version, fingerprint, action, contentDigest }: Said,
  outcome: Outcome,
): Promise<void> {
  const {
    reason = null,
    answerId = null,
    day = null,
  } = { reason: null, answerId: null, day: null, ...outcome };
  const noted = await tx.$executeRaw`
    UPDATE automatic_decision SET state = ${outcome.state}, reason = ${reason}, rule = ${rule}, version = ${version},
      fingerprint = ${fingerprint}, action = ${action}, content_digest = ${contentOf(tx).hash(contentDigest)},
      judged_at = now(), answer_id = ${answerId}::uuid, day = ${day}::date
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND state = 'waiting'`;
  if (noted !== 1) throw new Error(`the rules were asked twice about the request ${inputRequestId}`);
}

/**
 * How often a rule has answered on a day, what was taken back included. Exact while the caller holds the switch's lock. For a day after a
 * change of the calendar, which may have begun another date, the last 24 hours count too.
 */
export async function answeredOn(tx: Tx, rule: string, day: string): Promise<number> {
  const [row] = await tx.$queryRaw<
    { count: number }[]
  >`SELECT count(*)::integer AS count FROM automatic_decision
    WHERE organization_id = ${tx.organizationId}::uuid AND rule = ${rule} AND (day = ${day}::date
      OR day IS NOT NULL AND judged_at > now() - interval '24 hours' AND EXISTS (SELECT FROM working_calendar w
        WHERE w.organization_id = ${tx.organizationId}::uuid AND w.changed_at > now() - interval '24 hours'))`;
  return row!.count;
}

/**
 * SQL, for the statement that writes a person's answer: compares it with what a rule would have said. No program's answer by a key
 * is compared, and of a rule only what would have been an answer to the question.
 */
export function compareWithPeople(
  tx: Tx,
  answer: { id: string; inputRequestId: string },
  digest: string,
): Prisma.Sql {
  return Prisma.sql`UPDATE automatic_decision SET people_answer_id = ${answer.id}::uuid,
      agreed = content_digest = ANY (${contentOf(tx).hashes(digest)}::text[])
    WHERE organization_id = ${tx.organizationId}::uuid
      AND input_request_id = ${answer.inputRequestId}::uuid AND state NOT IN ('waiting', 'failed')`;
}

/** SQL, for the statement that takes answers back: of a rule, or of a person, which a rule's was compared with. */
export function noteTakenBack(
  organizationId: string,
  answerIds: string[],
  by: "person" | "stopped",
): Prisma.Sql {
  const isIts = Prisma.sql`d.answer_id = a.id`;
  return Prisma.sql`UPDATE automatic_decision d SET
      state = CASE WHEN ${isIts} THEN 'undone' ELSE d.state END,
      reason = CASE WHEN ${isIts} THEN ${by} ELSE d.reason END,
      people_answer_id = CASE WHEN ${isIts} THEN d.people_answer_id END,
      agreed = CASE WHEN ${isIts} THEN d.agreed END
    FROM answer a WHERE a.organization_id = ${organizationId}::uuid AND a.id = ANY (${answerIds}::uuid[])
      AND d.organization_id = a.organization_id AND d.input_request_id = a.input_request_id
      AND (${isIts} OR d.people_answer_id = a.id)`;
}

/**
 * Forgets that people agreed with a rule, if their answer was never sent: asking, answering and cancelling again and again must
 * not prove a rule. A disagreement is kept: the person did not cause the cancel.
 */
export async function noteNeverSent(tx: Tx, inputRequestId: string): Promise<void> {
  await tx.$executeRaw`UPDATE automatic_decision SET people_answer_id = NULL, agreed = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND input_request_id = ${inputRequestId}::uuid AND agreed`;
}

/** The answers of rules that are not on their way yet. */
export async function unsentAutomatic(
  tx: Tx,
): Promise<{ inputRequestId: string; answerId: string; taskId: string; connectionId: string }[]> {
  return tx.$queryRaw`
    SELECT r.id AS "inputRequestId", d.answer_id AS "answerId", r.task_id AS "taskId", r.connection_id AS "connectionId"
    FROM automatic_decision d
      JOIN input_request r ON r.organization_id = d.organization_id AND r.id = d.input_request_id AND r.state = 'answered'
      JOIN delivery v ON v.organization_id = d.organization_id AND v.answer_id = d.answer_id AND v.state IN ('held', 'pending')
    WHERE d.organization_id = ${tx.organizationId}::uuid AND d.state = 'answered' ORDER BY r.id`;
}
