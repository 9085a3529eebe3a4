"use client";

import type { FieldProps } from "@rjsf/utils";
import { useState } from "react";
import { Field } from "@/components/ui/field.tsx";
import { Textarea } from "@/components/ui/input.tsx";
import { domId } from "./field-id.ts";
import { labelOf } from "./leaf-field.tsx";

/** A value of any shape, typed as JSON. What is not JSON yet goes nowhere, and is said to be none. */
export function JsonField({
  schema,
  formData,
  fieldPathId,
  required = false,
  rawErrors,
  name,
  title,
  onChange,
}: FieldProps) {
  const [text, setText] = useState(() => inJson(formData));
  const read = parse(text);
  // Changed from elsewhere: a sample, or the other tab.
  const shown =
    read.error === undefined && JSON.stringify(read.value) !== JSON.stringify(formData)
      ? inJson(formData)
      : text;
  return (
    <Field
      id={domId(fieldPathId.$id)}
      label={labelOf(fieldPathId.path, schema.title, title ?? name)}
      description={schema.description}
      hint="As JSON"
      error={parse(shown).error ?? rawErrors?.[0]}
      required={required}
    >
      {(control) => (
        <Textarea
          {...control}
          rows={3}
          spellCheck={false}
          className="font-mono text-[13px]"
          value={shown}
          onChange={(event) => {
            setText(event.target.value);
            const next = parse(event.target.value);
            if (next.error === undefined) onChange(next.value, fieldPathId.path);
          }}
        />
      )}
    </Field>
  );
}

function inJson(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

function parse(text: string): { value: unknown; error?: string } {
  if (text.trim() === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { value: undefined, error: "This is not JSON yet." };
  }
}
