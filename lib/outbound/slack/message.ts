/**
 * The blocks of messages at Slack. Pure. Texts of others stand in `plain_text` alone, where Slack makes no links and mentions of them.
 */
import type { Button, KnownBlock } from "@slack/web-api";
import { shorten } from "../../text/labels.ts";
import { lineOf, type Message, type MessageButton } from "../channel/message.ts";

/** What a message has to show. */
export interface Shown {
  /** For notifications, and for programs that show no blocks. */
  text: string;
  blocks: KnownBlock[];
  /** Nothing more is expected to change. */
  isClosed: boolean;
}

/** Slack takes 3,000 characters of a text, and 150 of a heading. */
const TEXT_CHARACTERS = 2_900;
const HEADING_CHARACTERS = 140;

export function slackMessage(message: Message): Shown {
  const { title, about, asked, votes, buttons, url, isClosed } = message;
  return {
    text: lineOf(message),
    blocks: [
      plainHeading(title),
      ...(about === null ? [] : [plain(about)]),
      ...(asked ? textOf(asked) : []),
      ...(votes ? [small(votes)] : []),
      ...(url === null ? [] : [actions(url, pressable(buttons))]),
    ],
    isClosed,
  };
}

/**
 * The message and the arguments, which are left out where Slack can't show all of them. Small words of Intray's own stand above both: a
 * text of others is never small, so that it can't pass for the arguments, or for the votes.
 */
function textOf({ by, texts, arguments: lines }: NonNullable<Message["asked"]>): KnownBlock[] {
  return [
    small(by),
    ...texts.map((text) => plain(text)),
    ...(lines.length > 0 ? [small("The arguments of the call"), plain(lines.join("\n"))] : []),
  ];
}

/** Slack takes so many characters of a button's value. */
const VALUE_CHARACTERS = 2_000;

/** The buttons as Slack has them; none if one does not fit. */
function pressable(buttons: MessageButton[]): Button[] {
  const made = buttons.map(
    ({ label, style, value }, index): Button => ({
      type: "button",
      action_id: `${value.kind}-${index}`,
      text: { type: "plain_text", text: shorten(label, LABEL_CHARACTERS), emoji: false },
      value: JSON.stringify(value),
      ...(style && { style }),
    }),
  );
  const fits = buttons.every(({ label }) => label.length <= LABEL_CHARACTERS);
  return fits && made.every(({ value = "" }) => value.length <= VALUE_CHARACTERS) ? made : [];
}

/** Of a button's text, which Slack would cut. */
const LABEL_CHARACTERS = 75;

function plainHeading(text: string): KnownBlock {
  return {
    type: "header",
    text: { type: "plain_text", text: shorten(text, HEADING_CHARACTERS), emoji: false },
  };
}

/** Shown whole: Slack would fold the end of a long text away, beside buttons that decide on it. */
function plain(text: string): KnownBlock {
  return {
    type: "section",
    expand: true,
    text: { type: "plain_text", text: shorten(text, TEXT_CHARACTERS) || "–", emoji: false },
  };
}

function small(text: string): KnownBlock {
  return {
    type: "context",
    elements: [{ type: "plain_text", text: shorten(text, TEXT_CHARACTERS), emoji: false }],
  };
}

/** The buttons, and the link to Intray, which decides nothing. */
function actions(url: string, buttons: Button[]): KnownBlock {
  return {
    type: "actions",
    elements: [
      ...buttons,
      {
        type: "button",
        action_id: "open",
        url,
        text: { type: "plain_text", text: "Open in Intray", emoji: false },
      },
    ],
  };
}
