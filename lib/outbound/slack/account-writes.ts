/**
 * Members' accounts at Slack. A member links theirs by signing in at Slack (OpenID Connect), so that nobody can link another
 * person's; an equal e-mail address links nothing. delivery.ts writes what came of messages.
 */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { publishChange } from "../../base/live-updates.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { shortName } from "./app-writes.ts";
import { failureOf, type SlackMeans, secretPlace, slackClient } from "./slack-api.ts";
import { CALLBACK_PATH, type LinkRefusal, type OwnSlack } from "./slack-schema.ts";

/** A member, and the browser session in which they link. */
interface Linking {
  organizationId: string;
  userId: string;
  sessionId: string;
}

/** Time to sign in at Slack. */
const LINK_MS = 10 * 60_000;

const stateSchema = z.object({ userId: z.uuid(), nonce: z.string(), endsAt: z.number() });

/** A state opens only with the session that asked for it, so that nobody ends a link that another browser began. */
const statePlace = ({ organizationId, sessionId }: Linking) => ({
  organizationId,
  table: "slack_account",
  row: sessionId,
  column: "state",
});

/** Returns where the member's browser goes to sign in at Slack. Throws `not_found` if Slack is not set up. */
export async function beginLink(
  tx: Tx,
  linking: Linking,
  { seal, slackUrl, appUrl }: { seal: Seal; slackUrl: string; appUrl: string },
): Promise<string> {
  const app = await appInForce(tx);
  if (!app) throw notFound("Slack app");
  const nonce = randomBytes(16).toString("base64url");
  const state = { userId: linking.userId, nonce, endsAt: Date.now() + LINK_MS };
  const url = new URL(`${slackUrl}/openid/connect/authorize`);
  url.search = new URLSearchParams({
    response_type: "code",
    scope: "openid profile",
    client_id: app.clientId,
    state: seal.seal(statePlace(linking), JSON.stringify(state)),
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

const tokenSchema = z.object({ id_token: z.string().max(10_000) });

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
  const state = openState(seal, { organizationId, userId, sessionId }, query.get("state"));
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
    .then(claimsIn, (error: unknown) => {
      failureOf(error);
      return null;
    });
  // The token came from Slack itself, by TLS and for our secret, so that its signature proves nothing more (OpenID Connect Core, 3.1.3.7).
  if (!claims || claims.aud !== app.clientId || claims.nonce !== state.nonce) return "refused";
  if (claims.iss !== means.slackUrl || claims.exp * 1000 < Date.now()) return "refused";
  if (claims["https://slack.com/team_id"] !== app.teamId) return "other_workspace";
  const slackUserId = claims["https://slack.com/user_id"];
  return within((tx) => link(tx, principal, { slackUserId, name: shortName(claims.name), app }));
}

function openState(seal: Seal, linking: Linking, sealed: string | null): z.infer<typeof stateSchema> | null {
  if (sealed === null) return null;
  let opened: string;
  try {
    opened = seal.open(statePlace(linking), sealed);
  } catch {
    // Another session's, or made up: the error says no more.
    return null;
  }
  const state = stateSchema.parse(JSON.parse(opened));
  return state.userId === linking.userId && state.endsAt > Date.now() ? state : null;
}

function claimsIn(reply: unknown): z.infer<typeof claimsSchema> | null {
  const token = tokenSchema.safeParse(reply).data?.id_token;
  if (token === undefined) return null;
  try {
    const [, payload = ""] = token.split(".");
    return claimsSchema.safeParse(JSON.parse(Buffer.from(payload, "base64url").toString())).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function link(
  tx: Tx,
  { userId, actor }: Principal & { userId: string },
  {
    slackUserId,
    name,
    app,
  }: { slackUserId: string; name: string; app: { teamId: string; clientId: string } },
): Promise<LinkRefusal | null> {
  const { organizationId } = tx;
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
  const now = { slackUserId, slackName: name || slackUserId, linkedAt: new Date(), dueAt: new Date() };
  await tx.slackAccount.upsert({
    where: { organizationId_userId: { organizationId, userId } },
    create: { organizationId, userId, ...now },
    update: now,
  });
  await tx.$executeRaw`UPDATE notice SET slack_after = now() WHERE organization_id = ${organizationId}::uuid
    AND user_id = ${userId}::uuid AND input_request_id IS NOT NULL AND slack_after IS NULL AND read_at IS NULL AND withdrawn_at IS NULL`;
  await publishChange(tx, "notice", [userId]);
  await appendEvents(tx, [{ type: "slack.account_linked", actor, data: { userId, name: now.slackName } }]);
  return null;
}

/** Throws `not_found` if no account is linked. Messages that were posted stay as they are. */
export async function unlink(tx: Tx, { userId, actor }: Principal & { userId: string }): Promise<void> {
  const { count } = await tx.slackAccount.deleteMany({
    where: { organizationId: tx.organizationId, userId },
  });
  if (count === 0) throw notFound("Slack account");
  await publishChange(tx, "notice", [userId]);
  await appendEvents(tx, [{ type: "slack.account_unlinked", actor, data: { userId } }]);
}

export async function readOwnSlack(tx: Tx, userId: string): Promise<OwnSlack> {
  const app = await appInForce(tx);
  const account = await tx.slackAccount.findFirst({ where: { organizationId: tx.organizationId, userId } });
  return {
    team: app?.teamName ?? null,
    account: account && {
      name: account.slackName,
      linkedAt: account.linkedAt.toISOString(),
      sentAt: account.sentAt?.toISOString() ?? null,
      failure:
        account.error !== null && account.failingSince !== null
          ? { error: account.error, since: account.failingSince.toISOString() }
          : null,
      test: account.testAskedAt && {
        askedAt: account.testAskedAt.toISOString(),
        deliveredAt: account.testSentAt?.toISOString() ?? null,
      },
    },
  };
}

/** Asks for a test message, at once also where the last messages failed. Throws `not_found`. */
export async function askSlackTest(tx: Tx, userId: string): Promise<void> {
  const asked =
    await tx.$executeRaw(Prisma.sql`UPDATE slack_account SET test_asked_at = now(), test_sent_at = NULL, due_at = now(),
      not_before = CASE WHEN error IS NULL THEN not_before ELSE now() END
    WHERE organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid`);
  if (asked === 0) throw notFound("Slack account");
  await publishChange(tx, "notice", [userId]);
}
