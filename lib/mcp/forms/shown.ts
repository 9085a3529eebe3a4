/** What is kept and shown of a question as received. */
import { createHash } from "node:crypto";
import { QUESTION_CHARACTERS } from "../limits.ts";
import type { Question } from "../peer.ts";
import type { Form } from "./form.ts";
import { normaliseForm } from "./read-form.ts";

/** So much is shown of a message that is too large, which can't be accepted. */
const BEGINNING_CHARACTERS = 4_000;

export interface Shown {
  message: string;
  requestedSchema: unknown;
  url: string | null;
  form: Form;
}

/** The question with its form; of one that can't be shown whole what can be, to decline or cancel. */
export function shownOf(question: Omit<Question, "address">): Shown {
  const kept = cutToLimits(question);
  const { message, requestedSchema, url } = kept;
  return { message, requestedSchema, url, form: formOf(kept) };
}

function formOf({ mode, message, requestedSchema, cut, unreadable }: Omit<Question, "address">): Form {
  if (cut) {
    const size = cut.characters.toLocaleString("en");
    return unshown(`The question has ${size} characters, more than Intray takes, and is not shown whole`);
  }
  if (unreadable) return unshown(unreadable.reason);
  if (mode === "url") return normaliseForm(null);
  const form = normaliseForm(requestedSchema);
  const isEmpty = message.trim() === "" && form.kind === "supported" && form.fields.length === 0;
  return isEmpty ? unshown("The question has no message and no fields") : form;
}

function unshown(reason: string): Form {
  return { kind: "unsupported", reason };
}

/** The question itself, or of one beyond the limits what is kept of it. */
export function cutToLimits<Q extends Omit<Question, "address">>(question: Q): Q {
  const { mode, message, requestedSchema, url, cut } = question;
  if (cut) return question;
  const schema = JSON.stringify(requestedSchema) ?? "";
  const characters = message.length + schema.length + (url?.length ?? 0);
  if (characters <= QUESTION_CHARACTERS) return question;
  const digest = createHash("sha256")
    .update(JSON.stringify([mode, message, url]))
    .update(schema)
    .digest("hex");
  return {
    ...question,
    // Copied: a slice would hold on to the whole.
    message: Buffer.from(message.slice(0, BEGINNING_CHARACTERS)).toString(),
    requestedSchema: null,
    cut: { characters, digest },
  };
}
