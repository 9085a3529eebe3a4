/** Marks and masks in place of what may not be read. Pure. */

/** Stands for what may not be read. */
export const MASK = "•••";

/** Masks `vera@example.com` as `v•••@example.com`, so that only its owner recognizes the address. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return `${email.slice(0, 1)}•••${email.slice(at)}`;
}

/** The platform's search takes the product of both lengths where a server's handle and text repeat themselves. */
const SHORT_SECRET = 64;

/** Whether a part stands in a text, in time with the length of the text. */
export function holds(text: string, part: string): boolean {
  if (part.length <= SHORT_SECRET) return text.includes(part);
  return !placesOf(part, text).next().done;
}

/** The text with a mask in place of the secret, as `replaceAll`, in time with the length of the text. */
export function masked(text: string, secret: string): string {
  if (secret.length <= SHORT_SECRET) return text.replaceAll(secret, MASK);
  let shown = "";
  let from = 0;
  for (const at of placesOf(secret, text)) {
    shown += text.slice(from, at) + MASK;
    from = at + secret.length;
  }
  return from === 0 ? text : shown + text.slice(from);
}

/** Where a part stands in a text, by Knuth, Morris and Pratt. Of places that overlap the first. */
function* placesOf(part: string, text: string): Generator<number> {
  if (text.length < part.length) return;
  const overlap = new Int32Array(part.length);
  for (let at = 1, same = 0; at < part.length; at++) {
    while (same > 0 && part.charCodeAt(at) !== part.charCodeAt(same)) same = overlap[same - 1]!;
    if (part.charCodeAt(at) === part.charCodeAt(same)) same++;
    overlap[at] = same;
  }
  for (let at = 0, same = 0; at < text.length; at++) {
    while (same > 0 && text.charCodeAt(at) !== part.charCodeAt(same)) same = overlap[same - 1]!;
    if (text.charCodeAt(at) === part.charCodeAt(same)) same++;
    if (same < part.length) continue;
    yield at + 1 - part.length;
    same = 0;
  }
}

/**
 * Returns the values, with words in place of those at the `pointer` (RFC 6901) of a `thing`: their names stay, which may say
 * what is done with them. A list of nothing but things has one text. The whole is never replaced.
 */
export function withMarksAt<T extends { pointer: string }>(
  values: Record<string, unknown>,
  things: T[],
  words: (things: T[]) => string,
): Record<string, unknown> {
  const places = things
    .filter(({ pointer }) => pointer !== "")
    .map((thing) => ({ parts: thing.pointer.split("/").slice(1), thing }));
  return marked(values, places, words) as Record<string, unknown>;
}

type Place<T> = { parts: string[]; thing: T };

function marked<T>(value: unknown, places: Place<T>[], words: (things: T[]) => string): unknown {
  const here = places.find(({ parts }) => parts.length === 0);
  if (here) return words([here.thing]);
  if (places.length === 0 || typeof value !== "object" || value === null) return value;
  const each = Object.entries(value).map(([name, inner]) => {
    const part = name.replaceAll("~", "~0").replaceAll("/", "~1");
    const inside = places
      .filter(({ parts }) => parts[0] === part)
      .map(({ parts, thing }) => ({ parts: parts.slice(1), thing }));
    return { name, inner, inside };
  });
  if (!Array.isArray(value))
    return Object.fromEntries(each.map(({ name, inner, inside }) => [name, marked(inner, inside, words)]));
  const all = each.flatMap(({ inside }) => inside.find(({ parts }) => parts.length === 0)?.thing ?? []);
  if (all.length === value.length) return words(all);
  return each.map(({ inner, inside }) => marked(inner, inside, words));
}
