/** Every call of the API from its own description, with the places where ids go. */
import type { Role } from "../../lib/access/roles.ts";
import type { Method } from "../../lib/web/http/route.ts";
import { isId, type Place, type Schema, sample } from "./from-schema.ts";
import { type Kind, kindOf } from "./kinds.ts";

export interface Operation {
  /** `POST /api/v1/tasks/{id}/cancel` */
  name: string;
  method: Method;
  path: string;
  /** `none`: public. `any`: every authenticated caller. Else the weakest role. */
  access: "none" | "any" | Role;
  /** A session has to have shown lately that it is its person. */
  stepUp: boolean;
  /** The permission that a key's limits have to name; null: its role is enough. */
  namedByKeys: string | null;
  slots: Slot[];
  /** Places with an id of a kind that kinds.ts does not know. */
  unknown: Place[];
  query: { name: string; required?: boolean; schema: Schema }[];
  body: Schema | null;
}

/** A place that takes an id. */
export interface Slot {
  place: Place;
  kind: Kind;
}

/** The values that a test puts into the places of a call. */
export interface Filling {
  /** Undefined: leaves the id out, where possible. */
  id(slot: Slot): string | undefined;
  /** A value for a place that the schema does not describe enough; undefined: a value from the schema. */
  value(place: Place): unknown;
}

interface Described {
  "x-role"?: Role;
  "x-step-up"?: boolean;
  "x-named-by-keys"?: boolean;
  "x-permission"?: string;
  security: unknown[];
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface Description {
  paths: Record<string, Record<string, Described>>;
}

export function operationsOf({ paths }: Description): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => toOperation(path, method, described)),
  );
}

function toOperation(path: string, lower: string, described: Described): Operation {
  const method = lower.toUpperCase() as Method;
  const name = `${method} ${path}`;
  const parameters = described.parameters ?? [];
  const query = parameters.filter((parameter) => parameter.in === "query");
  const body = Object.values(described.requestBody?.content ?? {})[0]?.schema ?? null;
  const places: Place[] = parameters
    .filter(({ in: where, schema }) => (where === "path" || where === "query") && isId(schema))
    .map((parameter) => `${parameter.in}.${parameter.name}`);
  if (body)
    sample(body, "body", (place, schema) => {
      if (schema.format === "uuid") places.push(place);
      return undefined;
    });
  return {
    name,
    method,
    path,
    stepUp: described["x-step-up"] === true,
    namedByKeys: described["x-named-by-keys"] === true ? (described["x-permission"] ?? null) : null,
    access: described.security.length === 0 ? "none" : (described["x-role"] ?? "any"),
    slots: places.flatMap((place) => {
      const kind = kindOf(path, place);
      return kind ? [{ place, kind }] : [];
    }),
    unknown: places.filter((place) => kindOf(path, place) === null),
    query,
    body,
  };
}

/** The call's path with its query, and its body. */
export function fill(operation: Operation, { id, value }: Filling): { path: string; body?: unknown } {
  const at = new Map(operation.slots.map((slot) => [slot.place, slot]));
  const given = (place: Place) => {
    const slot = at.get(place);
    return slot ? id(slot) : value(place);
  };
  const path = operation.path.replaceAll(/{(\w+)}/g, (_, name) =>
    encodeURIComponent(String(given(`path.${name}`) ?? name)),
  );
  const query = new URLSearchParams(
    operation.query.flatMap(({ name }) => {
      const own = given(`query.${name}`);
      return own === undefined ? [] : [[name, String(own)]];
    }),
  ).toString();
  return {
    path: query ? `${path}?${query}` : path,
    ...(operation.body && { body: sample(operation.body, "body", given) }),
  };
}
