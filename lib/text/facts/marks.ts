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
