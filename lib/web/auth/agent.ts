/** Agents: programs that reach Intray by MCP, with a secret of theirs or as clients that a member signed in. */
import { roleSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { AGENT_PERMISSIONS, PREFIX } from "../../agents/agent-writes.ts";
import { Prisma } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import { hashSecret } from "../../base/ids.ts";
import { rememberedNetworkOf } from "../../base/network/address.ts";
import { leavesOut, refuse } from "../../people/organizations/addresses.ts";
import { mcpAddress } from "../agent-oauth/addresses.ts";
import { database } from "../database.ts";
import { countCall } from "../http/calls.ts";
import { clientAddress } from "../http/client-address.ts";
import { noteAgentUse } from "./agent-use.ts";
import { originOf } from "./origin.ts";

/** An agent that calls, as transitions know it (`principal`) and as `/mcp` serves it. */
export interface AgentCaller {
  principal: Principal;
  agent: {
    id: string;
    name: string;
    /** Null: as the client's name suggests. */
    holdMs: number | null;
    askAgentToo: boolean;
    /** The member who signed it in, as whom it acts; null: it has a secret. */
    userId: string | null;
    oauthClientId: string | null;
    /** The sign-in that its token is of, which may end before the agent does; null: it has a secret. */
    signInId: string | null;
    /** Of the secret that it called with, in hex; null: it signed in, or is known by its id alone. */
    secretHash: string | null;
  };
}

/**
 * Returns the agent behind a request's Bearer secret or access token, or null: none, or one that was revoked or whose member
 * is none any more. Throws `key_expired`, `key_rests` where the sign-in provider has signed the member behind it out, and
 * `address_not_allowed_for_organization`, which leaves a line of history. Each call asks: an agent that is revoked is none
 * at its next call.
 */
export async function authenticateAgent(request: Request): Promise<AgentCaller | null> {
  const secret = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (secret === undefined) return null;
  const address = clientAddress(request.headers.get("x-forwarded-for"));
  if (!secret.startsWith(PREFIX)) {
    const found = await agentByToken(secret);
    const caller = found && (await agentById(found.organizationId, found.agentId, address));
    return caller && { ...caller, agent: { ...caller.agent, signInId: found.signInId } };
  }
  return admitBySecret(hashSecret(secret).toString("hex"), address);
}

/** As `authenticateAgent`, once more for whom it returned, as of a call that is held open: null too once its secret was replaced. */
export async function admitAgain(
  { principal, agent }: AgentCaller,
  address: string,
): Promise<AgentCaller | null> {
  if (agent.secretHash !== null) return admitBySecret(agent.secretHash, address);
  if (agent.signInId !== null && !(await signInStands(agent.signInId))) return null;
  return agentById(principal.organizationId, agent.id, address);
}

/** As `authenticateAgent`, of an agent known by its id. */
export async function agentById(
  organizationId: string,
  agentId: string,
  address: string,
): Promise<AgentCaller | null> {
  return admit(Prisma.sql`gate.agent_by_id(${organizationId}::uuid, ${agentId}::uuid)`, address);
}

/**
 * Returns the agent as it would call, without a note that it was there; null as `authenticateAgent`. Throws `suspended` where its calls
 * are refused.
 */
export async function agentAsCaller(organizationId: string, agentId: string): Promise<AgentCaller | null> {
  const db = await database();
  const [row] = await db.gate<AgentRow>(
    Prisma.sql`SELECT * FROM gate.agent_by_id(${organizationId}::uuid, ${agentId}::uuid)`,
  );
  if (!row) return null;
  if (row.ended) throw new AppError("suspended", "The agent’s secret has ended, so its calls are refused.");
  if (row.rests)
    throw new AppError(
      "suspended",
      "The agent is suspended until its member signs in again, so its calls are refused.",
    );
  return callerOf(row);
}

async function admitBySecret(secretHash: string, address: string): Promise<AgentCaller | null> {
  const found = Prisma.sql`gate.agent_by_secret(${Buffer.from(secretHash, "hex")})`;
  const caller = await admit(found, address);
  return caller && { ...caller, agent: { ...caller.agent, secretHash } };
}

async function admit(found: Prisma.Sql, address: string): Promise<AgentCaller | null> {
  const db = await database();
  const [row] = await db.gate<AgentRow>(Prisma.sql`SELECT * FROM ${found}`);
  if (!row) return null;
  if (row.ended)
    throw new AppError("key_expired", `The secret of this agent ended ${row.ends_at?.toISOString()}.`);
  const actor = { kind: "agent" as const, id: row.id, name: row.name };
  if (leavesOut(row.organization_networks, address)) await refuse(db, row.organization_id, address, actor);
  if (row.rests)
    throw new AppError(
      "key_rests",
      "This agent is suspended: its member must sign in again through the sign-in provider.",
    );
  if (!row.noted) await noteAgentUse(row.organization_id, row.id, { network: rememberedNetworkOf(address) });
  return callerOf(row);
}

function callerOf(row: AgentRow): AgentCaller {
  return {
    principal: {
      organizationId: row.organization_id,
      userId: row.user_id,
      role: roleSchema.parse(row.role),
      actor: { kind: "agent", id: row.id, name: row.name },
      scope: { permissions: AGENT_PERMISSIONS, servers: [], tools: [] },
    },
    agent: {
      id: row.id,
      name: row.name,
      holdMs: row.hold_ms,
      askAgentToo: row.ask_agent_too,
      userId: row.user_id,
      oauthClientId: row.oauth_client_id,
      signInId: null,
      secretHash: null,
    },
  };
}

interface AgentRow {
  organization_id: string;
  id: string;
  name: string;
  role: string;
  user_id: string | null;
  oauth_client_id: string | null;
  ends_at: Date | null;
  ended: boolean;
  rests: boolean;
  organization_networks: string[];
  hold_ms: number | null;
  ask_agent_too: boolean;
  /** That it was there in this minute is written down. */
  noted: boolean;
}

/**
 * Returns the agent that an access token for /mcp belongs to, or null for any other text, and once anything is gone that
 * the token rests on: the agent, its member's membership, sign-in or right to be here. Looks at all of it at each call.
 */
async function agentByToken(
  token: string,
): Promise<{ organizationId: string; agentId: string; signInId: string } | null> {
  const db = await database();
  const [row] = await db.gate<{
    organization_id: string;
    agent_id: string;
    sign_in_id: string;
    noted: boolean;
  }>(Prisma.sql`SELECT * FROM gate.agent_of_token(${hashSecret(token)}, ${mcpAddress()})`);
  if (!row) return null;
  if (!row.noted)
    await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.note_agent_session(${row.sign_in_id}::uuid)`);
  return { organizationId: row.organization_id, agentId: row.agent_id, signInId: row.sign_in_id };
}

/** Whether all is there still that the sign-in rests on, but for the token. */
async function signInStands(signInId: string): Promise<boolean> {
  const db = await database();
  const rows = await db.gate(Prisma.sql`SELECT 1 AS stands FROM gate.agent_sign_in(${signInId}::uuid)`);
  return rows.length > 0;
}

/**
 * As `authenticateAgent`, for an address of agents: `/mcp` and hooks of programs. Counts the call. Throws also `cross_site` and
 * `throttled`.
 */
export async function identifyAgent(request: Request): Promise<AgentCaller> {
  refuseOtherOrigin(request);
  const { key } = originOf(request);
  // Whether it starts something is known once its body is read.
  const counted = (caller: AgentCaller | null) => countCall(caller, key, "GET");
  const caller = await authenticateAgent(request).catch(async (error: unknown) => {
    if (error instanceof AppError) await counted(null);
    throw error;
  });
  await counted(caller);
  if (!caller) throw new AppError("unauthenticated", "Send an agent’s secret as a Bearer token, or sign in.");
  return caller;
}

/** Browsers' pages are no agents: one that guesses an address in its user's network is refused, whatever it knows. */
function refuseOtherOrigin(request: Request): void {
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== new URL(env().url).origin)
    throw new AppError("cross_site", "Pages of other sites are not served here.");
}
