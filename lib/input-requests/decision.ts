import type { Field, Form } from "../mcp/forms/form.ts";
import { capitalise } from "../text/labels.ts";

export interface Choice {
  label: string;
  /** The content sent when this choice is pressed. */
  content: Record<string, unknown>;
  affirmative: boolean;
}

/**
 * How a form is decided: `choices` = one press (a single required choice or yes/no), `confirm` = no fields,
 * `form` = fields and a button, `none` = the form can't be shown.
 */
export type Decision =
  | { kind: "choices"; question: string | null; description: string | null; choices: Choice[] }
  | { kind: "confirm" }
  | { kind: "form"; fields: Field[] }
  | { kind: "none"; reason: string };

const AFFIRMATIVE =
  /^(approve|yes|accept|confirm|allow|grant|ok|proceed|continue|agree|send|pay|ship|release|publish)/i;
const MOST_BUTTONS = 4;

export function decisionOf(form: Form): Decision {
  if (form.kind !== "supported") return { kind: "none", reason: form.reason };
  const [field, ...others] = form.fields;
  if (!field) return { kind: "confirm" };
  if (others.length === 0) {
    if (field.kind === "boolean") return booleanChoices(field);
    if (field.kind === "one_of" && field.required && field.options.length <= MOST_BUTTONS)
      return oneOfChoices(field);
  }
  return { kind: "form", fields: form.fields };
}

function oneOfChoices(field: Extract<Field, { kind: "one_of" }>): Decision {
  const choices = field.options.map((option) => ({
    label: capitalise(option.title),
    content: { [field.name]: option.value },
    affirmative: AFFIRMATIVE.test(String(option.value)) || AFFIRMATIVE.test(option.title),
  }));
  // The affirmative choice comes first. Where none is known, the server's own order stands and none is
  // emphasised.
  choices.sort((a, b) => Number(b.affirmative) - Number(a.affirmative));
  // A number or a yes says nothing without what it is about.
  const isWord = field.options.every(({ value }) => typeof value === "string");
  return { kind: "choices", question: isWord ? null : field.title, description: field.description, choices };
}

/** The words of a yes and a no, by the name of the field. */
export const BOOLEAN_WORDS: Record<string, [string, string]> = {
  approve: ["Approve", "Reject"],
  approved: ["Approve", "Reject"],
  confirm: ["Confirm", "No"],
  confirmed: ["Confirm", "No"],
  allow: ["Allow", "Deny"],
  accept: ["Accept", "Refuse"],
};

function booleanChoices(field: Extract<Field, { kind: "boolean" }>): Decision {
  const known = BOOLEAN_WORDS[field.name.toLowerCase()];
  const [yes, no] = known ?? ["Yes", "No"];
  return {
    kind: "choices",
    question: known ? null : field.title,
    description: field.description,
    choices: [
      { label: yes, content: { [field.name]: true }, affirmative: true },
      { label: no, content: { [field.name]: false }, affirmative: false },
    ],
  };
}

/** Whether to accept is to approve something, rather than to confirm a text. `gate`: set for an approval in front of a call. */
export function isApproval({ origin, gate, tool }: { origin: string; gate: unknown; tool: string }): boolean {
  return origin === "intray" && (gate !== null || tool === "request_approval");
}

/** How a plain no begins. */
export const NEGATIVE = /^(reject|deny|denied|disapprove|refuse|decline|no)\b/i;
