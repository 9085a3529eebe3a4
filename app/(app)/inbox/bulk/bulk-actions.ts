import { decisionOf } from "@/lib/input-requests/decision.ts";
import type { Action } from "@/lib/input-requests/schema.ts";
import type { Form } from "@/lib/mcp/forms/form.ts";

/** One of the ways in which alike requests can be answered together. */
export interface BulkAction {
  label: string;
  action: Action;
  /** The emphasised one. */
  lead: boolean;
  /** Sent as it is; undefined: none, or what the fields will say. */
  content: Record<string, unknown> | undefined;
  /** To be filled in first, once for all. */
  form: Form | null;
}

/** What the buttons offer for a form; nothing where nothing may be filled in. */
export function bulkActions(form: Form): BulkAction[] {
  const accept = { action: "accept" as const, form: null };
  const decision = decisionOf(form);
  switch (decision.kind) {
    case "none":
      return [];
    case "confirm":
      return [{ ...accept, label: "Confirm", lead: true, content: {} }];
    case "form":
      return [{ ...accept, label: "Answer", lead: true, content: undefined, form }];
    case "choices":
      return decision.choices.map(({ label, content, affirmative }, index) => ({
        ...accept,
        label,
        lead: index === 0 && affirmative,
        content,
      }));
  }
}
