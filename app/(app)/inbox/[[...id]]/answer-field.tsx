"use client";

import { Field as LabelledField } from "@/components/ui/field.tsx";
import { Input, Textarea } from "@/components/ui/input.tsx";
import { Select } from "@/components/ui/select.tsx";
import { toLocalTime, toOffsetTime } from "@/lib/format/answer-values.ts";
import type { Field } from "@/lib/mcp/form.ts";
import { ChoiceGroup } from "./choice-group.tsx";

type OfKind<K extends Field["kind"]> = Extract<Field, { kind: K }>;

/** More options than this become a list to open. */
const MOST_RADIOS = 6;

/** One field of the server's form, by its kind. The server's texts are shown as text. */
export function AnswerField({
  field,
  value,
  error,
  onChange,
}: {
  field: Field;
  value: string | string[];
  error: string | undefined;
  onChange: (value: string | string[]) => void;
}) {
  const text = typeof value === "string" ? value : "";
  switch (field.kind) {
    case "text":
      return <TextAnswer field={field} value={text} error={error} onChange={onChange} />;
    case "number":
      return <NumberAnswer field={field} value={text} error={error} onChange={onChange} />;
    case "boolean":
      return (
        <ChoiceGroup
          field={field}
          options={[
            { value: "true", title: "Yes" },
            { value: "false", title: "No" },
          ]}
          suggested={field.default === null ? [] : [String(field.default)]}
          chosen={text ? [text] : []}
          error={error}
          onChange={([chosen]) => onChange(chosen ?? "")}
        />
      );
    case "one_of":
      if (field.options.length > MOST_RADIOS) {
        return <ListAnswer field={field} value={text} error={error} onChange={onChange} />;
      }
      return (
        <ChoiceGroup
          field={field}
          options={field.options}
          suggested={field.default === null ? [] : [field.default]}
          chosen={text ? [text] : []}
          error={error}
          onChange={([chosen]) => onChange(chosen ?? "")}
        />
      );
    case "several_of":
      return (
        <ChoiceGroup
          several
          field={field}
          options={field.options}
          suggested={field.default}
          chosen={Array.isArray(value) ? value : []}
          hint={severalHint(field)}
          error={error}
          onChange={onChange}
        />
      );
  }
}

interface TextProps<K extends Field["kind"]> {
  field: OfKind<K>;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

const INPUT_TYPES = { email: "email", uri: "url", date: "date", "date-time": "datetime-local" } as const;

function TextAnswer({ field, value, error, onChange }: TextProps<"text">) {
  const long = field.format === null && (field.maxLength ?? 0) > 200;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const hints = [
    field.format === "date-time" && `In your time zone, ${zone}`,
    field.default !== null && value === field.default && "Suggested by the server",
    field.maxLength !== null && `At most ${field.maxLength} characters`,
  ].filter(Boolean);
  return (
    <LabelledField
      id={`field-${field.name}`}
      label={field.title}
      description={field.description}
      hint={hints.join(" · ")}
      error={error}
      required={field.required}
    >
      {(control) => {
        if (long) {
          return (
            <Textarea
              {...control}
              rows={3}
              value={value}
              onChange={(event) => onChange(event.target.value)}
            />
          );
        }
        const time = field.format === "date-time";
        return (
          <Input
            {...control}
            type={field.format ? INPUT_TYPES[field.format] : "text"}
            autoComplete="off"
            value={time ? toLocalTime(value) : value}
            onChange={(event) => {
              const typed = event.target.value;
              onChange(time && typed ? toOffsetTime(typed) : typed);
            }}
          />
        );
      }}
    </LabelledField>
  );
}

function NumberAnswer({ field, value, error, onChange }: TextProps<"number">) {
  const range =
    field.minimum !== null && field.maximum !== null
      ? `From ${field.minimum} to ${field.maximum}`
      : field.minimum !== null
        ? `At least ${field.minimum}`
        : field.maximum !== null && `At most ${field.maximum}`;
  const suggested = field.default !== null && value === String(field.default) && "Suggested by the server";
  return (
    <LabelledField
      id={`field-${field.name}`}
      label={field.title}
      description={field.description}
      hint={[field.integer && "A whole number", range, suggested].filter(Boolean).join(" · ")}
      error={error}
      required={field.required}
    >
      {(control) => (
        // A text field on purpose: number fields round, and change when the wheel turns.
        <Input
          {...control}
          inputMode={field.integer ? "numeric" : "decimal"}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </LabelledField>
  );
}

function ListAnswer({ field, value, error, onChange }: TextProps<"one_of">) {
  const suggested = field.options.find((option) => option.value === field.default);
  return (
    <LabelledField
      id={`field-${field.name}`}
      label={field.title}
      description={field.description}
      hint={suggested && `The server suggests ${suggested.title}`}
      error={error}
      required={field.required}
    >
      {(control) => (
        <Select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">Choose…</option>
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

function severalHint(field: OfKind<"several_of">): string | undefined {
  const { minItems, maxItems } = field;
  if (minItems && maxItems) return `Choose ${minItems} to ${maxItems}`;
  if (minItems) return `Choose at least ${minItems}`;
  return maxItems ? `Choose at most ${maxItems}` : undefined;
}
