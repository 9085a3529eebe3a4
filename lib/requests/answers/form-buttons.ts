import { optionsOf } from "../../mcp/forms/field-kinds.ts";
import type { ChoiceValue, Field, Form } from "../../mcp/forms/form.ts";
import { hides } from "../../text/foreign/hidden.ts";
import { affirms, asksForNo, denies, isTurned, refuses } from "../../text/foreign/yes-no.ts";
import { capitalise, humanise } from "../../text/labels.ts";
import { destroysFirst } from "../destruction.ts";

export interface Choice {
  label: string;
  /** The content sent when this choice is pressed: one field. */
  content: Record<string, ChoiceValue>;
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

const MOST_BUTTONS = 4;
/** Longer ones stand in the form, which scrolls: buttons and what is above them would cover the question. */
const BUTTON_CHARACTERS = 80;
const ABOVE_CHARACTERS = 400;

/** `approves`: to accept is to approve (`isApproval`), which is a press of its own, whatever the form's choices are called. */
export function decisionOf(form: Form, approves = false): Decision {
  if (form.kind !== "supported") return { kind: "none", reason: form.reason };
  const [field, ...others] = form.fields;
  if (!field) return { kind: "confirm" };
  const buttons = !approves && others.length === 0 && fitsBar(field) ? buttonsOf(field) : null;
  return buttons ?? { kind: "form", fields: form.fields };
}

/** The buttons that answer a form of this field alone; null: it has to be filled in. */
function buttonsOf(field: Field): Decision | null {
  switch (field.kind) {
    case "boolean":
      return booleanChoices(field);
    case "one_of":
      return field.required && field.options.length <= MOST_BUTTONS ? oneOfChoices(field) : null;
    case "text":
    case "number":
    case "several_of":
      return null;
  }
}

function fitsBar(field: Field): boolean {
  return (
    field.title.length + (field.description?.length ?? 0) <= ABOVE_CHARACTERS &&
    optionsOf(field).every(({ title }) => title.length <= BUTTON_CHARACTERS)
  );
}

function oneOfChoices(field: Extract<Field, { kind: "one_of" }>): Decision {
  const isAskedForNo = [humanise(field.name), field.title].some(asksForNo);
  const choices = field.options.map((option) => ({
    label: capitalise(option.title),
    content: { [field.name]: option.value },
    affirmative:
      !isAskedForNo &&
      affirms(option.title) &&
      ![String(option.value), option.title].some(refuses) &&
      !hides(option.title),
  }));
  // The affirmative choice comes first. Where none is known, the server's own order stands and none is
  // emphasised.
  choices.sort((a, b) => Number(b.affirmative) - Number(a.affirmative));
  // A number or a yes says nothing without what it is about.
  const isPlain =
    PLAIN_TITLE.test(field.title) && field.options.every(({ value }) => typeof value === "string");
  return {
    kind: "choices",
    question: isPlain ? null : field.title,
    description: field.description,
    choices,
  };
}

/** Titles that say nothing beside the choice. */
export const PLAIN_TITLE = /^(your )?(decision|choice|answer|response|action|value)$/i;

const DECIDES = /\b(yes|no|decision|decide|approve|reject)\b/i;
/** Titles that ask for something about a decision. */
const WHY = /^(why|how|who|whom|what|when|where|which)\b/i;

/** Whether what a text is called asks for the decision itself. */
export function takesDecision(called: string): boolean {
  return !WHY.test(called) && (DECIDES.test(called) || PLAIN_TITLE.test(called) || affirms(called));
}

/** The words of a yes and a no, by the name of the field. */
const BOOLEAN_WORDS: Record<string, [string, string]> = {
  approve: ["Approve", "Reject"],
  approved: ["Approve", "Reject"],
  confirm: ["Confirm", "No"],
  confirmed: ["Confirm", "No"],
  allow: ["Allow", "Deny"],
  accept: ["Accept", "Refuse"],
};

/**
 * The words of such a field, where its title asks whether to go on: to approve “Reject this payment” is no approval, and a no to “Keep
 * the payment blocked?” releases it. Anything but a no can be confirmed.
 */
export function booleanWords(field: Pick<Field, "name" | "title">): [string, string] | null {
  const key = field.name.toLowerCase();
  const words = Object.hasOwn(BOOLEAN_WORDS, key) ? BOOLEAN_WORDS[key] : undefined;
  const fits = key.startsWith("confirm") ? !isNegative(field) : asksWhetherToGoOn(field);
  return words && fits ? words : null;
}

/** Whether a yes goes on and a no ends the matter, by what a field is called: “Approve this payment?”, “Delete the file”, “Decision”. */
function asksWhetherToGoOn(field: Pick<Field, "name" | "title">): boolean {
  const { name, title } = field;
  if (isNegative(field)) return false;
  const isPlain = PLAIN_TITLE.test(title) || humanise(title).toLowerCase() === humanise(name).toLowerCase();
  return isPlain || destroysFirst(title) || (affirms(title) && !isTurned(title));
}

function isNegative({ name, title }: Pick<Field, "name" | "title">): boolean {
  return [humanise(name), title].some((said) => denies(said) || asksForNo(said));
}

function booleanChoices(field: Extract<Field, { kind: "boolean" }>): Decision {
  const known = booleanWords(field);
  const [yes, no] = known ?? ["Yes", "No"];
  const isPlain = field.title.toLowerCase() === field.name.toLowerCase() || PLAIN_TITLE.test(field.title);
  return {
    kind: "choices",
    question: known && isPlain ? null : field.title,
    description: field.description,
    choices: [
      {
        label: yes,
        content: { [field.name]: true },
        affirmative: ![field.name, field.title].some((called) => denies(called) || asksForNo(called)),
      },
      { label: no, content: { [field.name]: false }, affirmative: false },
    ],
  };
}

/** The form's own way to say no: `content` is the answer; the server reads the text in `reasonField`. */
export interface Rejection {
  label: string;
  content: Record<string, unknown>;
  reasonField: string | null;
}

/** Whether an accepted answer is what the Reject button sends. Whatever else is in it could be what the server acts on. */
export function isOwnNo(no: Rejection | null, content: Record<string, unknown> | null): boolean {
  if (no === null || content === null) return false;
  return (
    Object.entries(no.content).every(([name, value]) => content[name] === value) &&
    Object.keys(content).every((name) => Object.hasOwn(no.content, name) || name === no.reasonField)
  );
}

/** Whether a field is answered by yes or no: by what it is called, by its limits or by its choices. */
export function isYesOrNo(field: Field): boolean {
  const says = (text: string) => affirms(text) || refuses(text);
  if ([humanise(field.name), field.title].some(says)) return true;
  switch (field.kind) {
    case "number":
      return field.integer && field.minimum === 0 && field.maximum === 1;
    case "one_of":
    case "several_of":
      return field.options.some(({ value, title }) => says(String(value)) || says(title));
    case "text":
    case "boolean":
      return false;
  }
}

/** How a question is decided. */
export function decisionOn(question: Asked & { fields: Form }): Decision {
  return decisionOf(question.fields, isApproval(question));
}

/** Who asks, and what for. */
interface Asked {
  origin: string;
  gate: unknown;
  tool: string;
}

/** Whether to accept is to approve something, rather than to confirm a text. `gate`: set for an approval in front of a call. */
export function isApproval({ origin, gate, tool }: Asked): boolean {
  return origin === "intray" && (gate !== null || tool === "request_approval");
}
