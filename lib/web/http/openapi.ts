/** The API's own description, OpenAPI 3.1, generated from the handlers' definitions. */
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { PERMISSIONS } from "../../access/permissions.ts";
import { AppError, type ErrorCode } from "../../base/errors.ts";
import { sessionCookieName } from "../auth/session-cookie.ts";
import { type Definition, type Handler, isOffered, METHODS, type Method } from "./route.ts";

/** The handlers of each path, e.g. `/api/v1/tasks/{id}`, as their route file exports them. */
export type Paths = Record<string, Partial<Record<Method, Handler>>>;

/** Lets other calls go on after each path: all of them together take a third of a second. */
export async function openapi(paths: Paths, server: string): Promise<Record<string, unknown>> {
  const items: Record<string, unknown> = {};
  for (const [path, handlers] of Object.entries(paths)) {
    items[path] = toPathItem(handlers);
    await setImmediate();
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Intray",
      version: "1",
      description:
        "Long-running MCP tasks, and the requests with which they wait for people. Ids are UUIDs, times ISO 8601 in UTC, durations in milliseconds. Lists take `limit` and `cursor` and answer `{items, nextCursor}`.",
    },
    servers: [{ url: server }],
    components: {
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key, `itk_…`" },
        session: { type: "apiKey", in: "cookie", name: sessionCookieName() },
      },
      schemas: { Problem: toSchema(problemSchema, "output") },
    },
    paths: items,
  };
}

function toPathItem(handlers: Partial<Record<Method, Handler>>): Record<string, unknown> {
  const offered = METHODS.flatMap((method) => {
    const handler = handlers[method];
    return handler && isOffered(handler)
      ? [[method.toLowerCase(), toOperation(handler.definition)] as const]
      : [];
  });
  return Object.fromEntries(offered);
}

function toOperation(definition: Definition): Record<string, unknown> {
  const { auth, summary, body } = definition;
  const parameters = [
    ...parametersOf("path", definition.params),
    ...parametersOf("query", definition.query),
    ...Object.entries(definition.headers ?? {}).map(([name, description]) => ({
      name,
      in: "header",
      required: false,
      description,
      schema: { type: "string" },
    })),
  ];
  return {
    summary,
    ...(auth !== "none" &&
      auth !== "any" && {
        description: `Needs the role ${PERMISSIONS[auth]} or a stronger one.`,
        "x-permission": auth,
        "x-role": PERMISSIONS[auth],
      }),
    ...(definition.stepUp && { "x-step-up": true }),
    ...(definition.namedByKeys && { "x-named-by-keys": true }),
    security: auth === "none" ? [] : [{ key: [] }, { session: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { "application/json": { schema: toSchema(body, "input") } },
      },
    }),
    responses: { ...successes(definition), ...refusals(definition) },
  };
}

function parametersOf(where: "path" | "query", schema: z.ZodObject | undefined): Record<string, unknown>[] {
  if (!schema) return [];
  const input = toSchema(schema, "input");
  const output = toSchema(schema, "output");
  const properties = (input.properties ?? {}) as Record<string, Record<string, unknown>>;
  const parsed = (output.properties ?? {}) as Record<string, Record<string, unknown>>;
  const required = (input.required ?? []) as string[];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    // A coerced value takes anything; its output type is more informative.
    schema: property.type || property.enum || property.anyOf ? property : { ...parsed[name], ...property },
  }));
}

function successes({ output, status, alsoStatuses = [], mediaType = "application/json" }: Definition) {
  const usual = status ?? (output ? 200 : 204);
  return Object.fromEntries(
    [usual, ...alsoStatuses].map((code) => [
      code,
      {
        description: code === 503 ? "Not ready" : "Success",
        ...(output && code !== 204 && { content: { [mediaType]: { schema: toSchema(output, "output") } } }),
      },
    ]),
  );
}

const REFUSED_CREDENTIALS: ErrorCode[] = [
  "unauthenticated",
  "key_expired",
  "key_rests",
  "single_sign_on_required",
  "sign_in_again_required",
  "sign_in_too_weak",
  "second_factor_required",
  "address_not_allowed_for_key",
  "address_not_allowed_for_organization",
  "service_account_rests",
  "cross_site",
  "organization_changed",
];

/** Every refusal that the call may get, by status. */
function refusals(definition: Definition): Record<string, unknown> {
  if (definition.refuse)
    return { default: { description: "A refusal, in the format of the route's own protocol" } };
  const { auth, params, query, body, uncounted, stepUp, errors = [] } = definition;
  const codes = new Set<ErrorCode>(errors);
  if (auth !== "none") for (const code of REFUSED_CREDENTIALS) codes.add(code);
  if (auth !== "none" && auth !== "any") codes.add("forbidden");
  if (stepUp) codes.add("step_up_required");
  if (params) codes.add("not_found");
  if (query || body) codes.add("invalid_input");
  if (body) codes.add("invalid_json").add("too_large").add("unsupported_media_type");
  if (!uncounted) codes.add("throttled");
  codes.add("database_unavailable").add("database_busy");
  const byStatus = Map.groupBy(codes, (code) => new AppError(code, "").status);
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => [
      status,
      {
        description: found.map((code) => `\`${code}\``).join(", "),
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    ]),
  );
}

const problemSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.string(),
  detail: z.string(),
  requestId: z.string(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
});

function toSchema(schema: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  // Rules that JSON Schema cannot express (a trim, a check by code) are left out, not refused.
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
