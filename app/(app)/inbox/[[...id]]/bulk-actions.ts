import type { Decision } from "@/lib/format/decision.ts";
import type { Action } from "@/lib/input-requests/schema.ts";
import type { Field } from "@/lib/mcp/form.ts";

/** One of the ways in which alike requests can be answered together. */
export interface BulkAction {
  label: string;
  action: Action;
  /** The emphasised one. */
  lead: boolean;
  /** Sent as it is; undefined: none, or what the fields will say. */
  content: Record<string, unknown> | undefined;
  /** To be filled in first, once for all. */
  fields: Field[] | null;
}

/** What the buttons offer for a decision; nothing where nothing may be filled in. */
export function bulkActions(decision: Decision): BulkAction[] {
  const accept = { action: "accept" as const, fields: null };
  switch (decision.kind) {
    case "none":
      return [];
    case "confirm":
      return [{ ...accept, label: "Confirm", lead: true, content: {} }];
    case "form":
      return [{ ...accept, label: "Answer", lead: true, content: undefined, fields: decision.fields }];
    case "choices":
      return decision.choices.map(({ label, content, affirmative }, index) => ({
        ...accept,
        label,
        lead: index === 0 && affirmative,
        content,
      }));
  }
}
