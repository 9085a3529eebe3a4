/** Words for the rows of a condition. Pure. */
import { kindOf, listIn, NUMBERS, type Row, type Rows, SHAPES } from "@/lib/policy/conditions/rows.ts";
import { quoted } from "@/lib/text/foreign/quoted.ts";
import { uncapitalise } from "@/lib/text/labels.ts";

/** What a field is called, by its name in CEL. */
export const FIELD_WORDS: Record<string, string> = {
  amount: "Amount",
  currency: "Currency",
  "tool.name": "Tool",
  "tool.readOnly": "Tool only reads",
  "tool.destructive": "Tool may destroy data",
  "server.id": "Server",
  "server.name": "Server’s name",
  arguments: "Argument",
  agent: "Agent",
  "requester.role": "Requester’s role",
  "requester.kind": "Requester’s kind",
  "requester.name": "Requester’s name",
  "requester.groups": "Requester’s group",
  now: "Time of day",
  "request.message": "Message",
  "task.label": "Task’s label",
  "similar.accepted": "Similar requests accepted",
  "similar.declined": "Similar requests declined",
};

const OPERATOR_WORDS: Record<string, string> = {
  atLeast: "is at least",
  moreThan: "is above",
  atMost: "is at most",
  lessThan: "is below",
  equals: "equals",
  is: "is",
  isNot: "is not",
  oneOf: "is one of",
  contains: "contains",
  startsWith: "begins with",
  endsWith: "ends with",
  yes: "· yes",
  no: "· no",
  has: "is",
  hasNot: "is not",
  there: "is given",
  notThere: "is not given",
  between: "is between",
  notBetween: "is not between",
};

const AGENT_WORDS: Record<string, string> = { there: "is any", notThere: "is none" };

/** What an operator of a field is called. */
export function operatorWords(field: string, operator: string): string {
  const words = kindOf(field) === "agent" ? { ...OPERATOR_WORDS, ...AGENT_WORDS } : OPERATOR_WORDS;
  return words[operator]?.replace("· ", "") ?? operator;
}

interface Choice {
  value: string;
  label: string;
}

/** The values of fields that always have the same few, with what they are called. */
export const FIXED: Record<string, Choice[]> = {
  "requester.role": ["viewer", "approver", "operator", "admin", "owner"].map((role) => ({
    value: role,
    label: role,
  })),
  "requester.kind": [
    { value: "member", label: "a member" },
    { value: "key", label: "an API key" },
    { value: "agent", label: "an agent" },
  ],
};

/** Returns the name of what a value stands for, such as a server by its id; null: the value says it itself. */
export type NameOf = (field: string, value: string) => string | null;

/** Says the rows as a part of a sentence. Values and names are in quotation marks, and can't end them. */
export function rowsInWords({ join, rows }: Rows, nameOf: NameOf): string {
  return rows.map((row) => rowInWords(row, nameOf)).join(join === "all" ? " and " : " or ");
}

function rowInWords(row: Row, nameOf: NameOf): string {
  const { field, operator, path, value, until, zone = "" } = row;
  const called = uncapitalise(FIELD_WORDS[field]!);
  const subject = path === undefined ? called : `${called} ${quoted(path)}`;
  const words = operatorWords(field, operator);
  if (until !== undefined)
    return `${subject} ${words} ${value} and ${until} (${ZONE.test(zone) ? zone : quoted(zone)})`;
  if (kindOf(field) === "flag") return `${subject}: ${words}`;
  if (value === undefined) return `${subject} ${words}`;
  const fixed = Object.hasOwn(FIXED, field) ? FIXED[field]! : [];
  const inWords = (one: string) =>
    fixed.find((choice) => choice.value === one)?.label ?? quoted(nameOf(field, one) ?? one);
  return `${subject} ${words} ${isNumber(row) ? value : valuesOf(row).map(inWords).join(", ")}`;
}

const ZONE = /^[A-Za-z0-9_+/-]+$/;

const isNumber = ({ operator }: Row) => Object.hasOwn(NUMBERS, operator);

/** The texts that a row compares with; times are none. */
const valuesOf = ({ operator, value = "", until }: Row) =>
  until !== undefined ? [] : operator === "oneOf" ? listIn(value) : [value];

/** Letters of one script, figures, blanks, dots, dashes and underscores: none looks like a quotation mark, as letters elsewhere do. */
const ORDINARY = [
  /^(?:(?![Ꞌꞌ])(?=\p{sc=Latn})[\p{Lu}\p{Ll}]|[0-9 ._-])*$/u,
  /^(?:(?=\p{sc=Grek})[\p{Lu}\p{Ll}]|[0-9 ._-])*$/u,
  /^(?:(?=\p{sc=Cyrl})[\p{Lu}\p{Ll}]|[0-9 ._-])*$/u,
  /^(?:(?=[\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])\p{Lo}|[0-9 ._-])*$/u,
];

/** Whether the words of the rows can be read as no other condition. */
export function areOrdinary({ rows }: Rows, nameOf: NameOf): boolean {
  return rows.every(
    (row) =>
      (row.zone === undefined || ZONE.test(row.zone)) &&
      [row.path ?? "", ...valuesOf(row).flatMap((one) => [one, nameOf(row.field, one) ?? ""])].every((text) =>
        ORDINARY.some((letters) => letters.test(text.normalize())),
      ),
  );
}

/** The row with another field. It keeps its operator if the field has that one. */
export function withField({ operator }: Row, field: string, zone: string): Row {
  const operators = Object.keys(SHAPES[kindOf(field)!]);
  return filled({ field, operator: operators.includes(operator) ? operator : operators[0]!, zone });
}

/** The parts that a row of this field and operator has, empty where nothing was filled in, and no others. */
export function filled({ field, operator, path, value, until, zone }: Row): Row {
  const kind = kindOf(field)!;
  if (kind === "time")
    return { field, operator, value: value ?? "09:00", until: until ?? "17:00", zone: zone ?? "" };
  const hasValue = /\$(texts?|number|whole)/.test(SHAPES[kind][operator]!);
  return {
    field,
    operator,
    ...(kind === "argument" && { path: path ?? "" }),
    ...(hasValue && { value: value ?? "" }),
  };
}
