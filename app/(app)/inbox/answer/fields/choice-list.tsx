"use client";

import { Field as LabelledField } from "@/components/ui/field.tsx";
import { Select } from "@/components/ui/select.tsx";
import type { AnswerProps } from "./answer-field.tsx";

/** One of many: the browser's own list, which finds an option by its first letters. */
export function ChoiceList({ id, field, value, error, onChange, onBlur }: AnswerProps<"one_of">) {
  const suggested = field.options.find((option) => option.value === field.default);
  return (
    <LabelledField
      id={id}
      label={field.title}
      description={field.description}
      hint={suggested && `The server suggests ${suggested.title}`}
      error={error}
      required={field.required}
    >
      {(control) => (
        <Select {...control} value={value} onBlur={onBlur} onChange={(event) => onChange(event.target.value)}>
          <option value="">{field.required ? "Choose…" : "No answer"}</option>
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.title}
            </option>
          ))}
        </Select>
      )}
    </LabelledField>
  );
}
