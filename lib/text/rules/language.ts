/**
 * Rules in CEL (https://cel.dev) about things that are declared: bounded when they are read and when they are evaluated, and
 * without a way to anything else. Pure. An expression that fails has no value: who judges by rules decides what that means,
 * and must not let through what the rule might have stopped (docs/decisions/060).
 */
import { Environment } from "@marcbachmann/cel-js";
import { type Budget, weightOf } from "./budget.ts";
import { type ComparedText, comparedTexts, textsSought } from "./compared.ts";
import { type AstNode, meter, nodesOf, spending } from "./metering.ts";
import { unknownName } from "./unknown-name.ts";

/** Longest text of an expression. */
export const MOST_CHARACTERS = 2_000;
/** How an expression may be written: nodes of its syntax tree, how deep they are nested, items of a list. */
const LIMITS = {
  maxAstNodes: 500,
  maxDepth: 32,
  maxListElements: 200,
  maxMapEntries: 50,
  maxCallArguments: 4,
};
/** Expressions that a process keeps parsed. */
const KEPT = 500;

/**
 * What an expression may call. Missing on purpose: `matches`, whose patterns can take for ever on a text that fits them
 * badly, `bind`, which doubles a value with each use, and what makes lists of texts.
 */
const FUNCTIONS = new Set([
  ...["has", "size", "all", "exists", "exists_one", "filter", "map"],
  ...["contains", "startsWith", "endsWith", "lowerAscii", "upperAscii", "trim", "substring"],
  ...["int", "double", "string", "bool", "dyn", "timestamp", "duration"],
  ...["getFullYear", "getMonth", "getDate", "getDayOfWeek", "getHours", "getMinutes"],
]);

/** Types of variables: CEL's own, or an object with named fields. `dyn`: judged when it is evaluated. */
export type Variables = Record<string, string | Record<string, string>>;

export interface Problem {
  message: string;
  /** Where in the text, counted in characters from 0; null: the whole. */
  at: number | null;
}

/** Why an expression has no value. The message is for who wrote the rule. */
export class RuleFailure extends Error {}

/** An expression that says yes or no. */
export interface Condition {
  /** Throws RuleFailure if the expression has no value, says something else than yes or no, or goes beyond the budget. */
  holds(facts: Record<string, unknown>, budget: Budget): boolean;
  /** The fixed texts that it compares properties with. */
  compared: ComparedText[];
  /** As `textsSought`. */
  sought(variable: string, list: string): string[] | null;
}

/** An expression that says anything that JSON can hold. */
export interface Expression {
  /** Throws RuleFailure if the expression has no value, one that JSON can't hold, or goes beyond the budget. */
  value(facts: Record<string, unknown>, budget: Budget): unknown;
}

export interface Language {
  /** Returns the condition, or what is wrong with its text. */
  read(text: string): { condition: Condition } | { problem: Problem };
  /** Returns the expression, or what is wrong with its text. */
  readValue(text: string): { expression: Expression } | { problem: Problem };
}

/** `advice`: what to say of names that are none of its variables, after “Unknown name …”. */
export function createLanguage(variables: Variables, advice: Record<string, string> = {}): Language {
  const environment = new Environment({ limits: LIMITS });
  for (const [name, type] of Object.entries(variables))
    if (typeof type === "string") environment.registerVariable(name, type);
    else environment.registerVariable(name, { schema: type });
  const read = keeping((text) => readText(environment, variables, advice, text));
  return {
    read(text) {
      const found = read(text);
      if ("problem" in found) return found;
      const { type, evaluate, compared, sought } = found;
      if (type !== "bool" && type !== "dyn")
        return { problem: { message: `This must say true or false, and is of the type ${type}`, at: null } };
      return { condition: { compared, sought, holds: (facts, budget) => holds(evaluate, facts, budget) } };
    },
    readValue(text) {
      const found = read(text);
      if ("problem" in found) return found;
      const { evaluate } = found;
      return { expression: { value: (facts, budget) => toJson(evaluated(evaluate, facts, budget), budget) } };
    },
  };
}

/**
 * Reads the older language too, for texts from before a variable changed. Problems are those of `now`. `olderFacts`: the facts as the
 * older language has them.
 */
export function withOlder(
  now: Language,
  older: Language,
  olderFacts: (facts: Record<string, unknown>) => Record<string, unknown>,
): Pick<Language, "read"> {
  return {
    read(text) {
      const found = now.read(text);
      if ("condition" in found) return found;
      const before = older.read(text);
      if ("problem" in before) return found;
      const { condition } = before;
      return {
        condition: { ...condition, holds: (facts, budget) => condition.holds(olderFacts(facts), budget) },
      };
    },
  };
}

type Evaluate = (facts: Record<string, unknown>) => unknown;
type Read =
  | { type: string; evaluate: Evaluate; compared: ComparedText[]; sought: Condition["sought"] }
  | { problem: Problem };

function keeping(read: (text: string) => Read): (text: string) => Read {
  const kept = new Map<string, Read>();
  return (text) => {
    const known = kept.get(text);
    if (known) return known;
    const found = read(text);
    if (kept.size >= KEPT) kept.clear();
    kept.set(text, found);
    return found;
  };
}

function readText(
  environment: Environment,
  variables: Variables,
  advice: Record<string, string>,
  text: string,
): Read {
  if (text.length > MOST_CHARACTERS)
    return { problem: { message: `At most ${MOST_CHARACTERS} characters`, at: null } };
  try {
    const parsed = environment.parse(text);
    const root = parsed.ast as unknown as AstNode;
    refuseUnknownCalls(root);
    const { valid, type, error } = parsed.check();
    if (!valid) {
      const problem = unknownName(problemOf(error), text, { names: namesOf(variables), advice });
      return { problem: withOperator(withProperties(problem, variables), text) };
    }
    const compared = comparedTexts(root);
    meter(root);
    const sought: Condition["sought"] = (variable, list) => textsSought(root, variable, list);
    return { type: String(type), evaluate: parsed, compared, sought };
  } catch (error) {
    return { problem: withOperator(problemOf(error), text) };
  }
}

function namesOf(variables: Variables): string[] {
  return Object.entries(variables).flatMap(([name, type]) =>
    typeof type === "string" ? [name] : Object.keys(type).map((property) => `${name}.${property}`),
  );
}

class UnknownCall extends Error {
  readonly range: { start: number } | undefined;

  constructor(message: string, start: number | undefined) {
    super(message);
    this.range = start === undefined ? undefined : { start };
  }
}

function refuseUnknownCalls(root: AstNode): void {
  for (const node of nodesOf(root)) {
    if (node.op !== "call" && node.op !== "rcall") continue;
    const [name] = node.args as [string];
    if (FUNCTIONS.has(name)) continue;
    throw new UnknownCall(`Rules have no function ${name}()`, (node as { start?: number }).start);
  }
}

function holds(evaluate: Evaluate, facts: Record<string, unknown>, budget: Budget): boolean {
  const value = evaluated(evaluate, facts, budget);
  if (typeof value !== "boolean") throw new RuleFailure("It says neither true nor false.");
  return value;
}

function evaluated(evaluate: Evaluate, facts: Record<string, unknown>, budget: Budget): unknown {
  let value: unknown;
  try {
    value = spending(budget, () => evaluate(facts));
  } catch (error) {
    // Whatever it is, also a stack that a deeply nested value has used up: the expression has no value.
    throw new RuleFailure(budget.isSpent ? TOO_MUCH : wordsOf(error), { cause: error });
  }
  if (budget.isSpent) throw new RuleFailure(TOO_MUCH);
  return value;
}

/**
 * A value of CEL as JSON, written down piece by piece on the budget: an expression of a few characters may name one large
 * value many times.
 */
function toJson(value: unknown, budget: Budget, depth = 0): unknown {
  if (depth > MOST_LEVELS) throw new RuleFailure("It is nested too deeply.");
  try {
    budget.spend(weightOf(value));
  } catch (error) {
    throw new RuleFailure(TOO_MUCH, { cause: error });
  }
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new RuleFailure("It is a number that can’t be sent.");
    return value;
  }
  if (typeof value === "bigint") {
    if (!Number.isSafeInteger(Number(value)))
      throw new RuleFailure("It is a number that can’t be sent exactly.");
    return Number(value);
  }
  if (Array.isArray(value)) return value.map((item) => toJson(item, budget, depth + 1));
  if (value instanceof Map) return toJson(Object.fromEntries(value), budget, depth);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype)
    throw new RuleFailure("It is nothing that JSON can hold.");
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, toJson(inner, budget, depth + 1)]),
  );
}

/** Levels of a value: what is deeper ends the process that writes it down, by its recursion. */
const MOST_LEVELS = 100;

const TOO_MUCH = "It takes too many steps.";

function problemOf(error: unknown): Problem {
  const { range } = error as { range?: { start: number } };
  return { message: wordsOf(error), at: range?.start ?? null };
}

/** The library calls the type of an object `$tool`: the message names what the object has instead. */
function withProperties({ message, at }: Problem, variables: Variables): Problem {
  const name = /\$(\w+)/.exec(message)?.[1] ?? "";
  const properties = variables[name];
  if (typeof properties !== "object") return { message, at };
  const names = Object.keys(properties).map((property) => `${name}.${property}`);
  return { message: `${name} is no value by itself. Write one of ${names.join(", ")}`, at };
}

/** Operators that other languages write as words. */
const OPERATORS: Record<string, string> = { and: "&&", or: "||", not: "!" };
/** A text in quotes, or one of the words by itself. */
const QUOTED_OR_OPERATOR = /"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|(?<![.\w])(?<word>and|or|not)\b/gis;

/** The library reads a word for an operator as a name, and finds fault with a character in it or with what follows. */
function withOperator(problem: Problem, text: string): Problem {
  const { at } = problem;
  if (at === null) return problem;
  for (const { index, groups } of text.matchAll(QUOTED_OR_OPERATOR)) {
    const word = groups?.word;
    if (word === undefined || index > at || text.slice(index + word.length, at).trim() !== "") continue;
    return { message: `Use ${OPERATORS[word.toLowerCase()]} instead of ${word}`, at: index };
  }
  return problem;
}

/** The library's own words, without the lines of source that its messages end with. */
function wordsOf(error: unknown): string {
  if (error instanceof RangeError && /call stack/.test(error.message)) return "It is nested too deeply.";
  const { summary, message } = error as { summary?: string; message?: string };
  return (summary ?? message ?? "It can’t be read").replace(/dyn<([^<>]*)>/g, "$1").slice(0, 300);
}
