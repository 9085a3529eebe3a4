import { plural } from "./labels.ts";

export interface DiffPart {
  kind: "same" | "gone" | "new";
  text: string;
  /** In what a line differs from another one that is drawn alike. */
  note?: string;
}

/** Columns between the stops of a tab, as browsers draw it. */
const TAB = 8;

const NO_END = "no line end: the file’s next line goes on in this one";

/** Of a text in place of another, the last line of which goes on: what is read as the end of a line is none. */
export function endNote(text: string, other: string): string | undefined {
  const isCut = text !== "" && other !== "" && !text.endsWith("\n") && other.endsWith("\n");
  return isCut ? NO_END : undefined;
}

/** Compares word by word. Very long texts are not compared but shown whole. */
export function diffWords(before: string, after: string): DiffPart[] {
  return compare(before.split(/(\s+)/), after.split(/(\s+)/));
}

/** Compares line by line; each part is a line. */
export function diffLines(before: string, after: string): DiffPart[] {
  const lines = (text: string) => (text === "" ? [] : text.split(/(?<=\n)/));
  const parts = compare(lines(before), lines(after)).flatMap(({ kind, text }) =>
    lines(text).map((line): DiffPart => ({ kind, text: line })),
  );
  const drawn = parts.map(({ kind, text }) => ({
    kind,
    text: text.replace(/\n$/, ""),
    isCut: !text.endsWith("\n"),
    key: kind === "same" ? "" : keyOf(text.replace(/\n$/, "")),
  }));
  const alike = { gone: new Map<string, Set<string>>(), new: new Map<string, Set<string>>() };
  for (const { kind, text, key } of drawn)
    if (kind !== "same") alike[kind].set(key, (alike[kind].get(key) ?? new Set()).add(text));
  return drawn.map(({ kind, text, isCut, key }) => {
    if (kind === "same") return { kind, text };
    const cut = isCut && (kind === "gone" ? endNote(before, after) : endNote(after, before));
    const others = alike[kind === "gone" ? "new" : "gone"].get(key);
    const isAnother = others !== undefined && (others.size > 1 || !others.has(text));
    const note = cut || (isAnother && blanksIn(text));
    return { kind, text, ...(note && { note }) };
  });
}

/** The same for lines that are drawn alike: with blanks for tabs, and none at the end. */
const keyOf = (line: string) =>
  line
    .split("\t")
    .reduce((drawn, part) => drawn + " ".repeat(TAB - (drawn.length % TAB)) + part)
    .trimEnd();

/** `2 blanks before, 1 tab inside` */
function blanksIn(line: string): string {
  const inner = line.trim();
  const start = line.length - line.trimStart().length;
  const end = line.trimEnd().length;
  const said = [
    [line.slice(0, start), "before"],
    [inner.replace(/[^\t]/g, ""), "inside"],
    [inner === "" ? "" : line.slice(end), "after"],
  ].flatMap(([text = "", where]) => {
    const tabs = text.split("\t").length - 1;
    const counts = [[text.length - tabs, "blank"] as const, [tabs, "tab"] as const];
    const words = counts.filter(([count]) => count > 0).map(([count, thing]) => plural(count, thing));
    return words.length === 0 ? [] : `${words.join(" and ")} ${where}`;
  });
  return said.join(", ") || "no tabs, and no blanks around";
}

/** By longest common subsequence. */
function compare(a: string[], b: string[]): DiffPart[] {
  if (a.length * b.length > 250_000) {
    return [
      { kind: "gone", text: a.join("") },
      { kind: "new", text: b.join("") },
    ];
  }
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i]![j] =
        a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  const parts: DiffPart[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      push(parts, "same", a[i]!);
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) {
      push(parts, "gone", a[i++]!);
    } else {
      push(parts, "new", b[j++]!);
    }
  }
  return parts;
}

function push(parts: DiffPart[], kind: DiffPart["kind"], text: string) {
  const last = parts.at(-1);
  if (last?.kind === kind) last.text += text;
  else parts.push({ kind, text });
}
