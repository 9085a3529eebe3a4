"use client";

import { AnswerArea, type AnswerAreaProps } from "./answer-area.tsx";
import { AnswerFields } from "./fields/answer-fields.tsx";
import { useAnswerForm } from "./fields/use-answer-form.ts";

/** A question with fields to fill in: what holds their state comes along. */
export function FormAnswerArea(props: AnswerAreaProps) {
  const { fields, draft } = props.question;
  const form = useAnswerForm(fields, draft?.content ?? null);
  return <AnswerArea {...props} form={form} fields={(more) => <AnswerFields form={form} {...more} />} />;
}
