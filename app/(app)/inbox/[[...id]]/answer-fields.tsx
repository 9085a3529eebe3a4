"use client";

import type { ReactNode } from "react";
import { useController } from "react-hook-form";
import { Notice } from "@/components/ui/notice.tsx";
import type { Decision } from "@/lib/format/decision.ts";
import type { Field } from "@/lib/mcp/form.ts";
import { AnswerField } from "./answer-field.tsx";
import { ErrorSummary } from "./error-summary.tsx";
import type { AnswerForm } from "./use-answer-form.ts";

/** What stands between the facts and the bar: the fields, a question for one-press decisions, or why there are none. */
export function AnswerFields({
  decision,
  form,
  disabled = false,
  status,
  onSubmit,
  onLeaveField,
}: {
  decision: Decision;
  form: AnswerForm;
  disabled?: boolean;
  /** Beside the heading: what became of the draft. */
  status?: ReactNode;
  /** Enter in a field sends. */
  onSubmit: () => void;
  onLeaveField?: () => void;
}) {
  if (decision.kind === "none") {
    return (
      <Notice tone="wait" title="This form is not shown">
        <p className="wrap-anywhere">{decision.reason}</p>
        <p>You can decline, with a reason.</p>
      </Notice>
    );
  }
  if (decision.kind === "confirm") return null;
  if (decision.kind === "choices") {
    if (!decision.question && !decision.description) return null;
    return (
      <div className="flex flex-col gap-0.5 wrap-anywhere">
        {decision.question && <p className="font-medium">{decision.question}</p>}
        {decision.description && <p className="text-muted">{decision.description}</p>}
      </div>
    );
  }
  return (
    <form
      aria-label="Your answer"
      noValidate
      className="flex max-w-xl flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 className="font-medium text-[13px] text-muted">Your answer</h2>
        {status}
      </div>
      <ErrorSummary form={form} />
      <fieldset disabled={disabled} className="contents">
        {form.fields.map((field, at) => (
          <ControlledField
            key={field.name}
            form={form}
            name={`f${at}`}
            field={field}
            onLeave={onLeaveField}
          />
        ))}
      </fieldset>
      {/* Enter in a field sends, as forms do; the visible button stands in the bar. */}
      <button type="submit" className="hidden" tabIndex={-1} aria-hidden />
    </form>
  );
}

/** One field of its own for the library: a key pressed in one draws no other again. */
function ControlledField({
  form,
  name,
  field,
  onLeave,
}: {
  form: AnswerForm;
  name: string;
  field: Field;
  onLeave: (() => void) | undefined;
}) {
  const { field: control, fieldState } = useController({ control: form.control, name });
  return (
    <AnswerField
      id={form.idOf(field.name)}
      field={field}
      value={control.value}
      error={fieldState.error?.message}
      onChange={control.onChange}
      onBlur={() => {
        control.onBlur();
        onLeave?.();
      }}
    />
  );
}
