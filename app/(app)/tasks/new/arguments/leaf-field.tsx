"use client";

import type { FieldProps } from "@rjsf/utils";
import { createContext, useContext } from "react";
import { momentHint } from "@/components/form/moment-input.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Field, FieldErrorLine } from "@/components/ui/field.tsx";
import { hiddenWords } from "@/lib/text/foreign/hidden.ts";
import { capitalise } from "@/lib/text/labels.ts";
import { domId, itemName } from "./judge-arguments.ts";
import { LeafInput } from "./leaf-input.tsx";

/**
 * The name of the line that a field is in, e.g. `line 2`, when its fields stand side by side; null if each
 * field has a row of its own.
 */
export const LineContext = createContext<string | null>(null);

/** A single value: text, a number, yes or no, or one of several. */
export function LeafField({
  schema,
  formData,
  fieldPathId,
  required = false,
  rawErrors,
  name,
  title,
  registry,
  onChange,
}: FieldProps) {
  const line = useContext(LineContext);
  const id = domId(fieldPathId.$id);
  const label = labelOf(fieldPathId.path, schema.title, title ?? name);
  const inList = typeof fieldPathId.path.at(-1) === "number";
  const error = rawErrors?.[0];
  const formats = useFormats();
  const text = typeof formData === "string" ? formData : "";
  const said = [momentHint(schema.format, text, formats), hiddenWords(text)].filter(Boolean).join(" · ");
  const input = (control: object) => (
    <LeafInput
      control={control}
      schema={schema}
      value={formData}
      onChange={(value) => onChange(value, fieldPathId.path)}
      inList={inList}
    />
  );
  if (line === null) {
    return (
      <Field
        id={id}
        label={label}
        description={schema.description}
        hint={[said, hintOf(schema)].filter(Boolean).join(" · ")}
        error={error}
        required={required}
        need={needIn(registry)}
      >
        {input}
      </Field>
    );
  }
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-muted text-xs">
        {label}
        <span className="sr-only"> of {line}</span>
        {!required && " · optional"}
      </label>
      {input({
        id,
        "aria-required": required || undefined,
        "aria-invalid": error ? true : undefined,
        "aria-describedby":
          [said && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined,
      })}
      {said && (
        <p id={`${id}-hint`} className="wrap-anywhere text-muted text-xs">
          {said}
        </p>
      )}
      {error && <FieldErrorLine id={`${id}-error`} message={error} />}
    </div>
  );
}

/** How a form marks fields that are not required. Null: not at all, since its schema was made from the values and knows no better. */
export const needIn = ({ formContext }: FieldProps["registry"]): "optional" | null => formContext.need;

export function labelOf(path: (string | number)[], own: string | undefined, name: string): string {
  const last = path.at(-1);
  return own || (typeof last === "number" ? capitalise(`${itemName(path.slice(0, -1))} ${last + 1}`) : name);
}

/** Returns a hint that names the server's default, which is never sent as if somebody had chosen it. */
function hintOf(schema: FieldProps["schema"]): string | undefined {
  const standard = schema.default;
  if (standard === undefined || standard === null || typeof standard === "object") return undefined;
  return `If empty, the server uses ${String(standard).slice(0, 100)}`;
}
