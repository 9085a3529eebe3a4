/** What messages say, on any platform. Pure. */
import { actorWords } from "../../access/actor-words.ts";
import { type Reach, reachIn } from "../../requests/deliveries/reach.ts";
import type { InputRequestDetail } from "../../requests/request-schema.ts";
import { visibleText } from "../../text/foreign/hidden.ts";
import { namedInQuotes } from "../../text/foreign/quoted.ts";
import { plural } from "../../text/labels.ts";
import { visibleLine } from "../mail/compose.ts";
import { askedTexts, type OfferedButton, shownArguments } from "./offer.ts";
import type { PressValue } from "./press-schema.ts";

export interface Message {
  title: string;
  /** What it is about, in a line. */
  about: string | null;
  /** Where the organization allows the text of questions. */
  asked: Asked | null;
  /** `Finance: 1 of 2`, of each stage. */
  votes: string | null;
  buttons: MessageButton[];
  /** Of “Open in Intray”, which decides nothing. */
  url: string | null;
  /** Nothing more is expected to change. */
  isClosed: boolean;
}

/** A question. Everything but `by` is text of others, which must not pass for Intray's own words. */
interface Asked {
  by: string;
  texts: string[];
  /** A line each. Empty also where they are too long to be shown whole. */
  arguments: string[];
}

export interface MessageButton {
  label: string;
  style: OfferedButton["style"];
  value: PressValue;
  /** A press asks for something first. */
  asks: boolean;
}

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
): Message {
  const { id, questionHash, tool, label, server } = request;
  return {
    title: isOpen && heading ? heading : endWords(request, withText),
    about: visibleLine(`${tool}${withText && label ? ` · ${label}` : ""} on ${server.name}`),
    asked: withText ? askedIn(request) : null,
    votes: votesWords(request),
    buttons: buttons.map(({ label: words, style, kind, content, reason }) => ({
      ...{ label: words, style, value: { request: id, questionHash, kind, content } },
      asks: kind === "change" || reason !== null,
    })),
    url: `${appUrl}/inbox/${id}`,
    isClosed: !isOpen && heading === null,
  };
}

function askedIn(request: InputRequestDetail): Asked {
  const { origin, server, requestedBy } = request;
  const asker = origin === "server" ? namedInQuotes(server.name) : actorWords(requestedBy, { begins: true });
  return {
    by: `${visibleLine(asker)} asks`,
    texts: askedTexts(request).map((text) => visibleText(text)),
    arguments: shownArguments(request) ?? [],
  };
}

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

const PLAIN = { about: null, asked: null, votes: null, buttons: [] };

/** The message about anything but a request. `path`: null once it no longer applies. */
export function noticeMessage(
  { heading, about, path }: { heading: string; about: string; path: string | null },
  appUrl: string,
): Message {
  return {
    ...PLAIN,
    title: path === null ? `No longer applies: ${heading}` : heading,
    about: visibleLine(about) || null,
    url: path === null ? null : appUrl + path,
    isClosed: path === null,
  };
}

/** The one message about all that has none of its own. */
export function countMessage(count: number, appUrl: string): Message {
  const title =
    count === 0 ? "Nothing more waits for you" : `${plural(count, "more notification")} in Intray`;
  return { ...PLAIN, title, url: `${appUrl}/inbox`, isClosed: count === 0 };
}

const said = (title: string): Message => ({ ...PLAIN, title, url: null, isClosed: true });

export const TEST_MESSAGE = said("Test: Intray reaches you here");
/** A message about a matter that is gone, as a task that was deleted. */
export const GONE_MESSAGE = said("No longer in Intray");

/** Of a message in a notification, where only a line is shown. */
export const lineOf = ({ title, about }: Message): string => (about === null ? title : `${title}: ${about}`);
