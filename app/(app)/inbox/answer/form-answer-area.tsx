"use client";

import { agreedValues, startingDraft } from "@/lib/format/requests/agreed.ts";
import { AnswerArea, type AnswerAreaProps } from "./answer-area.tsx";
import { AnswerFields } from "./fields/answer-fields.tsx";
import { useAnswerForm } from "./fields/use-answer-form.ts";

/**
 * The answer area of a question with fields. A separate file, because the form library is no part of the
 * first load.
 */
export function FormAnswerArea(props: AnswerAreaProps) {
  const { question } = props;
  // Where others agreed to something already, that is what one is asked to agree to.
  const form = useAnswerForm(question.fields, startingDraft(question)?.content ?? agreedValues(question));
  return (
    <AnswerArea
      {...props}
      form={form}
      newest={startingDraft(props.request)}
      fields={(more) => <AnswerFields form={form} {...more} />}
    />
  );
}
