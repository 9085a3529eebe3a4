"use client";

import type { FocusEvent } from "react";
import { Field as LabelledField } from "@/components/ui/field.tsx";
import { Input, Textarea } from "@/components/ui/input.tsx";
import { UNFINISHED } from "@/lib/format/requests/answer-values.ts";
import type { Field } from "@/lib/mcp/forms/form.ts";
import type { AnswerProps } from "./answer-field.tsx";

type TextField = Extract<Field, { kind: "text" }>;

const INPUT_TYPES = { email: "email", uri: "url", date: "date", "date-time": "datetime-local" } as const;
/** Servers seldom say how long a text may be; what it is called says more. */
const CALLED_LONG =
  /\b(comments?|notes?|descriptions?|reasons?|messages?|summary|details|feedback|explanations?|justification)\b/i;
const LONG = 120;
const SUGGESTED = "Suggested by the server";

/** A line of text, one that grows, an e-mail address, a URI or a date. */
export function TextAnswer({ id, field, value, error, onChange, onBlur }: AnswerProps<"text">) {
  return (
    <LabelledField
      id={id}
      label={field.title}
      description={field.description}
      hint={[value !== "" && value === field.default && SUGGESTED, lengthHint(field, value)]
        .filter(Boolean)
        .join(" · ")}
      error={error}
      required={field.required}
    >
      {(control) => {
        const common = { ...control, autoComplete: "off", value: value === UNFINISHED ? "" : value };
        if (isLong(field)) {
          return (
            <Textarea
              {...common}
              rows={3}
              className="field-sizing-content max-h-96 min-h-20"
              onBlur={onBlur}
              onChange={(event) => onChange(event.target.value)}
            />
          );
        }
        return (
          <Input
            {...common}
            type={field.format ? INPUT_TYPES[field.format] : "text"}
            className={field.format === "date" ? "max-w-52" : undefined}
            onBlur={(event) => {
              noteUnfinished(event, value, onChange);
              onBlur();
            }}
            onChange={(event) => onChange(event.target.value)}
          />
        );
      }}
    </LabelledField>
  );
}

/** A text field on purpose: number fields round, and change when the wheel turns. */
export function NumberAnswer({ id, field, value, error, onChange, onBlur }: AnswerProps<"number">) {
  const { integer, minimum, maximum } = field;
  const range =
    minimum !== null && maximum !== null
      ? `from ${minimum} to ${maximum}`
      : minimum !== null
        ? `at least ${minimum}`
        : maximum !== null && `at most ${maximum}`;
  const kind = [integer ? "A whole number" : range && "A number", range].filter(Boolean).join(", ");
  const suggested = field.default !== null && value === String(field.default) && SUGGESTED;
  return (
    <LabelledField
      id={id}
      label={field.title}
      description={field.description}
      hint={[suggested, kind].filter(Boolean).join(" · ")}
      error={error}
      required={field.required}
    >
      {(control) => (
        <Input
          {...control}
          inputMode={integer && (minimum ?? -1) >= 0 ? "numeric" : integer ? "text" : "decimal"}
          autoComplete="off"
          className="max-w-72"
          value={value}
          onBlur={onBlur}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </LabelledField>
  );
}

/** Dates of which parts are missing read as empty; said aloud, so that one is not left out unnoticed. */
export function noteUnfinished(
  event: FocusEvent<HTMLInputElement>,
  value: string,
  onChange: (value: string) => void,
) {
  const unfinished = event.target.validity.badInput;
  if (unfinished && value !== UNFINISHED) onChange(UNFINISHED);
  if (!unfinished && value === UNFINISHED) onChange(event.target.value);
}

function isLong(field: TextField): boolean {
  if (field.format !== null) return false;
  if (field.default?.includes("\n") || (field.default?.length ?? 0) > LONG) return true;
  if (field.maxLength !== null) return field.maxLength > LONG;
  return CALLED_LONG.test(`${field.name.replaceAll("_", " ")} ${field.title}`);
}

/** The limits; near the upper one, what is left. */
function lengthHint({ minLength, maxLength }: TextField, value: string): string {
  const length = [...value].length;
  if (maxLength !== null && length > maxLength) return `${length - maxLength} too many`;
  if (maxLength !== null && length > maxLength * 0.8) return `${maxLength - length} characters left`;
  const least = minLength !== null && minLength > 1;
  if (least && maxLength !== null) return `${minLength} to ${maxLength} characters`;
  if (least) return `At least ${minLength} characters`;
  return maxLength !== null && maxLength <= 2_000 ? `At most ${maxLength} characters` : "";
}
