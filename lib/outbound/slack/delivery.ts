/** Posts and edits members' messages at Slack. A message that may have been posted is found by its metadata, and none is posted beside it. */
import type { WebClient } from "@slack/web-api";
import { z } from "zod";
import type { Database, Tx } from "../../base/db/db.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { channelDue, GONE, type Outcome, type Recipient, type Step, sendNext } from "../channel/delivery.ts";
import { SLACK } from "../channel/platforms.ts";
import { type Shown, slackMessage } from "./message.ts";
import { failureOf, openBotToken, slackClient } from "./slack-api.ts";

interface Means {
  database: Database;
  network: Network;
  seal: Seal;
}

/** Returns the organization's members who are due. */
export const slackDue = (tx: Tx): Promise<string[]> => channelDue(SLACK, tx);

/** Posts or edits one message of a member. Returns false if the member is not due, or nothing has changed. */
export function sendToSlack(
  { database, network, seal }: Means,
  organizationId: string,
  userId: string,
  { appUrl, slackUrl }: { appUrl: string; slackUrl: string },
): Promise<boolean> {
  const keepChannel = (channel: string, attempts: number) =>
    database.withOrganization(organizationId, (tx) =>
      tx.slackAccount.updateMany({ where: { organizationId, userId, attempts }, data: { channel } }),
    );
  const sending = {
    platform: SLACK,
    show: slackMessage,
    open: (tx: Tx, { appId }: { appId: string }) => openBotToken(tx, seal, appId),
    async carryOut(
      botToken: string,
      step: Step<Shown>,
      { person, conversation, attempts }: Recipient,
    ): Promise<Outcome> {
      const client = slackClient({ network, slackUrl }, botToken);
      const channel = conversation ?? (await openChannel(client, person).catch(failureOf));
      if (typeof channel !== "string") return channel;
      if (conversation === null) await keepChannel(channel, attempts);
      return carryOut(client, channel, step).catch(failureOf);
    },
  };
  return sendNext(sending, { database, seal }, organizationId, userId, appUrl);
}

async function carryOut(client: WebClient, channel: string, step: Step<Shown>): Promise<Outcome> {
  if (step.kind === "test") return { kind: "done", messageId: await post(client, channel, step.shown) };
  if (step.kind === "post") {
    const found = step.isUnsure ? await find(client, channel, step) : null;
    if (found === null) {
      const isOver = step.isUnsure && step.isClosed;
      return { kind: "done", messageId: isOver ? GONE : await post(client, channel, step.shown, step.id) };
    }
    await edit(client, channel, found, step.shown, step.id);
    return { kind: "done", messageId: found };
  }
  if (step.messageId !== GONE) {
    try {
      await edit(client, channel, step.messageId, step.shown, step.id);
      return { kind: "done", messageId: step.messageId };
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind !== "refused" || failure.code !== "message_not_found") return failure;
    }
  }
  // Deleted in Slack: posted once again while it still waits for the member.
  if (step.isSecond || step.isClosed) return { kind: "done", messageId: GONE };
  return { kind: "done", messageId: await post(client, channel, step.shown, step.id), isSecond: true };
}

async function openChannel(client: WebClient, users: string): Promise<string> {
  const { channel } = await client.conversations.open({ users });
  if (!channel?.id) throw new Error("Slack opened a conversation without an id");
  return channel.id;
}

async function post(client: WebClient, channel: string, shown: Shown, id?: string): Promise<string> {
  const { ts } = await client.chat.postMessage({
    ...bodyOf(channel, shown, id),
    unfurl_links: false,
    unfurl_media: false,
  });
  if (!ts) throw new Error("Slack took a message without saying where it is");
  return ts;
}

async function edit(client: WebClient, channel: string, ts: string, shown: Shown, id: string) {
  await client.chat.update({ ...bodyOf(channel, shown, id), ts });
}

const EVENT_TYPE = "intray_message";

/** The text stands for the blocks in notifications, and is escaped: Slack reads mentions and links in it. */
function bodyOf(channel: string, { text, blocks }: Shown, id: string | undefined) {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return {
    channel,
    text: escaped,
    blocks,
    parse: "none" as const,
    link_names: false,
    ...(id && { metadata: { event_type: EVENT_TYPE, event_payload: { id } } }),
  };
}

const metadataSchema = z.object({
  event_type: z.literal(EVENT_TYPE),
  event_payload: z.object({ id: z.string() }),
});

/** Allowed between the clocks of Slack and of the engine that wrote the row. */
const CLOCKS_MS = 10 * 60_000;

/** Returns the place of a message that may have been posted; null: it was not. */
async function find(
  client: WebClient,
  channel: string,
  { id, since }: { id: string; since: Date },
): Promise<string | null> {
  const { messages = [] } = await client.conversations.history({
    channel,
    oldest: String((since.getTime() - CLOCKS_MS) / 1000),
    include_all_metadata: true,
    // The network takes half a megabyte. Nothing else is posted to the member before the message is known.
    limit: 30,
  });
  const isIt = (metadata: unknown) => metadataSchema.safeParse(metadata).data?.event_payload.id === id;
  return messages.find(({ metadata }) => isIt(metadata))?.ts ?? null;
}
