"use client";

import { type ReactElement, useEffect, useRef } from "react";
import { useController } from "react-hook-form";
import type { Field } from "@/lib/mcp/forms/form.ts";
import { heldAs } from "@/lib/requests/words/answer-values.ts";
import type { FieldsProps } from "./answer-question.tsx";
import { ChoiceGroup, ChoiceList } from "./choice-answer.tsx";
import { type AnswerProps, DateTimeAnswer, NumberAnswer, TextAnswer } from "./text-answer.tsx";
import type { AnswerForm } from "./use-answer-form.ts";

/** More options than this become a select, unless the title of one is so long that a select would cut it. */
const MOST_RADIOS = 6;
const LONG_TITLE = 60;
const YES_OR_NO = [
  { value: "true", title: "Yes" },
  { value: "false", title: "No" },
];

/** One field of the server's form, by its kind. The server's texts are shown as text. */
function AnswerField({
  field,
  value,
  onChange,
  ...rest
}: Omit<AnswerProps, "field" | "value" | "onChange"> & {
  field: Field;
  value: string | string[] | undefined;
  onChange: (value: string | string[]) => void;
}): ReactElement {
  const text = typeof value === "string" ? value : "";
  const common = { ...rest, value: text, onChange };
  const group = { ...rest, onChange: ([chosen]: string[]) => onChange(chosen ?? "") };
  switch (field.kind) {
    case "text":
      if (field.format === "date-time") return <DateTimeAnswer {...common} field={field} />;
      return <TextAnswer {...common} field={field} />;
    case "number":
      return <NumberAnswer {...common} field={field} />;
    case "boolean":
      return (
        <ChoiceGroup
          {...group}
          field={field}
          options={YES_OR_NO}
          suggested={field.default === null ? [] : [String(field.default)]}
          chosen={[text]}
        />
      );
    case "one_of":
      // Controls hold texts; `readAnswer` finds the choice again.
      if (
        field.options.length > MOST_RADIOS &&
        field.options.every(({ title }) => title.length <= LONG_TITLE)
      )
        return <ChoiceList {...common} field={field} />;
      return (
        <ChoiceGroup
          {...group}
          field={field}
          options={field.options.map(({ value, title }) => ({ value: heldAs(value), title }))}
          suggested={field.default === null ? [] : [heldAs(field.default)]}
          chosen={[text]}
        />
      );
    case "several_of":
      return (
        <ChoiceGroup
          {...rest}
          several={field}
          field={field}
          options={field.options}
          suggested={field.default}
          chosen={Array.isArray(value) ? value : []}
          onChange={onChange}
        />
      );
  }
}

/** The fields of a form. */
export function AnswerFields({
  form,
  disabled = false,
  status,
  onSubmit,
  onLeaveField,
}: FieldsProps & { form: AnswerForm }) {
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
      <div className="flex flex-col gap-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <h2 className="font-medium text-[13px] text-muted">Your answer</h2>
          {status}
        </div>
        <p className="text-muted text-xs empty:hidden">{requiredWords(form.fields)}</p>
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
      {/* Enter in a field reaches onSubmit, as in any form; the visible button is in the bar. */}
      <button type="submit" className="hidden" tabIndex={-1} aria-hidden />
    </form>
  );
}

/** Returns the rule for required fields, or null for a single field or if all are optional. */
function requiredWords(fields: Field[]): string | null {
  if (fields.length < 2 || !fields.some((field) => field.required)) return null;
  const all = fields.every((field) => field.required);
  return all ? "All fields are required." : "All fields are required unless marked as optional.";
}

/** Registers one field with the form library, so that a key pressed in one field renders no other. */
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

/**
 * Lists missing and invalid answers, with a link to each field. Takes the focus after each refused attempt.
 */
function ErrorSummary({ form }: { form: AnswerForm }) {
  const box = useRef<HTMLDivElement>(null);
  const { errors, refusals } = form;
  const focused = useRef(0);
  useEffect(() => {
    // The library reports the refusal before the errors.
    if (errors.length === 0 || refusals === focused.current) return;
    focused.current = refusals;
    box.current?.focus();
  }, [refusals, errors.length]);
  if (errors.length === 0) return null;
  return (
    <div
      ref={box}
      tabIndex={-1}
      role="alert"
      aria-labelledby={form.idOf()}
      className="scroll-mt-4 rounded-lg border border-bad/40 bg-bad-soft px-3.5 py-3"
    >
      <p id={form.idOf()} className="font-medium">
        {errors.length === 1 ? "Fix 1 field" : `Fix ${errors.length} fields`}
      </p>
      <ul className="mt-1 flex flex-col gap-0.5 text-[13px]">
        {errors.map(({ field: name, message }) => {
          const field = form.fields.find((field) => field.name === name);
          return (
            <li key={name} className="wrap-anywhere max-md:flex max-md:items-baseline">
              {field ? (
                <>
                  <a
                    href={`#${form.idOf(name)}`}
                    className="text-bad underline underline-offset-2 max-md:max-w-1/2 max-md:shrink-0 max-md:py-3"
                    onClick={(event) => {
                      event.preventDefault();
                      goToField(form.idOf(name));
                    }}
                  >
                    {field.title}
                  </a>
                  <span>: {message}</span>
                </>
              ) : (
                message
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Focuses the control itself; in a group, the choice that Tab would reach. */
export function goToField(id: string) {
  const found = document.getElementById(id);
  if (!found) return;
  const inside =
    found.querySelector<HTMLElement>("input:checked") ?? found.querySelector<HTMLElement>("input");
  const target = found instanceof HTMLFieldSetElement ? (inside ?? found) : found;
  found.scrollIntoView({ block: "center" });
  target.focus({ preventScroll: true });
}
