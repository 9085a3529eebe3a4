/**
 * The pattern of an address, e.g. `/api/v1/tasks/{id}/cancel`: what figures and traces may say of it. An address has
 * ids, and whatever else a caller put there.
 */
export function patternOf(
  pathname: string,
  /** Next has none for an address without any. */
  params: Record<string, string | string[]> | undefined,
): string {
  const parts = pathname.split("/").map(decoded);
  // From behind, since a fixed part may read like the value of a later one.
  for (const [name, value] of Object.entries(params ?? {}).reverse()) {
    // What is there for all the rest of addresses says nothing of them.
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
