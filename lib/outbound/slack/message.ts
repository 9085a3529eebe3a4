/**
 * The words and blocks of messages at Slack. Pure. Texts of others stand in `plain_text` alone, where Slack makes no links and mentions
 * of them.
 */
import type { Button, KnownBlock } from "@slack/web-api";
import { actorWords } from "../../access/actor-words.ts";
import { type Reach, reachIn } from "../../requests/deliveries/reach.ts";
import type { InputRequestDetail } from "../../requests/request-schema.ts";
import { visibleText } from "../../text/foreign/hidden.ts";
import { namedInQuotes } from "../../text/foreign/quoted.ts";
import { plural, shorten } from "../../text/labels.ts";
import { visibleLine } from "../mail/compose.ts";
import { askedTexts, type OfferedButton, shownArguments } from "./offer.ts";
import type { PressValue } from "./press-schema.ts";

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

interface Told {
  /** Why the member is told, in words; null: only what became of it is told. */
  heading: string | null;
  /** Whether the member may decide now, or has voted. */
  isOpen: boolean;
  /** What the member may press. */
  buttons: OfferedButton[];
}

/** The message about a request. `withText`: the organization allows the text of questions. */
export function requestMessage(
  request: InputRequestDetail,
  { heading, isOpen, buttons }: Told,
  { withText, appUrl }: { withText: boolean; appUrl: string },
): Shown {
  const about = visibleLine(
    `${request.tool}${withText && request.label ? ` · ${request.label}` : ""} on ${request.server.name}`,
  );
  const title = isOpen && heading ? heading : endWords(request, withText);
  const votes = votesWords(request);
  return {
    text: `${title}: ${about}`,
    blocks: [
      plainHeading(title),
      plain(about),
      ...(withText ? textOf(request) : []),
      ...(votes ? [small(votes)] : []),
      actions(`${appUrl}/inbox/${request.id}`, pressable(request, buttons)),
    ],
    isClosed: !isOpen && heading === null,
  };
}

/**
 * The message and the arguments, which are left out where Slack can't show all of them. Small words of Intray's own stand above both: a
 * text of others is never small, so that it can't pass for the arguments, or for the votes.
 */
function textOf(request: InputRequestDetail): KnownBlock[] {
  const { origin, server, requestedBy } = request;
  const asker = origin === "server" ? namedInQuotes(server.name) : actorWords(requestedBy, { begins: true });
  const lines = shownArguments(request) ?? [];
  const texts = askedTexts(request).map((text) => plain(visibleText(text)));
  return [
    small(`${visibleLine(asker)} asks`),
    ...texts,
    ...(lines.length > 0 ? [small("The arguments of the call"), plain(lines.join("\n"))] : []),
  ];
}

/** Slack takes so many characters of a button's value. */
const VALUE_CHARACTERS = 2_000;

/** The buttons as Slack has them; none if one does not fit. */
function pressable({ id, questionHash }: InputRequestDetail, buttons: OfferedButton[]): Button[] {
  const made = buttons.map(({ label, style, kind, content }, index): Button => {
    const value: PressValue = { request: id, questionHash, kind, content };
    return {
      type: "button",
      action_id: `${kind}-${index}`,
      text: { type: "plain_text", text: shorten(label, LABEL_CHARACTERS), emoji: false },
      value: JSON.stringify(value),
      ...(style && { style }),
    };
  });
  const fits = buttons.every(({ label }) => label.length <= LABEL_CHARACTERS);
  return fits && made.every(({ value = "" }) => value.length <= VALUE_CHARACTERS) ? made : [];
}

/** Of a button's text, which Slack would cut. */
const LABEL_CHARACTERS = 75;

/** `Finance: 1 of 2`, of each stage. */
function votesWords({ approval, state }: Pick<InputRequestDetail, "approval" | "state">): string | null {
  if (!approval || (state !== "open" && state !== "answered" && state !== "settled")) return null;
  const stages = approval.stages.map(
    ({ name, need, missing }) => `${visibleLine(name)}: ${Math.max(need - missing, 0)} of ${need}`,
  );
  return stages.join(" · ");
}

/** Words of a decision that tell nothing of the question. */
const PLAIN_DECISIONS = ["Approved", "Rejected", "Confirmed", "Declined", "Cancelled", "Asked to revise"];

/** How far the answer to a request got that has ended without being settled. */
const REACHED: Record<Reach, string> = {
  nothing: "The answer was not delivered",
  unknown: "It is unknown whether the answer was delivered",
  taken: "The server had accepted the answer",
};

/** How a request stands that the member can't decide, or not any more. */
function endWords(request: InputRequestDetail, withText: boolean): string {
  const { answer, delivery, state, endedReason, snoozedUntil, approval, task } = request;
  if (answer) {
    const words = withText || PLAIN_DECISIONS.includes(answer.words) ? visibleLine(answer.words) : "Answered";
    const decided = `${words} by ${visibleLine(actorWords(answer.by))}`;
    const hasEnded = state === "withdrawn" || state === "expired" || state === "undeliverable";
    return hasEnded ? `${decided}. ${REACHED[delivery ? reachIn(delivery) : "nothing"]}` : decided;
  }
  if (endedReason === "replaced") return "The question changed. A new request replaces this one";
  switch (state) {
    case "expired":
      return "Expired without a decision";
    case "undeliverable":
      return "The answer could not be delivered";
    case "answered":
    case "settled":
      return "Decided";
    case "withdrawn":
      return "Withdrawn";
    case "open":
      if (task.cancelRequestedAt !== null) return "The task is being cancelled";
      if (approval?.mine) return approval.mine.agrees ? "You approved" : "You rejected";
      return snoozedUntil !== null ? "Snoozed" : "Does not wait for you any more";
  }
}

/** The message about anything but a request. `path`: null once it no longer applies. */
export function noticeMessage(
  { heading, about, path }: { heading: string; about: string; path: string | null },
  appUrl: string,
): Shown {
  const line = visibleLine(about);
  const title = path === null ? `No longer applies: ${heading}` : heading;
  return {
    text: line ? `${title}: ${line}` : title,
    blocks: [
      plainHeading(title),
      ...(line ? [plain(line)] : []),
      ...(path === null ? [] : [actions(appUrl + path)]),
    ],
    isClosed: path === null,
  };
}

/** The one message about all that has none of its own. */
export function countMessage(count: number, appUrl: string): Shown {
  const title =
    count === 0 ? "Nothing more waits for you" : `${plural(count, "more notification")} in Intray`;
  return { text: title, blocks: [plainHeading(title), actions(`${appUrl}/inbox`)], isClosed: count === 0 };
}

export const TEST_MESSAGE = {
  text: "Test: Intray reaches you here",
  blocks: [plainHeading("Test: Intray reaches you here")],
};

/** A message about a matter that is gone, as a task that was deleted. */
export const GONE_MESSAGE: Shown = {
  text: "No longer in Intray",
  blocks: [plainHeading("No longer in Intray")],
  isClosed: true,
};

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
function actions(url: string, buttons: Button[] = []): KnownBlock {
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
