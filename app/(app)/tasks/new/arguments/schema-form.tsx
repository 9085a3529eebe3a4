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

/** The form of a drawn schema (form-schema.ts). It is a part of the page that comes late: nothing else needs the library. */
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
      // The page's own form sends it; one form must not stand in another.
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
      // A default is the server's to apply: what nobody chose is not sent.
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
      {/* In place of a button of its own. */}
      <span hidden />
    </Form>
  );
}

/** The library asks it which of several kinds of value is meant. All else is judged where the form is sent. */
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

/** Problems where the library looks for them. */
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
