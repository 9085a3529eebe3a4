/** Puts all open requests of an organization under a policy of two stages, as if they had been asked under it. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { type Approval, type ApprovalStage, approvalSchema } from "../../lib/policy/judge.ts";

const HOUR_MS = 3_600_000;

/**
 * Of four requests in the first stage, one asks the voter by role; one has the voter's vote, and waits for another; one asks other
 * people by name; one other roles. Each is due within a day.
 */
export async function putUnderStages(
  adminUrl: string,
  organizationId: string,
  { voter, others }: { voter: string; others: string[] },
): Promise<void> {
  const kinds = [
    approvalOf({ roles: ["approver"] }),
    approvalOf({ roles: ["approver"], need: 2 }, [voter]),
    approvalOf({ people: others }),
    approvalOf({ roles: ["admin", "owner"] }),
  ];
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    // Triggers would tell each change to whoever watches: what they keep is written here.
    await admin.query("SET session_replication_role = replica");
    for (const [nth, approval] of kinds.entries())
      await admin.query(
        `UPDATE input_request r SET decide_by = due.at, ballot = ballot_of($3::jsonb), kept_out = kept_out_by($3::jsonb, t.requested_by),
           approval = jsonb_set($3::jsonb, '{dueAt}', to_jsonb(to_char(due.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
         FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM input_request WHERE organization_id = $1 AND state = 'open') open,
           LATERAL (SELECT date_trunc('ms', now()) + open.n * interval '800 ms' AS at) due, task t
         WHERE t.organization_id = r.organization_id AND t.id = r.task_id AND r.organization_id = $1 AND r.id = open.id AND open.n % ${kinds.length} = $2`,
        [organizationId, nth, JSON.stringify(approval)],
      );
    await admin.query(
      `INSERT INTO vote (organization_id, id, input_request_id, stage, question_hash, content_digest, action, rejects, person, cast_by)
       SELECT organization_id, gen_random_uuid(), id, 0, question_hash, repeat('0', 64), 'accept', false, $2::uuid,
         jsonb_build_object('kind', 'member', 'id', $2::uuid, 'name', 'Ben')
       FROM input_request WHERE organization_id = $1 AND state = 'open' AND jsonb_exists(approval -> 'open' -> 'voted', $2::text)`,
      [organizationId, voter],
    );
    await admin.query("VACUUM ANALYZE input_request");
    await admin.query("ANALYZE vote");
  } finally {
    await admin.end();
  }
}

function approvalOf(first: Partial<ApprovalStage>, voted: string[] = []): Approval {
  const stage = (name: string, more: Partial<ApprovalStage>) => ({
    name,
    roles: [],
    people: [],
    groups: [],
    need: 1,
    rejections: 1,
    stepUp: false,
    requireReason: [],
    ...more,
  });
  const { roles = [], people = [] } = first;
  const now = Date.now();
  return approvalSchema.parse({
    rule: "Large invoices",
    version: 1,
    requester: "excluded",
    dueAt: new Date(now + HOUR_MS).toISOString(),
    due: ["1h"],
    askedAt: new Date(now).toISOString(),
    failed: [],
    stages: [stage("Finance", first), stage("Board", { people: [randomUUID()] })],
    open: { stage: 0, roles, people, groups: [], voted, since: new Date(now).toISOString() },
  });
}
