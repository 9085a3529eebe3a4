/** Carries out what members press in Slack, and opens the modals and replies that follow. */
import type { Database, Tx } from "../../base/db/db.ts";
import { log } from "../../base/log.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { SLACK } from "../channel/platforms.ts";
import { carryOutPress as carryOut, type Done, LOST_WORDS, takeLost } from "../channel/press-writes.ts";
import { modalOf } from "./press-schema.ts";
import { failureOf, openBotToken, slackClient } from "./slack-api.ts";

interface Means {
  database: Database;
  network: Network;
  seal: Seal;
  slackUrl: string;
}

/** Carries out a press, unless another process has. */
export async function carryOutPress(means: Means, organizationId: string, pressId: string): Promise<void> {
  const done = await carryOut(SLACK, means, organizationId, pressId);
  if (done) await tell(means, organizationId, done);
}

type Telling = Pick<Done, "person" | "press" | "reply" | "asking">;

/** Opens the modal, or replies to the person alone. What Slack refuses is in the log: the message itself shows how the request stands. */
async function tell(
  means: Means,
  organizationId: string,
  { person, press: { channel, triggerId = "" }, reply, asking }: Telling,
): Promise<void> {
  if (!reply && !asking) return;
  const botToken = await means.database.withOrganization(organizationId, (tx) =>
    tokenInForce(tx, means.seal),
  );
  if (botToken === null) return;
  const client = slackClient(means, botToken);
  const noted = (error: unknown) => {
    log.info({ failure: failureOf(error) }, "Slack took no reply to a press");
    return null;
  };
  const opened =
    asking && (await client.views.open({ trigger_id: triggerId, view: modalOf(asking) }).catch(noted));
  const told = opened === null ? NOT_OPENED : reply;
  if (told) await client.chat.postEphemeral({ channel, user: person, text: escaped(told) }).catch(noted);
}

/** Null: Slack was removed meanwhile. */
async function tokenInForce(tx: Tx, seal: Seal): Promise<string | null> {
  const { organizationId } = tx;
  const app = await tx.slackApp.findFirst({ where: { organizationId }, select: { id: true } });
  return app && openBotToken(tx, seal, app.id);
}

const NOT_OPENED = "Slack did not open the window. Press again, or decide in Intray.";

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Tells a person whose press was lost to press again. Returns false if none was. */
export async function tellLost(means: Means, organizationId: string): Promise<boolean> {
  const lost = await takeLost(SLACK, means, organizationId);
  if (lost !== null && lost !== "nobody") await tell(means, organizationId, { ...lost, reply: LOST_WORDS });
  return lost !== null;
}
