/** All writes to agents' credentials and what they are granted (docs/agents.md). */

import type { Actor } from "../access/access-schema.ts";
import type { Permission } from "../access/permissions.ts";
import type { Principal } from "../access/principal.ts";
import { roleAllows } from "../access/roles.ts";
import { BOUNDS, refuseFull } from "../base/db/bounds.ts";
import type { Tx } from "../base/db/db.ts";
import { AppError, type FieldError, notFound } from "../base/errors.ts";
import { hashSecret, randomSecret, uuidv7 } from "../base/ids.ts";
import { publishChangeNow } from "../base/live-updates.ts";
import { appendEvents, type NewEvent } from "../history/events/event-writes.ts";
import { memberBehind } from "../people/api-keys/api-key-reads.ts";
import { DEFAULT_LIFETIME } from "../people/api-keys/api-key-schema.ts";
import { warningAt } from "../people/api-keys/api-key-status.ts";
import { endOf, withinOwn } from "../people/api-keys/limits.ts";
import type { CreateAgent, GrantInput, RotateAgent, UpdateAgent } from "./agent-schema.ts";
import { pinsOf } from "./grants.ts";
import { keptTools } from "./kept-tools.ts";

/** The prefix of every agent's secret, so that scanners for leaked secrets recognise it, and the API can say what it is. */
export const PREFIX = "ita_";

/** What agents do at all; what each may call, its grants say. */
export const AGENT_PERMISSIONS: Permission[] = ["tasks:read", "tasks:start", "tasks:manage"];

/**
 * Makes an agent with a secret, no stronger than its maker. Returns the secret, which is stored nowhere. Throws `forbidden`,
 * also for a key that is limited to less than an agent, `too_many_agents`, and `invalid_input` for a tool or server that is
 * not there.
 */
export async function createAgent(
  tx: Tx,
  principal: Principal,
  input: CreateAgent,
): Promise<{ id: string; secret: string }> {
  if (!roleAllows(principal.role, input.role ?? "operator"))
    throw new AppError("forbidden", `Your role is ${principal.role}: your agent can’t have a stronger one.`);
  const maker = await memberBehind(tx, principal);
  const expires = await endWithinOwn(tx, principal, input.expires);
  return insertWithSecret(tx, principal.actor, maker, { ...input, expires });
}

/**
 * Refuses a key that is limited to less than an agent does: through one it would do more. Returns the end that an agent of the
 * principal has, no later than its own.
 */
async function endWithinOwn(
  tx: Tx,
  principal: Principal,
  asked: CreateAgent["expires"],
): Promise<CreateAgent["expires"]> {
  const { expires, networks } = await withinOwn(tx, principal, {
    expires: asked,
    networks: undefined,
    permissions: AGENT_PERMISSIONS,
  });
  if (!networks) return expires;
  throw new AppError("forbidden", "A key that is limited to some networks can’t make or change agents.");
}

/** Makes an agent without a maker for the command line. */
export async function createMakerlessAgent(
  tx: Tx,
  actor: Actor,
  input: CreateAgent,
): Promise<{ id: string; secret: string }> {
  return insertWithSecret(tx, actor, null, input);
}

async function insertWithSecret(
  tx: Tx,
  actor: Actor,
  createdBy: string | null,
  { expires = DEFAULT_LIFETIME, ...input }: CreateAgent,
): Promise<{ id: string; secret: string }> {
  const secret = PREFIX + randomSecret();
  const id = await insertAgent(tx, actor, input, {
    secretHash: Uint8Array.from(hashSecret(secret)),
    createdBy,
    expiresAt: await endOf(tx, expires, new Date()),
  });
  return { id, secret };
}

/**
 * Signs a client in for a member, who consents to it: makes its agent, or returns the one that this member signed in before,
 * under the client's name of now. It has no secret: whoever gives out its tokens calls this. What it may call an admin grants.
 */
export async function signInAgent(
  tx: Tx,
  member: Principal & { userId: string },
  { oauthClientId, name }: { oauthClientId: string; name: string },
): Promise<{ id: string; created: boolean }> {
  const { userId } = member;
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(
    ${JSON.stringify(["agent", tx.organizationId, userId, oauthClientId])}, 0))`;
  const known = await tx.agentCredential.findFirst({
    where: { organizationId: tx.organizationId, userId, oauthClientId, revokedAt: null },
    select: { id: true },
  });
  if (known) return { id: known.id, created: false };
  const of = { userId, oauthClientId, createdBy: userId };
  return { id: await insertAgent(tx, member.actor, { name }, of), created: true };
}

async function insertAgent(
  tx: Tx,
  actor: Actor,
  { name, role = "operator", grants = [], holdMs = null, askAgentToo = false }: Omit<CreateAgent, "expires">,
  of: {
    createdBy: string | null;
    secretHash?: Uint8Array<ArrayBuffer>;
    userId?: string;
    oauthClientId?: string;
    expiresAt?: Date | null;
  },
): Promise<string> {
  await refuseFull(tx, {
    code: "too_many_agents",
    most: BOUNDS.agents,
    count: () => tx.agentCredential.count({ where: { organizationId: tx.organizationId, revokedAt: null } }),
    detail: `The organization has ${BOUNDS.agents} agents, which is the limit. Revoke one first.`,
  });
  const id = uuidv7();
  // Of a short life nobody is warned when it begins.
  const warnedDays = warningAt(of.expiresAt ?? null, new Date());
  await tx.agentCredential.create({
    data: { organizationId: tx.organizationId, id, name, role, holdMs, askAgentToo, warnedDays, ...of },
  });
  const granted = await replaceGrants(tx, id, grants);
  await record(tx, actor, "agent.created", id, {
    name,
    role,
    grants: granted,
    holdMs,
    askAgentToo,
    expiresAt: of.expiresAt?.toISOString() ?? null,
    ...(of.oauthClientId && { oauthClientId: of.oauthClientId }),
  });
  return id;
}

/** Changes an agent: from its next call on. Throws `not_found`, also for a revoked one, `forbidden` and `invalid_input` as `createAgent`. */
export async function updateAgent(
  tx: Tx,
  principal: Principal,
  id: string,
  { grants, ...input }: UpdateAgent,
): Promise<void> {
  await endWithinOwn(tx, principal, undefined);
  const agent = await lockAgent(tx, id);
  const { name = agent.name, holdMs = agent.holdMs, askAgentToo = agent.askAgentToo } = input;
  await tx.agentCredential.updateMany({
    where: { organizationId: tx.organizationId, id, revokedAt: null },
    data: { name, holdMs, askAgentToo },
  });
  const granted = grants && (await replaceGrants(tx, id, grants));
  await record(tx, principal.actor, "agent.changed", id, {
    name,
    ...(name !== agent.name && { from: agent.name }),
    ...(holdMs !== agent.holdMs && { holdMs }),
    ...(askAgentToo !== agent.askAgentToo && { askAgentToo }),
    ...(granted && { grants: granted }),
  });
}

/**
 * Gives an agent a new secret, which is returned and stored nowhere; the one of before is refused from now on. Only the member
 * who made the agent may, in person: to anybody else the secret would give rights that are the maker's.
 */
export async function rotateAgentSecret(
  tx: Tx,
  { actor, userId }: Principal,
  id: string,
  { expires = DEFAULT_LIFETIME }: RotateAgent,
): Promise<{ secret: string }> {
  const { name, secretHash, createdBy } = await lockAgent(tx, id);
  if (secretHash === null)
    throw new AppError("forbidden", "This agent signs in from its own program: it has no secret.");
  if (actor.kind !== "member" || createdBy === null || createdBy !== userId)
    throw new AppError(
      "forbidden",
      "Only the person who made an agent can give it a new secret. Add another agent, and revoke this one.",
    );
  const secret = PREFIX + randomSecret();
  const now = new Date();
  const expiresAt = await endOf(tx, expires, now);
  await tx.agentCredential.updateMany({
    where: { organizationId: tx.organizationId, id, revokedAt: null, secretHash },
    data: {
      secretHash: Uint8Array.from(hashSecret(secret)),
      expiresAt,
      warnedDays: warningAt(expiresAt, now),
    },
  });
  await record(tx, actor, "agent.rotated", id, { name, expiresAt: expiresAt?.toISOString() ?? null });
  return { secret };
}

/** Ends an agent at once: its calls that are held open end too. What it started goes on. */
export async function revokeAgent(tx: Tx, { actor }: Principal, id: string): Promise<void> {
  const { name } = await lockAgent(tx, id);
  await tx.agentCredential.updateMany({
    where: { organizationId: tx.organizationId, id, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  await record(tx, actor, "agent.revoked", id, { name });
}

/** Notes the warnings that are due now, each once, as those of API keys. Returns the agents that people have to be told of. */
export async function noteEndingAgents(tx: Tx): Promise<string[]> {
  const warned = await tx.$queryRaw<{ id: string }[]>`
    UPDATE agent_credential a SET warned_days = due.days FROM (
      SELECT id, CASE WHEN expires_at <= now() THEN 0 WHEN expires_at <= now() + interval '3 days' THEN 3 ELSE 14 END AS days
      FROM agent_credential WHERE organization_id = ${tx.organizationId}::uuid AND revoked_at IS NULL
        AND expires_at <= now() + interval '14 days') due
    WHERE a.organization_id = ${tx.organizationId}::uuid AND a.id = due.id AND a.warned_days IS DISTINCT FROM due.days
    RETURNING a.id`;
  return warned.map(({ id }) => id);
}

async function lockAgent(tx: Tx, id: string) {
  await tx.$queryRaw`SELECT FROM agent_credential WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid
    FOR UPDATE`;
  const agent = await tx.agentCredential.findFirst({
    where: { organizationId: tx.organizationId, id, revokedAt: null },
  });
  if (!agent) throw notFound("agent");
  return agent;
}

/** A grant as the history tells it. */
interface ToldGrant {
  serverId: string;
  server: string;
  tool: string | null;
  before?: GrantInput["before"];
}

/** Puts these grants in the place of all that the agent has. Tools that it had stay as they were pinned. */
async function replaceGrants(tx: Tx, agentId: string, grants: GrantInput[]): Promise<ToldGrant[]> {
  const { organizationId } = tx;
  // A first list that comes in at the same time would else be neither seen here nor pinned where it is stored.
  await tx.$queryRaw`SELECT FROM server WHERE organization_id = ${organizationId}::uuid
    AND id = ANY (${grants.map(({ serverId }) => serverId)}::uuid[]) AND tools_checked_at IS NULL ORDER BY id FOR SHARE`;
  const servers = await tx.server.findMany({
    where: { organizationId, id: { in: grants.map(({ serverId }) => serverId) }, removedAt: null },
    select: { id: true, name: true, toolsCheckedAt: true },
  });
  const tools = await keptTools(
    tx,
    servers.map(({ id, toolsCheckedAt }) => ({ id, checkedAt: toolsCheckedAt })),
  );
  const names = new Map(servers.map(({ id, name }) => [id, name]));
  refuseUnknown(grants, names, tools);
  const before = await readPins(tx, agentId);
  await tx.agentGrant.deleteMany({ where: { organizationId, agentId } });
  await tx.agentGrant.createMany({
    data: grants.map(({ serverId, tool = null, before: first = null, askAgentToo = null, accept = [] }) => {
      const ofServer = before.filter((one) => one.serverId === serverId);
      const earlier = ofServer.find((one) => one.tool === tool);
      const pinned = pinsOf(tools.get(serverId) ?? null, tool, ofServer, accept);
      return {
        organizationId,
        id: earlier?.id ?? uuidv7(),
        agentId,
        serverId,
        tool,
        before: first,
        askAgentToo,
        ...(pinned && { digests: pinned }),
        ...(earlier && { createdAt: earlier.createdAt }),
      };
    }),
  });
  return grants.map(({ serverId, tool = null, before: first }) => ({
    serverId,
    server: names.get(serverId) ?? "",
    tool,
    ...(first && { before: first }),
  }));
}

async function readPins(tx: Tx, agentId: string) {
  const grants = await tx.agentGrant.findMany({ where: { organizationId: tx.organizationId, agentId } });
  return grants.map((grant) => ({ ...grant, digests: grant.digests as Record<string, string> | null }));
}

/** A tool may be granted before its server has listed any. */
function refuseUnknown(
  grants: GrantInput[],
  servers: ReadonlyMap<string, string>,
  tools: Awaited<ReturnType<typeof keptTools>>,
): void {
  const errors = grants.flatMap(({ serverId, tool }, index): FieldError[] => {
    if (!servers.has(serverId))
      return [{ field: `grants.${index}.serverId`, message: "There is no such server" }];
    const listed = tools.get(serverId) ?? null;
    if (tool === undefined || listed === null || listed.has(tool)) return [];
    return [{ field: `grants.${index}.tool`, message: "The server has no such tool" }];
  });
  if (errors.length > 0) throw new AppError("invalid_input", "Some values are not valid.", { errors });
}

/** Writes history, and has open calls and pages look at the agent again. */
async function record(
  tx: Tx,
  actor: Actor,
  type: NewEvent["type"],
  agentId: string,
  data: Record<string, unknown>,
): Promise<void> {
  await publishChangeNow(tx, "agent", [agentId]);
  await appendEvents(tx, [{ type, actor, data: { agentId, ...data } }]);
}
