/** Judges a request that is about to be stored, in the transaction that stores it. */
import { z } from "zod";
import { actorSchema } from "../access/access-schema.ts";
import { Prisma } from "../base/db/db.ts";
import { REQUESTER } from "../people/members/one-maker.ts";
import { type Calendar, calendarSchema } from "./calendar/calendar-schema.ts";
import type { AskedRequest } from "./facts.ts";
import { IN_GROUPS } from "./groups/group-reads.ts";
import { type Approval, judgePolicy } from "./judge.ts";
import { groupIdsSchema, peopleSchema } from "./policy-reads.ts";
import { type Policy, policyInputSchema } from "./policy-schema.ts";
import { allGroupsOf, type GroupIds, groupsOf, type People } from "./problems.ts";

/** SQL: the role of who requested the task `t`, as it is now; null: they have none any more. */
export const ROLE_OF_REQUESTER = Prisma.sql`CASE t.requested_by ->> 'kind'
      WHEN 'key' THEN (SELECT k.role FROM api_key k WHERE k.organization_id = t.organization_id
        AND k.id = (t.requested_by ->> 'id')::uuid)
      WHEN 'agent' THEN (SELECT a.role FROM agent_credential a WHERE a.organization_id = t.organization_id
        AND a.id = (t.requested_by ->> 'id')::uuid)
      ELSE (SELECT m.role FROM membership m WHERE m.organization_id = t.organization_id AND m.user_id = ${REQUESTER}) END`;

/** SQL: the names of the organization's groups in which who asked for the task `t` is now. */
export const GROUPS_OF_REQUESTER = Prisma.sql`(SELECT json_agg(coalesce(made.name, given.display_name)) FROM membership m
      JOIN ${IN_GROUPS} i ON i.organization_id = m.organization_id AND i.member_id = m.id
      LEFT JOIN organization_group made ON made.organization_id = i.organization_id AND made.id = i.group_id
      LEFT JOIN directory_group given ON given.organization_id = i.organization_id AND given.id = i.group_id
      WHERE m.organization_id = t.organization_id AND m.user_id = ${REQUESTER})`;

/**
 * SQL: the policy in force with what rules ask about the task `t`, as JSON; null without a policy. A part of the statement that
 * reads the task anyway, so that a policy costs no statement, and none at all a look at an empty index.
 */
export const POLICY_OF_TASK = Prisma.sql`(SELECT json_build_object('version', v.version, 'policy', v.policy - 'tests', 'people', v.people, 'groups', v.group_ids,
    'server', (SELECT json_build_object('id', s.id, 'name', s.name) FROM server s
      WHERE s.organization_id = t.organization_id AND s.id = t.server_id),
    'createdAt', t.created_at, 'now', now(),
    'calendar', (SELECT w.calendar FROM working_calendar w WHERE w.organization_id = t.organization_id), 'requestedBy', t.requested_by, 'person', ${REQUESTER},
    'isIn', ${GROUPS_OF_REQUESTER}, 'role', ${ROLE_OF_REQUESTER})
  FROM policy_version v WHERE v.organization_id = t.organization_id ORDER BY v.version DESC LIMIT 1)`;

const policyOfTaskSchema = z.object({
  version: z.int(),
  policy: policyInputSchema,
  people: peopleSchema,
  groups: groupIdsSchema,
  server: z.object({ id: z.string(), name: z.string() }),
  createdAt: z.coerce.date(),
  /** By the database's clock, by which timers go. */
  now: z.coerce.date(),
  calendar: calendarSchema.nullable(),
  requestedBy: actorSchema,
  person: z.string().nullable(),
  /** Names of the organization's groups that the requester is in. */
  isIn: z.array(z.string()).nullable(),
  role: z.string().nullable(),
});

/** The version of the policy in force, as `POLICY_OF_TASK` read it; null: there is no policy. */
export function versionOf(policy: unknown): number | null {
  return z.object({ version: z.int() }).nullish().parse(policy)?.version ?? null;
}

interface Task {
  /** As `POLICY_OF_TASK` read it. */
  policy: unknown;
  tool: string;
  label: string | null;
  arguments: Record<string, unknown>;
}

/** Who has to agree on a request of this task; null: any one approver. A policy that can't be read fails the capture. */
export function judgeRequest(task: Task, request: AskedRequest["request"]): Approval | null {
  if (task.policy === null || task.policy === undefined) return null;
  const { asked, ...inForce } = readAsked(task, request);
  return judgePolicy(inForce, asked);
}

/** The policy in force, and the request as its rules see it. `ownGroups`: those of the policy itself that its requester is in. */
export function readAsked(
  task: Task,
  request: AskedRequest["request"],
): {
  version: number;
  policy: Policy;
  people: People;
  groups: GroupIds;
  calendar: Calendar | null;
  asked: AskedRequest;
  ownGroups: string[];
} {
  const { version, policy, people, groups, calendar, ...read } = policyOfTaskSchema.parse(task.policy);
  const { server, createdAt, now, requestedBy, person, role } = read;
  const asked: AskedRequest = {
    server,
    tool: task.tool,
    task: { label: task.label, arguments: task.arguments, createdAt },
    request,
    requester: { actor: requestedBy, role, groups: allGroupsOf(policy, people, person, read.isIn ?? []) },
    now,
  };
  return { version, policy, people, groups, calendar, asked, ownGroups: groupsOf(policy, people, person) };
}

/** Whether the policy, as `POLICY_OF_TASK` read it, has rules that are asked about requests: in shadow, or live. */
export function hasAutomaticRules(policy: unknown): boolean {
  const { automatic = [] } = modesSchema.nullish().parse(policy)?.policy ?? {};
  return automatic.some(({ mode }) => mode !== "off");
}

const modesSchema = z.object({
  policy: z.object({ automatic: z.array(z.object({ mode: z.string() })).optional() }),
});
