/** Server only: holds a tool's arguments against its `inputSchema`, an arbitrary JSON Schema that a server sent. */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { deeperThan } from "../messages.ts";
import type { FieldError } from "./content.ts";
import { weightOf } from "./schema-weight.ts";

/**
 * `checked: false`: the schema is beyond what we compile, so the arguments were not judged; the server will.
 * `field` of an error is a path such as `invoice.lines[0].amount`, empty for the arguments as a whole.
 */
export type ArgumentsCheck = { checked: true; errors: FieldError[] } | { checked: false; reason: string };

const MAX_SCHEMA_BYTES = 256 * 1024;
const MAX_DEPTH = 64;
const MAX_ERRORS = 50;
/** Parts, with all that references stand for: a validator goes through them all. */
const MAX_WEIGHT = 100_000;

/** Checks without converting anything. Remote references are never fetched. Never throws. */
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

/** An Ajv for this schema alone: an instance keeps all that it ever compiled. 2020-12 unless it says draft-07. */
function compile({ $schema, ...schema }: Record<string, unknown>): ValidateFunction {
  const options = { allErrors: true, strict: false, logger: false, code: { regExp: anything } } as const;
  const ajv =
    typeof $schema === "string" && $schema.includes("draft-07") ? new Ajv(options) : new Ajv2020(options);
  addFormats.default(ajv);
  for (const keyword of ["pattern", "patternProperties", "unevaluatedProperties"]) ajv.removeKeyword(keyword);
  const validate = ajv.compile(schema);
  // An asynchronous validator would say yes to everything.
  if ("$async" in validate) throw new Error("it is asynchronous");
  return validate;
}

/**
 * A server could write an expression that runs for minutes, so none runs: `pattern` is not judged, and a name counts
 * as matching `patternProperties`, so that `additionalProperties: false` does not refuse it. What is evaluated
 * cannot be told then.
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
