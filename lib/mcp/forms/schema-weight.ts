/**
 * How many parts a JSON Schema stands for once its references are followed, each time anew as a validator does: a few
 * lines may stand for 2^40. Infinity where a reference leads somewhere that is not understood. A loop counts once: how
 * often it is gone round depends on the values.
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

/** By a pointer from the root alone; anchors are not followed. */
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
