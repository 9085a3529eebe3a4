/** Reads the values of attributes, as providers send them. */

import { isRecord } from "../../../text/json.ts";
import { emailSchema } from "../../members/member-schema.ts";
import { ScimError } from "./error.ts";

/** Longest text of an attribute. */
const LONGEST_TEXT = 200;

/** True or false, also as Entra writes it in text; null for anything else. */
export function flagOf(value: unknown): boolean | null {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.toLowerCase() : null;
  return word === "true" ? true : word === "false" ? false : null;
}

/** The value of a list of one value, as older Entra connectors send them, or the value itself. */
export function single(value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== 1) return value;
  const [only] = value;
  return isRecord(only) && "value" in only ? only.value : only;
}

/** An empty text stands for none. Throws `invalidValue`. */
export function textOf(name: string, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== "string") throw invalidValue(`${name} is a text.`);
  const text = value.trim();
  if (text.length > LONGEST_TEXT) throw invalidValue(`${name} has at most ${LONGEST_TEXT} characters.`);
  return text === "" ? null : text;
}

/** Throws `invalidValue`. */
export function addressOf(value: unknown): string {
  const address = emailSchema.safeParse(value);
  if (!address.success) throw invalidValue("userName is the person's e-mail address.");
  return address.data;
}

/** Throws `invalidValue`. */
export function activeOf(value: unknown): boolean {
  const active = flagOf(value);
  if (active === null) throw invalidValue("active is true or false.");
  return active;
}

/** Whether a value is an object: no list, and not null. */
export function invalidValue(detail: string): ScimError {
  return new ScimError(400, "invalidValue", detail);
}
