/** What queries and headers of SCIM say (RFC 7644, sections 3.4.2.4, 3.9 and 3.14). */
import type { Resource } from "../../people/directory/people.ts";
import { LIST_SCHEMA, MOST_RESULTS } from "../../people/directory/scim/discovery.ts";
import { ScimError } from "../../people/directory/scim/error.ts";
import { type Filter, parseFilter } from "../../people/directory/scim/filter.ts";
import type { ScimAnswer } from "./scim.ts";

/** The page of a list that is asked for. */
export interface Asked {
  filter: Filter | null;
  offset: number;
  count: number;
}

const DEFAULT_COUNT = 100;
/** Beyond it nobody pages, and Postgres counts no further than this at once. */
const LAST_INDEX = 1_000_000_000;

/** Throws `invalidFilter`, `invalidValue`. */
export function readAsked(query: URLSearchParams): Asked {
  const filter = query.get("filter");
  return {
    filter: filter === null ? null : parseFilter(filter),
    offset: Math.max(1, numberOf(query, "startIndex") ?? 1) - 1,
    count: Math.min(MOST_RESULTS, Math.max(0, numberOf(query, "count") ?? DEFAULT_COUNT)),
  };
}

function numberOf(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null || text === "") return null;
  if (!/^-?\d{1,15}$/.test(text)) throw new ScimError(400, "invalidValue", `${name} is a whole number.`);
  return Math.min(LAST_INDEX, Number(text));
}

export function listAnswer(
  query: URLSearchParams,
  { offset }: Asked,
  total: number,
  all: Resource[],
): ScimAnswer {
  const asked = askedIn(query);
  return {
    status: 200,
    body: {
      schemas: [LIST_SCHEMA],
      totalResults: total,
      startIndex: offset + 1,
      itemsPerPage: all.length,
      Resources: all.map((resource) => only(resource, asked)),
    },
  };
}

/** Whether the answer has this attribute. */
export function isAsked(query: URLSearchParams, attribute: string): boolean {
  return askedIn(query)(attribute);
}

/** Returns what tells of each attribute whether answers have it. The query is read once. */
function askedIn(query: URLSearchParams): (attribute: string) => boolean {
  const named = namesOf(query, "attributes");
  if (named) return (attribute) => named.has(attribute);
  const excluded = namesOf(query, "excludedAttributes");
  return (attribute) => !excluded?.has(attribute);
}

/** The resource with the attributes that are asked for. `id` and `schemas` always stand in it. */
function only(resource: Resource, asked: (attribute: string) => boolean): object {
  const always = new Set(["id", "schemas"]);
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => always.has(name) || asked(name.toLowerCase())),
  );
}

/** The attributes of a list by their first part, in lower case; null: none is named. */
function namesOf(query: URLSearchParams, parameter: string): Set<string> | null {
  const text = query.get(parameter);
  if (!text) return null;
  const names = text
    .slice(0, 4_000)
    .toLowerCase()
    .split(",")
    .map((name) => name.trim().replace(/^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/, ""));
  return new Set(names.map((name) => name.split(".")[0] ?? ""));
}

/** One resource, with its version; 304 if the caller has it. */
export function resourceAnswer(
  request: Request,
  query: URLSearchParams,
  resource: Resource,
  status = 200,
): ScimAnswer {
  const { version, location } = resource.meta;
  const headers = { etag: version, ...(status === 201 && { location }) };
  if (request.method === "GET" && names(request.headers.get("if-none-match"), version))
    return { status: 304, headers };
  return { status, body: only(resource, askedIn(query)), headers };
}

/** Throws 412 where the caller means another version. */
export function refuseOtherVersion(request: Request, { meta: { version } }: Resource): void {
  const wanted = request.headers.get("if-match");
  if (wanted !== null && !names(wanted, version))
    throw new ScimError(412, null, "The resource has changed: read it again.");
}

function names(header: string | null, version: string): boolean {
  if (header === null) return false;
  const tags = header.split(",").map((tag) => tag.trim());
  return tags.includes("*") || tags.includes(version) || tags.includes(version.replace(/^W\//, ""));
}
