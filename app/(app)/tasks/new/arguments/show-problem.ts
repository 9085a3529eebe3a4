import { capitalise } from "@/lib/text/labels.ts";
import { idOf } from "./field-id.ts";
import type { Problem } from "./judge-arguments.ts";

/** Turns the message into a sentence beside its field. */
export function inField({ path, message }: Problem): Problem {
  return { path, message: `${capitalise(message)}.` };
}

/** Focuses the field, else the nearest group around it; in the JSON tab, the text. */
export function focusProblem({ path }: Problem, tab: string): void {
  const ids = path.map((_, at) => idOf(path.slice(0, path.length - at)));
  const fields = (tab === "json" ? ["arguments-json"] : ids).map((id) => document.getElementById(id));
  fields.find((field) => field !== null)?.focus();
}
