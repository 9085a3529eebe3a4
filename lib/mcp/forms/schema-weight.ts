/** What it costs to judge values by a JSON Schema. */
export interface SchemaWeight {
  /** The schema's parts with every reference expanded, as a validator visits them: a few lines may expand to 2^40 parts. */
  parts: number;
  /** A reference leads back to a part that holds it, so that the parts visited depend on the values. */
  isCyclic: boolean;
  /** Has keywords that take time with the square of a value's size. */
  isQuadratic: boolean;
}

/** A cycle's parts count once. They are Infinity for a reference that cannot be resolved. */
export function weightOf(schema: Record<string, unknown>): SchemaWeight {
  const known = new Map<object, number>();
  const visiting = new Set<object>();
  const found = { isCyclic: false, isQuadratic: false };
  const weigh = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 1;
    // One within the other: a validator's calls would be too deep.
    if (visiting.size > MOST_DEPTH) return Number.POSITIVE_INFINITY;
    if (visiting.has(value)) {
      found.isCyclic = true;
      return 1;
    }
    const before = known.get(value);
    if (before !== undefined) return before;
    visiting.add(value);
    let parts = 1;
    for (const [key, inner] of Object.entries(value)) {
      // Compares items with each other, or runs a library's regular expression.
      if ((key === "uniqueItems" && inner === true) || (key === "format" && typeof inner === "string"))
        found.isQuadratic = true;
      // References below it start from it, where there may be a cycle.
      if (key === "$id" && typeof inner === "string" && value !== schema) found.isCyclic = true;
      parts += REFERENCES.has(key) && typeof inner === "string" ? weighTarget(inner) : weigh(inner);
    }
    visiting.delete(value);
    known.set(value, parts);
    return parts;
  };
  const weighTarget = (reference: string): number => {
    const target = reference.startsWith("#") ? lookUp(schema, reference) : undefined;
    return target === undefined ? Number.POSITIVE_INFINITY : weigh(target);
  };
  return { parts: weigh(schema), ...found };
}

const MOST_DEPTH = 500;
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
