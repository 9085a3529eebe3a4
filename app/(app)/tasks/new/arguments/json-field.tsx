"use client";

import type { FieldProps } from "@rjsf/utils";
import { useState } from "react";
import { Field } from "@/components/ui/field.tsx";
import { Textarea } from "@/components/ui/input.tsx";
import { domId } from "./field-id.ts";
import { labelOf } from "./leaf-field.tsx";

/** A value of any shape, typed as JSON. Invalid JSON shows an error and does not reach the form. */
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
  // A sample or the other tab changed the value.
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
