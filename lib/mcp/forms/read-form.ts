/**
 * Reads the schema that a server requests into the closed model of form.ts. The schema is untrusted: whatever does not fit makes the
 * form unsupported, never half shown.
 */
import type { z } from "zod";
import { drawnAs, readAs } from "../../text/foreign/alike.ts";
import { isRecord } from "../../text/json.ts";
import { asJson } from "../../text/labels.ts";
import { optionsOf } from "./field-kinds.ts";
import { type Field, type Form, formSchema } from "./form.ts";
import { exampleWords, toField } from "./read-field.ts";
import {
  definitionsIn,
  isNeed,
  labelsIn,
  lines,
  needIn,
  plain,
  property,
  requested,
  withoutNotes,
} from "./requested-schema.ts";
import { secretIn } from "./secret.ts";

const MAX_FIELDS = 50;

/** Choices of all fields together, each of which is compared with the others of its field. */
const MOST_CHOICES = 2_000;

/**
 * The form for a `requestedSchema` as received, of either era. No schema, or one without properties, is a form
 * without fields: to confirm is all there is to do. Never throws.
 */
export function normaliseForm(requestedSchema: unknown): Form {
  return formSchema.parse(readForm(requestedSchema));
}

function readForm(requestedSchema: unknown): Form {
  if (requestedSchema === null || requestedSchema === undefined) return { kind: "supported", fields: [] };
  const schema = requested.safeParse(
    isRecord(requestedSchema) && Object.keys(requestedSchema).length === 0
      ? { type: "object" }
      : isRecord(requestedSchema)
        ? withoutNotes(requestedSchema)
        : requestedSchema,
  );
  if (!schema.success)
    return unsupported(`The form is not a flat list of fields (${firstIssue(schema.error)})`);
  const { properties, required } = schema.data;
  const names = Object.keys(properties);
  if (names.length > MAX_FIELDS)
    return unsupported(`The form has ${names.length} fields, more than ${MAX_FIELDS}`);
  const unknown = required.find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) return unsupported(`The form requires “${unknown}” but does not describe it`);

  // Parsing leaves this one out, and a field must not go missing.
  if (isRecord(requestedSchema) && hasProto(requestedSchema.properties))
    return unsupported("The field “__proto__” can’t be shown");

  const definitions = definitionsIn(requestedSchema);
  const labels = labelsIn(properties);
  const fields: Field[] = [];
  let choices = 0;
  for (const [name, value] of Object.entries(properties)) {
    const parsed = property.safeParse(plain(value, definitions));
    if (!parsed.success)
      return unsupported(`The field “${name}” can’t be shown (${fieldIssue(parsed.error)})`);
    const secret = secretIn(name, parsed.data);
    if (secret) return { kind: "secret", field: name, reason: secret };
    const field = toField(name, parsed.data, required.includes(name));
    if (typeof field === "string") return unsupported(`The field “${name}” can’t be shown (${field})`);
    choices += optionsOf(field).length;
    if (choices > MOST_CHOICES)
      return unsupported(`The form has more than ${MOST_CHOICES.toLocaleString("en")} choices`);
    const need = field.required ? null : needIn(value);
    if (need === null) fields.push(field);
    else if (isNeed(need, labels)) fields.push({ ...field, need });
    else fields.push({ ...field, description: lines(field.description, need) });
  }
  const told = toldApart(fields);
  if (!told) return unsupported("Two fields have titles that look the same");
  const about = lines(schema.data.title, schema.data.description, exampleWords(schema.data));
  return { kind: "supported", ...(about !== null && { about }), fields: told };
}

/**
 * Fields whose titles read the same, with the name of each behind its title: each is sent under its own. Null if two read the same
 * even so.
 */
function toldApart(fields: Field[], rounds = 3): Field[] | null {
  const keys = fields.map(({ title }) => readAs(title));
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  if (counts.size === fields.length) return fields;
  const told = fields.map((field, at) =>
    counts.get(keys[at]!) === 1
      ? field
      : {
          ...field,
          title: `${field.title} (${/^[\w.-]+$/.test(field.name) ? field.name : asJson(field.name)})`,
        },
  );
  // A title may be written as another's with its name. Names of other capitals alone are told apart by those.
  const titles = new Set(told.map(({ title }) => drawnAs(title)));
  if (titles.size === fields.length) return told;
  return rounds === 1 ? null : toldApart(told, rounds - 1);
}

function hasProto(properties: unknown): boolean {
  return isRecord(properties) && Object.hasOwn(properties, "__proto__");
}

function unsupported(reason: string): Form {
  return { kind: "unsupported", reason };
}

/** What is wrong with a field; of its type in words that need no schema to be understood. */
function fieldIssue(error: z.ZodError): string {
  return error.issues[0]?.path[0] === "type" ? "forms have no fields of its type" : firstIssue(error);
}

/** Where and what, in a few words; the server's own names are cut short. */
function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return "not understood";
  const at = issue.path.join(".");
  if (issue.code === "unrecognized_keys") return `"${issue.keys[0]?.slice(0, 60)}" is not known`;
  return `${at === "" ? "" : `${at.slice(0, 60)}: `}${issue.message.slice(0, 120)}`;
}
