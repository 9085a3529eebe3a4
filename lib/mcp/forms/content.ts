/** Server only: validates an answer against its form before it is recorded, since most servers do not. */
import { createHash } from "node:crypto";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { FORMATS, isMultipleOf } from "./field-checks.ts";
import type { Field, Form } from "./form.ts";

export interface FieldError {
  /** The field's name, or empty for the form as a whole. */
  field: string;
  message: string;
}

export type ContentCheck = { ok: true } | { ok: false; errors: FieldError[] };

/**
 * Checks that `content` may be sent as the accepted answer to `form`. Converts nothing: "5" is not a number.
 * An unsupported form accepts no content at all.
 */
export function validateContent(form: Form, content: unknown): ContentCheck {
  if (form.kind !== "supported")
    return fail([{ field: "", message: "This form can only be declined or cancelled." }]);
  const fields = new Map(form.fields.map((field) => [field.name, field]));
  const odd = oddIn(content, fields);
  if (odd.length > 0) return fail(odd);
  const validate = validatorFor(form.fields);
  if (validate(content)) return { ok: true };
  const errors = new Map<string, FieldError>();
  for (const error of (validate.errors ?? []).map((each) => explain(each, fields)))
    if (!errors.has(error.field)) errors.set(error.field, error);
  // The validator is kept, and would keep them.
  validate.errors = null;
  return fail([...errors.values()]);
}

/**
 * What is wrong beyond the validator's reach. Of names without a field it is the first alone: the validator would judge each of them,
 * and report it.
 */
function oddIn(content: unknown, fields: ReadonlyMap<string, Field>): FieldError[] {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return [];
  const found: FieldError[] = [];
  const unknown = Object.keys(content).find((name) => !fields.has(name));
  if (unknown !== undefined)
    found.push({ field: unknown, message: sentence("additionalProperties", unknown, {}) });
  for (const field of fields.values()) {
    const message = oddValue(field, (content as Record<string, unknown>)[field.name]);
    if (message !== null) found.push({ field: field.name, message });
  }
  return found;
}

/** Why a value is refused before the validator sees it, or null. */
function oddValue(field: Field, given: unknown): string | null {
  switch (field.kind) {
    case "number":
      return isBeyondExact(given)
        ? `${field.title} is too large: it would lose digits when it is sent (beyond 9007199254740991).`
        : null;
    case "several_of": {
      // The validator would compare each item with each choice.
      if (!Array.isArray(given)) return null;
      const choices = new Set<unknown>(field.options.map(({ value }) => value));
      if (given.length > choices.size) return sentence("uniqueItems", field.title, {});
      return given.every((one) => choices.has(one)) ? null : sentence("enum", field.title, {});
    }
    case "text":
    case "boolean":
    case "one_of":
      return null;
  }
}

const fail = (errors: FieldError[]): ContentCheck => ({ ok: false, errors });

/** Beyond 2^53, a JavaScript number differs from the typed one. */
function isBeyondExact(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
}

const MAX_VALIDATORS = 100;
const validators = new Map<string, ValidateFunction>();

/** Caches one Ajv per form, since an instance keeps every schema it ever compiled. */
function validatorFor(fields: Field[]): ValidateFunction {
  const schema = toSchema(fields);
  const key = createHash("sha256").update(JSON.stringify(schema)).digest("base64url");
  const known = validators.get(key);
  validators.delete(key);
  // The schema is our own, and compiling the one that schemas are checked by takes most of the time.
  const checks = { allErrors: true, strict: true, ownProperties: true, validateSchema: false };
  const validate = known ?? withOwnChecks(new Ajv2020(checks)).compile(schema);
  validators.set(key, validate);
  const oldest = validators.keys().next();
  if (validators.size > MAX_VALIDATORS && !oldest.done) validators.delete(oldest.value);
  return validate;
}

function withOwnChecks(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv);
  for (const [name, { fits }] of FORMATS) if (fits) ajv.addFormat(name, fits);
  ajv.removeKeyword("multipleOf");
  const validate = (step: number, value: number) => isMultipleOf(value, step);
  return ajv.addKeyword({ keyword: "multipleOf", type: "number", schemaType: "number", validate });
}

function toSchema(fields: Field[]): Record<string, unknown> {
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldToSchema(field)])),
    required: fields.filter((field) => field.required).map((field) => field.name),
    additionalProperties: false,
  };
}

function fieldToSchema(field: Field): Record<string, unknown> {
  switch (field.kind) {
    case "boolean":
      return { type: "boolean" };
    case "number": {
      const { integer, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field;
      const type = integer ? "integer" : "number";
      return said({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf });
    }
    case "text": {
      const { format, minLength, maxLength } = field;
      const checked = format !== null && FORMATS.has(format) ? format : null;
      return said({ type: "string", format: checked, minLength, maxLength });
    }
    case "one_of":
      return { type: typeof field.options[0]?.value, enum: field.options.map((option) => option.value) };
    case "several_of": {
      // Whether each is a choice was looked up before.
      const items = { type: "string" };
      return said({
        type: "array",
        items,
        uniqueItems: true,
        minItems: field.minItems,
        maxItems: field.maxItems,
      });
    }
  }
}

function said(keywords: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(keywords).filter(([, value]) => value !== null && value !== undefined),
  );
}

function explain(error: ErrorObject, fields: Map<string, Field>): FieldError {
  const params = error.params as Record<string, unknown>;
  const pointed = error.instancePath.split("/")[1]?.replaceAll("~1", "/").replaceAll("~0", "~") ?? "";
  const name = String(params.missingProperty ?? params.additionalProperty ?? pointed);
  const field = fields.get(name);
  const title = field?.title ?? name;
  const step = field && "multipleOf" in field ? field.multipleOf : undefined;
  return {
    field: name,
    message:
      name === ""
        ? "The answer must be a set of fields."
        : sentence(error.keyword, title, { ...params, multipleOf: step }),
  };
}

function sentence(keyword: string, title: string, params: Record<string, unknown>): string {
  const limit = String(params.limit);
  switch (keyword) {
    case "required":
      return `${title} is missing.`;
    case "additionalProperties":
      return `${title} is not a field of this form.`;
    case "type":
      return `${title} must be ${TYPES[String(params.type)] ?? "of another type"}.`;
    case "format":
      return `${title} must be ${FORMATS.get(String(params.format))?.words ?? "of another format"}.`;
    case "minimum":
      return `${title} must be at least ${limit}.`;
    case "maximum":
      return `${title} must be at most ${limit}.`;
    case "exclusiveMinimum":
      return `${title} must be more than ${limit}.`;
    case "exclusiveMaximum":
      return `${title} must be less than ${limit}.`;
    case "multipleOf":
      return `${title} must be a multiple of ${params.multipleOf}.`;
    case "minLength":
      return `${title} must have at least ${limit} ${plural(limit, "character")}.`;
    case "maxLength":
      return `${title} must have at most ${limit} ${plural(limit, "character")}.`;
    case "minItems":
      return `${title} needs at least ${limit} ${plural(limit, "choice")}.`;
    case "maxItems":
      return `${title} takes at most ${limit} ${plural(limit, "choice")}.`;
    case "uniqueItems":
      return `${title} has the same choice twice.`;
    default:
      return `${title} must be one of the choices.`;
  }
}

const TYPES: Record<string, string> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "yes or no",
  array: "a list of choices",
};
const plural = (count: string, noun: string) => (count === "1" ? noun : `${noun}s`);
