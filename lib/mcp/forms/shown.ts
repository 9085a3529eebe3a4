/** What is kept and shown of a question as received. */

import { QUESTION_CHARACTERS } from "../limits.ts";
import type { Question } from "../peer.ts";
import type { Form } from "./form.ts";
import { normaliseForm } from "./question.ts";

/** So much is shown of a message that is too large, which can't be accepted. */
const BEGINNING_CHARACTERS = 4_000;

export interface Shown {
  message: string;
  requestedSchema: unknown;
  url: string | null;
  form: Form;
}

/** The whole question with its form; of one beyond the limits its beginning, to decline or cancel. */
export function shownOf({ mode, message, requestedSchema, url }: Question): Shown {
  const schemaSize = JSON.stringify(requestedSchema)?.length ?? 0;
  const size = message.length + schemaSize + (url?.length ?? 0);
  if (size <= QUESTION_CHARACTERS)
    return { message, requestedSchema, url, form: normaliseForm(mode === "url" ? null : requestedSchema) };
  const reason = `The question has ${size.toLocaleString("en")} characters, more than Intray takes, and is not shown whole`;
  return {
    message: message.slice(0, BEGINNING_CHARACTERS),
    requestedSchema: null,
    url,
    form: { kind: "unsupported", reason },
  };
}
