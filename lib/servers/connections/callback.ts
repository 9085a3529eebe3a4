/** Processes responses of authorization servers, which may be forged, stale, or meant for somebody else. */
import { IssuerMismatchError, validateAuthorizationResponseIssuer } from "@modelcontextprotocol/client";
import { roleSchema } from "../../access/access-schema.ts";
import { may } from "../../access/permissions.ts";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import type { Services } from "../../base/process/services.ts";
import { type OAuthRefusal, OAuthRefused } from "../../mcp/oauth/oauth-fetch.ts";
import { exchangeCode } from "../../mcp/oauth/oauth-tokens.ts";
import { checkServer } from "../check.ts";
import { type Flow, takeFlow } from "../oauth-flows/oauth-flow-writes.ts";
import { forgetDynamicClient } from "./clients.ts";
import { saveGrant } from "./connection-writes.ts";
import { openClient } from "./grants.ts";

/** The result of a sign-in. `serverId` is null if the server is unknown. */
export type Arrival =
  | { serverId: string; refused: null }
  | { serverId: string | null; refused: OAuthRefusal };

/**
 * Processes the response that a browser brought back to `url`. Returns a fixed code on failure, never the other side's
 * text. `sessionId` is the browser's own session.
 */
export async function finishConnecting(
  services: Services,
  principal: Principal & { userId: string },
  sessionId: string,
  { pathname, searchParams: query }: URL,
): Promise<Arrival> {
  const { organizationId, userId } = principal;
  const [state, another] = query.getAll("state");
  const flow =
    state && another === undefined
      ? await services.db.withOrganization(organizationId, (tx) =>
          takeFlow(tx, services.seal, state, { userId, sessionId }),
        )
      : null;
  if (!flow) return { serverId: null, refused: "flow_unknown" };
  const { serverId } = flow;
  try {
    // An answer at another issuer's address is another issuer's, whatever it says (RFC 9700, 4.4.2.2).
    if (pathname !== new URL(flow.redirectUri).pathname) throw new OAuthRefused("issuer_mismatch");
    await exchangeAndKeep(services, principal, flow, codeIn(query, flow));
  } catch (error) {
    if (error instanceof OAuthRefused) {
      log.info({ serverId, code: error.code }, "a sign-in at a server came to nothing");
      return { serverId, refused: error.code };
    }
    if (error instanceof AppError && error.code === "not_found")
      return { serverId: null, refused: "flow_unknown" };
    throw error;
  }
  // Probes with the new token. The server's health shows the result.
  await checkServer(services, principal, serverId);
  return { serverId, refused: null };
}

/**
 * Returns the code of a response, after checking that the expected issuer sent the response (RFC 9207, A6).
 * The check comes before the error parameter is read, which an attacker may have written.
 */
function codeIn(query: URLSearchParams, { metadata }: Flow): { code: string; iss: string | undefined } {
  const iss = only(query, "iss") ?? undefined;
  try {
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch (error) {
    throw error instanceof IssuerMismatchError ? new OAuthRefused("issuer_mismatch") : error;
  }
  const error = only(query, "error");
  if (error !== null) throw new OAuthRefused(ERRORS.get(error) ?? "sign_in_failed");
  const code = only(query, "code");
  if (!code) throw new OAuthRefused("malformed");
  return { code, iss };
}

const ERRORS = new Map<string, OAuthRefusal>([
  ["access_denied", "denied"],
  ["invalid_scope", "scope_refused"],
]);

/** Returns a parameter, or null. Rejects duplicates, of which others may have read the other one. */
function only(query: URLSearchParams, name: string): string | null {
  const all = query.getAll(name);
  if (all.length > 1) throw new OAuthRefused("malformed");
  return all[0] ?? null;
}

async function exchangeAndKeep(
  services: Services,
  principal: Principal & { userId: string },
  flow: Flow,
  { code, iss }: { code: string; iss: string | undefined },
): Promise<void> {
  const { organizationId, role } = principal;
  const { serverId, shared, oauthClientId, metadata, resource, scope, verifier, redirectUri } = flow;
  // The member may have lost the role meanwhile.
  const needed = shared ? "connections:share" : "connections:own";
  if (!may(role, needed)) throw new OAuthRefused("not_allowed");
  const within = <T>(work: (tx: Tx) => Promise<T>) => services.db.withOrganization(organizationId, work);
  const row = await within((tx) =>
    tx.oauthClient.findFirst({
      where: { organizationId, id: oauthClientId, serverId, issuer: metadata.issuer },
      select: { id: true, clientId: true, sealedSecret: true },
    }),
  );
  if (!row) throw new OAuthRefused("client_refused");
  const client = openClient(services.seal, organizationId, row);
  const answer = { code, iss, verifier, redirectUri };
  const tokens = await exchangeCode({ metadata, client, resource }, answer, services.network).catch(
    async (error: unknown) => {
      if (error instanceof OAuthRefused && error.code === "client_refused")
        await within((tx) => forgetDynamicClient(tx, row.id));
      throw error;
    },
  );
  await within(async (tx) => {
    // The authorization server chose how long it took: the role is looked at once more, and kept as it is until the commit.
    const [now] = await tx.$queryRaw<{ role: string }[]>`SELECT role FROM membership
      WHERE organization_id = ${organizationId}::uuid AND user_id = ${principal.userId}::uuid FOR SHARE`;
    if (!now || !may(roleSchema.parse(now.role), needed)) throw new OAuthRefused("not_allowed");
    const server = await tx.server.findFirstOrThrow({
      where: { organizationId, id: serverId },
      select: { id: true, name: true },
    });
    await saveGrant(tx, principal, services.seal, {
      server,
      shared,
      issuer: metadata.issuer,
      metadata,
      resource,
      clientId: client.clientId,
      scope,
      tokens,
    });
  });
}
