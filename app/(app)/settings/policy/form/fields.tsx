"use client";

import { type ReactNode, useState } from "react";
import { Field, FieldErrorLine, Input, Select, Textarea } from "@/components/ui/field.tsx";
import { UNREADABLE, useNoteUnreadable, useProblem, useProblemWithin } from "./problems.tsx";

export interface Labelled {
  /** The place in the policy, which is the control's id. */
  place: string;
  label: string;
  description?: ReactNode;
  hint?: ReactNode;
  /** Said in place of “optional”. */
  need?: string;
  required?: boolean;
}

/** A line of text. */
export function TextLine({
  place,
  value,
  onChange,
  ...labelled
}: Labelled & {
  value: string | null | undefined;
  onChange: (value: string) => void;
}) {
  const error = useProblem(place);
  return (
    <Field id={place} error={error} {...labelled}>
      {(control) => (
        <Input
          {...control}
          value={value ?? ""}
          autoComplete="off"
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

/**
 * A value that is typed as text: what was typed stays while it says the value, so that nothing changes under the caret. `read`
 * says null where the text says no value yet, with a sentence in `wrong`: the policy keeps the value before it, and can't be saved.
 */
export function TypedLine<T>({
  place,
  value,
  onChange,
  read,
  write,
  wrong,
  within = false,
  rows,
  numeric = false,
  beside,
  ...labelled
}: Labelled & {
  value: T;
  onChange: (value: T) => void;
  read: (text: string) => { value: T } | null;
  write: (value: T) => string;
  /** What to type. */
  wrong: string;
  /** Shows problems of its parts too. */
  within?: boolean;
  rows?: number;
  numeric?: boolean;
  /** Controls that say the rest of the value. */
  beside?: ReactNode;
}) {
  const [typed, setTyped] = useState(() => write(value));
  const said = read(typed);
  const isOwn = said === null || JSON.stringify(said.value) === JSON.stringify(value);
  const [seen, setSeen] = useState(value);
  // Changed from elsewhere, while something is typed that says no value.
  const isOther = said === null && JSON.stringify(seen) !== JSON.stringify(value);
  if (isOther) {
    setSeen(value);
    setTyped(write(value));
  }
  useNoteUnreadable(place, said === null && !isOther ? UNREADABLE : null);
  const [own, inner] = [useProblem(place), useProblemWithin(place)];
  const error = said === null ? wrong : within ? inner : own;
  return (
    <Field id={place} error={error} {...labelled}>
      {(control) => {
        const props = {
          ...control,
          value: isOwn && !isOther ? typed : write(value),
          autoComplete: "off",
          spellCheck: false,
          className: rows === undefined ? undefined : "font-mono text-[13px]",
          onChange: ({ target }: { target: { value: string } }) => {
            setTyped(target.value);
            const now = read(target.value);
            setSeen(now ? now.value : value);
            if (now) onChange(now.value);
          },
        };
        if (rows !== undefined) return <Textarea rows={rows} {...props} />;
        const line = <Input inputMode={numeric ? "decimal" : undefined} {...props} />;
        return beside === undefined ? (
          line
        ) : (
          <div className="flex flex-wrap gap-1.5">
            <div className="w-20">{line}</div>
            {beside}
          </div>
        );
      }}
    </Field>
  );
}

/** A whole number, or nothing for its default. */
export function NumberLine(
  props: Labelled & { value: number | undefined; onChange: (value: number | undefined) => void },
) {
  return (
    <TypedLine
      {...props}
      numeric
      wrong="Use a whole number"
      read={(text) => (text.trim() === "" ? { value: undefined } : wholeNumber(text))}
      write={(value) => (value === undefined ? "" : String(value))}
    />
  );
}

function wholeNumber(text: string): { value: number } | null {
  return /^\s*\d{1,9}\s*$/.test(text) ? { value: Number(text) } : null;
}

/** Texts with commas between them. */
export function ListLine(
  props: Labelled & { value: string[] | undefined; onChange: (value: string[] | undefined) => void },
) {
  return (
    <TypedLine
      {...props}
      within
      wrong=""
      read={(text) => {
        const items = text
          .split(",")
          .map((item) => item.trim())
          .filter((item) => item !== "");
        return { value: items.length > 0 ? items : undefined };
      }}
      write={(value) => (value ?? []).join(", ")}
    />
  );
}

/** Fields with names of their own, as JSON. */
export function JsonLine(
  props: Labelled & {
    value: Record<string, unknown> | undefined;
    onChange: (value: Record<string, unknown> | undefined) => void;
  },
) {
  return (
    <TypedLine
      {...props}
      within
      rows={3}
      wrong={`Use JSON such as {"value": "approve"}`}
      read={(text) => {
        if (text.trim() === "") return { value: undefined };
        try {
          const value: unknown = JSON.parse(text);
          return typeof value === "object" && value !== null && !Array.isArray(value)
            ? { value: value as Record<string, unknown> }
            : null;
        } catch {
          return null;
        }
      }}
      write={(value) => (value === undefined ? "" : JSON.stringify(value, null, 2))}
    />
  );
}

/** One of some values. */
export function Choice({
  place,
  value,
  options,
  onChange,
  ...labelled
}: Labelled & {
  value: string;
  /** Words by value. */
  options: Record<string, string>;
  onChange: (value: string) => void;
}) {
  const error = useProblem(place);
  return (
    <Field id={place} error={error} required {...labelled}>
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          {!Object.hasOwn(options, value) && <option value={value}>{value || "Choose"}</option>}
          {Object.entries(options).map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** Some of a few values. */
export function Checks({
  legend,
  values,
  options,
  onChange,
}: {
  legend: string;
  values: string[] | undefined;
  options: { value: string; label: string }[];
  onChange: (values: string[] | undefined) => void;
}) {
  const chosen = values ?? [];
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-x-4 gap-y-1">
      <legend className="mb-1 text-[13px] text-muted">{legend}</legend>
      {options.map(({ value, label }) => (
        <Check
          key={value}
          label={label}
          checked={chosen.includes(value)}
          onChange={(checked) => {
            const kept = options.map((option) => option.value);
            const others = chosen.filter((each) => !kept.includes(each));
            const now = kept.filter((each) => (each === value ? checked : chosen.includes(each)));
            const all = [...now, ...others];
            onChange(all.length > 0 ? all : undefined);
          }}
        />
      ))}
    </fieldset>
  );
}

export function Check({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className="flex items-center gap-2 text-[13px] max-md:min-h-11">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
        className="size-4 shrink-0 accent-accent"
      />
      {label}
    </label>
  );
}

/** The first problem within a part of the form whose controls don't show theirs. */
export function ProblemLine({ place, besides }: { place: string; besides?: string[] }) {
  const message = useProblemWithin(place, besides);
  return message === undefined ? null : <FieldErrorLine id={`${place}-error`} message={message} />;
}
