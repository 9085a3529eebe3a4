/**
 * YAML 1.2 as a way to write what JSON can hold: its core schema alone, so that `no` and `2026-12-25` are texts, without tags and
 * aliases, each key once. Pure.
 */
import { type Document, isNode, isScalar, parseDocument, type SchemaOptions, stringify } from "yaml";

/** Longest text. */
const MOST_CHARACTERS = 256 * 1024;
const OPTIONS: SchemaOptions & { version: "1.2"; uniqueKeys: (one: unknown, other: unknown) => boolean } = {
  version: "1.2",
  schema: "core",
  merge: false,
  customTags: [],
  // As JSON has them: the number 1 and the text "1" are one key.
  uniqueKeys: (one, other) => keyOf(one) === keyOf(other),
};

function keyOf(node: unknown): unknown {
  return isScalar(node) ? String(node.value ?? "") : node;
}

export interface YamlMistake {
  message: string;
  /** Offset in the text. */
  at: number;
}

/** Returns the value, or the first thing that keeps the text from being read. */
export function readYaml(text: string): { value: unknown } | { mistake: YamlMistake } {
  if (text.length > MOST_CHARACTERS)
    return { mistake: { message: `At most ${MOST_CHARACTERS} characters`, at: MOST_CHARACTERS } };
  const document = parse(text);
  // A tag that is not of the schema is a warning to the library.
  const [first] = [...document.errors, ...document.warnings];
  if (first) return { mistake: { message: wordsOf(first.message), at: first.pos[0] } };
  try {
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    return isJson(value) ? { value } : { mistake: { message: "A number has to be finite", at: 0 } };
  } catch (error) {
    // What the library refuses: aliases. A text nested too deeply uses up the stack.
    return { mistake: { message: wordsOf((error as Error).message), at: Math.max(0, text.indexOf("*")) } };
  }
}

export function writeYaml(value: unknown): string {
  return stringify(value, null, { ...OPTIONS, aliasDuplicateObjects: false, lineWidth: 0 });
}

/** The offset of the value that a path such as `rules.0.stages` names; of what is not there, the nearest value around it. */
export function placeInYaml(text: string, path: string): number {
  const document = parse(text);
  const names = path === "" ? [] : path.split(".");
  for (let length = names.length; length >= 0; length--) {
    const start = startOf(document, names.slice(0, length));
    if (start !== null) return start;
  }
  return 0;
}

function startOf(document: Document, names: string[]): number | null {
  const steps = names.map((name) => (/^\d+$/.test(name) ? Number(name) : name));
  const node: unknown = steps.length === 0 ? document.contents : document.getIn(steps, true);
  return isNode(node) && node.range ? node.range[0] : null;
}

/** The last one that was read: each problem of a policy asks for its place in the same text. */
let last: { text: string; document: ReturnType<typeof parseDocument> } | null = null;

function parse(text: string) {
  if (last?.text !== text)
    last = { text, document: parseDocument(text, { ...OPTIONS, prettyErrors: false }) };
  return last.document;
}

/** Their first line: the library quotes the text after it. */
function wordsOf(message: string): string {
  return (message.split("\n")[0] ?? message).replace(/ at line \d+, column \d+:?$/, "");
}

function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(isJson);
}
