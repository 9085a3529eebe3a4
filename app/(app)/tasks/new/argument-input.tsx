"use client";

import { useState } from "react";
import { Field } from "@/components/ui/field.tsx";
import { Input } from "@/components/ui/input.tsx";
import { Select } from "@/components/ui/select.tsx";
import type { ArgumentField, ArgumentNode } from "./argument-schema.ts";
import { ListInput } from "./list-input.tsx";

export interface NodeProps<N extends ArgumentNode = ArgumentNode> {
  field: Omit<ArgumentField, "node"> & { node: N };
  /** JSON pointer without the leading slash, e.g. `lines/0/amount`: ids and errors go by it. */
  path: string;
  value: unknown;
  errors: Map<string, string>;
  /** `undefined` takes the value out of the arguments. */
  onChange: (value: unknown) => void;
}

/** One argument, by the kind of its schema. Nested objects are groups, lists have lines to add and remove. */
export function ArgumentInput({ field, ...rest }: NodeProps) {
  const { node } = field;
  if (node.kind === "object") return <ObjectInput field={{ ...field, node }} {...rest} />;
  if (node.kind === "list") return <ListInput field={{ ...field, node }} {...rest} />;
  return (
    <Field
      id={`argument-${rest.path}`}
      label={field.title}
      description={field.description}
      error={rest.errors.get(rest.path)}
      required={field.required}
    >
      {(control) => <LeafControl control={control} node={node} {...rest} />}
    </Field>
  );
}

type Control = Partial<React.ComponentProps<"input"> & React.ComponentProps<"select">>;
type LeafNode = Exclude<ArgumentNode, { kind: "object" } | { kind: "list" }>;

/** The bare control, which a table of lines uses without its label. */
export function LeafControl({
  control,
  node,
  value,
  onChange,
}: {
  control: object;
  node: LeafNode;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const shared = control as Control;
  switch (node.kind) {
    case "number":
      return <NumberInput control={shared} value={value} onChange={onChange} />;
    case "boolean":
      return (
        <Select
          {...shared}
          value={value === undefined ? "" : String(value)}
          onChange={(event) =>
            onChange(event.target.value === "" ? undefined : event.target.value === "true")
          }
        >
          <option value="">Not set</option>
          <option value="true">Yes</option>
          <option value="false">No</option>
        </Select>
      );
    case "choice":
      return (
        <Select
          {...shared}
          value={value === undefined ? "" : String(value)}
          onChange={(event) => onChange(node.options.find((each) => String(each) === event.target.value))}
        >
          <option value="">Choose…</option>
          {node.options.map((option) => (
            <option key={option} value={String(option)}>
              {option}
            </option>
          ))}
        </Select>
      );
    case "text":
      return (
        <Input
          {...shared}
          type={node.format === "date" ? "date" : node.format === "email" ? "email" : "text"}
          placeholder={node.format === "date-time" ? "2026-12-31T12:00:00Z" : undefined}
          value={typeof value === "string" ? value : ""}
          onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
        />
      );
  }
}

/** Keeps the text as typed (`1.` on the way to `1.5`); text that is no number goes on as text, and is refused as such. */
function NumberInput({
  control,
  value,
  onChange,
}: {
  control: Control;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const [text, setText] = useState(value === undefined ? "" : String(value));
  const shown = toNumber(text) === value ? text : value === undefined ? "" : String(value);
  return (
    <Input
      {...control}
      inputMode="decimal"
      autoComplete="off"
      className="text-right"
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

function ObjectInput({
  field,
  path,
  value,
  errors,
  onChange,
}: NodeProps<Extract<ArgumentNode, { kind: "object" }>>) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-4 rounded-lg border border-line p-4">
      <legend className="px-1 font-medium text-[13px]">{field.title}</legend>
      {field.description && <p className="-mt-2 text-[13px] text-muted">{field.description}</p>}
      <ObjectFields
        fields={field.node.fields}
        path={path}
        value={value}
        errors={errors}
        onChange={onChange}
      />
    </fieldset>
  );
}

export function ObjectFields({
  fields,
  path,
  value,
  errors,
  onChange,
}: Omit<NodeProps, "field"> & { fields: ArgumentField[] }) {
  const object = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return fields.map((child) => (
    <ArgumentInput
      key={child.name}
      field={child}
      path={path ? `${path}/${child.name}` : child.name}
      value={object[child.name]}
      errors={errors}
      onChange={(next) => {
        const { [child.name]: _, ...rest } = object;
        // The order of the schema is kept, so that the JSON reads like the form.
        const merged = next === undefined ? rest : { ...rest, [child.name]: next };
        onChange(Object.fromEntries(sorted(merged, fields)));
      }}
    />
  ));
}

function sorted(object: Record<string, unknown>, fields: ArgumentField[]): [string, unknown][] {
  const order = new Map(fields.map((field, index) => [field.name, index]));
  const last = fields.length;
  return Object.entries(object).sort(([a], [b]) => (order.get(a) ?? last) - (order.get(b) ?? last));
}
