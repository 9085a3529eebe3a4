/**
 * Members' accounts at Slack. A member links theirs by signing in at Slack (OpenID Connect), so that nobody can link another
 * person's; an equal e-mail address links nothing. lib/outbound/channel/delivery.ts writes what came of messages.
 */
import { z } from "zod";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import type { Seal } from "../../base/seal.ts";
import { noteLinked, readOwnAccount } from "../channel/account-writes.ts";
import { claimsIn, type Linking, newState, openState } from "../channel/linking.ts";
import { SLACK } from "../channel/platforms.ts";
import { shortName } from "./app-writes.ts";
import { failureOf, type SlackMeans, secretPlace, slackClient } from "./slack-api.ts";
import { CALLBACK_PATH, type LinkRefusal, type OwnSlack } from "./slack-schema.ts";

/** Returns where the member's browser goes to sign in at Slack. Throws `not_found` if Slack is not set up. */
export async function beginLink(
  tx: Tx,
  linking: Linking,
  { seal, slackUrl, appUrl }: { seal: Seal; slackUrl: string; appUrl: string },
): Promise<string> {
  const app = await appInForce(tx);
  if (!app) throw notFound("Slack app");
  const { state, nonce } = newState(SLACK, seal, linking);
  const url = new URL(`${slackUrl}/openid/connect/authorize`);
  url.search = new URLSearchParams({
    response_type: "code",
    scope: "openid profile",
    client_id: app.clientId,
    state,
    nonce,
    team: app.teamId,
    redirect_uri: appUrl + CALLBACK_PATH,
  }).toString();
  return url.href;
}

/** The app that Slack takes messages of; null: none is set up, or Slack takes its token no more. */
function appInForce(tx: Tx) {
  return tx.slackApp.findFirst({ where: { organizationId: tx.organizationId, revokedAt: null } });
}

/** Of Slack's id tokens (https://docs.slack.dev/authentication/sign-in-with-slack). */
const claimsSchema = z.object({
  iss: z.string(),
  aud: z.string(),
  exp: z.number(),
  nonce: z.string(),
  "https://slack.com/team_id": z.string().max(50),
  "https://slack.com/user_id": z.string().max(50),
  name: z.string().nullish(),
});

interface Arriving extends SlackMeans {
  seal: Seal;
  appUrl: string;
  within<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * Links the account that signed in at Slack to the member whose session began it. Returns why it was not linked, or null. Slack is
 * asked outside of any transaction.
 */
export async function finishLink(
  { within, seal, appUrl, ...means }: Arriving,
  principal: Principal & { userId: string },
  sessionId: string,
  query: URLSearchParams,
): Promise<LinkRefusal | null> {
  const { organizationId, userId } = principal;
  const state = openState(SLACK, seal, { organizationId, userId, sessionId }, query.get("state"));
  if (!state) return "refused";
  const code = query.get("code");
  if (!code) return "cancelled";
  const app = await within(appInForce);
  if (!app) return "refused";
  const clientSecret = seal.open(
    secretPlace(organizationId, app.id, "sealed_client_secret"),
    app.sealedClientSecret,
  );
  const claims = await slackClient(means)
    .openid.connect.token({
      client_id: app.clientId,
      client_secret: clientSecret,
      grant_type: "authorization_code",
      code,
      redirect_uri: appUrl + CALLBACK_PATH,
    })
    .then(
      (reply) => claimsIn(reply, claimsSchema),
      (error: unknown) => {
        failureOf(error);
        return null;
      },
    );
  if (!claims || claims.aud !== app.clientId || claims.nonce !== state.nonce) return "refused";
  if (claims.iss !== means.slackUrl || claims.exp * 1000 < Date.now()) return "refused";
  if (claims["https://slack.com/team_id"] !== app.teamId) return "other_workspace";
  const slackUserId = claims["https://slack.com/user_id"];
  return within((tx) => link(tx, principal, { slackUserId, name: shortName(claims.name), app }));
}

async function link(
  tx: Tx,
  principal: Principal & { userId: string },
  {
    slackUserId,
    name,
    app,
  }: { slackUserId: string; name: string; app: { teamId: string; clientId: string } },
): Promise<LinkRefusal | null> {
  const { organizationId } = tx;
  const { userId } = principal;
  // The app may have been replaced, and the membership ended, while Slack was asked.
  const [held] = await tx.$queryRaw<
    unknown[]
  >`SELECT FROM membership m JOIN slack_app s ON s.organization_id = m.organization_id
    WHERE m.organization_id = ${organizationId}::uuid AND m.user_id = ${userId}::uuid AND s.team_id = ${app.teamId}
      AND s.client_id = ${app.clientId} FOR UPDATE`;
  if (!held) return "refused";
  const taken = await tx.slackAccount.count({ where: { organizationId, slackUserId, NOT: { userId } } });
  if (taken > 0) return "taken";
  // Another account's messages can't be changed: they are in another conversation.
  await tx.slackAccount.deleteMany({ where: { organizationId, userId, NOT: { slackUserId } } });
  const now = { slackUserId, slackName: name || slackUserId, linkedAt: new Date() };
  await tx.slackAccount.upsert({
    where: { organizationId_userId: { organizationId, userId } },
    create: { organizationId, userId, ...now },
    update: now,
  });
  await noteLinked(SLACK, tx, principal, now.slackName);
  return null;
}

export async function readOwnSlack(tx: Tx, userId: string): Promise<OwnSlack> {
  const app = await appInForce(tx);
  return { team: app?.teamName ?? null, account: await readOwnAccount(SLACK, tx, userId) };
}
