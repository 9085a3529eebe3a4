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
  id,
  field,
  value,
  error,
  onChange,
  onBlur,
}: {
  /** Of the control, or of the group of choices. */
  id: string;
  field: Field;
  value: string | string[] | undefined;
  error: string | undefined;
  onChange: (value: string | string[]) => void;
  onBlur: () => void;
}) {
  const text = typeof value === "string" ? value : "";
  const common = { id, error, onChange, onBlur };
  switch (field.kind) {
    case "text":
      return <TextAnswer {...common} field={field} value={text} />;
    case "number":
      return <NumberAnswer {...common} field={field} value={text} />;
    case "boolean":
      return (
        <ChoiceGroup
          {...common}
          field={field}
          options={[
            { value: "true", title: "Yes" },
            { value: "false", title: "No" },
          ]}
          suggested={field.default === null ? [] : [String(field.default)]}
          chosen={text ? [text] : []}
          onChange={([chosen]) => onChange(chosen ?? "")}
        />
      );
    case "one_of":
      if (field.options.length > MOST_RADIOS) {
        return <ListAnswer {...common} field={field} value={text} />;
      }
      return (
        <ChoiceGroup
          {...common}
          field={field}
          options={field.options}
          suggested={field.default === null ? [] : [field.default]}
          chosen={text ? [text] : []}
          onChange={([chosen]) => onChange(chosen ?? "")}
        />
      );
    case "several_of":
      return (
        <ChoiceGroup
          several
          {...common}
          field={field}
          options={field.options}
          suggested={field.default}
          chosen={Array.isArray(value) ? value : []}
          hint={severalHint(field)}
        />
      );
  }
}

interface TextProps<K extends Field["kind"]> {
  id: string;
  field: OfKind<K>;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
  onBlur: () => void;
}

const INPUT_TYPES = { email: "email", uri: "url", date: "date", "date-time": "datetime-local" } as const;

function TextAnswer({ id, field, value, error, onChange, onBlur }: TextProps<"text">) {
  const long = field.format === null && (field.maxLength ?? 0) > 200;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const hints = [
    field.format === "date-time" && `In your time zone, ${zone}`,
    field.default !== null && value === field.default && "Suggested by the server",
    field.maxLength !== null && `At most ${field.maxLength} characters`,
  ].filter(Boolean);
  return (
    <LabelledField
      id={id}
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
              onBlur={onBlur}
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
            onBlur={onBlur}
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

function NumberAnswer({ id, field, value, error, onChange, onBlur }: TextProps<"number">) {
  const range =
    field.minimum !== null && field.maximum !== null
      ? `From ${field.minimum} to ${field.maximum}`
      : field.minimum !== null
        ? `At least ${field.minimum}`
        : field.maximum !== null && `At most ${field.maximum}`;
  const suggested = field.default !== null && value === String(field.default) && "Suggested by the server";
  return (
    <LabelledField
      id={id}
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
          onBlur={onBlur}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </LabelledField>
  );
}

function ListAnswer({ id, field, value, error, onChange, onBlur }: TextProps<"one_of">) {
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
