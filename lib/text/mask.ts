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

/** The text with a mask in place of the secret. As `replaceAll`; for long secrets by Knuth, Morris and Pratt, in time with the length of the text. */
export function masked(text: string, secret: string): string {
  if (secret.length <= SHORT_SECRET) return text.replaceAll(secret, MASK);
  if (text.length < secret.length) return text;
  // How much of the secret's beginning ends at each of its characters.
  const overlap = new Int32Array(secret.length);
  for (let at = 1, same = 0; at < secret.length; at++) {
    while (same > 0 && secret.charCodeAt(at) !== secret.charCodeAt(same)) same = overlap[same - 1]!;
    if (secret.charCodeAt(at) === secret.charCodeAt(same)) same++;
    overlap[at] = same;
  }
  let shown = "";
  let from = 0;
  for (let at = 0, same = 0; at < text.length; at++) {
    while (same > 0 && text.charCodeAt(at) !== secret.charCodeAt(same)) same = overlap[same - 1]!;
    if (text.charCodeAt(at) === secret.charCodeAt(same)) same++;
    if (same < secret.length) continue;
    shown += text.slice(from, at + 1 - secret.length) + MASK;
    from = at + 1;
    same = 0;
  }
  return from === 0 ? text : shown + text.slice(from);
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
