import type { Form } from "../mcp/forms/form.ts";
import { capitalise } from "../text/labels.ts";
import { BOOLEAN_WORDS, NEGATIVE } from "./decision.ts";
import { isHarmless } from "./destruction.ts";

const REASON = /(reason|comment|note|remark|explanation|justification)/i;

/** The form's own way to say no: `content` is the answer; the server reads the text in `reasonField`. */
export interface Rejection {
  label: string;
  content: Record<string, unknown>;
  reasonField: string | null;
}

/**
 * Returns how the form itself says no, as against declining to answer, or null if the form has no such choice
 * or requires more than that choice and a reason.
 */
export function rejectionOf(form: Form): Rejection | null {
  if (form.kind !== "supported") return null;
  const reason = form.fields.find(
    (field) => field.kind === "text" && !field.format && REASON.test(field.name),
  );
  const rest = form.fields.filter((field) => field !== reason && (field.required || field.kind !== "text"));
  const [choice, ...others] = rest;
  if (!choice || others.some((field) => field.required)) return null;
  const reasonField = reason?.name ?? null;
  if (choice.kind === "one_of") {
    const no = choice.options.find(
      ({ value, title }) =>
        (NEGATIVE.test(value) || NEGATIVE.test(title)) &&
        isHarmless({ label: title, content: { [choice.name]: value } }),
    );
    return no ? { label: capitalise(no.title), content: { [choice.name]: no.value }, reasonField } : null;
  }
  const [, no] = (choice.kind === "boolean" && BOOLEAN_WORDS[choice.name.toLowerCase()]) || [];
  return no ? { label: no, content: { [choice.name]: false }, reasonField } : null;
}

/** Whether an answer is a no: it declines, or it is the form's own, harmless way to say no. */
export function isRejection(form: Form, action: string, content: Record<string, unknown> | null): boolean {
  if (action !== "accept") return true;
  const no = rejectionOf(form);
  return (
    no !== null &&
    Object.entries(no.content).every(([name, value]) => content !== null && content[name] === value)
  );
}
