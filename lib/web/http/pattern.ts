/**
 * The pattern of an address, e.g. `/api/v1/tasks/{id}/cancel`, for figures and traces: the address itself
 * holds ids, and any other text of the caller.
 */
export function patternOf(
  pathname: string,
  /** Next passes undefined for an address without parameters. */
  params: Record<string, string | string[]> | undefined,
): string {
  const parts = pathname.split("/").map(decoded);
  // From the end, since a fixed part may read like the value of a later parameter.
  for (const [name, value] of Object.entries(params ?? {}).reverse()) {
    // A catch-all parameter makes the pattern meaningless.
    if (Array.isArray(value)) return "other";
    const at = parts.lastIndexOf(decoded(value));
    if (at < 0) return "other";
    parts[at] = `{${name}}`;
  }
  return parts.join("/");
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
