import { setImmediate as otherWork } from "node:timers/promises";
import { roleSchema } from "../access/access-schema.ts";
import { readPosition, toPage } from "../base/cursor.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { notFound } from "../base/errors.ts";
import type { Page, PageQuery } from "../base/page.ts";
import { warningAt } from "../people/api-keys/api-key-status.ts";
import type { Agent, AgentGrant, Before } from "./agent-schema.ts";
import { keptTools } from "./kept-tools.ts";

/** Grants of a page of agents: it ends before an agent that would bring more, unless that is its first one. */
const MOST_GRANTS = 2_000;

/** Lists agents that were not revoked, oldest first; those that have ended too. A page is shorter than was asked where they have many grants. */
export async function listAgents(tx: Tx, query: PageQuery): Promise<Page<Agent>> {
  const after = readPosition(query.cursor);
  const at = after?.createdAt.toISOString();
  const rows = await tx.$queryRaw<
    AgentRow[]
  >`${SELECT} WHERE a.organization_id = ${tx.organizationId}::uuid AND ${SHOWN}
    ${after ? Prisma.sql`AND (a.created_at, a.id) > (${at}::timestamptz, ${after.id}::uuid)` : Prisma.empty}
    ORDER BY a.created_at, a.id LIMIT ${query.limit + 1}`;
  const limit = Math.min(query.limit, fittingOf(rows));
  const grants = await readGrants(
    tx,
    rows.slice(0, limit).map(({ id }) => id),
  );
  return toPage(
    rows,
    limit,
    (row) => row,
    (row) => toAgent(row, grants.get(row.id) ?? []),
  );
}

/** How many of these agents make a page. */
function fittingOf(rows: AgentRow[]): number {
  let sum = 0;
  for (const [place, { grantCount }] of rows.entries()) {
    sum += grantCount;
    if (sum > MOST_GRANTS && place > 0) return place;
  }
  return rows.length;
}

/** Throws `not_found`, also for one that was revoked. */
export async function readAgent(tx: Tx, id: string): Promise<Agent> {
  const [row] = await tx.$queryRaw<AgentRow[]>`${SELECT}
    WHERE a.organization_id = ${tx.organizationId}::uuid AND a.id = ${id}::uuid AND ${SHOWN}`;
  if (!row) throw notFound("agent");
  return toAgent(row, (await readGrants(tx, [id])).get(id) ?? []);
}

/** SQL: the role of the member behind the agent `a`, which bounds its own; null: the command line made it. */
export const MEMBER_ROLE = Prisma.sql`(SELECT m.role FROM membership m WHERE m.organization_id = a.organization_id
  AND m.user_id = coalesce(a.user_id, a.created_by))`;

/** SQL condition: the agent `a` was not revoked, and the person behind it is a member. An expired one may get a new secret. */
export const AGENT_REMAINS = Prisma.sql`(a.revoked_at IS NULL
  AND (coalesce(a.user_id, a.created_by) IS NULL OR ${MEMBER_ROLE} IS NOT NULL))`;

/** SQL condition: the agent `a` remains, and has not expired. */
export const AGENT_IN_FORCE = Prisma.sql`(${AGENT_REMAINS} AND (a.expires_at IS NULL OR a.expires_at > now()))`;

const SELECT = Prisma.sql`SELECT a.id, a.name, a.role, a.created_at AS "createdAt", a.expires_at AS "expiresAt",
    a.hold_ms AS "holdMs", a.ask_agent_too AS "askAgentToo", a.client_name AS "clientName",
    a.client_version AS "clientVersion", a.first_seen_at AS "firstSeenAt", a.last_seen_at AS "lastSeenAt",
    a.last_seen_network AS "lastSeenNetwork", a.calls::float8 AS calls, coalesce(o.tasks, 0) AS "openTasks",
    (SELECT count(*)::integer FROM task t WHERE t.organization_id = a.organization_id AND t.agent_id = a.id
      AND t.state = 'input_required') AS "waitingTasks",
    (SELECT count(*)::integer FROM agent_grant g WHERE g.organization_id = a.organization_id AND g.agent_id = a.id) AS "grantCount",
    a.user_id AS "memberId", member.name AS "memberName", a.created_by AS "makerId", maker.name AS "makerName", now()
  FROM agent_credential a LEFT JOIN "user" member ON member.id = a.user_id
    LEFT JOIN "user" maker ON maker.id = a.created_by
    LEFT JOIN open_tasks o ON o.organization_id = a.organization_id AND o.requester = 'agent ' || a.id`;

/** One whose member is none any more has ended with the membership. */
const SHOWN = Prisma.sql`a.revoked_at IS NULL
  AND (coalesce(a.user_id, a.created_by) IS NULL OR coalesce(member.id, maker.id) IS NOT NULL)`;

interface AgentRow {
  id: string;
  name: string;
  role: string;
  createdAt: Date;
  expiresAt: Date | null;
  holdMs: number | null;
  askAgentToo: boolean;
  clientName: string | null;
  clientVersion: string | null;
  firstSeenAt: Date | null;
  lastSeenAt: Date | null;
  lastSeenNetwork: string | null;
  calls: number;
  openTasks: number;
  waitingTasks: number;
  /** Those of removed servers too. */
  grantCount: number;
  memberId: string | null;
  memberName: string | null;
  makerId: string | null;
  makerName: string | null;
  now: Date;
}

function toAgent(row: AgentRow, grants: AgentGrant[]): Agent {
  const { id, name, holdMs, askAgentToo, clientName, lastSeenNetwork, calls, openTasks, waitingTasks } = row;
  const person = (personId: string | null, called: string | null) =>
    personId === null ? null : { id: personId, name: called ?? "a former member" };
  return {
    id,
    name,
    role: roleSchema.parse(row.role),
    member: person(row.memberId, row.memberName),
    createdBy: person(row.makerId, row.makerName),
    createdAt: row.createdAt.toISOString(),
    state: stateOf(row.expiresAt, row.now),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    holdMs,
    askAgentToo,
    client: clientName === null ? null : { name: clientName, version: row.clientVersion },
    firstSeenAt: row.firstSeenAt?.toISOString() ?? null,
    lastSeenAt: row.lastSeenAt?.toISOString() ?? null,
    lastSeenNetwork,
    calls,
    openTasks,
    waitingTasks,
    grants,
  };
}

interface GrantRow {
  id: string;
  agentId: string;
  serverId: string;
  serverName: string;
  checkedAt: Date | null;
  tool: string | null;
  before: Before | null;
  askAgentToo: boolean | null;
  /** Of its digests. */
  bytes: number;
}

/** Returns the grants of agents, each with the tools that are not as they were granted. */
async function readGrants(tx: Tx, agentIds: string[]): Promise<Map<string, AgentGrant[]>> {
  const rows = await tx.$queryRaw<GrantRow[]>`
    SELECT g.id, g.agent_id AS "agentId", g.server_id AS "serverId", s.name AS "serverName", s.tools_checked_at AS "checkedAt",
      g.tool, g.before, g.ask_agent_too AS "askAgentToo", coalesce(pg_column_size(g.digests), 0) AS bytes
    FROM agent_grant g JOIN server s ON s.organization_id = g.organization_id AND s.id = g.server_id
    WHERE g.organization_id = ${tx.organizationId}::uuid AND g.agent_id = ANY (${agentIds}::uuid[])
      AND s.removed_at IS NULL
    ORDER BY s.created_at, s.id, g.tool NULLS FIRST`;
  const changed = await readChanges(tx, rows);
  const byAgent = Map.groupBy(rows, ({ agentId }) => agentId);
  return new Map(
    [...byAgent].map(([agentId, own]) => [
      agentId,
      own.map(({ id, serverId, serverName, tool, before, askAgentToo }) => ({
        ...{ serverId, serverName, tool, before, askAgentToo },
        changed: changed.get(id) ?? [],
      })),
    ]),
  );
}

/** Most changed tools that one answer names, shared by its agents: more are approved in several steps. */
const MOST_CHANGES = 5_000;
/** Bytes of digests that are read at a time, as they are stored. */
const DIGESTS_BYTES = 512 * 1024;

/** Returns the tools that are not as they were granted, by the id of their grant. */
async function readChanges(tx: Tx, grants: GrantRow[]): Promise<Map<string, AgentGrant["changed"]>> {
  const changed = new Map<string, AgentGrant["changed"]>();
  const left = new Map(grants.map(({ agentId }) => [agentId, 0]));
  for (const agentId of left.keys()) left.set(agentId, Math.ceil(MOST_CHANGES / left.size));
  const named = new Set(grants.map(keyOf));
  // Few at a time: each list, and what a grant has pinned of it, may be long.
  for (const [id, own] of Map.groupBy(grants, ({ serverId }) => serverId)) {
    const checkedAt = own[0]?.checkedAt ?? null;
    const listed = [...((await keptTools(tx, [{ id, checkedAt }])).get(id) ?? [])];
    for (const some of portionsOf(own)) {
      const pinned = await tx.agentGrant.findMany({
        where: { organizationId: tx.organizationId, id: { in: some.map((grant) => grant.id) } },
        select: { id: true, digests: true },
      });
      const digestsOf = new Map(pinned.map((grant) => [grant.id, grant.digests as GrantedDigests]));
      for (const grant of some) {
        const digests = digestsOf.get(grant.id) ?? null;
        const isCovered = (tool: string) =>
          grant.tool === null ? !named.has(keyOf({ ...grant, tool })) : grant.tool === tool;
        const all = listed
          .filter(([tool, { digest }]) => isCovered(tool) && isChanged({ digests }, tool, digest))
          .slice(0, left.get(grant.agentId));
        left.set(grant.agentId, (left.get(grant.agentId) ?? 0) - all.length);
        changed.set(
          grant.id,
          all.map(([tool, { digest }]) => changeOf(tool, digest, digests)),
        );
        await otherWork();
      }
    }
  }
  return changed;
}

/** Which tool of which server an agent is granted; of two grants, that of the tool goes before that of its server. */
const keyOf = ({ agentId, serverId, tool }: Pick<GrantRow, "agentId" | "serverId" | "tool">) =>
  JSON.stringify([agentId, serverId, tool]);

/** The same grants in their order, in portions whose digests can be read at a time. */
function portionsOf(grants: GrantRow[]): GrantRow[][] {
  const portions: GrantRow[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const grant of grants) {
    bytes += grant.bytes;
    if (bytes <= DIGESTS_BYTES) portions.at(-1)?.push(grant);
    else {
      portions.push([grant]);
      bytes = grant.bytes;
    }
  }
  return portions;
}

function changeOf(tool: string, digest: string, digests: GrantedDigests): AgentGrant["changed"][number] {
  const isNew = !Object.hasOwn(digests ?? {}, tool);
  return { tool, digest, grantedDigest: isNew ? null : (digests?.[tool] ?? null), isNew };
}

/** The state of an agent that was not revoked. */
function stateOf(expiresAt: Date | null, now: Date): Agent["state"] {
  if (expiresAt && expiresAt <= now) return "expired";
  return warningAt(expiresAt, now) === null ? "active" : "expiring";
}

/** A tool's digest, as listed now and as it was granted. */
export interface Granted {
  /** Null: granted before the server had listed any, so that its first list counts. */
  digests: GrantedDigests;
}

/** By tool. */
type GrantedDigests = Readonly<Record<string, string>> | null;

/** Whether a tool is not as it was granted, or was not there then. */
export function isChanged({ digests }: Granted, tool: string, digest: string): boolean {
  return digests !== null && (Object.hasOwn(digests, tool) ? digests[tool] : undefined) !== digest;
}
