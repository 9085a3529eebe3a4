import { type Recipe, recipeSchema } from "@/lib/servers/recipes/recipe-schema.ts";

/** What is wrong with a text, each with its place. */
export class NotARecipe extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(problems[0] ?? "This is no recipe");
    this.problems = problems;
  }
}

/** Throws NotARecipe. The server reads the expressions. */
export function readRecipe(text: string): Recipe {
  const parsed = recipeSchema.safeParse(readJson(text));
  if (parsed.success) return parsed.data;
  throw new NotARecipe(
    parsed.error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": ")),
  );
}

/** Throws NotARecipe. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NotARecipe([`This is not JSON: ${(error as Error).message}`]);
  }
}

/** A recipe to begin with. */
export const TEMPLATE = `{
  "name": "process_invoice",
  "title": "Process an invoice",
  "start": {
    "tool": "submit_invoice",
    "handle": "result.structuredContent.invoice_id"
  },
  "status": {
    "tool": "get_invoice_status",
    "arguments": { "invoice_id": "handle" },
    "everyMs": 5000,
    "state": "result.structuredContent.status",
    "working": ["VALIDATING", "PAYING"],
    "completed": ["PAID"],
    "failed": ["REJECTED"]
  },
  "questions": [
    {
      "when": "state == 'PENDING-APPROVAL'",
      "message": "'Approve invoice ' + handle + '?'",
      "details": "result.structuredContent",
      "choices": [
        { "label": "Approve", "tool": "approve_invoice", "arguments": { "invoice_id": "handle" } },
        { "label": "Reject", "tool": "reject_invoice", "arguments": { "invoice_id": "handle" } }
      ]
    }
  ]
}`;
