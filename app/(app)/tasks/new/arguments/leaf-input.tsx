"use client";

import { useState } from "react";
import { DateInput, DateTimeInput, isShown, TimeInput } from "@/components/form/moment-input.tsx";
import { Input, Select, Textarea } from "@/components/ui/field.tsx";
import { distinctChoices } from "@/lib/mcp/forms/choices.ts";
import { visibleText } from "@/lib/text/foreign/hidden.ts";
import { asJson } from "@/lib/text/labels.ts";
import { withPlainEnds, writtenOver } from "@/lib/text/line-ends.ts";

type Control = Partial<React.ComponentProps<"input"> & React.ComponentProps<"select">>;

interface LeafSchema {
  type?: unknown;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  maxLength?: number;
  oneOf?: unknown;
  anyOf?: unknown;
}

/** Longer limits than this get a textarea. */
const LONG_TEXT = 1_000;

/**
 * The bare control of one value. `undefined` removes the value from the arguments; in a list its place stays.
 */
export function LeafInput({
  control,
  schema,
  value,
  onChange,
  inList,
}: {
  control: object;
  schema: LeafSchema;
  value: unknown;
  onChange: (value: unknown) => void;
  inList: boolean;
}) {
  const shared = control as Control;
  const choices = choicesOf(schema);
  if (choices) return <Choice control={shared} choices={choices} value={value} onChange={onChange} />;
  if (schema.type === "number" || schema.type === "integer")
    return <NumberInput control={shared} value={value} onChange={onChange} />;
  const text = typeof value === "string" ? value : value === undefined || value === null ? "" : String(value);
  const change = (next: string) => onChange(next === "" && !inList ? undefined : next);
  // An input would lose the line breaks of pasted text or of JSON.
  if (text.includes("\n") || (schema.maxLength ?? 0) > LONG_TEXT)
    return (
      <Textarea
        {...(control as React.ComponentProps<"textarea">)}
        rows={4}
        value={withPlainEnds(text)}
        onChange={(event) => change(writtenOver(text, event.target.value))}
      />
    );
  const { format } = schema;
  if (format !== undefined && Object.hasOwn(MOMENT_INPUTS, format) && isShown(format, text)) {
    const Moment = MOMENT_INPUTS[format as keyof typeof MOMENT_INPUTS];
    return <Moment control={control} id={shared.id ?? ""} value={text} onChange={change} />;
  }
  return (
    <Input
      {...shared}
      type={format === "email" ? "email" : "text"}
      autoComplete="off"
      value={text}
      onChange={(event) => change(event.target.value)}
    />
  );
}

const MOMENT_INPUTS = { date: DateInput, time: TimeInput, "date-time": DateTimeInput };

interface ChoiceOption {
  value: unknown;
  label: string;
}

/** The choices of a value, each with what it sends where its title says something else; null if there are none. */
export function choicesOf(schema: LeafSchema): ChoiceOption[] | null {
  const options = givenIn(schema);
  if (!options) return null;
  const told = distinctChoices(options.map(({ value, label }) => ({ value: String(value), title: label })));
  return options.map(({ value, label }, at) => ({
    value,
    label:
      told?.[at]?.title ??
      `${visibleText(label)} (sends ${typeof value === "string" ? asJson(value) : String(value)})`,
  }));
}

function givenIn(schema: LeafSchema): ChoiceOption[] | null {
  if (schema.enum) return schema.enum.map((value) => ({ value, label: String(value) }));
  if (schema.const !== undefined) return [{ value: schema.const, label: String(schema.const) }];
  if (schema.type === "boolean")
    return [
      { value: true, label: "Yes" },
      { value: false, label: "No" },
    ];
  const several = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(several)) return null;
  return several.map(({ const: value, title }: { const?: unknown; title?: string }) => ({
    value,
    label: title ?? String(value),
  }));
}

function Choice({
  control,
  choices,
  value,
  onChange,
}: {
  control: Control;
  choices: ChoiceOption[];
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const chosen = choices.findIndex((choice) => choice.value === value);
  return (
    <Select
      {...control}
      value={chosen < 0 ? "" : String(chosen)}
      onChange={(event) =>
        onChange(event.target.value === "" ? undefined : choices[Number(event.target.value)]?.value)
      }
    >
      <option value="">{control["aria-required"] ? "Choose…" : "Not set"}</option>
      {choices.map((choice, at) => (
        <option key={String(at)} value={String(at)}>
          {choice.label}
        </option>
      ))}
    </Select>
  );
}

/**
 * Keeps the text as typed (`1.` on the way to `1.5`). Text that is no exact number is passed on as text, and
 * fails validation.
 */
function NumberInput({
  control,
  value,
  onChange,
}: {
  control: Control;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const [text, setText] = useState(value === undefined || value === null ? "" : String(value));
  const shown = toNumber(text) === value ? text : value === undefined || value === null ? "" : String(value);
  return (
    <Input
      {...control}
      inputMode="decimal"
      autoComplete="off"
      className="text-right tabular-nums"
      value={shown}
      onChange={(event) => {
        setText(event.target.value);
        onChange(toNumber(event.target.value));
      }}
    />
  );
}

function toNumber(text: string): unknown {
  if (text.trim() === "") return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}
