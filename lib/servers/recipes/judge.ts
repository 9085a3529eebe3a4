/** Judges a status tool's reply by a recipe: the state of the process, and what it asks. Pure. */

import { createHash } from "node:crypto";
import { z } from "zod";
import { STATUS_CHARACTERS } from "../../mcp/limits.ts";
import type { Question, RemoteTask } from "../../mcp/peer.ts";
import { parseJson } from "../../mcp/wire/json.ts";
import { Budget } from "../../text/rules/budget.ts";
import { createLanguage, type Language, RuleFailure } from "../../text/rules/language.ts";
import { DETAILS, formOf } from "./choices.ts";
import type { Recipe, RecipeQuestion } from "./recipe-schema.ts";

/** `result`: a tool's reply, as `toResult` makes it. */
const result = { structuredContent: "dyn", content: "list", text: "string", isError: "bool" };

/** The expressions of a recipe by their place. Texts are parsed once a process. */
export const LANGUAGES = {
  /** Arguments of the start tool, by those of the task. */
  start: createLanguage({ arguments: "map" }),
  handle: createLanguage({ arguments: "map", result }),
  /** Arguments of the tools for status and cancel. */
  call: createLanguage({ handle: "dyn" }),
  /** Of the status tool's reply. */
  state: createLanguage({ handle: "dyn", result }),
  /** Everything after the state is known. */
  status: createLanguage({ handle: "dyn", result, state: "string" }),
  /** Arguments of a choice's tool; `answer`: what the person filled in. */
  choice: createLanguage({ handle: "dyn", answer: "map" }),
} satisfies Record<string, Language>;
export type Place = keyof typeof LANGUAGES;

/** A reply to `tools/call`, as far as a recipe is about it. */
const toolResultSchema = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).default([]),
  structuredContent: z.record(z.string(), z.unknown()).nullish(),
  isError: z.boolean().nullish(),
});

/** What expressions see of a reply. */
export interface ToolResult {
  /** The tool's own structured content, else the JSON that its text is; null: neither. */
  structuredContent: unknown;
  content: unknown[];
  /** All texts, each on lines of its own. */
  text: string;
  isError: boolean;
}

/** Returns null if it is no reply to `tools/call`. */
export function toResult(reply: unknown): ToolResult | null {
  const parsed = toolResultSchema.safeParse(reply);
  if (!parsed.success) return null;
  const { content, structuredContent, isError } = parsed.data;
  const text = content
    .flatMap((part) => (part.type === "text" && typeof part.text === "string" ? [part.text] : []))
    .join("\n");
  return { structuredContent: structuredContent ?? jsonIn(text), content, text, isError: isError === true };
}

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return parseJson(text);
  } catch {
    return null; // a text that only looks like JSON, or would take too much to hold
  }
}

/** Names a process: any JSON but null, as the start tool's reply has it. */
export type Handle = string | number | boolean | object;
/** Longest handle as JSON, in characters. */
const HANDLE_CHARACTERS = 2_000;

/** Returns the handle in a start tool's reply. Throws RuleFailure if there is none. */
export function handleIn(recipe: Recipe, args: Record<string, unknown>, result: ToolResult): Handle {
  const value = evaluate("handle", recipe.start.handle, { arguments: args, result }, new Budget());
  if (value === null || value === "" || JSON.stringify(value).length > HANDLE_CHARACTERS)
    throw new RuleFailure(value === null || value === "" ? "It is empty." : "It is too long.");
  if (!isExact(value)) throw new RuleFailure("It is a number that can’t be sent exactly.");
  return value as Handle;
}

/** A number beyond what JSON's readers keep exactly was rounded as it was read: it names another process. */
function isExact(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return typeof value !== "object" || value === null || Object.values(value).every(isExact);
}

/** Returns the arguments of a call. Throws RuleFailure if one has no value; one that is null is left out. */
export function argumentsFor(
  place: Extract<Place, "start" | "call" | "choice">,
  given: Record<string, string>,
  facts: Record<string, unknown>,
): Record<string, unknown> {
  const budget = new Budget();
  const values = Object.entries(given).map(([name, text]) => {
    try {
      return [name, evaluate(place, text, facts, budget)] as const;
    } catch (error) {
      if (!(error instanceof RuleFailure)) throw error;
      throw new RuleFailure(`The argument ${name} has no value: ${error.message}`, { cause: error });
    }
  });
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}

export type Judged = Pick<RemoteTask, "status" | "statusMessage" | "questions"> & {
  /** What the recipe reads from the reply. */
  state: string;
  /** The recipe names the state, or asks something in it. */
  known: boolean;
};

/**
 * Judges a status tool's reply. Throws RuleFailure where the state, or whether a question is asked, has no value: then
 * nothing is known, and a question that was asked before may still be. A message without a value only says so.
 */
export function judge(recipe: Recipe, handle: Handle, result: ToolResult): Judged {
  const budget = new Budget();
  const { status } = recipe;
  const read = evaluate("state", status.state, { handle, result }, budget);
  if (!["string", "number", "boolean"].includes(typeof read))
    throw new RuleFailure("The state has to be a text.");
  const state = String(read).slice(0, STATUS_CHARACTERS);
  const facts = { handle, result, state };
  const words = (text: string, otherwise: string) => wordsOf(text, facts, budget, otherwise);
  const message = status.message === undefined ? state : words(status.message, state);
  const end = (["completed", "failed", "cancelled"] as const).find((one) => status[one].includes(state));
  if (end) return { status: end, statusMessage: message, questions: [], state, known: true };
  const questions = recipe.questions.flatMap((question, at) =>
    holds(question.when, facts, budget) ? [asked(question, at, facts, budget)] : [],
  );
  if (questions.length > 0)
    return { status: "input_required", statusMessage: message, questions, state, known: true };
  const known = status.working.includes(state);
  const statusMessage = known ? message : `The recipe does not know the state “${state}”.`;
  return { status: "working", statusMessage, questions: [], state, known };
}

/** The key of the question at this place of the recipe, and back. */
const keyOf = (at: number) => `question-${at + 1}`;
export function questionAt(recipe: Recipe, key: string): RecipeQuestion | null {
  return recipe.questions.find((_, at) => keyOf(at) === key) ?? null;
}

/** Details as JSON, in characters: what is longer is no help to decide by. */
const DETAILS_CHARACTERS = 64 * 1024;

function asked(question: RecipeQuestion, at: number, facts: Facts, budget: Budget): Question {
  const message = wordsOf(question.message, facts, budget, `The server’s state is “${facts.state}”.`);
  const details = question.details === undefined ? null : detailsOf(question.details, facts, budget);
  return {
    address: { kind: "key", key: keyOf(at) },
    mode: "form",
    message,
    requestedSchema: { ...formOf(question), ...(details && { [DETAILS]: details }) },
    url: null,
    // Facts change while a process goes on; another level of approval has another state, or says so in its message.
    round: createHash("sha256")
      .update(JSON.stringify([facts.state, message]))
      .digest("base64url"),
  };
}

interface Facts extends Record<string, unknown> {
  state: string;
}

function detailsOf(text: string, facts: Facts, budget: Budget): Record<string, unknown> {
  try {
    const value = evaluate("status", text, facts, budget);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return { details: value };
    const { length } = JSON.stringify(value);
    if (length <= DETAILS_CHARACTERS) return value as Record<string, unknown>;
    return { details: `Too long to be shown: ${length} characters.` };
  } catch (error) {
    if (!(error instanceof RuleFailure)) throw error;
    return { details: `The recipe’s details have no value: ${error.message}` };
  }
}

/** A message's text. One without a value says so, with what is known otherwise: nobody is left without the question. */
function wordsOf(text: string, facts: Facts, budget: Budget, otherwise: string): string {
  try {
    const value = evaluate("status", text, facts, budget);
    const words = typeof value === "string" ? value : JSON.stringify(value);
    return words.slice(0, STATUS_CHARACTERS);
  } catch (error) {
    if (!(error instanceof RuleFailure)) throw error;
    return `${otherwise} (The recipe’s message has no value: ${error.message})`.slice(0, STATUS_CHARACTERS);
  }
}

function evaluate(place: Place, text: string, facts: Record<string, unknown>, budget: Budget): unknown {
  const read = LANGUAGES[place].readValue(text);
  // It was read when it was saved: this version of Intray reads it otherwise.
  if ("problem" in read) throw new RuleFailure(read.problem.message);
  return read.expression.value(facts, budget);
}

function holds(text: string, facts: Facts, budget: Budget): boolean {
  const read = LANGUAGES.status.read(text);
  if ("problem" in read) throw new RuleFailure(read.problem.message);
  return read.condition.holds(facts, budget);
}
