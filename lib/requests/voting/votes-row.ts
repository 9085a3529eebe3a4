/** The votes on a request as the API shows them. */
import { z } from "zod";
import { actorSchema, personSchema } from "../../access/access-schema.ts";
import { allows } from "../../access/key-scope.ts";
import { isPerson, type Principal } from "../../access/principal.ts";
import { beginningsIn } from "../../base/content/content.ts";
import { Prisma } from "../../base/db/db.ts";
import { approvalSchema } from "../../policy/judge.ts";
import { MESSAGE_IN_LISTS } from "../limits.ts";
import { actionSchema, awayPersonSchema, type InputRequestSummary } from "../request-schema.ts";
import { missingIn, openStage, stageStates } from "./vote-status.ts";
import {
  absentIn,
  askedBy,
  callerVotesFor,
  DELEGATE,
  isCallerApproverIn,
  isCallerAskedIn,
  personOf,
  votersLeft,
} from "./voter-sql.ts";

/** The columns of a request `r` with task `t` about votes, as the principal sees them. A request without any costs nothing. */
export const votesOf = (principal: Principal, { inList = false } = {}) => Prisma.sql`r.approval,
  CASE WHEN r.approval IS NOT NULL THEN (SELECT coalesce(json_agg(json_build_object('id', v.id, 'stage', v.stage, 'person', v.person,
      'rejects', v.rejects, 'action', v.action, 'revise', v.revise, 'content', ${inList ? beginningsIn(Prisma.sql`v.content`, "vote.content", Prisma.sql`v.id`, MESSAGE_IN_LISTS + 1) : Prisma.sql`v.content`}, 'comment', v.comment, 'by', v.cast_by, 'at', v.cast_at,
      'delegate', ${DELEGATE}, 'onBehalfOf', v.on_behalf_of)
      ORDER BY v.cast_at, v.id), '[]'::json)
    FROM vote v WHERE v.organization_id = r.organization_id AND v.input_request_id = r.id AND v.ended_at IS NULL) END AS votes,
  CASE WHEN r.approval IS NOT NULL AND r.state = 'open' THEN (SELECT json_agg(json_build_object('kind', m.kind, 'stage', m.stage,
      'at', m.due_at) ORDER BY m.due_at, m.id)
    FROM request_timer m WHERE m.organization_id = r.organization_id AND m.input_request_id = r.id AND m.fired_at IS NULL
      AND m.paused_at IS NULL) END AS timers,
  CASE WHEN r.approval IS NOT NULL THEN json_build_object('person', ${personOf(principal)},
    'mayAnswer', ${allows(principal, "requests:answer")}::boolean, 'isProgram', ${!isPerson(principal)}::boolean,
    'hasAsked', ${askedBy(personOf(principal))}, 'isApprover', ${isCallerApproverIn(Prisma.sql`r.approval`, principal)},
    'isAsked', ${isCallerAskedIn(Prisma.sql`r.approval`, principal)},
    'absent', ${callerVotesFor(Prisma.sql`r.approval`, principal)}) END AS voter,
  CASE WHEN r.approval IS NOT NULL AND r.state = 'open' THEN ${absentIn(principal.organizationId, Prisma.sql`r.approval`)} END AS away,
  CASE WHEN r.approval IS NOT NULL AND r.state = 'open' THEN ${votersLeft(principal.organizationId, Prisma.sql`r.approval`)} END AS "votersLeft"`;

export interface VotesRow {
  approval: unknown;
  votes: unknown;
  /** Those that have not fired; null: there are none. */
  timers: unknown;
  /** The caller. */
  voter: unknown;
  /** Of the open stage. */
  away: unknown;
  votersLeft: number | null;
}

const votesSchema = z.array(
  z.object({
    stage: z.int(),
    person: z.string(),
    rejects: z.boolean(),
    action: actionSchema,
    revise: z.boolean(),
    content: z.record(z.string(), z.unknown()).nullable(),
    comment: z.string().nullable(),
    by: actorSchema,
    at: z.coerce.date(),
    delegate: z.string().nullable(),
    onBehalfOf: personSchema.nullable(),
  }),
);
const timersSchema = z
  .array(
    z.object({
      kind: z.enum(["remind", "escalate", "expire"]),
      stage: z.int().nullable(),
      at: z.coerce.date(),
    }),
  )
  .nullish();
const voterSchema = z.object({
  person: z.string().nullable(),
  mayAnswer: z.boolean(),
  isProgram: z.boolean(),
  hasAsked: z.boolean(),
  isApprover: z.boolean(),
  isAsked: z.boolean(),
  absent: z.string().nullable(),
});

type Approval = NonNullable<InputRequestSummary["approval"]>;

export function toApproval(
  row: VotesRow & { state: string; origin: "server" | "intray" },
): InputRequestSummary["approval"] {
  if (row.approval === null || row.approval === undefined) return null;
  const approval = approvalSchema.parse(row.approval);
  const { rule, version, stages, dueAt, lapsedAt, expire, failed, requester } = approval;
  const votes = votesSchema.parse(row.votes);
  const voter = voterSchema.parse(row.voter);
  const states = stageStates(stages, votes);
  const agreed = votes.filter(({ rejects }) => !rejects).at(-1);
  const own = votes.filter(
    ({ person, delegate }) => voter.person !== null && [person, delegate].includes(voter.person),
  );
  const away = z.array(awayPersonSchema).parse(row.away ?? []);
  const mine = own.at(-1);
  const isOpen = row.state === "open";
  const open = openStage(stages, votes) ?? stages.length;
  const refusal = (): Exclude<Approval["why"], "approver"> | null => {
    if (!isOpen) return "not_open";
    if (!voter.mayAnswer || (voter.isProgram && row.origin === "intray")) return "forbidden";
    if (voter.hasAsked && requester === "excluded") return "four_eyes";
    if (voter.isAsked || voter.absent !== null)
      return voter.isProgram && stages[open]?.stepUp ? "step_up_required" : null;
    if (own.length > 0) return "already_voted";
    return voter.isApprover ? "four_eyes" : "not_an_approver";
  };
  const why = refusal() ?? "approver";
  return {
    rule,
    version,
    dueAt,
    lapsedAt,
    timers: (timersSchema.parse(row.timers) ?? []).map(({ kind, stage, at }) => ({
      kind: kind === "expire" ? (expire?.cancels ? "cancel" : "leave") : kind,
      stage: stage === null ? null : (stages[stage]?.name ?? null),
      at: at.toISOString(),
    })),
    failed,
    stages: stages.map(
      ({ name, need, rejections, stepUp, requireReason, groups, reminded, escalated }, at) => ({
        name,
        state: states[at]!,
        need,
        rejections,
        stepUp,
        requireReason,
        votes: votes
          .filter(({ stage }) => stage === at)
          .map(({ by, person, onBehalfOf, action, revise, rejects, comment, at: time }) => ({
            by,
            person,
            onBehalfOf,
            action,
            revise,
            agrees: !rejects,
            comment,
            at: time.toISOString(),
          })),
        missing: missingIn(stages, votes, at),
        groups: groups.map((group) => group.name),
        tooFew:
          at === open && row.votersLeft !== null && row.votersLeft < missingIn(stages, votes, at)
            ? row.votersLeft
            : null,
        reminded,
        escalated,
      }),
    ),
    content: agreed?.content ?? null,
    requester,
    hasAsked: voter.hasAsked,
    canVote: why === "approver",
    why,
    votesFor: (why === "approver" && !voter.isAsked && away.find(({ id }) => id === voter.absent)) || null,
    away,
    mine: mine
      ? {
          stage: stages[mine.stage]!.name,
          action: mine.action,
          agrees: !mine.rejects,
          at: mine.at.toISOString(),
          canTakeBack: isOpen && mine.stage >= open,
        }
      : null,
  };
}
