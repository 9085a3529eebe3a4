/** Makes the calls of the tests of every route. */

import { expect } from "vitest";
import { uuidv7 } from "../../lib/base/ids.ts";
import type { TestWeb } from "../web.ts";
import { EXCEPTIONS } from "./exceptions.ts";
import type { Place } from "./from-schema.ts";
import { fill, type Operation, type Slot } from "./operations.ts";
import type { Credential } from "./tenant-fixture.ts";
import { CLOSED_URL, type Things, TOOL } from "./things.ts";

export interface Reply {
  status: number;
  headers: Headers;
  /** As received; empty for a stream, which is closed at once. */
  text: string;
  /** The problem's code, if the reply is a problem. */
  code: string | null;
}

/** The values for a call: an id for each place, and the question's hash if a request is among them. */
export interface Names {
  id(slot: Slot): string;
  questionHash?: string | undefined;
  /** The organization's. */
  slug?: string;
  /** Values at places, e.g. `query.q`. */
  values?: Record<Place, unknown>;
  /** Leaves optional ids out of the query, for a list of everything. */
  unfiltered?: boolean;
}

/** The names of existing things. */
export async function namesOf(operation: Operation, things: Things): Promise<Names> {
  const ids = new Map<string, string>();
  for (const { kind } of operation.slots) ids.set(kind, await things.id(kind));
  return {
    id: ({ kind }) => ids.get(kind) as string,
    questionHash: things.questionHash(),
    slug: things.slug,
  };
}

export async function send(
  web: TestWeb,
  operation: Operation,
  who: Credential,
  { id, questionHash, slug, values, unfiltered }: Names,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const own = { ...EXCEPTIONS[operation.name]?.values, ...values };
  const optional = new Set(
    operation.query.filter(({ required }) => !required).map(({ name }) => `query.${name}`),
  );
  const { path, body } = fill(operation, {
    id: (slot) => (unfiltered && optional.has(slot.place) ? undefined : id(slot)),
    // Filters are left out, unless one is asked for.
    value: (place) =>
      own[place] ?? (place.startsWith("query.") ? undefined : commonValue(place, { questionHash, slug })),
  });
  const response = await web.open(operation.method, path, {
    ...who,
    headers: { ...EXCEPTIONS[operation.name]?.headers, ...headers },
    ...(body !== undefined && { body }),
  });
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
    await response.body?.cancel();
    return { status: response.status, headers: response.headers, text: "", code: null };
  }
  const text = await response.text();
  const { undoneBy } = EXCEPTIONS[operation.name] ?? {};
  if (undoneBy && response.ok) await web.call(undoneBy.method, undoneBy.path, who);
  return { status: response.status, headers: response.headers, text, code: codeOf(response, text) };
}

function codeOf({ headers, ok }: Response, text: string): string | null {
  const type = headers.get("content-type");
  if (type === "application/problem+json") return JSON.parse(text).code;
  // As the Agent Approval Protocol has refusals.
  return !ok && type === "application/json" ? JSON.parse(text).error.code : null;
}

/** Values of fields that mean the same everywhere. */
const COMMON: Record<string, (names: Pick<Names, "questionHash" | "slug">) => unknown> = {
  email: () => `${uuidv7()}@test.example`,
  name: () => `n${uuidv7()}`,
  questionHash: ({ questionHash }) => questionHash ?? "0".repeat(64),
  role: () => "viewer",
  slug: ({ slug }) => slug,
  tool: () => TOOL,
  url: () => CLOSED_URL,
};

function commonValue(place: Place, names: Pick<Names, "questionHash" | "slug">): unknown {
  return COMMON[place.split(".").at(-1) ?? ""]?.(names);
}

/** Expects that the call reached the thing it names: the call was valid and allowed, and the thing exists. */
export function expectFound({ status, code, text }: Reply, { name }: Operation): void {
  const found = status < 300 || [409, 410].includes(status) || (status === 422 && code !== "invalid_input");
  const why = `${name}: no valid call was made; test/guards/exceptions.ts has to say how. ${status} ${text.slice(0, 600)}`;
  expect(found || EXCEPTIONS[name]?.alsoFound?.[status] !== undefined, why).toBe(true);
}
