/** What a receipt says of a request, out of its rows and its lines of history. */
import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { notFound } from "../../base/errors.ts";
import { type Approval, approvalSchema } from "../../policy/judge.ts";
import { iso } from "../../tasks/task-row.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { signedInSchema } from "../answers/signed-in.ts";
import { reachOf } from "../deliveries/reach.ts";
import { deliveryStateSchema } from "../request-schema.ts";
import { type PublicKey, publicKeySchema, type Reach, type Receipt } from "./receipt-schema.ts";

/** SQL condition on the alias `e`: the line tells what was asked, decided or sent. What people said to each other is theirs. */
const TELLS = Prisma.sql`e.type <> ALL ('{request.claimed,request.released,request.assigned,document.read,request.commented,request.comment_deleted,request.info_asked,request.info_given}'::text[])`;
/** Most lines in a receipt, the newest: a server that is away for long leaves many. */
const MOST_LINES = 1_000;

/** The public keys of receipts, newest first: those of keys that are retired too. */
export async function readPublicKeys(db: Database): Promise<PublicKey[]> {
  const rows = await db.gate<{ public_key: unknown }>(
    Prisma.sql`SELECT public_key FROM gate.receipt_public_keys()`,
  );
  return rows.map(({ public_key }) => publicKeySchema.parse(public_key));
}

/**
 * Reads all of it in one statement, so that the receipt is of one moment; the same state makes the same receipt. Throws
 * `not_found`, also for invisible requests.
 */
export async function readReceipt(tx: Tx, principal: Principal, inputRequestId: string): Promise<Receipt> {
  const ofRequest = (alias: string) => {
    const of = Prisma.raw(alias);
    return Prisma.sql`${of}.organization_id = r.organization_id AND ${of}.input_request_id = r.id`;
  };
  const [found] = await tx.$queryRaw<unknown[]>`
    SELECT r.id, r.task_id AS "taskId", r.state, r.origin, r.created_at AS "askedAt", r.question_hash AS "questionHash",
      r.ended_at AS "endedAt", r.ended_reason AS "endedReason", r.approval, t.tool, t.requested_by AS "requestedBy",
      s.id AS "serverId", s.name AS "serverName", o.name AS "organizationName",
      (SELECT json_agg(json_build_object('id', v.id, 'stage', v.stage, 'person', v.person, 'by', v.cast_by, 'onBehalfOf', v.on_behalf_of,
          'action', v.action, 'rejects', v.rejects, 'questionHash', v.question_hash, 'contentDigest', v.content_digest, 'at', v.cast_at,
          'endedAt', v.ended_at, 'endedAs', v.ended_as) ORDER BY v.cast_at, v.id)
        FROM vote v WHERE ${ofRequest("v")}) AS votes,
      (SELECT json_agg(json_build_object('id', a.id, 'by', a.answered_by, 'action', a.action, 'questionHash', a.question_hash,
          'at', a.created_at, 'withdrawnAt', a.withdrawn_at, 'delivery', d.state, 'way', d.rung, 'attempts', d.attempts, 'sentAt', d.sent_at,
          'acceptedAt', d.accepted_at, 'confirmedAt', d.confirmed_at, 'inDoubt', d.in_doubt) ORDER BY a.created_at, a.id)
        FROM answer a LEFT JOIN delivery d ON d.organization_id = a.organization_id AND d.answer_id = a.id
        WHERE ${ofRequest("a")}) AS answers,
      (SELECT count(*)::integer FROM event e WHERE ${ofRequest("e")} AND ${TELLS}) AS "allLines",
      (SELECT json_agg(json_build_object('seq', e.seq, 'type', e.type, 'line', e.line, 'digest', encode(e.digest, 'hex'),
          'previousHash', coalesce((SELECT encode(p.hash, 'hex') FROM event p
            WHERE p.organization_id = r.organization_id AND p.seq = e.seq - 1), ''),
          'hash', encode(e.hash, 'hex'), 'fact', e.fact) ORDER BY e.seq)
        FROM (SELECT e.seq, e.type, e.digest, e.hash,
            CASE WHEN e.payload_digest IS NOT NULL THEN event_line(e.seq, e.at, e.type, e.actor, e.task_id,
              e.input_request_id, e.payload_digest, e.data) END AS line,
            CASE WHEN e.type IN ('vote.recorded', 'answer.recorded') THEN jsonb_build_object(
              'id', coalesce(e.data -> 'voteId', e.data -> 'answerId'), 'contentDigest', e.data -> 'contentDigest',
              'signedIn', e.data -> 'signedIn', 'stage', e.data -> 'stage') END AS fact
          FROM event e WHERE ${ofRequest("e")} AND ${TELLS} ORDER BY e.seq DESC LIMIT ${MOST_LINES}) e) AS lines
    FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
      JOIN server s ON s.organization_id = t.organization_id AND s.id = t.server_id
      JOIN organization o ON o.id = r.organization_id
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid AND ${visibleTask(principal)}`;
  if (!found) throw notFound("request");
  const { lines, allLines, votes, answers, approval, ...row } = rowSchema.parse(found);
  const facts = new Map(lines.flatMap(({ fact }) => (fact?.id ? [[fact.id, fact] as const] : [])));
  const given = answers.map((answer) => toAnswer(row.origin, answer, facts.get(answer.id)));
  return {
    v: 1,
    issuer: env().url,
    organization: { id: tx.organizationId, name: row.organizationName },
    request: {
      id: row.id,
      taskId: row.taskId,
      server: { id: row.serverId, name: row.serverName },
      tool: row.tool,
      origin: row.origin,
      requestedBy: row.requestedBy,
      askedAt: row.askedAt.toISOString(),
      questionHash: row.questionHash,
      state: row.state,
      endedAt: iso(row.endedAt),
      endedReason: row.endedReason,
    },
    policy: approval && {
      rule: approval.rule,
      version: approval.version,
      requester: approval.requester,
      stages: approval.stages.map(({ name, need, rejections, stepUp, requireReason, groups }) => ({
        ...{ name, need, rejections, stepUp, requireReason },
        ...(groups.length > 0 && { groups }),
      })),
    },
    votes: votes.map(({ stage, rejects, at, endedAt, endedAs, ...vote }) => ({
      ...vote,
      stage: facts.get(vote.id)?.stage ?? stageNow(approval, stage, endedAs),
      agrees: !rejects,
      at: at.toISOString(),
      signedIn: facts.get(vote.id)?.signedIn ?? null,
      ended: endedAt && endedAs ? { as: endedAs, at: endedAt.toISOString() } : null,
    })),
    answers: given,
    sent: farthest(given.flatMap(({ delivery }) => delivery?.reached ?? [])),
    history: lines.map(({ fact: _, ...line }) => line),
    historyLeftOut: allLines - lines.length,
  };
}

/** Of a vote whose line does not say its stage: the name, unless the request was judged again since then. */
function stageNow(approval: Approval | null, stage: number, endedAs: string | null): string {
  const name = approval?.stages[stage]?.name;
  const isAnother = endedAs === "judged_again" || endedAs === "question_changed";
  return name === undefined || isAnother ? `Stage ${stage + 1}` : name;
}

function toAnswer(
  origin: string,
  { at, withdrawnAt, delivery: state, ...row }: z.infer<typeof answerSchema>,
  fact: z.infer<typeof factSchema> | undefined,
): Receipt["answers"][number] {
  const { id, by, action, questionHash, way, attempts, sentAt, acceptedAt, confirmedAt, inDoubt } = row;
  return {
    ...{ id, by, action, questionHash },
    contentDigest: fact?.contentDigest ?? null,
    at: at.toISOString(),
    signedIn: fact?.signedIn ?? null,
    withdrawnAt: iso(withdrawnAt),
    delivery: state && {
      state,
      reached:
        origin === "intray" && state === "confirmed"
          ? "carried_out"
          : reachOf({ state, accepted: acceptedAt !== null, inDoubt: inDoubt === true }),
      way,
      attempts: attempts ?? 0,
      sentAt: iso(sentAt),
      acceptedAt: iso(acceptedAt),
      confirmedAt: iso(confirmedAt),
    },
  };
}

function farthest(reached: Reach[]): Reach {
  return (["taken", "carried_out", "unknown"] as const).find((each) => reached.includes(each)) ?? "nothing";
}

/** What the line of a vote or answer says beyond its row; null for an earlier version's line, and for one whose details retention has deleted. */
const factSchema = z.object({
  id: z.string().nullable(),
  contentDigest: z.string().nullable(),
  signedIn: signedInSchema.nullable().catch(null),
  /** Of a vote. The request's rule may be another one by now. */
  stage: z.string().nullable().catch(null),
});

const time = z.coerce.date();

const answerSchema = z.object({
  id: z.string(),
  by: actorSchema,
  action: z.string(),
  questionHash: z.string(),
  at: time,
  withdrawnAt: time.nullable(),
  delivery: deliveryStateSchema.nullable(),
  way: z.string().nullable(),
  attempts: z.int().nullable(),
  sentAt: time.nullable(),
  acceptedAt: time.nullable(),
  confirmedAt: time.nullable(),
  inDoubt: z.boolean().nullable(),
});

const voteSchema = z.object({
  id: z.string(),
  stage: z.int(),
  person: z.string(),
  by: actorSchema,
  onBehalfOf: actorSchema.nullable(),
  action: z.string(),
  rejects: z.boolean(),
  questionHash: z.string(),
  contentDigest: z.string(),
  at: time,
  endedAt: time.nullable(),
  endedAs: z.string().nullable(),
});

const lineSchema = z.object({
  seq: z.int(),
  type: z.string(),
  line: z.string().nullable(),
  digest: z.string(),
  previousHash: z.string(),
  hash: z.string(),
  fact: factSchema.nullable(),
});

const none = <T extends z.ZodType>(of: T) =>
  z
    .array(of)
    .nullable()
    .transform((list) => list ?? []);

const rowSchema = z.object({
  id: z.string(),
  taskId: z.string(),
  state: z.string(),
  origin: z.string(),
  askedAt: z.date(),
  questionHash: z.string(),
  endedAt: z.date().nullable(),
  endedReason: z.string().nullable(),
  approval: approvalSchema.nullable(),
  tool: z.string(),
  requestedBy: actorSchema,
  serverId: z.string(),
  serverName: z.string(),
  organizationName: z.string(),
  votes: none(voteSchema),
  answers: none(answerSchema),
  allLines: z.int(),
  lines: none(lineSchema),
});
