import { isRecord } from "./json.ts";

/**
 * Describes the differences between two forms' fields. Both are untrusted schemas from the server. `otherwise`: of a
 * difference that is in none of the fields.
 */
export function diffFields(
  before: unknown,
  after: unknown,
  otherwise = "The answer form changed.",
): string[] {
  const [old, now] = [propertiesOf(before), propertiesOf(after)];
  const lines: string[] = [];
  for (const [name, property] of now) {
    const was = old.get(name);
    if (was === undefined) lines.push(`New field: ${titleOf(name, property)}`);
    else if (JSON.stringify(was) !== JSON.stringify(property))
      lines.push(`Changed field: ${titleOf(name, property)}${what(was, property)}`);
  }
  for (const [name, property] of old)
    if (!now.has(name)) lines.push(`Field gone: ${titleOf(name, property)}`);
  if (lines.length === 0 && JSON.stringify(before ?? null) !== JSON.stringify(after ?? null))
    lines.push(otherwise);
  return lines;
}

function propertiesOf(schema: unknown): Map<string, unknown> {
  const properties = isRecord(schema) ? schema.properties : null;
  return new Map(isRecord(properties) ? Object.entries(properties) : []);
}

function titleOf(name: string, property: unknown): string {
  const title = isRecord(property) ? property.title : null;
  return typeof title === "string" && title.trim() !== "" ? title.trim() : name;
}

/** Returns the important differences between two versions of a field, in words. */
function what(before: unknown, after: unknown): string {
  if (!isRecord(before) || !isRecord(after)) return "";
  const changed = Object.keys(WORDS).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  return changed.length === 0 ? "" : ` (${changed.map((key) => WORDS[key]).join(", ")})`;
}

const WORDS: Record<string, string> = {
  type: "another kind",
  enum: "other choices",
  oneOf: "other choices",
  items: "other choices",
  default: "another default",
  description: "another explanation",
  maximum: "another limit",
  minimum: "another limit",
};
