/**
 * YAML 1.2 as a way to write what JSON can hold: its core schema alone, so that `no` and `2026-12-25` are texts, without tags and
 * aliases, each key once. Pure.
 */
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type SchemaOptions,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

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

/** Writes another value in the place of a text's, with the comments on all that stays. A text that can't be read is written anew. */
export function rewriteYaml(text: string, value: unknown): string {
  const before = readYaml(text);
  if ("mistake" in before) return writeYaml(value);
  if (JSON.stringify(before.value) === JSON.stringify(value)) return text;
  // Not the one that is kept: this one is changed.
  const document = parseDocument(text, { ...OPTIONS, prettyErrors: false });
  document.contents = rewritten(document, document.contents, value) as typeof document.contents;
  return document.toString({ lineWidth: 0 });
}

function rewritten(document: Document, node: unknown, value: unknown): unknown {
  if (isMap(node) && typeof value === "object" && value !== null && !Array.isArray(value))
    return rewrittenMap(document, node, value);
  if (isSeq(node) && Array.isArray(value)) return rewrittenList(document, node, value);
  if (isScalar(node) && node.value === value) return node;
  const made = document.createNode(value, { aliasDuplicateObjects: false });
  if (isNode(node)) Object.assign(made, { commentBefore: node.commentBefore, spaceBefore: node.spaceBefore });
  if (isScalar(node) && isScalar(made)) made.comment = node.comment;
  return made;
}

function rewrittenMap(document: Document, map: YAMLMap, value: object): YAMLMap {
  // `{}` stands within one line, and gets lines of its own once something is in it.
  if (map.items.length === 0 && Object.keys(value).length > 0) map.flow = false;
  map.items = Object.entries(value).map(([key, member]) => {
    const pair = map.items.find((each) => isPair(each) && keyOf(each.key) === key) as Pair | undefined;
    if (!pair) return document.createPair(key, member, { aliasDuplicateObjects: false });
    pair.value = rewritten(document, pair.value, member);
    return pair;
  });
  return map;
}

/** An item is the one that says the same, else the one of the same name, else the one at the same place. */
function rewrittenList(document: Document, list: YAMLSeq, value: unknown[]): YAMLSeq {
  if (list.items.length === 0 && value.length > 0) list.flow = false;
  // The library gives a comment before the first item to the list: it goes where the item goes.
  const [first] = list.items;
  if (isNode(first) && list.commentBefore) {
    first.commentBefore = list.commentBefore;
    list.commentBefore = null;
  }
  const left = list.items.map((node) => ({ node, is: isNode(node) ? node.toJS(document) : node }));
  const found: unknown[] = value.map(() => undefined);
  const take = (isSame: (is: unknown, wanted: unknown, from: number, to: number) => boolean) => {
    for (const [to, wanted] of value.entries()) {
      if (found[to] !== undefined) continue;
      const from = left.findIndex(
        (each, place) => each.node !== undefined && isSame(each.is, wanted, place, to),
      );
      if (from === -1) continue;
      found[to] = left[from]!.node;
      left[from]!.node = undefined;
    }
  };
  take((is, wanted) => JSON.stringify(is) === JSON.stringify(wanted));
  take((is, wanted) => nameOf(is) !== null && nameOf(is) === nameOf(wanted));
  take((_is, _its, from, to) => from === to);
  list.items = value.map((wanted, at) => rewritten(document, found[at], wanted));
  return list;
}

function nameOf(value: unknown): string | null {
  const name = typeof value === "object" && value !== null && "name" in value ? value.name : null;
  return typeof name === "string" ? name : null;
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
