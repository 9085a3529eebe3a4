/** Texts of others in lists, where one row must not weigh as much as all others. Pure. */

/** Returns a copy of a JSON value whose texts have so many characters together. A text that is cut ends with "…". */
export function shortTexts<T>(value: T, characters: number): T {
  let left = characters;
  const shorten = (each: unknown): unknown => {
    if (typeof each === "string") {
      const fits = each.length <= left;
      const shown = fits ? each : `${each.slice(0, Math.max(0, left - 1)).toWellFormed()}…`;
      left -= shown.length;
      return shown;
    }
    if (Array.isArray(each)) return each.map(shorten);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [name, shorten(member)]));
  };
  return shorten(value) as T;
}
