/** Building blocks for the words of history lines. */
import { actorWords } from "../../access/actor-words.ts";
import type { Formats } from "../../text/formats/formats.ts";
import { humanise, shorten, type Tone } from "../../text/labels.ts";
import type { Fault, TaskEvent, Verification } from "./event-schema.ts";

export interface EventWords {
  text: string;
  tone: Tone;
  /** Words of a person or the server, shown beneath in quotes. */
  quote?: string;
}

export type Data = Record<string, unknown>;
export type Line = Pick<TaskEvent, "type" | "actor" | "data" | "detailsDeleted" | "detailsLeftOut">;
/** Makes the words of one type of line, from its data and its actor, as a sentence begins with them, and amid one. */
export type Words = (data: Data, who: string, amid: string) => EventWords;

/**
 * The words of a line. A line of an unknown type (of another version), or whose details are deleted or too long, gets only its
 * type and actor, since its own words would make up facts.
 */
export function inWords(
  words: Record<string, Words>,
  { type, actor, data, detailsDeleted, detailsLeftOut }: Line,
): EventWords {
  const kind = humanise(type.replaceAll(".", " "));
  if (detailsDeleted) return say(`${kind} by ${whoActs(actor)}; details were deleted`);
  if (detailsLeftOut) return say(`${kind} by ${whoActs(actor)}; the export has the details`);
  const known = Object.hasOwn(words, type) && words[type];
  return known ? known(data, whoActs(actor, { begins: true }), whoActs(actor)) : say(kind);
}

function whoActs(actor: Line["actor"], where = { begins: false }): string {
  return actor.kind === "engine" || actor.kind === "system" ? "Intray" : actorWords(actor, where);
}

export function say(text: string, tone: Tone = "neutral", quote?: string): EventWords {
  return { text, tone, ...(quote ? { quote } : {}) };
}

/** ` “ERP”`, or nothing if the line has no name. */
export function named(data: Data, before = ""): string {
  const name = text(data.name);
  return name ? `${before} “${name}”` : "";
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? shorten(value, 400) : undefined;
}

export function reason(data: Data, reasons: Record<string, string>): string {
  const given = text(data.reason);
  if (!given) return "";
  // A code becomes words; a sentence stays as written.
  const words = /^[a-z_]+$/.test(given) ? humanise(given).toLowerCase() : given;
  return `: ${reasons[given] ?? words}`;
}

/** The result of a check of the history: a title, and the consequences of a broken one. */
export function describeVerification(
  { ok, lines, brokenAt, fault }: Verification,
  { number }: Formats,
): { title: string; detail: string } {
  const count = `${number(lines)} ${lines === 1 ? "entry" : "entries"}`;
  if (ok || fault === null || brokenAt === null)
    return {
      title: `${count} checked, none altered`,
      detail: "No entry was changed, added, moved or removed.",
    };
  const at = number(brokenAt);
  return { title: `The history was altered at entry ${at}`, detail: DETAILS[fault](at) };
}

const DETAILS: Record<Fault, (at: string) => string> = {
  gap: (at) => `Entry ${at} is missing, but later ones exist.`,
  altered: (at) => `The text of entry ${at} has changed since it was written.`,
  unlinked: (at) => `Entry ${at} does not follow from the entry before it: earlier entries were replaced.`,
  cut: (at) => `The history used to go further: entries from ${at} on were removed or rewritten.`,
  rewritten: (at) =>
    `The hash of entry ${at} differs from the anchor kept elsewhere: the history was rewritten.`,
};
