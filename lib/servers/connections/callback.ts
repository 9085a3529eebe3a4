/** The way back from an authorization server: an answer that may be forged, stale, another's, or meant for another. */
import { IssuerMismatchError, validateAuthorizationResponseIssuer } from "@modelcontextprotocol/client";
import { may } from "../../access/permissions.ts";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import type { Services } from "../../base/services.ts";
import { type OAuthRefusal, OAuthRefused } from "../../mcp/oauth/oauth-refused.ts";
import { exchangeCode } from "../../mcp/oauth/oauth-tokens.ts";
import { checkServer } from "../check.ts";
import { type Flow, takeFlow } from "../oauth-flows/transitions.ts";
import { forgetDynamicClient } from "./clients.ts";
import { openClient } from "./grants.ts";
import { saveGrant } from "./transitions.ts";

/** What became of it. `serverId`: null where nobody can tell which server it was about. */
export type Arrival =
  | { serverId: string; refused: null }
  | { serverId: string | null; refused: OAuthRefusal };

/**
 * Takes the answer that a browser brought back. Never throws what the other side said: the answer is a fixed code.
 * `sessionId` is of the browser's own session.
 */
export async function finishConnecting(
  services: Services,
  principal: Principal & { userId: string },
  sessionId: string,
  query: URLSearchParams,
): Promise<Arrival> {
  const { organizationId, userId } = principal;
  const [state, another] = query.getAll("state");
  const flow =
    state && another === undefined
      ? await services.db.withOrganization(organizationId, (tx) =>
          takeFlow(organizationId, tx, services.seal, state, { userId, sessionId }),
        )
      : null;
  if (!flow) return { serverId: null, refused: "flow_unknown" };
  const { serverId } = flow;
  try {
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
  // What the server looks like to who is signed in. How that went shows as the server's health.
  await checkServer(services, principal, serverId);
  return { serverId, refused: null };
}

/**
 * The code of an answer that comes from where the browser was sent (RFC 9207, A6). On an error the issuer is checked
 * first: what an attacker's server says is not even read.
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
  if (error !== null) throw new OAuthRefused(ERRORS[error] ?? "sign_in_failed");
  const code = only(query, "code");
  if (!code) throw new OAuthRefused("malformed");
  return { code, iss };
}

const ERRORS: Record<string, OAuthRefusal> = { access_denied: "denied", invalid_scope: "scope_refused" };

/** A parameter that is there once. Twice, nobody can tell which one others have read. */
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
  // They may have lost the role while they were away.
  if (!may(role, shared ? "connections:share" : "connections:own")) throw new OAuthRefused("not_allowed");
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
        await within((tx) => forgetDynamicClient(organizationId, tx, row.id));
      throw error;
    },
  );
  await within(async (tx) => {
    const server = await tx.server.findFirstOrThrow({
      where: { organizationId, id: serverId },
      select: { id: true, name: true },
    });
    await saveGrant(organizationId, tx, principal, services.seal, {
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
