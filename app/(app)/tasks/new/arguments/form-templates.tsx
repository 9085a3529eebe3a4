"use client";

import type {
  ArrayFieldItemTemplateProps,
  ArrayFieldTemplateProps,
  FieldTemplateProps,
  MultiSchemaFieldTemplateProps,
  ObjectFieldTemplateProps,
  TemplatesType,
  UnsupportedFieldProps,
} from "@rjsf/utils";
import { Plus, Trash2 } from "lucide-react";
import { useContext } from "react";
import { Button } from "@/components/ui/button.tsx";
import { FieldErrorLine } from "@/components/ui/field.tsx";
import { AS_JSON } from "./form-schema.ts";
import { domId, itemName, pathInWords } from "./judge-arguments.ts";
import { LineContext } from "./leaf-field.tsx";

/** Renders no label, description or error, because each field renders its own. */
function FieldTemplate({ children, hidden }: FieldTemplateProps) {
  return hidden ? null : <div className="min-w-0">{children}</div>;
}

function ObjectFieldTemplate({
  title,
  description,
  properties,
  fieldPathId,
  schema,
  errorSchema,
}: ObjectFieldTemplateProps) {
  const line = useContext(LineContext);
  const contents = properties.map(({ name, content }) => (
    <div key={name} className="min-w-0">
      {content}
    </div>
  ));
  if (line !== null)
    return <div className="grid gap-2.5 md:grid-cols-[repeat(auto-fit,minmax(9rem,1fr))]">{contents}</div>;
  if (fieldPathId.path.length === 0) return <div className="flex flex-col gap-4">{contents}</div>;
  if (contents.length === 0 && (schema.anyOf ?? schema.oneOf)) return null;
  const isItem = typeof fieldPathId.path.at(-1) === "number";
  if (isItem) return <div className="flex flex-col gap-4">{contents}</div>;
  return (
    <fieldset
      id={domId(fieldPathId.$id)}
      tabIndex={-1}
      className="flex min-w-0 flex-col gap-4 rounded-lg border border-line p-4"
    >
      <legend className="px-1 font-medium text-[13px]">{title}</legend>
      {description && <p className="-mt-2 text-[13px] text-muted">{description}</p>}
      {contents}
      <Errors id={fieldPathId.$id} errors={errorSchema?.__errors} />
    </fieldset>
  );
}

/** A list of items that can be added and removed. */
function ArrayFieldTemplate({
  title,
  schema,
  items,
  canAdd,
  onAddClick,
  fieldPathId,
  required,
  rawErrors,
}: ArrayFieldTemplateProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2" id={domId(fieldPathId.$id)} tabIndex={-1}>
      <legend className="mb-1.5 font-medium text-[13px]">
        {title}
        {!required && <span className="font-normal text-muted"> · optional</span>}
      </legend>
      {schema.description && <p className="text-[13px] text-muted">{schema.description}</p>}
      {items}
      <Errors id={fieldPathId.$id} errors={rawErrors} />
      {canAdd && (
        <Button size="sm" className="self-start" onClick={onAddClick}>
          <Plus aria-hidden strokeWidth={1.75} />
          Add {itemName(fieldPathId.path)}
        </Button>
      )}
    </fieldset>
  );
}

function ArrayFieldItemTemplate({ children, index, schema, buttonsProps }: ArrayFieldItemTemplateProps) {
  const one = `${itemName(buttonsProps.fieldPathId.path.slice(0, -1))} ${index + 1}`;
  return (
    <div className="flex items-start gap-2 rounded-lg border border-line bg-panel p-2.5">
      <span className="grid h-9 w-6 shrink-0 place-items-center text-muted text-xs max-md:hidden">
        {index + 1}
      </span>
      <div className="min-w-0 flex-1">
        <LineContext value={isFlat(schema) ? one : null}>{children}</LineContext>
      </div>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Remove ${one}`}
        className="mt-0.5"
        disabled={!buttonsProps.hasRemove}
        onClick={buttonsProps.onRemoveItem}
      >
        <Trash2 aria-hidden strokeWidth={1.75} />
      </Button>
    </div>
  );
}

/** Whether the item's fields are short enough to stand side by side. */
function isFlat({ type, properties = {} }: ArrayFieldItemTemplateProps["schema"]): boolean {
  if (type !== "object") return false;
  return Object.values(properties).every(
    (property) =>
      typeof property === "object" &&
      property.$id !== AS_JSON &&
      ["string", "number", "integer", "boolean"].includes(String(property.type)),
  );
}

/** Selects the kind of value, then shows its fields. */
function MultiSchemaFieldTemplate({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) {
  return (
    <div className="flex min-w-0 flex-col gap-4 rounded-lg border border-line p-4">
      {selector}
      {optionSchemaField}
    </div>
  );
}

function UnsupportedFieldTemplate({ fieldPathId }: UnsupportedFieldProps) {
  return (
    <p className="text-[13px] text-muted">
      {pathInWords(fieldPathId.path)} can’t be shown here: write it in the JSON tab.
    </p>
  );
}

function Errors({ id, errors = [] }: { id: string; errors: string[] | undefined }) {
  return errors.map((error) => <FieldErrorLine key={error} id={`${domId(id)}-error`} message={error} />);
}

export const TEMPLATES: Partial<Omit<TemplatesType, "ButtonTemplates">> = {
  FieldTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  MultiSchemaFieldTemplate,
  UnsupportedFieldTemplate,
};
