/** The organization's app at Slack: what admins read and change. lib/outbound/channel/delivery.ts notes when Slack takes its token no more. */
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { readSending } from "../channel/app-writes.ts";
import { SLACK } from "../channel/platforms.ts";
import { failureOf, type SlackMeans, secretPlace, slackClient } from "./slack-api.ts";
import { type SetUpSlack, type Slack, slackManifest } from "./slack-schema.ts";

export async function readSlack(tx: Tx, appUrl: string): Promise<Slack> {
  const { organizationId } = tx;
  const manifest = slackManifest(appUrl, organizationId);
  const app = await tx.slackApp.findFirst({ where: { organizationId } });
  if (!app) return { app: null, manifest };
  const sending = await readSending(SLACK, tx);
  if (!sending) return { app: null, manifest };
  const socket =
    app.sealedAppToken === null
      ? null
      : { since: app.socketSince?.toISOString() ?? null, error: app.socketError };
  return { app: { team: app.teamName, bot: app.botName, ...sending, socket }, manifest };
}

/** The workspace that a token belongs to. */
interface Workspace {
  teamId: string;
  team: string;
  bot: string;
}

/** Asks Slack whose token it is. Throws `slack_refused`, `server_unavailable`. */
export async function askWorkspace(means: SlackMeans, botToken: string): Promise<Workspace> {
  const found = await slackClient(means, botToken)
    .auth.test()
    .catch((error: unknown) => {
      const failure = failureOf(error);
      if (failure.kind === "unknown") throw new AppError("server_unavailable", failure.error);
      if (failure.kind === "limited")
        throw new AppError("server_unavailable", "Slack asks for a pause. Try again in a minute.");
      throw refused(`Slack does not accept this token: ${failure.code}.`);
    });
  const { team_id: teamId, team, user: bot, bot_id: botId } = found;
  if (!teamId || !botId) throw refused("This is no bot’s token. Paste the Bot User OAuth Token.");
  return { teamId, team: shortName(team), bot: shortName(bot) };
}

function refused(message: string): AppError {
  return new AppError("slack_refused", message, { errors: [{ field: "botToken", message }] });
}

/** A name of Slack's, which is untrusted text. */
export const shortName = (name: unknown): string => (typeof name === "string" ? name.slice(0, 100) : "");

/**
 * Sets Slack up, or replaces its secrets. Another workspace unlinks all accounts. Another app of the same workspace posts all
 * open requests again.
 */
export async function setUpSlack(
  tx: Tx,
  { actor }: Principal,
  seal: Seal,
  { botToken, signingSecret, clientId, clientSecret, appToken }: SetUpSlack,
  { teamId, team, bot }: Workspace,
): Promise<void> {
  const { organizationId } = tx;
  // One at a time: of two at once the later one finds the app of the first.
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${organizationId}::uuid FOR UPDATE`;
  const before = await tx.slackApp.findFirst({ where: { organizationId } });
  const id = before?.id ?? uuidv7();
  const now = {
    teamId,
    teamName: team,
    botName: bot,
    clientId,
    sealedBotToken: seal.seal(secretPlace(organizationId, id, "sealed_bot_token"), botToken),
    sealedClientSecret: seal.seal(secretPlace(organizationId, id, "sealed_client_secret"), clientSecret),
    sealedSigningSecret: seal.seal(secretPlace(organizationId, id, "sealed_signing_secret"), signingSecret),
    sealedAppToken:
      appToken === undefined
        ? null
        : seal.seal(secretPlace(organizationId, id, "sealed_app_token"), appToken),
    socketSince: null,
    socketError: null,
    setUpAt: new Date(),
    notBefore: new Date(),
    revokedAt: null,
    revokedBecause: null,
  };
  if (before && before.teamId !== teamId) await tx.slackAccount.deleteMany({ where: { organizationId } });
  else if (before && before.clientId !== clientId) await forgetConversations(tx);
  await tx.slackApp.upsert({
    where: { organizationId },
    create: { organizationId, id, ...now },
    update: { ...now, ...(before?.teamId !== teamId && { showsText: false }) },
  });
  await tx.slackAccount.updateMany({
    where: { organizationId },
    data: { dueAt: new Date(), notBefore: new Date() },
  });
  await appendEvents(tx, [{ type: "slack.set_up", actor, data: { organizationId, team } }]);
}

/** Forgets conversations and messages of the earlier app, which another app can't edit. Open requests are posted again. */
async function forgetConversations(tx: Tx): Promise<void> {
  const { organizationId } = tx;
  const kept = { organizationId: true, userId: true, slackUserId: true, slackName: true, linkedAt: true };
  const accounts = await tx.slackAccount.findMany({ where: { organizationId }, select: kept });
  // Their messages go with them.
  await tx.slackAccount.deleteMany({ where: { organizationId } });
  await tx.slackAccount.createMany({ data: accounts });
}
