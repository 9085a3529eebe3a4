"use client";

import { ChoiceTitle, PlainText, TurnedNote } from "@/components/text/plain-text.tsx";
import { cn } from "@/components/ui/cn.ts";
import { FieldErrorLine, Field as LabelledField, Select } from "@/components/ui/field.tsx";
import type { Field, FieldOption } from "@/lib/mcp/forms/form.ts";
import { heldAs } from "@/lib/requests/words/answer-values.ts";
import type { AnswerProps } from "./text-answer.tsx";

type Several = Pick<Extract<Field, { kind: "several_of" }>, "minItems" | "maxItems">;

/** Options that stand side by side. */
const MOST_SIDE_BY_SIDE = 3;

/**
 * Radio buttons or checkboxes, as a group with a legend. The server's suggestion is marked and never
 * preselected: a default is not consent.
 */
export function ChoiceGroup({
  id,
  field,
  options,
  suggested,
  chosen,
  several,
  error,
  onChange,
  onBlur,
}: {
  id: string;
  field: Pick<Field, "title" | "description" | "required" | "need">;
  options: FieldOption[];
  suggested: string[];
  /** At most one value for radio buttons; empty means "No answer". */
  chosen: string[];
  /**
   * Set for checkboxes, with the allowed counts. More boxes can be ticked: a disabled box would not say why.
   */
  several?: Several;
  error: string | undefined;
  onChange: (chosen: string[]) => void;
  onBlur: () => void;
}) {
  const described = [
    field.description && `${id}-description`,
    several && `${id}-hint`,
    error && `${id}-error`,
  ];
  const choose = (value: string, on: boolean) => {
    if (!several) return onChange([value]);
    const next = new Set(chosen);
    on ? next.add(value) : next.delete(value);
    // In the server's order, whatever the order of ticking.
    onChange(options.filter((option) => next.has(option.value)).map((option) => option.value));
  };
  // Two or three look like the buttons that a question of nothing else has.
  const isFew = !several && options.length <= MOST_SIDE_BY_SIDE;
  const shown = several || field.required ? options : [...options, { value: "", title: "No answer" }];
  return (
    <fieldset
      id={id}
      aria-describedby={described.filter(Boolean).join(" ") || undefined}
      // A group of checkboxes has no validity of its own; each checkbox carries it.
      {...(several
        ? {}
        : { role: "radiogroup", "aria-invalid": error ? true : undefined, "aria-required": field.required })}
      className="flex min-w-0 flex-col gap-1.5"
    >
      <legend className="wrap-anywhere mb-1.5 font-medium text-[13px]">
        <PlainText text={field.title} />
        {!field.required && <span className="font-normal text-muted"> · {field.need ?? "optional"}</span>}
      </legend>
      {field.description && (
        <p
          id={`${id}-description`}
          dir="auto"
          className="wrap-anywhere whitespace-pre-line text-[13px] text-muted"
        >
          {field.description}
          <TurnedNote text={field.description} />
        </p>
      )}
      <div className={cn("flex", isFew ? "flex-wrap gap-2" : "flex-col")}>
        {shown.map((option) => (
          <label
            key={option.value}
            className={cn(
              "flex min-h-8 items-center gap-x-2.5 py-1 max-md:min-h-11",
              isFew &&
                "rounded-lg border border-edge px-3 has-checked:border-accent has-checked:bg-accent-soft",
            )}
          >
            <input
              type={several ? "checkbox" : "radio"}
              name={id}
              value={option.value}
              checked={chosen.includes(option.value)}
              aria-invalid={several && error ? true : undefined}
              onBlur={onBlur}
              onChange={(event) => choose(option.value, event.target.checked)}
              className="size-4 shrink-0 accent-(--accent)"
            />
            <span className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-0.5">
              <span className={option.value === "" ? "text-muted" : "wrap-anywhere min-w-0"}>
                <ChoiceTitle text={option.title} />
              </span>
              {suggested.includes(option.value) && (
                <span className="shrink-0 rounded-md bg-sunken px-1.5 py-0.5 text-muted text-xs">
                  Suggested by the server
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
      {several && (
        <p id={`${id}-hint`} role="status" className="text-muted text-xs tabular-nums">
          {[severalHint(several), `${chosen.length} of ${options.length} chosen`].filter(Boolean).join(" · ")}
        </p>
      )}
      {error && <FieldErrorLine id={`${id}-error`} message={error} />}
    </fieldset>
  );
}

/** A native select for many options, which finds an option by its first letters. */
export function ChoiceList({ id, field, value, error, onChange, onBlur }: AnswerProps<"one_of">) {
  const suggested = field.options.find((option) => option.value === field.default);
  const chosen = field.options.find((option) => heldAs(option.value) === value);
  return (
    <LabelledField
      id={id}
      label={field.title}
      description={field.description}
      hint={[
        suggested && `The server suggests ${suggested.title}`,
        // A phone's select cuts the end of a title, where the value stands.
        chosen?.title.includes("(sends ") && `Chosen: ${chosen.title}`,
      ]
        .filter(Boolean)
        .join(" · ")}
      error={error}
      required={field.required}
      need={field.need}
    >
      {(control) => (
        <Select {...control} value={value} onBlur={onBlur} onChange={(event) => onChange(event.target.value)}>
          <option value="">{field.required ? "Choose…" : "No answer"}</option>
          {field.options.map((option) => (
            <option key={String(option.value)} value={heldAs(option.value)}>
              {option.title}
            </option>
          ))}
        </Select>
      )}
    </LabelledField>
  );
}

function severalHint({ minItems, maxItems }: Several): string {
  if (minItems && minItems === maxItems) return `Choose ${minItems}`;
  if (minItems && maxItems) return `Choose ${minItems} to ${maxItems}`;
  if (minItems) return `Choose at least ${minItems}`;
  return maxItems ? `Choose at most ${maxItems}` : "";
}
