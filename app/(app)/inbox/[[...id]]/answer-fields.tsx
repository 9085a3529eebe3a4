"use client";

import { useEffect, useRef } from "react";
import { Notice } from "@/components/ui/notice.tsx";
import type { AnswerValues, FieldError } from "@/lib/format/answer-values.ts";
import type { Decision } from "@/lib/format/decision.ts";
import { AnswerField } from "./answer-field.tsx";

/** What stands between the facts and the bar: the fields, a question for one-press decisions, or why there are none. */
export function AnswerFields({
  decision,
  values,
  errors,
  disabled,
  draftSaved,
  onChange,
  onSubmit,
}: {
  decision: Decision;
  values: AnswerValues;
  errors: FieldError[];
  disabled: boolean;
  draftSaved: boolean;
  onChange: (name: string, value: string | string[]) => void;
  onSubmit: () => void;
}) {
  if (decision.kind === "none") {
    return (
      <Notice tone="wait" title="This form is not shown">
        <p>{decision.reason}</p>
        <p>You can decline, with a reason.</p>
      </Notice>
    );
  }
  if (decision.kind === "confirm") return null;
  if (decision.kind === "choices") {
    if (!decision.question && !decision.description) return null;
    return (
      <div className="flex flex-col gap-0.5">
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
      <div className="flex items-baseline justify-between">
        <h2 className="font-medium text-[13px] text-muted">Your answer</h2>
        <span role="status" className="text-muted text-xs">
          {draftSaved && "Draft saved"}
        </span>
      </div>
      <ErrorSummary
        errors={errors}
        titles={new Map(decision.fields.map((field) => [field.name, field.title]))}
      />
      <fieldset disabled={disabled} className="contents">
        {decision.fields.map((field) => (
          <AnswerField
            key={field.name}
            field={field}
            value={values[field.name] ?? ""}
            error={errors.find((error) => plainName(error.field) === field.name)?.message}
            onChange={(value) => onChange(field.name, value)}
          />
        ))}
      </fieldset>
      {/* Enter in a field sends, as forms do; the visible button stands in the bar. */}
      <button type="submit" className="hidden" tabIndex={-1} aria-hidden />
    </form>
  );
}

/** Names what is missing or wrong, takes the focus, and leads to each field. */
function ErrorSummary({ errors, titles }: { errors: FieldError[]; titles: Map<string, string> }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (errors.length > 0) box.current?.focus();
  }, [errors]);
  if (errors.length === 0) return null;
  return (
    <div
      ref={box}
      tabIndex={-1}
      role="alert"
      className="rounded-lg border border-bad/40 bg-bad-soft px-3.5 py-3"
    >
      <p className="font-medium">
        {errors.length === 1 ? "One field needs another look" : `${errors.length} fields need another look`}
      </p>
      <ul className="mt-1 flex flex-col gap-0.5 text-[13px]">
        {errors.map((error) => {
          const name = plainName(error.field);
          return (
            <li key={`${error.field} ${error.message}`}>
              <a
                href={`#field-${name}`}
                className="text-bad underline underline-offset-2"
                onClick={(event) => {
                  event.preventDefault();
                  const target = document.getElementById(`field-${name}`);
                  target?.scrollIntoView({ block: "center" });
                  target?.focus();
                }}
              >
                {titles.get(name) ?? name}
              </a>
              : {error.message}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The API may name a field by a JSON pointer or below `content`. */
function plainName(field: string): string {
  return field.replace(/^\/?(content[./])?/, "");
}
