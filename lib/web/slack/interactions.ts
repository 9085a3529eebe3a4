/** Takes what Slack sends when a member presses. Slack gets its answer as soon as the press is stored, within three seconds. */
import { env } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { SLACK } from "../../outbound/channel/platforms.ts";
import { storePress } from "../../outbound/channel/press-writes.ts";
import { type Interaction, readInteraction } from "../../outbound/slack/press-schema.ts";
import { carryOutPress } from "../../outbound/slack/press-writes.ts";
import { secretPlace } from "../../outbound/slack/slack-api.ts";
import { isFromSlack } from "../../outbound/slack/verify.ts";
import { readText } from "../http/body.ts";
import { services } from "../tenant.ts";

/** Slack repeats the message, whose blocks have up to 50 texts of 3,000 characters. */
const MOST_BYTES = 512 * 1024;

/** Throws `unauthenticated` unless Slack sent exactly this body lately, for this organization's app and workspace. */
export async function receiveInteraction(request: Request, organizationId: string): Promise<Response> {
  const body = await readText(request, MOST_BYTES);
  const { db: database, network, seal } = await services();
  const app = await database.withOrganization(organizationId, (tx) =>
    tx.slackApp.findFirst({ where: { organizationId } }),
  );
  if (!app) throw unsigned();
  const place = secretPlace(organizationId, app.id, "sealed_signing_secret");
  const signingSecret = seal.open(place, app.sealedSigningSecret);
  if (!isFromSlack(request.headers, body, signingSecret, Date.now())) throw unsigned();
  const interaction = readInteraction(new URLSearchParams(body).get("payload") ?? "");
  if (interaction?.press && interaction.teamId !== app.teamId) throw unsigned();
  const means = { database, network, seal, slackUrl: env().slackUrl };
  if (interaction) await takeInteraction(means, organizationId, interaction);
  return new Response(null, { status: 200 });
}

/** Stores what was pressed, and has it carried out. Slack gets its answer in between. */
export async function takeInteraction(
  means: Parameters<typeof carryOutPress>[0],
  organizationId: string,
  interaction: Interaction,
): Promise<void> {
  const { press, slackUserId: person, triggerId: ownId } = interaction;
  if (!press) return;
  const pressId = await means.database.withOrganization(organizationId, (tx) =>
    storePress(SLACK, tx, means.seal, { person, ownId }, press),
  );
  if (!pressId) return;
  // Not awaited: Slack waits for its answer. If this process dies, an engine tells the person to press again.
  carryOutPress(means, organizationId, pressId).catch((error: unknown) =>
    log.error({ err: error }, "a press in Slack was not carried out"),
  );
}

/** The same for an organization that has not set Slack up, or is none. */
function unsigned(): AppError {
  return new AppError("unauthenticated", "Slack did not sign this for the organization’s app and workspace.");
}
