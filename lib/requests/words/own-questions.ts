/**
 * Words for questions of Intray's own: approvals in front of calls (`gate`), and what programs and people ask people. No
 * server puts them, so none gets the answer.
 */
import { actorWords } from "../../access/actor-words.ts";
import { bareText } from "../../text/foreign/hidden.ts";
import { isRecord } from "../../text/json.ts";
import { bothEnds, humanise } from "../../text/labels.ts";
import { withMarksAt } from "../../text/mask.ts";
import type { RequestDocument } from "../documents/document-schema.ts";
import type { InputRequestDetail, InputRequestSummary } from "../request-schema.ts";
import { textInArguments } from "./embedded-documents.ts";
import type { ProgramCall } from "./program-call.ts";
import { rejectionsBesides } from "./vote-words.ts";

type Asked = Pick<InputRequestSummary, "origin" | "gate" | "server" | "tool" | "requestedBy">;

/** Who gets to know the answer: the server that asked, or who asked through Intray. */
export function receiverOf({ origin, server, requestedBy }: Asked): string {
  return origin === "server" ? server.name : actorWords(requestedBy);
}

/** What follows an acceptance, as the timeline of an open request ends. */
export function nextWords(request: Asked): string {
  if (request.gate) return `${request.server.name} is called once somebody approves`;
  return `the answer goes to ${receiverOf(request)}`;
}

/** What declining means for the one who asked. */
export function declineWords(request: Asked & Pick<InputRequestSummary, "approval">): string {
  const { origin, gate, requestedBy, approval } = request;
  const more = approval ? rejectionsBesides(approval) : 0;
  if (more > 0)
    return `Your rejection is kept in Intray, and nothing is sent. It takes ${more} more to end this.`;
  if (origin === "server")
    return `${request.server.name} is told only that it was declined; most servers take it as a no. Your reason is kept in Intray.`;
  const told = `${actorWords(requestedBy, { begins: true })} is told that you declined, and your reason.`;
  return gate ? `The call is not made. ${told}` : told;
}

/** The same in one sentence, beside the choices of a question. */
export function declineShortly(request: Asked): string {
  if (request.gate) return "The call is not made.";
  if (request.origin === "intray")
    return `${actorWords(request.requestedBy, { begins: true })} is told that you declined.`;
  return `${request.server.name} is told that nobody answers. Most servers take it as a no.`;
}

/** What asking to revise means for the one who asked. */
export function reviseWords(request: Asked & Pick<InputRequestSummary, "approval">): string {
  const { gate, approval } = request;
  const more = approval ? rejectionsBesides(approval) : 0;
  if (more > 0)
    return `It counts as your rejection and is kept in Intray. It takes ${more} more to end this.`;
  return `${gate ? "The call is not made. " : ""}${reviseShortly(request)}`;
}

/** What follows, in one sentence. */
export function reviseShortly({ requestedBy }: Pick<Asked, "requestedBy">): string {
  return `${actorWords(requestedBy, { begins: true })} gets your text, and can ask again with changes.`;
}

/** What cancelling a server's question means for the server. */
export function cancelWords({ server }: Pick<Asked, "server">): string {
  return `${server.name} is told that the question was dismissed. Many servers take it as a no, some ask again.`;
}

/** Who reads the comment that is given with an answer. */
export function commentWords(request: Asked & Pick<InputRequestSummary, "approval">): string {
  const { origin, gate, requestedBy, approval } = request;
  if (origin === "server") return "kept in Intray, not sent to the server";
  if (gate) return "kept in Intray";
  return approval
    ? `kept in Intray; that of the last vote goes to ${actorWords(requestedBy)}`
    : `goes to ${actorWords(requestedBy)} with the answer`;
}

/**
 * What a request is decided by: the arguments, with a mark for each of those that stand below them as documents. The text of
 * a document stays: the tool gets it as it gets any other.
 */
export function factsOf({
  arguments: given,
  documents,
  origin,
  gate,
}: Pick<InputRequestDetail, "arguments" | "documents" | "origin" | "gate">): Record<string, unknown> {
  const shown = documents.items.flatMap((document) =>
    document.from === "arguments" && document.path !== null
      ? [{ pointer: document.path, document, text: textInArguments(given, document) }]
      : [],
  );
  const values = withMarksAt(given, shown, (found) =>
    [documentsBelow(documents, found), ...found.flatMap((each) => textWords(each, found.length > 1))].join(
      "\n",
    ),
  );
  return origin === "intray" && !gate ? ownFacts(values) : values;
}

/** Whether the server's details have each of these facts with the same value, so that they need not be shown twice. */
export function isInDetails(
  facts: Record<string, unknown>,
  details: Record<string, unknown> | null,
): boolean {
  const same = ([name, value]: [string, unknown]) =>
    Object.hasOwn(details ?? {}, name) && JSON.stringify(details?.[name]) === JSON.stringify(value);
  return details !== null && Object.entries(facts).every(same);
}

/** The call that a coding agent's hook asks about; null: the request is about something else. */
export function programCallOf({
  arguments: { call },
  origin,
  gate,
}: Pick<InputRequestDetail, "arguments" | "origin" | "gate">): ProgramCall | null {
  return origin === "intray" && !gate && isRecord(call) ? (call as unknown as ProgramCall) : null;
}

function textWords(
  { text, document: { name } }: { text: string | null; document: RequestDocument },
  isOneOfSeveral: boolean,
): string[] {
  if (text === null) return [];
  return [isOneOfSeveral ? `${name}: ${text}` : text];
}

/** Which of a request's documents a value is. Names are the caller's: where two are alike, their addresses say it. */
function documentsBelow(
  { items, mayHaveMore }: InputRequestDetail["documents"],
  found: { document: RequestDocument }[],
): string {
  const below = found.length === 1 ? "Document below" : `${found.length} documents below`;
  if (found.length === items.length && !mayHaveMore) return below;
  const isAlone = (name: string) => !mayHaveMore && items.filter((each) => each.name === name).length === 1;
  const names = found.map(({ document: { name, uri } }) =>
    uri === null || uri === name || isAlone(name) ? name : `${name} (${bothEnds(uri)})`,
  );
  return `${below}: ${names.join(", ")}`;
}
/**
 * The facts of a request that was put through Intray: what was said to decide by, without the question, whom it was for, and
 * the form, which the request shows in other places. Details stand as a group of their own where one has the name of another
 * fact: neither may take the other's place.
 */
function ownFacts(args: Record<string, unknown>): Record<string, unknown> {
  const { details, amount, currency, links, subject, aap } = args;
  if (isRecord(aap) && isRecord(subject)) return aapFacts(subject, isRecord(details) ? details : {});
  const isNamed = typeof details === "object" && details !== null && !Array.isArray(details);
  const isMixed = isNamed && Object.keys(details).some((name) => OWN_NAME.test(humanise(bareText(name))));
  return {
    ...(typeof amount === "number" && { amount }),
    ...(typeof currency === "string" && { currency }),
    ...(isNamed && (isMixed ? { details } : details)),
    ...(Array.isArray(links) && links.length > 0 && { links: links.map(linkWords) }),
    ...(subject !== undefined && { subject: subjectShown(subject) }),
  };
}

/** Of a call that a program asks about by the Agent Approval Protocol: the call itself, before what else is told of it. */
function aapFacts(
  { server, tool, arguments: args }: Record<string, unknown>,
  { agentReasoning, context }: Record<string, unknown>,
): Record<string, unknown> {
  return {
    ...(server !== undefined && { server }),
    tool,
    ...(agentReasoning !== undefined && { agentReasoning }),
    arguments: args,
    ...(context !== undefined && { context }),
  };
}

/** Without what only says how the call can be changed. */
function subjectShown(subject: unknown): unknown {
  if (!isRecord(subject)) return subject;
  const { editable: _, inputSchema: __, ...shown } = subject;
  return shown;
}

/**
 * The name of another fact as it is shown, alone or with a sign behind it: “Subject · Arguments” would read as a part of the subject.
 * `currency_code` would be taken as that of the amount.
 */
const OWN_NAME = /^(?:amount|currency(?: ?code)?|links|subject)(?:$| ?[^\p{L}\p{N}\s])/iu;

/** A link as text: nobody follows one by accident. */
function linkWords(link: unknown): unknown {
  if (typeof link !== "object" || link === null) return link;
  const { title, url } = link as { title?: unknown; url?: unknown };
  return typeof title === "string" ? `${title}: ${String(url)}` : url;
}
