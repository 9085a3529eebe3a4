/** Persons as directories write them: whole (POST, PUT) and in parts (PATCH). Pure. */

import { isRecord } from "../../../text/json.ts";
import { isKnownAttribute, USER_SCHEMA } from "./discovery.ts";
import { ScimError } from "./error.ts";
import { parsePath } from "./filter.ts";
import { type Operation, refuseMany } from "./patch.ts";
import { activeOf, addressOf, invalidValue, single, textOf } from "./values.ts";

/** What a directory may say of a person. */
export interface PersonInput {
  userName: string;
  externalId: string | null;
  givenName: string | null;
  familyName: string | null;
  formattedName: string | null;
  displayName: string | null;
  active: boolean;
}

/** Only the service writes these. */
const READ_ONLY = new Set(["id", "meta", "schemas", "groups"]);

/** A whole person. What is not named is empty, but for `active`. Throws `invalidValue`, `invalidSyntax`. */
export function readPersonInput(body: unknown, active = true): PersonInput {
  if (!isRecord(body)) throw new ScimError(400, "invalidSyntax", "A user is an object.");
  refuseMany([body]);
  const person: PersonInput = {
    userName: "",
    externalId: null,
    givenName: null,
    familyName: null,
    formattedName: null,
    displayName: null,
    active,
  };
  for (const [name, value] of Object.entries(body)) set(person, name, value, false);
  if (person.userName === "") throw invalidValue("userName is missing.");
  return person;
}

/** The person after all operations, or none of them. Throws `invalidPath`, `invalidValue`, `mutability`. */
export function patchPerson(before: PersonInput, operations: Operation[]): PersonInput {
  const person = { ...before };
  for (const { op, path, value } of operations) {
    if (path !== undefined) {
      set(person, path, op === "remove" ? null : value, true);
      continue;
    }
    if (op === "remove") throw new ScimError(400, "noTarget", "Name what to remove.");
    if (!isRecord(value)) throw invalidValue("An operation without a path has an object as its value.");
    for (const [name, each] of Object.entries(value)) set(person, name, each, false);
  }
  return person;
}

/** `isNamed`: an operation names this attribute, and is refused where nothing comes of it. */
function set(person: PersonInput, text: string, value: unknown, isNamed: boolean): void {
  if (text.trim() === "") throw new ScimError(400, "invalidPath", "The path is empty.");
  let path: ReturnType<typeof parsePath>;
  try {
    path = parsePath(text);
  } catch (error) {
    if (isNamed) throw error;
    return;
  }
  const { attribute, sub } = path;
  if (READ_ONLY.has(attribute)) {
    if (isNamed) throw new ScimError(400, "mutability", `${attribute} is set by Intray.`);
    return;
  }
  const only = single(value);
  switch (attribute) {
    case "username":
      person.userName = addressOf(only);
      return;
    case "externalid":
      person.externalId = textOf("externalId", only);
      return;
    case "displayname":
      person.displayName = textOf("displayName", only);
      return;
    case "active":
      person.active = activeOf(only);
      return;
    case "name":
      setName(person, sub, only);
      return;
    default:
      if (isNamed && !isKnownAttribute(USER_SCHEMA, attribute))
        throw new ScimError(400, "invalidPath", "A user has no such attribute.");
  }
}

function setName(person: PersonInput, sub: string | null, value: unknown): void {
  if (sub === null) {
    if (value !== null && !isRecord(value)) throw invalidValue("name is an object.");
    const parts = value === null ? { givenName: null, familyName: null, formatted: null } : value;
    for (const [part, each] of Object.entries(parts)) setName(person, part.toLowerCase(), each);
    return;
  }
  if (sub === "givenname") person.givenName = textOf("name.givenName", value);
  if (sub === "familyname") person.familyName = textOf("name.familyName", value);
  if (sub === "formatted") person.formattedName = textOf("name.formatted", value);
}
