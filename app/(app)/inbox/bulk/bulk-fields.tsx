"use client";

import { type ReactNode, useEffect, useRef } from "react";
import type { FieldError } from "@/lib/format/requests/answer-values.ts";
import { decisionOf } from "@/lib/input-requests/decision.ts";
import type { Form } from "@/lib/mcp/forms/form.ts";
import { AnswerFields } from "../answer/fields/answer-fields.tsx";
import { AnswerQuestion } from "../answer/fields/answer-question.tsx";
import { useAnswerForm } from "../answer/fields/use-answer-form.ts";

/** The form that all the requests share, filled in once. No draft is kept of it. */
export function BulkFields({
  form,
  refused,
  onSend,
  children,
}: {
  form: Form;
  /** What the server did not take. */
  refused: FieldError[];
  onSend: (content: Record<string, unknown>) => void;
  children: (submit: () => void) => ReactNode;
}) {
  const answer = useAnswerForm(form, null);
  const decision = decisionOf(form);
  const submit = () => answer.submit(onSend);
  const refuse = useRef(answer.refuse);
  useEffect(() => {
    refuse.current = answer.refuse;
  });
  useEffect(() => {
    refuse.current(refused);
  }, [refused]);
  return (
    <>
      {decision.kind === "form" ? (
        <AnswerFields form={answer} onSubmit={submit} />
      ) : (
        <AnswerQuestion decision={decision} />
      )}
      {children(submit)}
    </>
  );
}
