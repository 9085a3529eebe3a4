"use client";

import type { WidgetProps } from "@rjsf/utils";
import { Field, FieldErrorLine } from "@/components/ui/field.tsx";
import { Select } from "@/components/ui/select.tsx";
import { domId } from "./field-id.ts";

/** Selects one kind of value, or several of a list's choices. */
export function ChoiceWidget({ multiple, ...rest }: WidgetProps) {
  return multiple ? <Several multiple {...rest} /> : <One multiple={false} {...rest} />;
}

function One({ id, label, value, required = false, options, rawErrors, onChange }: WidgetProps) {
  const choices = options.enumOptions ?? [];
  return (
    <Field id={domId(id)} label={label} error={rawErrors?.[0]} required={required}>
      {(control) => (
        <Select
          {...control}
          value={String(choices.findIndex((choice) => choice.value === value))}
          onChange={(event) => onChange(choices[Number(event.target.value)]?.value)}
        >
          {choices.map((choice, at) => (
            <option key={choice.label} value={String(at)}>
              {choice.label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function Several({ id, label, value, required, options, schema, rawErrors = [], onChange }: WidgetProps) {
  const chosen: unknown[] = Array.isArray(value) ? value : [];
  const toggle = (choice: unknown) =>
    chosen.includes(choice) ? chosen.filter((each) => each !== choice) : [...chosen, choice];
  return (
    <fieldset id={domId(id)} tabIndex={-1} className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 font-medium text-[13px]">
        {label}
        {!required && <span className="font-normal text-muted"> · optional</span>}
      </legend>
      {schema.description && <p className="text-[13px] text-muted">{schema.description}</p>}
      {(options.enumOptions ?? []).map((choice) => (
        <label key={choice.label} className="flex items-center gap-2.5 max-md:min-h-11">
          <input
            type="checkbox"
            className="size-4 accent-(--accent)"
            checked={chosen.includes(choice.value)}
            onChange={() => onChange(toggle(choice.value))}
          />
          {choice.label}
        </label>
      ))}
      {rawErrors.map((error) => (
        <FieldErrorLine key={error} id={`${domId(id)}-error`} message={error} />
      ))}
    </fieldset>
  );
}
