/**
 * What oidc-provider keeps, in Postgres: codes, tokens, grants and questions by the hash of what opens them, and clients.
 * A browser has no session at the authorization server beside its session in Intray.
 */

import type { IncomingMessage } from "node:http";
import { type Adapter, errors, type Payload, Provider } from "oidc-provider";
import { z } from "zod";
import { clientMetadataSchema } from "../../agents/oauth/agent-oauth-schema.ts";
import { shownName } from "../../agents/oauth/agent-oauth-status.ts";
import { Prisma, storable } from "../../base/db/db.ts";
import { hashSecret } from "../../base/ids.ts";
import type { WebSession } from "../auth/session-cookie.ts";
import { database } from "../database.ts";
import { wayBack } from "./addresses.ts";

const KEPT = new Set(["Interaction", "AuthorizationCode", "AccessToken", "RefreshToken", "Grant"]);

/** The adapter of one kind of record. */
export function recordsOf(kind: string): Adapter {
  if (kind === "Client") return { ...NOTHING, find: findClient };
  return KEPT.has(kind) ? keptRecords(kind) : NOTHING;
}

/** Of sessions nothing is kept; of kinds that no feature in use has, nothing is asked. */
const NOTHING: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/**
 * A client with a metadata document is the document's where a member is about to be asked, and oidc-provider fetches it. Else
 * it is what it said when a member let it in: where nobody is signed in, a stranger has no address fetched.
 */
async function findClient(id: string): Promise<Payload | undefined> {
  if (id.startsWith("https:") && Provider.ctx?.oidc.route === "authorization") return undefined;
  const db = await database();
  const [row] = await db.gate<{ metadata: unknown }>(
    Prisma.sql`SELECT metadata FROM gate.agent_client(${id.slice(0, 1_000)})`,
  );
  return row && clientMetadataSchema.parse(row.metadata);
}

const recordSchema = z.object({
  payload: z.record(z.string(), z.unknown()),
  consumed_at: z.date().nullable(),
});

function keptRecords(kind: string): Adapter {
  const endSignIn = async (signInId: string) => {
    const why = Provider.ctx?.oidc.route === "revocation" ? "client" : "used_twice";
    const db = await database();
    await db.gate(Prisma.sql`SELECT gate.end_agent_sign_in(${signInId}::uuid, ${why}) AS ended`);
  };
  return {
    ...NOTHING,
    async upsert(id, payload, lifetimeS) {
      const isQuestion = kind === "Interaction";
      // A grant is the sign-in itself; codes and tokens name it.
      const signInId = isQuestion ? null : kind === "Grant" ? id : String(payload.grantId);
      const sessionId = isQuestion ? sessionAsked() : null;
      // Neither the id nor an address with it in it is kept: they open the record.
      const { jti: _id, returnTo: _address, ...kept } = payload;
      const value = isQuestion ? { ...kept, client: clientAsking() } : kept;
      const db = await database();
      await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.keep_agent_record(${kind}, ${hashSecret(id)},
        ${signInId}::uuid, ${sessionId}::uuid, ${JSON.stringify(storable(value))}::jsonb, ${lifetimeS}::integer)`);
    },
    async find(id) {
      const db = await database();
      const [row] = await db.gate(
        Prisma.sql`SELECT payload, consumed_at FROM gate.agent_record(${kind}, ${hashSecret(id)})`,
      );
      if (!row) return undefined;
      const { payload, consumed_at: consumed } = recordSchema.parse(row);
      return {
        ...payload,
        jti: id,
        ...(kind === "Interaction" && { returnTo: wayBack(id) }),
        ...(consumed && { consumed: Math.floor(consumed.getTime() / 1000) }),
      };
    },
    async consume(id) {
      const db = await database();
      const [row] = await db.gate<{ used: boolean }>(
        Prisma.sql`SELECT gate.use_agent_record(${kind}, ${hashSecret(id)}) AS used`,
      );
      if (row?.used) return;
      // Another call used it between our look and now: as if it had been seen used, which ends the sign-in.
      const found = await this.find(id);
      if (typeof found?.grantId === "string") await endSignIn(found.grantId);
      throw new errors.InvalidGrant("it was used already");
    },
    async destroy(id) {
      if (kind === "Grant") return endSignIn(id);
      const db = await database();
      await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.remove_agent_record(${kind}, ${hashSecret(id)})`);
    },
    revokeByGrantId: endSignIn,
  };
}

/** The browser's session in which the member is asked. Nothing asks without one. */
function sessionAsked(): string {
  const session = Provider.ctx && askedIn(Provider.ctx.req);
  if (!session) throw new Error("a question without a session");
  return session.id;
}

/** See `agentQuestionSchema`. */
function clientAsking(): Payload {
  const client = Provider.ctx?.oidc.client;
  if (!client) throw new Error("a question without a client");
  const { clientId, clientName, clientIdMetadataDocument } = client;
  return {
    name: shownName(clientName),
    publisher: clientIdMetadataDocument ? new URL(clientId).host : null,
    metadata: client.metadata(),
  };
}

const sessions = new WeakMap<IncomingMessage, WebSession>();

/** Says in which session of Intray's an authorization was asked for. */
export function markAskedIn(request: IncomingMessage, session: WebSession): void {
  sessions.set(request, session);
}

export function askedIn(request: IncomingMessage): WebSession | undefined {
  return sessions.get(request);
}
