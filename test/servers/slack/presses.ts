/** What Slack sends when members press, and what Intray makes of it. */
import { expect } from "vitest";
import { SLACK } from "../../../lib/outbound/channel/platforms.ts";
import { storePress } from "../../../lib/outbound/channel/press-writes.ts";
import { type Interaction, readInteraction } from "../../../lib/outbound/slack/press-schema.ts";
import { carryOutPress } from "../../../lib/outbound/slack/press-writes.ts";
import type { SlackMessage } from "./slack.ts";
import type { SlackFixture } from "./slack-fixture.ts";

interface ButtonElement {
  action_id: string;
  value?: string;
  text: { text: string };
}

const buttonsOf = ({ blocks }: Pick<SlackMessage, "blocks">): ButtonElement[] => blocks.at(-1).elements;
export const labelsOf = (message: SlackMessage) => buttonsOf(message).map(({ text }) => text.text);

let triggers = 0;

/** A press on a button of a message. */
export function pressOf(
  message: Pick<SlackMessage, "channel" | "ts" | "blocks">,
  label: string,
  user = "U1",
) {
  const button = buttonsOf(message).find(({ text }) => text.text === label);
  return {
    type: "block_actions",
    trigger_id: `trigger-${++triggers}`,
    team: { id: "T1" },
    user: { id: user },
    container: { type: "message", message_ts: message.ts, channel_id: message.channel },
    actions: [{ action_id: button?.action_id ?? "none", value: button?.value }],
  };
}

/** The modal that was opened last, sent with a reason and values. */
export function submissionOf({ slack }: SlackFixture, reason: string | null, values: object = {}) {
  const view = slack.views.at(-1)?.view;
  return {
    type: "view_submission",
    trigger_id: `trigger-${++triggers}`,
    team: { id: "T1" },
    user: { id: "U1" },
    view: {
      callback_id: view.callback_id,
      private_metadata: view.private_metadata,
      state: { values: { reason: { value: { type: "plain_text_input", value: reason } }, ...values } },
    },
  };
}

/** Asks in the members' messages. Returns the newest message, and the request. */
export async function tell(fixture: SlackFixture, more: Parameters<SlackFixture["asked"]>[0] = {}) {
  const request = await fixture.asked({ message: "Pay INV-100, $1,000.00?", ...more });
  await fixture.sendLater();
  const message = fixture.slack.messages.at(-1);
  if (!message) throw new Error("nothing was told");
  return { request, message };
}

/** Returns the id of the press; null: it decides nothing, or came before. */
export async function store(fixture: SlackFixture, payload: object): Promise<string | null> {
  const interaction = readInteraction(JSON.stringify(payload)) as Interaction;
  const { press, slackUserId: person, triggerId: ownId } = interaction;
  return press && fixture.within((tx) => storePress(SLACK, tx, fixture.seal, { person, ownId }, press));
}

export function carryOut(fixture: SlackFixture, id: string): Promise<void> {
  const { database, seal, organizationId } = fixture;
  return carryOutPress({ database, seal, ...fixture.means() }, organizationId, id);
}

/** Returns what became of the press. */
export async function press(fixture: SlackFixture, payload: object): Promise<unknown> {
  const id = await store(fixture, payload);
  if (id === null) return null;
  await carryOut(fixture, id);
  const [row] = await fixture.sql("SELECT outcome, sealed_press FROM slack_press WHERE id = $1", [id]);
  expect(row?.sealed_press).toBeNull();
  return row?.outcome;
}

export const answersOf = (fixture: SlackFixture) =>
  fixture.sql("SELECT action, content, comment, answered_by FROM answer ORDER BY id");
/** What Slack told people alone. */
export const repliesOf = ({ slack }: SlackFixture) =>
  slack.ephemerals.map(({ user, text }) => `${user}: ${text}`);
