"use client";

import Form from "@rjsf/core";
import type {
  ErrorSchema,
  FieldProps,
  RegistryFieldsType,
  RegistryWidgetsType,
  RJSFSchema,
  ValidatorType,
  WidgetProps,
} from "@rjsf/utils";
import { useMemo, useState } from "react";
import { Field, FieldErrorLine, Select, Textarea } from "@/components/ui/field.tsx";
import { hiddenWords } from "@/lib/text/foreign/hidden.ts";
import { AS_JSON, withoutEmpty } from "./form-schema.ts";
import { TEMPLATES } from "./form-templates.tsx";
import { domId, fits, ID_PREFIX, ID_SEPARATOR, type Problem } from "./judge-arguments.ts";
import { LeafField, labelOf, needIn } from "./leaf-field.tsx";
import { choicesOf } from "./leaf-input.tsx";
import { isJson, type Json } from "./schema-tree.ts";

/** The form of a schema from form-schema.ts. Loaded late, because nothing else needs the form library. */
export function SchemaForm({
  schema,
  values,
  need,
  problems,
  onChange,
}: {
  schema: Json;
  values: Json;
  need: "optional" | null;
  problems: Problem[];
  onChange: (values: Json) => void;
}) {
  const errors = useMemo(() => errorTree(problems), [problems]);
  return (
    <Form
      // The page has a form of its own, and forms cannot nest.
      tagName="div"
      schema={schema as RJSFSchema}
      formData={values}
      formContext={{ need }}
      validator={VALIDATOR}
      fields={FIELDS}
      widgets={WIDGETS}
      templates={TEMPLATES}
      idPrefix={ID_PREFIX}
      idSeparator={ID_SEPARATOR}
      extraErrors={errors}
      showErrorList={false}
      noHtml5Validate
      // The server applies defaults: values that nobody chose are not sent.
      experimental_defaultFormStateBehavior={{
        emptyObjectFields: "skipDefaults",
        constAsDefaults: "never",
        arrayMinItems: { populate: "never" },
      }}
      onChange={({ formData }) => {
        const next = withoutEmpty(schema, formData);
        if (isJson(next) && JSON.stringify(next) !== JSON.stringify(values)) onChange(next);
      }}
    >
      {/* Replaces the library's submit button. */}
      <span hidden />
    </Form>
  );
}

/** The library asks this validator which kind of value is meant. All other validation happens on submit. */
const VALIDATOR: ValidatorType = {
  isValid: (schema, formData) => fits(schema, formData),
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
};

const FIELDS: RegistryFieldsType = {
  StringField: LeafField,
  NumberField: LeafField,
  BooleanField: LeafField,
  [AS_JSON]: JsonField,
};
const WIDGETS: RegistryWidgetsType = { SelectWidget: ChoiceWidget };

/** Converts problems to the library's error tree. */
function errorTree(problems: Problem[]): ErrorSchema {
  const root: ErrorSchema = {};
  for (const { path, message } of problems) {
    let at = root as Record<string, ErrorSchema>;
    for (const part of path) {
      at[part] ??= {};
      at = at[part] as Record<string, ErrorSchema>;
    }
    const node = at as ErrorSchema;
    node.__errors = [...(node.__errors ?? []), message];
  }
  return root;
}

/** Selects one kind of value, or several of a list's choices. */
function ChoiceWidget({ multiple, ...rest }: WidgetProps) {
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

function Several({ id, label, value, required, schema, rawErrors = [], onChange }: WidgetProps) {
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
      {(choicesOf(schema.items as Json) ?? []).map((choice, at) => (
        <label key={String(at)} className="flex items-center gap-2.5 max-md:min-h-11">
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

/** A value of any shape, typed as JSON. Invalid JSON shows an error and does not reach the form. */
function JsonField({
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
  const [text, setText] = useState(() => inJson(formData));
  const read = parse(text);
  // A sample or the other tab changed the value.
  const shown =
    read.error === undefined && JSON.stringify(read.value) !== JSON.stringify(formData)
      ? inJson(formData)
      : text;
  return (
    <Field
      id={domId(fieldPathId.$id)}
      label={labelOf(fieldPathId.path, schema.title, title ?? name)}
      description={schema.description}
      hint={["As JSON", hiddenWords(shown)].filter(Boolean).join(" · ")}
      error={parse(shown).error ?? rawErrors?.[0]}
      required={required}
      need={needIn(registry)}
    >
      {(control) => (
        <Textarea
          {...control}
          rows={3}
          spellCheck={false}
          className="font-mono text-[13px]"
          value={shown}
          onChange={(event) => {
            setText(event.target.value);
            const next = parse(event.target.value);
            if (next.error === undefined) onChange(next.value, fieldPathId.path);
          }}
        />
      )}
    </Field>
  );
}

function inJson(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

function parse(text: string): { value: unknown; error?: string } {
  if (text.trim() === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { value: undefined, error: "This is not JSON yet." };
  }
}
