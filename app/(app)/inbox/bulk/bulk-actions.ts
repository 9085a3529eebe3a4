import { decisionOf } from "@/lib/input-requests/decision.ts";
import { isHarmless } from "@/lib/input-requests/destruction.ts";
import type { Action } from "@/lib/input-requests/schema.ts";
import type { Form } from "@/lib/mcp/forms/form.ts";

/** A way to answer requests of the same kind together. */
export interface BulkAction {
  label: string;
  action: Action;
  /** Whether the button is emphasised. */
  lead: boolean;
  /** The content to send; undefined if none, or if the form provides it. */
  content: Record<string, unknown> | undefined;
  /** The form to fill in first, once for all requests. */
  form: Form | null;
  /** Destroys nothing and needs no second look. */
  harmless: boolean;
}

/** Returns the actions for a form; none if the form is not supported. */
export function bulkActions(form: Form): BulkAction[] {
  const accept = { action: "accept" as const, form: null, harmless: false };
  const decision = decisionOf(form);
  switch (decision.kind) {
    case "none":
      return [];
    case "confirm":
      return [{ ...accept, label: "Confirm", lead: true, content: {} }];
    case "form":
      return [{ ...accept, label: "Answer", lead: true, content: undefined, form }];
    case "choices":
      return decision.choices.map((choice, index) => ({
        ...accept,
        label: choice.label,
        lead: index === 0 && choice.affirmative,
        content: choice.content,
        harmless: isHarmless(choice),
      }));
  }
}
