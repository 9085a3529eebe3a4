"use client";

import Form from "@rjsf/core";
import type {
  ErrorSchema,
  RegistryFieldsType,
  RegistryWidgetsType,
  RJSFSchema,
  ValidatorType,
} from "@rjsf/utils";
import { useMemo } from "react";
import { ChoiceWidget } from "./choice-widget.tsx";
import { ID_PREFIX, ID_SEPARATOR } from "./field-id.ts";
import { AS_JSON, withoutEmpty } from "./form-schema.ts";
import { TEMPLATES } from "./form-templates.tsx";
import { JsonField } from "./json-field.tsx";
import { fits, type Problem } from "./judge-arguments.ts";
import { LeafField } from "./leaf-field.tsx";
import { isJson, type Json } from "./schema-tree.ts";

/** The form of a schema from form-schema.ts. Loaded late, because nothing else needs the form library. */
export function SchemaForm({
  schema,
  values,
  problems,
  onChange,
}: {
  schema: Json;
  values: Json;
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
