/** Values of JSON: which of them are objects, and how large they are, told before anything walks all of them. Pure. */

/** Whether a value is an object, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Levels and values of a JSON text, before it is parsed. `depth` counts no further than one beyond `mostDepth`. */
export function sizeOfJson(
  text: string,
  mostDepth = Number.POSITIVE_INFINITY,
): { depth: number; values: number } {
  let [depth, deepest, values] = [0, 0, 1];
  let inText = false;
  for (let at = 0; at < text.length && deepest <= mostDepth; at++) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inText = false;
    } else if (code === QUOTE) inText = true;
    else if (code === COMMA) values++;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      values++;
      if (++depth > deepest) deepest = depth;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth--;
  }
  return { depth: deepest, values };
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** The characters of all names and texts in a parsed value, and one for each other value: about the size of its JSON. */
export function charactersIn(value: unknown): number {
  let count = 0;
  const open = [value];
  while (open.length > 0) {
    const at = open.pop();
    count += typeof at === "string" ? at.length : 1;
    if (typeof at !== "object" || at === null) continue;
    for (const [name, inner] of Object.entries(at)) {
      if (!Array.isArray(at)) count += name.length;
      open.push(inner);
    }
  }
  return count;
}

/** Whether a parsed value holds more values than these, which is known as soon as it does. */
export function holdsMoreThan(value: unknown, most: number): boolean {
  return countValues(value, most) > most;
}

/** Counts the values of a parsed value, no further than one beyond `most`. */
export function countValues(value: unknown, most: number): number {
  let count = 0;
  const open = [value];
  while (open.length > 0) {
    const at = open.pop();
    if (++count > most) return most + 1;
    if (typeof at !== "object" || at === null) continue;
    const inner = Array.isArray(at) ? at : Object.values(at);
    if (count + inner.length > most) return most + 1;
    for (const each of inner) open.push(each);
  }
  return count;
}
