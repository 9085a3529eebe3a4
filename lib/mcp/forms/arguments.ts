/** Server only: validates arguments against a tool's `inputSchema`, a server's arbitrary JSON Schema. */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { deeperThan } from "../messages.ts";
import type { FieldError } from "./content.ts";
import { weightOf } from "./schema-weight.ts";

/**
 * The result of a validation. `checked: false`: the schema exceeds the limits, so only the server can judge
 * the arguments. An error's `field` is a path such as `invoice.lines[0].amount`, or empty for the arguments
 * as a whole.
 */
export type ArgumentsCheck = { checked: true; errors: FieldError[] } | { checked: false; reason: string };

const MAX_SCHEMA_BYTES = 256 * 1024;
const MAX_DEPTH = 64;
const MAX_ERRORS = 50;
/** Limits the schema's size with all references resolved, since a validator visits every part. */
const MAX_WEIGHT = 100_000;

/** Validates without converting values. Never fetches remote references, never throws. */
export function validateArguments(inputSchema: Record<string, unknown>, args: unknown): ArgumentsCheck {
  if (deeperThan(inputSchema, MAX_DEPTH))
    return { checked: false, reason: "The tool's schema is nested too deeply" };
  if (JSON.stringify(inputSchema).length > MAX_SCHEMA_BYTES) {
    return { checked: false, reason: "The tool's schema is too large" };
  }
  if (weightOf(inputSchema) > MAX_WEIGHT)
    return { checked: false, reason: "The tool's schema stands for too many parts, or for some elsewhere" };
  try {
    const validate = compile(inputSchema);
    if (validate(args)) return { checked: true, errors: [] };
    return { checked: true, errors: (validate.errors ?? []).slice(0, MAX_ERRORS).map(explain) };
  } catch (error) {
    return {
      checked: false,
      reason: `The tool's schema cannot be used: ${(error as Error).message.slice(0, 200)}`,
    };
  }
}

/**
 * Compiles with a new Ajv, because an instance keeps all schemas it ever compiled. Draft 2020-12 unless the
 * schema says draft-07.
 */
function compile({ $schema, ...schema }: Record<string, unknown>): ValidateFunction {
  const options = { allErrors: true, strict: false, logger: false, code: { regExp: anything } } as const;
  const ajv =
    typeof $schema === "string" && $schema.includes("draft-07") ? new Ajv(options) : new Ajv2020(options);
  addFormats.default(ajv);
  for (const keyword of ["pattern", "patternProperties", "unevaluatedProperties"]) ajv.removeKeyword(keyword);
  const validate = ajv.compile(schema);
  // An asynchronous validator would return a promise, which is truthy.
  if ("$async" in validate) throw new Error("it is asynchronous");
  return validate;
}

/**
 * Replaces all regular expressions, since a server could send one that runs for minutes. `pattern` is not
 * checked. Every name matches `patternProperties`, so that `additionalProperties: false` does not reject it.
 * `unevaluatedProperties` cannot be decided then.
 */
const anything = Object.assign(() => ({ test: () => true }), { code: "anything" });

function explain(error: ErrorObject): FieldError {
  const params = error.params as Record<string, unknown>;
  const own = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const path = error.instancePath.split("/").slice(1);
  const field = [...path, ...(own === undefined ? [] : [String(own)])]
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce(
      (left, part) => (/^\d+$/.test(part) ? `${left}[${part}]` : left === "" ? part : `${left}.${part}`),
      "",
    );
  const name = field === "" ? "The arguments" : field;
  return { field, message: `${name} ${phrase(error, params)}.` };
}

function phrase(error: ErrorObject, params: Record<string, unknown>): string {
  switch (error.keyword) {
    case "required":
      return "is missing";
    case "additionalProperties":
    case "unevaluatedProperties":
      return "is not an argument of this tool";
    case "enum":
      return `must be one of ${(params.allowedValues as unknown[])
        .slice(0, 10)
        .map((value) => JSON.stringify(value))
        .join(", ")}`;
    case "const":
      return `must be ${JSON.stringify(params.allowedValue)}`;
    default:
      return error.message ?? "is not valid";
  }
}
