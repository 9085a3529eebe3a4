/**
 * Conditions as rows of field, operator and value, for people who write no CEL. Rules store the CEL. One table of shapes writes it
 * (`celOf`) and reads it (rows-from-cel.ts). Pure.
 */
import { namesOf, type Rules } from "./vocabulary.ts";

/** One row. Values are as typed; `problemOfRow` says what is missing. */
export interface Row {
  field: string;
  /** Of the field's kind: a key of its `SHAPES`. */
  operator: string;
  /** Of an argument: names with dots between them, such as `invoice.total`. */
  path?: string;
  value?: string;
  /** Of a time of day: `value` is when it begins. */
  until?: string;
  zone?: string;
}

export interface Rows {
  /** Whether all rows have to hold, or any of them. All, if there is one row at most. */
  join: "all" | "any";
  rows: Row[];
}

/** The kinds of fields, by what can be said of one. */
export type Kind = "amount" | "text" | "optional" | "flag" | "count" | "list" | "agent" | "argument" | "time";

const TEXT = {
  is: "@ == $text",
  isNot: "@ != $text",
  oneOf: "@ in $texts",
};
export const NUMBERS = { atLeast: ">=", moreThan: ">", atMost: "<=", lessThan: "<", equals: "==" };
const numbers = (write: (operator: string) => string) =>
  Object.fromEntries(Object.entries(NUMBERS).map(([name, operator]) => [name, write(operator)]));

/**
 * How each operator of a kind is written in CEL. `@` is the field's name; `$` begins a place for a value. `$has` says that the argument
 * is there: without it a condition could not be applied to calls that lack the argument.
 */
export const SHAPES: Record<Kind, Record<string, string>> = {
  amount: {
    ...numbers((operator) => `@ != null && @ ${operator} $number`),
    there: "@ != null",
    notThere: "@ == null",
  },
  text: {
    ...TEXT,
    contains: "@.contains($text)",
    startsWith: "@.startsWith($text)",
    endsWith: "@.endsWith($text)",
  },
  optional: TEXT,
  flag: { yes: "@", no: "!@" },
  count: numbers((operator) => `@ ${operator} $whole`),
  list: { has: "$text in @", hasNot: "!($text in @)" },
  agent: {
    there: "@ != null",
    notThere: "@ == null",
    is: "@ != null && @.id == $text",
    isNot: "!(@ != null && @.id == $text)",
  },
  // Read as text and as number, so that 4711 and "4711" are the same.
  argument: {
    is: "$has && string($argument) == $text",
    isNot: "!($has && string($argument) == $text)",
    contains: "$has && string($argument).contains($text)",
    startsWith: "$has && string($argument).startsWith($text)",
    ...numbers((operator) => `$has && double($argument) ${operator} $number`),
    there: "$has",
    notThere: "!($has)",
  },
  time: {
    between: "$minutes >= $from && $minutes < $until",
    notBetween: "$minutes < $from || $minutes >= $until",
  },
};

/** The kind of each field that rows have, by its name in CEL. Other names are for CEL alone. */
const KINDS: Record<string, Kind> = {
  amount: "amount",
  currency: "optional",
  "tool.name": "text",
  "tool.readOnly": "flag",
  "tool.destructive": "flag",
  "server.id": "optional",
  "server.name": "text",
  arguments: "argument",
  agent: "agent",
  "requester.role": "optional",
  "requester.kind": "optional",
  "requester.name": "text",
  "requester.groups": "list",
  now: "time",
  "request.message": "text",
  "task.label": "text",
  "similar.accepted": "count",
  "similar.declined": "count",
};

export function kindOf(field: string): Kind | null {
  return Object.hasOwn(KINDS, field) ? KINDS[field]! : null;
}

/** The fields that rows of these rules have, in the order of the vocabulary. */
export const fieldsOf = (rules: Rules): string[] =>
  namesOf(rules).flatMap(({ name }) => (kindOf(name) === null ? [] : [name]));

/** The CEL that the rows say; empty: everything. Every row must be without a problem. */
export function celOf({ join, rows }: Rows): string {
  const written = rows.map((row) => {
    const text = celOfRow(row);
    if (rows.length === 1) return text;
    const isJoined =
      join === "all"
        ? row.operator === "notBetween"
        : !text.startsWith("!(") && / (&&|\|\|) /.test(withoutTexts(text));
    return isJoined ? `(${text})` : text;
  });
  return written.join(join === "all" ? " && " : " || ");
}

/** An operator within a text in quotes joins nothing. A text that does not end goes to the end: each letter is read once. */
const withoutTexts = (cel: string) => cel.replace(/"(?:\\.|[^"\\])*"?/g, '""');

function celOfRow({ field, operator, path = "", value = "", until = "", zone = "" }: Row): string {
  const shape = SHAPES[kindOf(field)!][operator]!;
  const values: Record<string, () => string> = {
    text: () => textOf(value),
    texts: () => `[${listIn(value).map(textOf).join(", ")}]`,
    number: () => numberOf(value),
    whole: () => String(Number(value)),
    has: () => presenceOf(path),
    argument: () => argumentOf(segmentsIn(path)),
    minutes: () => minutesOf(zone, isWholeHours(value, until)),
    from: () => String(timeOf(value, isWholeHours(value, until))),
    until: () => String(timeOf(until, isWholeHours(value, until))),
  };
  return shape.replace(/@|\$(\w+)/g, (_, name?: string) => (name === undefined ? field : values[name]!()));
}

const textOf = (text: string) => JSON.stringify(text);

/** With a point, so that CEL reads a floating-point number, as those of arguments are. */
function numberOf(text: string): string {
  const number = String(Number(text));
  return number.includes(".") ? number : `${number}.0`;
}

export const listIn = (text: string): string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

const segmentsIn = (path: string): string[] => path.split(".");

/** Names that CEL keeps for itself can't follow a dot. */
const IDENTIFIER = /^(?!(?:in|true|false|null)$)[A-Za-z_]\w*$/;

function argumentOf(segments: string[]): string {
  return segments.reduce(
    (above, name) => (IDENTIFIER.test(name) ? `${above}.${name}` : `${above}[${textOf(name)}]`),
    "arguments",
  );
}

/** Each name on the way, since `has` fails where the one above is missing. It takes identifiers alone. */
function presenceOf(path: string): string {
  const segments = segmentsIn(path);
  return segments
    .map((name, at) => {
      const above = argumentOf(segments.slice(0, at));
      const isPlainPath = segments.slice(0, at + 1).every((each) => IDENTIFIER.test(each));
      return isPlainPath ? `has(${above}.${name})` : `${textOf(name)} in ${above}`;
    })
    .join(" && ");
}

/** Full hours are compared as hours, so that a person can read them. */
const isWholeHours = (from: string, until: string) => from.endsWith(":00") && until.endsWith(":00");

const minutesOf = (zone: string, isWhole: boolean) =>
  isWhole
    ? `now.getHours(${textOf(zone)})`
    : `now.getHours(${textOf(zone)}) * 60 + now.getMinutes(${textOf(zone)})`;

function timeOf(text: string, isWhole: boolean): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return isWhole ? hours : hours * 60 + minutes;
}

/** What keeps a row from saying a condition, as a sentence for whoever fills it in; null: nothing. */
export function problemOfRow({
  field,
  operator,
  path = "",
  value = "",
  until = "",
  zone = "",
}: Row): string | null {
  const kind = kindOf(field);
  if (kind === null || !Object.hasOwn(SHAPES[kind], operator)) return "Choose a field";
  const shape = SHAPES[kind][operator]!;
  if (kind === "argument" && !isPath(path)) return "Name the argument, such as invoice.total";
  if (kind === "time") return problemOfTime(value, until, zone);
  if (shape.includes("$number") && !/^-?\d{1,15}(\.\d{1,6})?$/.test(value))
    return "Use a number such as 5000";
  if (shape.includes("$whole") && !/^\d{1,9}$/.test(value)) return "Use a whole number";
  if (shape.includes("$texts") && listIn(value).length === 0) return "Required";
  if (shape.includes("$text") && value === "") return "Required";
  // It would be compared too, and nobody sees it.
  if (shape.includes("$text") && value.trim() !== value)
    return "Remove the blank at the beginning or the end";
  return isPlain(value) ? null : "Use one line of text";
}

function problemOfTime(from: string, until: string, zone: string): string | null {
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(from) || !/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/.test(until))
    return "Use times such as 09:00";
  if (from >= until) return "Begin before it ends. For a night, choose “is not between”";
  return zone === "" ? "Choose a time zone" : null;
}

const isPath = (path: string) =>
  isPlain(path) && segmentsIn(path).every((name) => name !== "" && name.trim() === name);

/** No control characters, and no half of a character, which CEL refuses. */
const isPlain = (text: string) => !/\p{Cc}/u.test(text) && text.isWellFormed();
