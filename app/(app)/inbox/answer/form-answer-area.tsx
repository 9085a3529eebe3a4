"use client";

import { AnswerArea, type AnswerAreaProps } from "./answer-area.tsx";
import { AnswerFields } from "./fields/answer-fields.tsx";
import { useAnswerForm } from "./fields/use-answer-form.ts";

/**
 * The answer area of a question with fields. A separate file, because the form library is no part of the
 * first load.
 */
export function FormAnswerArea(props: AnswerAreaProps) {
  const { fields, draft, approval } = props.question;
  // Where others agreed to something already, that is what one is asked to agree to.
  const form = useAnswerForm(fields, draft?.content ?? approval?.content ?? null);
  return <AnswerArea {...props} form={form} fields={(more) => <AnswerFields form={form} {...more} />} />;
}
