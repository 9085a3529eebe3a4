"use client";

import type { Field } from "@/lib/mcp/forms/form.ts";
import { agreedValues, asAgreed, startingDraft } from "@/lib/requests/words/agreed.ts";
import { AnswerArea, type AnswerAreaProps } from "./answer-area.tsx";
import { AnswerFields, goToField } from "./fields/answer-fields.tsx";
import { useAnswerForm } from "./fields/use-answer-form.ts";

/**
 * The answer area of a question with fields. A separate file, because the form library is no part of the
 * first load.
 */
export function FormAnswerArea(props: AnswerAreaProps) {
  const { question, request } = props;
  // Where others agreed to something already, that is what one is asked to agree to.
  const form = useAnswerForm(question.fields, startingDraft(question)?.content ?? agreedValues(question));
  const goTo = (field: Field | undefined) => field && goToField(form.idOf(field.name));
  const reset = () => {
    form.reset(agreedValues(request));
    // The button that was pressed goes with the draft, or with the notice.
    goTo(form.fields[0]);
  };
  return (
    <AnswerArea
      {...props}
      form={{
        ...form,
        reset,
        goTo,
        submit: (send) => form.submit((content) => send(asAgreed(request, content))),
      }}
      newest={startingDraft(request)}
      fields={(more) => <AnswerFields form={form} {...more} />}
    />
  );
}
