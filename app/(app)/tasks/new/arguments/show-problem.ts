import { capitalise } from "@/lib/text/labels.ts";
import { idOf } from "./field-id.ts";
import type { Problem } from "./judge-arguments.ts";

/** As a sentence beside its field. */
export function inField({ path, message }: Problem): Problem {
  return { path, message: `${capitalise(message)}.` };
}

/** Goes to the field, or to the group it belongs in; in the other tab, to the text. */
export function focusProblem({ path }: Problem, tab: string): void {
  const ids = path.map((_, at) => idOf(path.slice(0, path.length - at)));
  const fields = (tab === "json" ? ["arguments-json"] : ids).map((id) => document.getElementById(id));
  fields.find((field) => field !== null)?.focus();
}
