/**
 * Returns the values, with a mark in place of those at these JSON pointers (RFC 6901): their names stay, which may say what is done
 * with them. The whole is never replaced.
 */
export function withMarksAt(
  values: Record<string, unknown>,
  marks: { pointer: string; mark: string }[],
): Record<string, unknown> {
  const paths = marks
    .filter(({ pointer }) => pointer !== "")
    .map(({ pointer, mark }) => ({ parts: pointer.split("/").slice(1), mark }));
  return marked(values, paths) as Record<string, unknown>;
}

function marked(value: unknown, paths: { parts: string[]; mark: string }[]): unknown {
  const here = paths.find(({ parts }) => parts.length === 0);
  if (here) return here.mark;
  if (paths.length === 0 || typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => {
    const part = name.replaceAll("~", "~0").replaceAll("/", "~1");
    const inside = paths.filter(({ parts }) => parts[0] === part);
    return [
      name,
      marked(
        each,
        inside.map(({ parts, mark }) => ({ parts: parts.slice(1), mark })),
      ),
    ] as const;
  });
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}
