/**
 * The names that conditions know: in call rules, in the policy, and in its automatic rules. Languages, editors and docs/conditions.md are
 * made of this list, so that a name means the same wherever it is known. Pure.
 */
import type { Variables } from "../../text/rules/language.ts";

/** The kinds of rules that have conditions. */
export const RULES = ["call", "policy", "automatic"] as const;
export type Rules = (typeof RULES)[number];

/** How people read a type, and how CEL calls it. `dyn`: CEL looks at the value when it judges, since that may be null. */
const TYPES = {
  text: "string",
  "text or null": "dyn",
  "true or false": "bool",
  "number or null": "dyn",
  "whole number": "int",
  "list of texts": "list<string>",
  fields: "map",
  "fields or null": "dyn",
  time: "google.protobuf.Timestamp",
} as const;

export interface Name {
  name: string;
  type: keyof typeof TYPES;
  /** The rules whose conditions know the name. */
  rules: readonly Rules[];
  /** What the name stands for. */
  words: string;
  /** Names of earlier versions, which mean the same. */
  older?: { name: string; rules: readonly Rules[] };
}

const IN_POLICY = ["policy", "automatic"] as const;
const IN_CALL = ["call"] as const;

export const NAMES: readonly Name[] = [
  {
    name: "amount",
    type: "number or null",
    rules: RULES,
    words:
      "The largest amount of money in the arguments or the question, as a positive number. Null if there is none",
    older: { name: "request.amount", rules: RULES },
  },
  {
    name: "currency",
    type: "text or null",
    rules: RULES,
    words: "The currency that the request shows, such as `EUR`. Null if it shows none. Nothing is converted",
    older: { name: "request.currency", rules: RULES },
  },
  {
    name: "tool.name",
    type: "text",
    rules: RULES,
    words:
      "The tool, as its server lists it. For questions that agents ask people: `ask_person` or `request_approval`",
    older: { name: "tool", rules: IN_POLICY },
  },
  { name: "tool.title", type: "text", rules: IN_CALL, words: "The tool’s title. Empty if it has none" },
  { name: "tool.readOnly", type: "true or false", rules: IN_CALL, words: "The tool only reads" },
  { name: "tool.destructive", type: "true or false", rules: IN_CALL, words: "The tool may destroy data" },
  {
    name: "tool.idempotent",
    type: "true or false",
    rules: IN_CALL,
    words: "A second call with the same arguments changes nothing more",
  },
  { name: "tool.openWorld", type: "true or false", rules: IN_CALL, words: "The tool reaches other systems" },
  { name: "server.id", type: "text", rules: RULES, words: "The server’s id, which never changes" },
  {
    name: "server.name",
    type: "text",
    rules: RULES,
    words: "The server’s name, which admins can change. For questions that agents ask people: `Intray`",
  },
  {
    name: "arguments",
    type: "fields",
    rules: RULES,
    words:
      "The arguments of the call, such as `arguments.invoice.total`. All their numbers are floating-point",
    older: { name: "task.arguments", rules: IN_POLICY },
  },
  {
    name: "agent",
    type: "fields or null",
    rules: RULES,
    words:
      "`agent.id` and `agent.name`. Null if no agent asks. Agents choose their own names, so compare the id",
  },
  {
    name: "requester.id",
    type: "text",
    rules: RULES,
    words: "The id of the requester: a user, a key or an agent",
  },
  {
    name: "requester.name",
    type: "text",
    rules: RULES,
    words: "The requester’s name, which the requester can change",
    older: { name: "task.requester", rules: IN_POLICY },
  },
  {
    name: "requester.role",
    type: "text or null",
    rules: RULES,
    words:
      "`viewer`, `approver`, `operator`, `admin` or `owner`. Null for somebody who is no member any more",
  },
  { name: "requester.kind", type: "text", rules: RULES, words: "`member`, `key` or `agent`" },
  {
    name: "requester.groups",
    type: "list of texts",
    rules: IN_POLICY,
    words:
      "Names of the policy’s groups that the requester is in. In rules with stages, also the organization’s groups",
  },
  { name: "now", type: "time", rules: RULES, words: 'The time, as in `now.getHours("Europe/Berlin") >= 18`' },
  { name: "request.message", type: "text", rules: IN_POLICY, words: "The text of the question" },
  {
    name: "request.fields",
    type: "list of texts",
    rules: IN_POLICY,
    words: "The names of the form’s fields",
  },
  {
    name: "request.url",
    type: "text or null",
    rules: IN_POLICY,
    words: "The site that the request asks to visit. Null for a form",
  },
  {
    name: "request.askedAgain",
    type: "true or false",
    rules: IN_POLICY,
    words: "The server asks the same question again after an answer",
  },
  { name: "task.label", type: "text", rules: IN_POLICY, words: "The task’s label. Empty if it has none" },
  { name: "task.createdAt", type: "time", rules: IN_POLICY, words: "When the task was started" },
  {
    name: "similar.accepted",
    type: "whole number",
    rules: ["automatic"],
    words: "How many similar requests people accepted",
  },
  {
    name: "similar.declined",
    type: "whole number",
    rules: ["automatic"],
    words: "How many similar requests people did not accept",
  },
  {
    name: "similar.repeats",
    type: "true or false",
    rules: ["automatic"],
    words: "The request may repeat one that was already decided",
  },
];

/** The names that conditions of these rules know. */
export const namesOf = (rules: Rules): Name[] => NAMES.filter((each) => each.rules.includes(rules));

/** The variables of a language, older names among them. */
export function variablesOf(rules: Rules): Variables {
  const variables: Record<string, string | Record<string, string>> = {};
  const declare = (name: string, type: string) => {
    const [variable = "", property] = name.split(".");
    if (property === undefined) variables[variable] ??= type;
    else variables[variable] = { ...(variables[variable] as Record<string, string>), [property]: type };
  };
  for (const { name, type, older } of namesOf(rules)) {
    declare(name, TYPES[type]);
    // A variable that is an object now is a text in `olderVariablesOf`.
    if (older?.rules.includes(rules) && !name.startsWith(`${older.name}.`)) declare(older.name, TYPES[type]);
  }
  return variables;
}

/** The variables of conditions from before `tool` was an object: there it is the tool's name. */
export const olderVariablesOf = (rules: Rules): Variables => ({ ...variablesOf(rules), tool: "string" });

/** What to say of names that people may write in these rules, and that the language does not know. */
export function adviceOn(rules: Rules): Record<string, string> {
  const mean = (name: string) => `; did you mean \`${name}\`?`;
  const older = NAMES.flatMap(({ name, older: its }) =>
    its && !name.startsWith(`${its.name}.`) ? [[its.name, mean(name)]] : [],
  );
  const elsewhere = NAMES.filter((each) => !each.rules.includes(rules)).map(({ name, rules: [first] }) => [
    name,
    `: only ${first === "call" ? "call rules know" : first === "policy" ? "the policy knows" : "automatic rules know"} it`,
  ]);
  return {
    args: mean("arguments"),
    params: mean("arguments"),
    ...Object.fromEntries([...older, ...elsewhere]),
  };
}

/** The name that an older one stands for in these rules; others stay, also what follows after a dot. */
export function currentName(written: string, rules: Rules): string {
  for (const { name, older } of namesOf(rules)) {
    if (!older?.rules.includes(rules)) continue;
    if (written === older.name) return name;
    // `tool.…` is no older name: `tool` was a text.
    if (written.startsWith(`${older.name}.`) && !name.startsWith(`${older.name}.`))
      return name + written.slice(older.name.length);
  }
  return written;
}
