/**
 * The first key that an object of a JSON text has twice, and where: readers of JSON take the last, and nobody who reads the text knows
 * which one counts. For texts that JSON.parse reads. Pure.
 */
export function keyTwice(text: string): { key: string; at: number } | null {
  /** The keys of the objects around the place; null: a list. */
  const around: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === "{") around.push(new Set());
    else if (sign === "[") around.push(null);
    else if (sign === "}" || sign === "]") around.pop();
    if (sign !== '"') continue;
    const begin = at;
    for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
    if (!isBeforeColon(text, at + 1)) continue;
    const key: string = JSON.parse(text.slice(begin, at + 1));
    const keys = around.at(-1);
    if (keys?.has(key)) return { key, at: begin };
    keys?.add(key);
  }
  return null;
}

function isBeforeColon(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && " \t\r\n".includes(text[at]!)) at++;
  return text[at] === ":";
}
