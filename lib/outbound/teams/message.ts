/**
 * The cards of messages at Teams. Pure. Texts of others stand in `TextRun` alone, where Teams reads no Markdown, and in a box of their own,
 * so that they can't pass for Intray's words.
 */
import type { ActionArray, CardElementArray, IAdaptiveCard } from "@microsoft/teams.cards";
import { shorten } from "../../text/labels.ts";
import { lineOf, type Message, type MessageButton } from "../channel/message.ts";

type Action = ActionArray[number];
export type CardElement = CardElementArray[number];

/** An activity, but for its type. */
export interface Shown {
  /** For notifications, where no card is shown. */
  summary: string;
  attachments: [{ contentType: typeof CARD; content: IAdaptiveCard }];
}

export const CARD = "application/vnd.microsoft.card.adaptive";

/** Teams takes 28 KB of a message. */
const MOST_BYTES = 26_000;
/** More of a text would take the place of the buttons. */
const TEXT_CHARACTERS = 2_900;
/** Of a button, which Teams would cut. */
const LABEL_CHARACTERS = 75;
/** Teams shows so many actions; one is “Open in Intray”. */
const MOST_BUTTONS = 5;

export function teamsMessage(message: Message): Shown {
  const whole = shownOf(message);
  const fits = Buffer.byteLength(JSON.stringify(whole)) <= MOST_BYTES;
  return fits ? whole : shownOf({ ...message, asked: null, buttons: [] });
}

function shownOf(message: Message): Shown {
  const { title, about, asked, votes, buttons, url } = message;
  const actions = url === null ? [] : [...pressable(message, buttons), open(url)];
  return {
    summary: lineOf(message),
    attachments: [
      {
        contentType: CARD,
        content: card(
          [
            heading(title),
            ...(about === null ? [] : [plain(about)]),
            ...(asked ? textOf(asked) : []),
            ...(votes ? [small(votes)] : []),
          ],
          actions,
        ),
      },
    ],
  };
}

/** The newest version that Teams takes on all its programs. */
export const card = (body: CardElement[], actions: Action[]): IAdaptiveCard => ({
  type: "AdaptiveCard",
  version: "1.5",
  body,
  ...(actions.length > 0 && { actions }),
});

/** The message and the arguments, which are left out where they can't be shown whole. */
function textOf({ by, texts, arguments: lines }: NonNullable<Message["asked"]>): CardElement[] {
  return [
    small(by),
    box(texts.flatMap((text) => shorten(text, TEXT_CHARACTERS).split("\n"))),
    ...(lines.length > 0 ? [small("The arguments of the call"), box(lines)] : []),
  ];
}

const box = (lines: string[]): CardElement => ({
  type: "Container",
  style: "emphasis",
  items: lines.filter((line) => line.trim() !== "").map((line) => plain(line)),
});

const heading = (text: string): CardElement => runs(text, { size: "Medium", weight: "Bolder" });
const small = (text: string): CardElement => runs(text, { size: "Small", isSubtle: true });
export const plain = (text: string): CardElement => runs(text, {});

function runs(
  text: string,
  style: { size?: "Medium" | "Small"; weight?: "Bolder"; isSubtle?: boolean },
): CardElement {
  return { type: "RichTextBlock", inlines: [{ type: "TextRun", text: undated(text), ...style }] };
}

/** Cards put a date in the place of such text. */
const undated = (text: string) => text.replaceAll("{{", "{ {");
/** Whether a text is shown otherwise than it is. */
const isDated = (text: string) => text.includes("{{");

/** The buttons as Teams has them; none if one does not fit, or something is not shown as it is. */
function pressable({ asked }: Message, buttons: MessageButton[]): Action[] {
  const isWhole = ![...(asked?.texts ?? []), ...(asked?.arguments ?? [])].some(isDated);
  const fits =
    buttons.length <= MOST_BUTTONS && buttons.every(({ label }) => label.length <= LABEL_CHARACTERS);
  return isWhole && fits ? buttons.map(actionOf) : [];
}

const STYLES = { primary: "positive", danger: "destructive" } as const;

/** A press that asks for something is the only kind after which Teams opens a window. */
function actionOf({ label: title, style, value: press, asks }: MessageButton): Action {
  const looks = style ? { style: STYLES[style] } : {};
  return asks
    ? { type: "Action.Submit", title, ...looks, data: { msteams: { type: "task/fetch" }, press } }
    : { type: "Action.Execute", title, ...looks, verb: "press", data: { press } };
}

/** Leads to Intray, and decides nothing. */
const open = (url: string): Action => ({ type: "Action.OpenUrl", title: "Open in Intray", url });
