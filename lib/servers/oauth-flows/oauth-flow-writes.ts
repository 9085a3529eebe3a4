/** Pending sign-ins at authorization servers: stored at departure, deleted by the response. */
import { z } from "zod";
import type { Tx } from "../../base/db/db.ts";
import { hashSecret, uuidv7 } from "../../base/ids.ts";
import type { Seal } from "../../base/seal.ts";
import { type AuthorizationMetadata, authorizationMetadataSchema } from "../../mcp/oauth/oauth-discovery.ts";

/** Time limit for a sign-in, by the database's clock. */
const FLOW_MS = 10 * 60_000;

/** The member and browser session of a sign-in. Responses from others are rejected. */
export interface Traveller {
  userId: string;
  sessionId: string;
}

export interface Flow extends Traveller {
  serverId: string;
  shared: boolean;
  oauthClientId: string;
  verifier: string;
  metadata: AuthorizationMetadata;
  resource: string;
  scope: string | null;
  redirectUri: string;
}

/** Stores a sign-in with the hash of the secret `state`. Also deletes expired sign-ins. */
export async function beginFlow(
  tx: Tx,
  seal: Seal,
  state: string,
  { verifier, metadata, ...flow }: Flow,
): Promise<void> {
  await tx.$executeRaw`DELETE FROM oauth_flow WHERE organization_id = ${tx.organizationId}::uuid AND expires_at < now()`;
  const [clock] = await tx.$queryRaw<{ until: Date }[]>`SELECT now() + ${FLOW_MS} * interval '1 ms' AS until`;
  if (!clock) throw new Error("the database has no clock");
  const id = uuidv7();
  await tx.oauthFlow.create({
    data: {
      organizationId: tx.organizationId,
      id,
      ...flow,
      stateHash: Uint8Array.from(hashSecret(state)),
      sealedVerifier: seal.seal(place(tx.organizationId, id), verifier),
      issuer: metadata.issuer,
      metadata,
      expiresAt: clock.until,
    },
  });
}

/**
 * Returns and deletes the sign-in of `state`, if begun in the same browser session. Returns null if unknown,
 * used, expired, or another's.
 */
export async function takeFlow(
  tx: Tx,
  seal: Seal,
  state: string,
  { userId, sessionId }: Traveller,
): Promise<Flow | null> {
  const [row] = await tx.$queryRaw<unknown[]>`
    DELETE FROM oauth_flow WHERE organization_id = ${tx.organizationId}::uuid AND state_hash = ${hashSecret(state)}
      AND user_id = ${userId}::uuid AND session_id = ${sessionId}::uuid AND expires_at > now()
    RETURNING id, user_id AS "userId", session_id AS "sessionId", server_id AS "serverId", shared,
      oauth_client_id AS "oauthClientId", sealed_verifier AS "sealedVerifier", metadata, resource, scope,
      redirect_uri AS "redirectUri"`;
  if (!row) return null;
  const { id, sealedVerifier, ...flow } = rowSchema.parse(row);
  return { ...flow, verifier: seal.open(place(tx.organizationId, id), sealedVerifier) };
}

const rowSchema = z.object({
  id: z.string(),
  userId: z.string(),
  sessionId: z.string(),
  serverId: z.string(),
  shared: z.boolean(),
  oauthClientId: z.string(),
  sealedVerifier: z.string(),
  metadata: authorizationMetadataSchema,
  resource: z.string(),
  scope: z.string().nullable(),
  redirectUri: z.string(),
});

function place(organizationId: string, id: string) {
  return { organizationId, table: "oauth_flow", row: id, column: "sealed_verifier" };
}
