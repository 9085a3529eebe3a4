/** Groups as directories write them. A change of members is kept as a difference, so that two at once add up. Pure. */
import { z } from "zod";
import { isRecord } from "../../../text/json.ts";
import { GROUP_SCHEMA, isKnownAttribute } from "./discovery.ts";
import { ScimError } from "./error.ts";
import { type Filter, parsePath } from "./filter.ts";
import { type Operation, refuseMany } from "./patch.ts";
import { invalidValue, single, textOf } from "./values.ts";

/** The change that a call makes of a group. Undefined: it stays. */
export interface GroupChange {
  displayName?: string;
  externalId?: string | null;
  /** All members of before go, but for those added. */
  isReplaced: boolean;
  added: Set<string>;
  removed: Set<string>;
}

const READ_ONLY = new Set(["id", "meta", "schemas"]);

/** A whole group: what is not named is empty. Throws `invalidValue`, `invalidSyntax`. */
export function readGroupInput(body: unknown): GroupChange & { displayName: string } {
  if (!isRecord(body)) throw new ScimError(400, "invalidSyntax", "A group is an object.");
  refuseMany([body]);
  const change: GroupChange = { externalId: null, isReplaced: true, added: new Set(), removed: new Set() };
  for (const [name, value] of Object.entries(body)) set(change, "replace", name, value, false);
  const { displayName } = change;
  if (displayName === undefined) throw invalidValue("displayName is missing.");
  return { ...change, displayName };
}

/** Throws `invalidPath`, `invalidValue`, `mutability`, `noTarget`. */
export function patchGroup(operations: Operation[]): GroupChange {
  const change: GroupChange = { isReplaced: false, added: new Set(), removed: new Set() };
  for (const { op, path, value } of operations) {
    if (path !== undefined) {
      set(change, op, path, value, true);
      continue;
    }
    if (op === "remove") throw new ScimError(400, "noTarget", "Name what to remove.");
    if (!isRecord(value)) throw invalidValue("An operation without a path has an object as its value.");
    for (const [name, each] of Object.entries(value)) set(change, op, name, each, false);
  }
  return change;
}

function set(change: GroupChange, op: Operation["op"], text: string, value: unknown, isNamed: boolean): void {
  if (text.trim() === "") throw new ScimError(400, "invalidPath", "The path is empty.");
  let path: ReturnType<typeof parsePath>;
  try {
    path = parsePath(text);
  } catch (error) {
    if (isNamed) throw error;
    return;
  }
  const { attribute, filter } = path;
  if (READ_ONLY.has(attribute)) {
    if (isNamed) throw new ScimError(400, "mutability", `${attribute} is set by Intray.`);
    return;
  }
  if (attribute === "members") {
    setMembers(change, op, filter, value);
  } else if (attribute === "displayname") {
    const name = op === "remove" ? null : textOf("displayName", single(value));
    if (name === null) throw invalidValue("displayName is missing.");
    change.displayName = name;
  } else if (attribute === "externalid") {
    change.externalId = op === "remove" ? null : textOf("externalId", single(value));
  } else if (isNamed && !isKnownAttribute(GROUP_SCHEMA, attribute)) {
    throw new ScimError(400, "invalidPath", "A group has no such attribute.");
  }
}

function setMembers(change: GroupChange, op: Operation["op"], filter: Filter | null, value: unknown): void {
  if (filter) {
    if (op !== "remove") throw new ScimError(400, "invalidPath", "Members are added and removed as a whole.");
    for (const id of idsOf(filter)) remove(change, id);
    return;
  }
  const ids = value === undefined || value === null ? [] : memberIds(value);
  if (op === "remove" && value !== undefined && value !== null) {
    for (const id of ids) remove(change, id);
    return;
  }
  if (op !== "add") {
    change.isReplaced = true;
    change.added.clear();
    change.removed.clear();
  }
  if (op === "remove") return;
  for (const id of ids) {
    change.added.add(id);
    change.removed.delete(id);
  }
}

function remove({ added, removed }: GroupChange, id: string): void {
  added.delete(id);
  removed.add(id);
}

const idSchema = z.uuid().toLowerCase();

/** Throws `invalidValue` for what cannot be a member. */
function memberIds(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map((each: unknown) => {
    if (isRecord(each) && typeof each.type === "string" && each.type.toLowerCase() === "group")
      throw invalidValue("A group has users as members, and no groups.");
    const id = idSchema.safeParse(isRecord(each) ? each.value : each);
    if (!id.success) throw invalidValue("A member's value is the id of a user.");
    return id.data;
  });
}

/** The ids of `value eq "…"`, one or several joined by `or`. Throws `invalidPath`. */
function idsOf(filter: Filter): string[] {
  if (filter.kind === "or") return filter.parts.flatMap(idsOf);
  if (filter.kind === "compare" && filter.path === "value" && filter.comparison === "eq") {
    const id = idSchema.safeParse(filter.value);
    // Nobody has such an id.
    return id.success ? [id.data] : [];
  }
  throw new ScimError(400, "invalidPath", 'Remove a member by members[value eq "…"].');
}
