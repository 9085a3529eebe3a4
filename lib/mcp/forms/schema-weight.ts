/**
 * Counts a JSON Schema's parts with every reference expanded, as a validator visits them: a few lines may
 * expand to 2^40 parts. Returns Infinity for a reference that cannot be resolved. A cycle counts once, since
 * the number of rounds depends on the values.
 */
export function weightOf(schema: Record<string, unknown>): number {
  const known = new Map<object, number>();
  const visiting = new Set<object>();
  const weigh = (value: unknown): number => {
    if (typeof value !== "object" || value === null || visiting.has(value)) return 1;
    const before = known.get(value);
    if (before !== undefined) return before;
    visiting.add(value);
    let weight = 1;
    for (const [key, inner] of Object.entries(value))
      weight += REFERENCES.has(key) && typeof inner === "string" ? weighTarget(inner) : weigh(inner);
    visiting.delete(value);
    known.set(value, weight);
    return weight;
  };
  const weighTarget = (reference: string): number => {
    const target = reference.startsWith("#") ? lookUp(schema, reference) : undefined;
    return target === undefined ? Number.POSITIVE_INFINITY : weigh(target);
  };
  return weigh(schema);
}

const REFERENCES = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);

/** Resolves JSON pointers from the root. Does not resolve anchors. */
function lookUp(root: unknown, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let at = root;
  for (const part of reference.split("/").slice(1)) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<string, unknown>)[unescaped(part)];
  }
  return at;
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}
