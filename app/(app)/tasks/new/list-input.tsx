"use client";

import { Plus, Trash2 } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { FieldErrorLine } from "@/components/ui/field.tsx";
import { humanise } from "@/lib/format/labels.ts";
import { ArgumentInput, LeafControl, type NodeProps, ObjectFields } from "./argument-input.tsx";
import { type ArgumentField, type ArgumentNode, emptyValue } from "./argument-schema.ts";

/** Lines that can be added and removed: a table where each line is flat, groups where it is deeper. */
export function ListInput({
  field,
  path,
  value,
  errors,
  onChange,
}: NodeProps<Extract<ArgumentNode, { kind: "list" }>>) {
  const items: unknown[] = Array.isArray(value) ? value : [];
  const { item } = field.node;
  const one = humanise(field.name).toLowerCase().replace(/s$/, "");
  const set = (index: number) => (next: unknown) =>
    onChange(items.map((each, at) => (at === index ? next : each)));
  const remove = (index: number) => () => onChange(items.filter((_, at) => at !== index));
  const row = (index: number) => `${path}/${index}`;
  return (
    <fieldset className="flex min-w-0 flex-col gap-2" id={`argument-${path}`} tabIndex={-1}>
      <legend className="mb-1.5 font-medium text-[13px]">
        {field.title}
        {!field.required && <span className="font-normal text-muted"> · optional</span>}
      </legend>
      {field.description && <p className="text-[13px] text-muted">{field.description}</p>}
      {items.map((each, index) => (
        <div
          // Lines have no identity but their place.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          key={index}
          className="flex items-start gap-2 rounded-lg border border-line bg-panel p-2.5"
        >
          <span className="grid h-9 w-6 shrink-0 place-items-center text-muted text-xs max-md:hidden">
            {index + 1}
          </span>
          <div className="min-w-0 flex-1">
            {item.kind === "object" && item.fields.every(isLeaf) ? (
              <FlatLine
                fields={item.fields}
                path={row(index)}
                name={`${one} ${index + 1}`}
                value={each}
                errors={errors}
                onChange={set(index)}
              />
            ) : item.kind === "object" ? (
              <div className="flex flex-col gap-4">
                <ObjectFields
                  fields={item.fields}
                  path={row(index)}
                  value={each}
                  errors={errors}
                  onChange={set(index)}
                />
              </div>
            ) : (
              <ArgumentInput
                field={{
                  name: String(index),
                  title: `${one} ${index + 1}`,
                  description: null,
                  required: true,
                  node: item,
                }}
                path={row(index)}
                value={each}
                errors={errors}
                onChange={set(index)}
              />
            )}
          </div>
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove ${one} ${index + 1}`}
            className="mt-0.5"
            onClick={remove(index)}
          >
            <Trash2 aria-hidden strokeWidth={1.75} />
          </Button>
        </div>
      ))}
      {errors.has(path) && <FieldErrorLine id={`argument-${path}-error`} message={errors.get(path) ?? ""} />}
      <Button size="sm" className="self-start" onClick={() => onChange([...items, emptyValue(item) ?? ""])}>
        <Plus aria-hidden strokeWidth={1.75} />
        Add {one}
      </Button>
    </fieldset>
  );
}

function isLeaf(field: ArgumentField): boolean {
  return field.node.kind !== "object" && field.node.kind !== "list";
}

/** One line of short fields side by side, each with a small label of its own. */
function FlatLine({
  fields,
  path,
  name,
  value,
  errors,
  onChange,
}: Omit<NodeProps, "field"> & { fields: ArgumentField[]; name: string }) {
  const object = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return (
    <div className="grid gap-2.5 md:grid-cols-[repeat(auto-fit,minmax(9rem,1fr))]">
      {fields.map(({ name: key, title, required, node }) => {
        if (node.kind === "object" || node.kind === "list") return null;
        const id = `argument-${path}/${key}`;
        const error = errors.get(`${path}/${key}`);
        return (
          <div key={key} className="flex min-w-0 flex-col gap-1">
            <label htmlFor={id} className="text-muted text-xs">
              {title}
              <span className="sr-only"> of {name}</span>
              {!required && " · optional"}
            </label>
            <LeafControl
              control={{
                id,
                "aria-invalid": error ? true : undefined,
                "aria-describedby": error ? `${id}-error` : undefined,
              }}
              node={node}
              value={object[key]}
              onChange={(next) => {
                const { [key]: _, ...rest } = object;
                onChange(next === undefined ? rest : { ...object, [key]: next });
              }}
            />
            {error && <FieldErrorLine id={`${id}-error`} message={error} />}
          </div>
        );
      })}
    </div>
  );
}
