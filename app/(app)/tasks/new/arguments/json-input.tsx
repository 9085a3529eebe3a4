"use client";

import { useState } from "react";
import { Field } from "@/components/ui/field.tsx";
import { Textarea } from "@/components/ui/input.tsx";

/** The arguments as text. Remounts when its tab opens, so it always starts from the form's values. */
export function JsonInput({
  value,
  onChange,
}: {
  value: Record<string, unknown>;
  /** Receives the parsed object, or null while the text is invalid. */
  onChange: (value: Record<string, unknown> | null) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const parsed = parse(text);
  return (
    <Field
      id="arguments-json"
      label="Arguments"
      description="A JSON object, sent to the tool as it is."
      error={parsed.error}
      required
    >
      {(control) => (
        <Textarea
          {...control}
          rows={14}
          spellCheck={false}
          className="font-mono text-[13px]"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            onChange(parse(event.target.value).value);
          }}
        />
      )}
    </Field>
  );
}

function parse(text: string): { value: Record<string, unknown> | null; error?: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { value: { ...value } };
    return { value: null, error: "An object is needed: { … }" };
  } catch (error) {
    return { value: null, error: error instanceof Error ? error.message : "This is not JSON" };
  }
}
