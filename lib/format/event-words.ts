/** What the words of history's lines are made of. */
import type { TaskEvent } from "../events/schema.ts";
import { humanise, shorten } from "../text/labels.ts";
import type { Tone } from "./tasks/outcome.ts";

export interface EventWords {
  text: string;
  tone: Tone;
  /** Said by a person or the server, shown beneath in quotes. */
  quote?: string;
}

export type Data = Record<string, unknown>;
export type Line = Pick<TaskEvent, "type" | "actor" | "data" | "detailsDeleted">;
/** The words of one kind of line: of what it holds, and who it was. */
export type Words = (data: Data, who: string) => EventWords;

/**
 * A line in the words of its kind. One of a newer or older version may be of a kind that this one does not know, and
 * one whose details were deleted says what and who alone: words of its kind would make something up.
 */
export function inWords(
  words: Record<string, Words>,
  { type, actor, data, detailsDeleted }: Line,
): EventWords {
  const who = actor.kind === "engine" || actor.kind === "system" ? "Intray" : actor.name;
  const kind = humanise(type.replaceAll(".", " "));
  if (detailsDeleted) return say(`${kind} by ${who}; details were deleted`);
  const known = Object.hasOwn(words, type) && words[type];
  return known ? known(data, who) : say(kind);
}

export function say(text: string, tone: Tone = "neutral", quote?: string): EventWords {
  return { text, tone, ...(quote ? { quote } : {}) };
}

/** ` “ERP”`, or nothing where the line has no name. */
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
  // A code becomes words; a sentence stays as it was written.
  const words = /^[a-z_]+$/.test(given) ? humanise(given).toLowerCase() : given;
  return `: ${reasons[given] ?? words}`;
}
