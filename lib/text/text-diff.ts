export interface DiffPart {
  kind: "same" | "gone" | "new";
  text: string;
}

/** Compares word by word. Very long texts are not compared but shown whole. */
export function diffWords(before: string, after: string): DiffPart[] {
  return compare(before.split(/(\s+)/), after.split(/(\s+)/));
}

/** Compares line by line; each part is a line. */
export function diffLines(before: string, after: string): DiffPart[] {
  const lines = (text: string) => (text === "" ? [] : text.split(/(?<=\n)/));
  return compare(lines(before), lines(after)).flatMap(({ kind, text }) =>
    lines(text).map((line) => ({ kind, text: line.replace(/\n$/, "") })),
  );
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
