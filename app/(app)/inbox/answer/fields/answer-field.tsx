"use client";

import { heldAs } from "@/lib/format/requests/answer-values.ts";
import type { Field } from "@/lib/mcp/forms/form.ts";
import { ChoiceGroup, ChoiceList } from "./choice-answer.tsx";
import { type AnswerProps, DateTimeAnswer, NumberAnswer, TextAnswer } from "./text-answer.tsx";

/** More options than this become a select, unless the title of one is so long that a select would cut it. */
const MOST_RADIOS = 6;
const LONG_TITLE = 60;
const YES_OR_NO = [
  { value: "true", title: "Yes" },
  { value: "false", title: "No" },
];

/** One field of the server's form, by its kind. The server's texts are shown as text. */
export function AnswerField({
  field,
  value,
  onChange,
  ...rest
}: Omit<AnswerProps, "field" | "value" | "onChange"> & {
  field: Field;
  value: string | string[] | undefined;
  onChange: (value: string | string[]) => void;
}) {
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
