/** Words for what a replay says. Pure, client-safe. */
import { plural } from "../../text/labels.ts";
import type { Moved, Needed } from "./replay-schema.ts";

/** `1 person → 2 people (Finance, then CFO)` */
export function movedWords({ from, to }: Pick<Moved, "from" | "to">): string {
  const [was, is] = [neededWords(from), neededWords(to)];
  return `${was} → ${was === is ? "as many, but other people" : is}`;
}

function neededWords({ people, stages }: Needed): string {
  const words = plural(people, "person", "people");
  return stages.length === 0 ? words : `${words} (${stages.join(", then ")})`;
}
