/**
 * Members' accounts at Teams. A member links theirs by signing in at Microsoft with the organization's own app (OpenID Connect), so that
 * nobody can link another person's. lib/outbound/channel/delivery.ts writes what came of messages.
 */
import { z } from "zod";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import type { Seal } from "../../base/seal.ts";
import { noteLinked, readOwnAccount } from "../channel/account-writes.ts";
import { claimsIn, type Linking, newState, openState } from "../channel/linking.ts";
import { TEAMS } from "../channel/platforms.ts";
import type { Cloud } from "./cloud.ts";
import { readConversation } from "./conversation-writes.ts";
import { askTokens, failureOf, openApp, type TeamsMeans } from "./teams-api.ts";
import { CALLBACK_PATH, type LinkRefusal, type OwnTeams } from "./teams-schema.ts";

/** Returns where the member's browser goes to sign in at Microsoft. Throws `not_found` if Teams is not set up. */
export async function beginTeamsLink(
  tx: Tx,
  linking: Linking,
  { seal, cloud, appUrl }: { seal: Seal; cloud: Cloud; appUrl: string },
): Promise<string> {
  const app = await openApp(tx, seal);
  if (!app) throw notFound("Teams app");
  const { state, nonce } = newState(TEAMS, seal, linking);
  const url = new URL(`${cloud.loginUrl}/${app.tenantId}/oauth2/v2.0/authorize`);
  url.search = new URLSearchParams({
    response_type: "code",
    response_mode: "query",
    scope: "openid profile",
    client_id: app.appId,
    state,
    nonce,
    // Somebody may be signed in there with more than one account.
    prompt: "select_account",
    redirect_uri: appUrl + CALLBACK_PATH,
  }).toString();
  return url.href;
}

/** Of Entra's ID tokens (https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference). */
const claimsSchema = z.object({
  iss: z.string(),
  aud: z.string(),
  exp: z.number(),
  nonce: z.string(),
  tid: z.guid().toLowerCase(),
  oid: z.guid().toLowerCase(),
  name: z.string().nullish(),
});

interface Arriving extends TeamsMeans {
  seal: Seal;
  appUrl: string;
  within<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * Links the account that signed in at Microsoft to the member whose session began it. Returns why it was not linked, or null. Microsoft is
 * asked outside of any transaction.
 */
export async function finishTeamsLink(
  { within, seal, appUrl, ...means }: Arriving,
  principal: Principal & { userId: string },
  sessionId: string,
  query: URLSearchParams,
): Promise<LinkRefusal | null> {
  const { organizationId, userId } = principal;
  const state = openState(TEAMS, seal, { organizationId, userId, sessionId }, query.get("state"));
  if (!state) return "refused";
  const code = query.get("code");
  if (!code) return "cancelled";
  const app = await within((tx) => openApp(tx, seal));
  if (!app) return "refused";
  const grant = { grant_type: "authorization_code", code, redirect_uri: appUrl + CALLBACK_PATH };
  const claims = await askTokens(means, app, grant).then(
    (reply) => claimsIn(reply, claimsSchema),
    (error: unknown) => {
      failureOf(error);
      return null;
    },
  );
  if (!claims || claims.aud !== app.appId || claims.nonce !== state.nonce) return "refused";
  if (claims.exp * 1000 < Date.now()) return "refused";
  if (claims.tid !== app.tenantId) return "other_tenant";
  if (claims.iss !== `${means.cloud.loginUrl}/${claims.tid}/v2.0`) return "refused";
  const name = claims.name?.slice(0, 100) || claims.oid;
  return within((tx) => link(tx, principal, { oid: claims.oid, name, app }));
}

async function link(
  tx: Tx,
  principal: Principal & { userId: string },
  { oid, name, app }: { oid: string; name: string; app: { appId: string; tenantId: string } },
): Promise<LinkRefusal | null> {
  const { organizationId, teamsAccount } = tx;
  const { userId } = principal;
  // The app may have been replaced, and the membership ended, while Microsoft was asked.
  const [held] = await tx.$queryRaw<
    unknown[]
  >`SELECT FROM membership m JOIN teams_app s ON s.organization_id = m.organization_id
    WHERE m.organization_id = ${organizationId}::uuid AND m.user_id = ${userId}::uuid AND s.tenant_id = ${app.tenantId}
      AND s.app_id = ${app.appId} FOR UPDATE`;
  if (!held) return "refused";
  const taken = await teamsAccount.count({ where: { organizationId, oid, NOT: { userId } } });
  if (taken > 0) return "taken";
  // Another account's messages can't be changed: they are in another conversation.
  await teamsAccount.deleteMany({ where: { organizationId, userId, NOT: { oid } } });
  const now = { oid, name, linkedAt: new Date() };
  await teamsAccount.upsert({
    where: { organizationId_userId: { organizationId, userId } },
    create: { organizationId, userId, ...now },
    update: now,
  });
  await noteLinked(TEAMS, tx, principal, name);
  return null;
}

export async function readOwnTeams(tx: Tx, userId: string): Promise<OwnTeams> {
  const app = await tx.teamsApp.findFirst({
    where: { organizationId: tx.organizationId, revokedAt: null },
    select: { tenantId: true },
  });
  const account = await readOwnAccount(TEAMS, tx, userId);
  const hasApp = (await readConversation(tx, userId)) !== null;
  return { tenant: app?.tenantId ?? null, account: account && { ...account, hasApp } };
}
