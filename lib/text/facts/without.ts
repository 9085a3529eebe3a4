/**
 * Returns the values without those at these JSON pointers (RFC 6901), and without what is empty then. The whole
 * is never left out.
 */
export function withoutValuesAt(
  values: Record<string, unknown>,
  pointers: string[],
): Record<string, unknown> {
  const paths = pointers.filter(Boolean).map((pointer) => pointer.split("/").slice(1));
  if (paths.length === 0) return values;
  return (without(values, paths) ?? {}) as Record<string, unknown>;
}

function without(value: unknown, paths: string[][]): unknown {
  if (paths.some(({ length }) => length === 0)) return undefined;
  if (typeof value !== "object" || value === null) return value;
  const left = Object.entries(value).flatMap(([name, each]) => {
    const part = name.replaceAll("~", "~0").replaceAll("/", "~1");
    const inside = paths.filter(([first]) => first === part).map(([, ...rest]) => rest);
    if (inside.length === 0) return [[name, each] as const];
    const kept = without(each, inside);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  if (left.length === 0) return undefined;
  return Array.isArray(value) ? left.map(([, each]) => each) : Object.fromEntries(left);
}
