/** Finds the place of a problem in a text that is JSON. Pure. */

/**
 * Returns the offset of the value that a path such as `rules.0.stages.1.need` names, in a text that is JSON; of what is not there,
 * the nearest value around it.
 */
export function placeInJson(text: string, path: string): number {
  const names = path === "" ? [] : path.split(".");
  let at = skipSpace(text, 0);
  for (const name of names) {
    const found = memberIn(text, at, name);
    if (found === null) return at;
    at = found;
  }
  return at;
}

/**
 * The offset of what keeps a text from being JSON, by the browser's words for it: some name the position, some line and column.
 * Those that name neither are about the end.
 */
export function placeOfMistake(text: string, message: string): number {
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line === undefined) return text.length;
  const before = text.split("\n").slice(0, Number(line) - 1);
  return before.reduce((sum, each) => sum + each.length + 1, 0) + Number(column) - 1;
}

/** The line of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** The offset of an object's member or a list's item; null if there is none. */
function memberIn(text: string, start: number, name: string): number | null {
  const open = text[start];
  if (open !== "{" && open !== "[") return null;
  let at = skipSpace(text, start + 1);
  for (let index = 0; at < text.length && text[at] !== "}" && text[at] !== "]"; index++) {
    let key = String(index);
    if (open === "{") {
      const end = endOfValue(text, at);
      key = keyOf(text.slice(at, end));
      at = skipSpace(text, end);
      if (text[at] === ":") at = skipSpace(text, at + 1);
    }
    if (key === name) return at;
    at = skipSpace(text, endOfValue(text, at));
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return null;
}

function keyOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      at = endOfString(text, at);
      if (depth === 0) return at + 1;
    } else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && /[,:\s]/.test(char)) return at;
  }
  return text.length;
}

/** The offset of the closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && /\s/.test(text[at]!)) at++;
  return at;
}
