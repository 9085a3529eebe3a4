"use client";

import { FieldErrorLine } from "@/components/ui/field.tsx";
import type { Field, FieldOption } from "@/lib/mcp/form.ts";

/**
 * Radio buttons, or boxes to tick, as a group with a legend. What the server suggests is marked as such and never
 * chosen beforehand: a default is not a consent.
 */
export function ChoiceGroup({
  id,
  field,
  options,
  suggested,
  chosen,
  several = false,
  hint,
  error,
  onChange,
}: {
  id: string;
  field: Pick<Field, "name" | "title" | "description" | "required">;
  options: FieldOption[];
  suggested: string[];
  chosen: string[];
  several?: boolean;
  hint?: string | undefined;
  error: string | undefined;
  onChange: (chosen: string[]) => void;
}) {
  const described = [field.description && `${id}-description`, hint && `${id}-hint`, error && `${id}-error`];
  const choose = (value: string, on: boolean) => {
    if (!several) return onChange([value]);
    const next = new Set(chosen);
    on ? next.add(value) : next.delete(value);
    // In the server's order, whatever the order of ticking.
    onChange(options.filter((option) => next.has(option.value)).map((option) => option.value));
  };
  return (
    <fieldset
      id={id}
      tabIndex={-1}
      aria-describedby={described.filter(Boolean).join(" ") || undefined}
      // A group of boxes has no validity of its own; each box carries it then.
      {...(several
        ? {}
        : { role: "radiogroup", "aria-invalid": error ? true : undefined, "aria-required": field.required })}
      className="flex min-w-0 flex-col gap-1.5 rounded-md"
    >
      <legend className="mb-1.5 font-medium text-[13px]">
        {field.title}
        {!field.required && <span className="font-normal text-muted"> · optional</span>}
      </legend>
      {field.description && (
        <p id={`${id}-description`} className="text-[13px] text-muted">
          {field.description}
        </p>
      )}
      <div className="flex flex-col">
        {options.map((option) => (
          <label key={option.value} className="flex min-h-8 items-center gap-2.5 max-md:min-h-11">
            <input
              type={several ? "checkbox" : "radio"}
              name={id}
              value={option.value}
              checked={chosen.includes(option.value)}
              aria-invalid={several && error ? true : undefined}
              onChange={(event) => choose(option.value, event.target.checked)}
              className="size-4 shrink-0 accent-(--accent)"
            />
            <span className="min-w-0">{option.title}</span>
            {suggested.includes(option.value) && (
              <span className="rounded-md bg-sunken px-1.5 py-0.5 text-muted text-xs">suggested</span>
            )}
          </label>
        ))}
      </div>
      {!several && !field.required && chosen.length > 0 && (
        <button
          type="button"
          className="self-start text-[13px] text-accent underline-offset-4 hover:underline"
          onClick={() => onChange([])}
        >
          Clear
        </button>
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-muted text-xs">
          {hint}
        </p>
      )}
      {error && <FieldErrorLine id={`${id}-error`} message={error} />}
    </fieldset>
  );
}
