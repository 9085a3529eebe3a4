import type { Actor } from "../../access/schema.ts";

/** Who gave an answer, within a sentence: a person by their name, `the rule Small and known (version 3)`. */
export function answererIn({ by }: { by: Actor }): string {
  return by.kind === "rule" ? `the rule ${by.name}` : by.name;
}
