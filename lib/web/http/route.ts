/**
 * The one way to make an API handler. Authenticates the caller, checks the permission, parses the input, and
 * turns errors into problem documents, so that a handler is one call and one answer. /api/v1/openapi.json is
 * generated from the same definitions.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { allows, reachOf } from "../../access/key-scope.ts";
import { may, PERMISSIONS, type Permission } from "../../access/permissions.ts";
import { storableText } from "../../base/db/db.ts";
import { AppError, type ErrorCode, notFound } from "../../base/errors.ts";
import { Spent } from "../../base/process/scope.ts";
import { inSpan } from "../../base/tracing/span.ts";
import { authenticate, type Caller } from "../auth/authenticate.ts";
import { originOf } from "../auth/origin.ts";
import { refuseWithoutFactor } from "../auth/step-up.ts";
import { HELD_BODY_MS, STRANGERS_BODY_BYTES } from "../tunables.ts";
import { jsonAnswer, readJson, refuseUploads } from "./body.ts";
import { countCall } from "./calls.ts";
import { observe, patternOf, serverTiming } from "./observe.ts";
import { noteRefusal, problem, type Refuse } from "./problem.ts";
import { setApiHeaders } from "./security-headers.ts";
import {
  refuseCrossSite,
  refuseCrossSiteRead,
  refuseOtherOrganization,
  viewOnly,
} from "./session-refusals.ts";
import { type Limit, throttle } from "./throttle.ts";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** `none`: anyone. `any`: every authenticated caller. A permission: callers whose role has it. */
type Access = "none" | "any" | Permission;

export interface Definition {
  auth: Access;
  /** One line for the API's description. */
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Most values of the body, if fewer than MAX_BODY_VALUES. */
  mostValues?: number;
  /** Takes multipart/form-data beside other forms, which the handler reads. */
  takesFormData?: true;
  /** The body is refused where it could be read as another than the caller sent. */
  strictBody?: true;
  /** The answer's body; without it: 204. */
  output?: z.ZodType;
  /** The usual status of success; 200, or 204 without output. */
  status?: number;
  /** Statuses of success beside the usual one. */
  alsoStatuses?: number[];
  /** The answer's media type where it is not JSON. */
  mediaType?: string;
  /** The answer's bytes are a server's: no browser may run anything of them. */
  foreignBytes?: true;
  /** Codes of refusal beside those that every call may get. */
  errors?: ErrorCode[];
  /** Writes refusals in another protocol's format than problem documents. */
  refuse?: Refuse;
  /** The path is a secret: the log gets its pattern alone. */
  secretPath?: true;
  /** Request headers that the handler reads, with a line on each. */
  headers?: Record<string, string>;
  /**
   * Refuses a session whose person has not shown lately that it is them, always or for some bodies. The table is in
   * docs/api.md; a key does what its role allows, but for `namedByKeys`.
   */
  stepUp?: true | ((body: never) => boolean);
  /** Where `stepUp` asks a person, a key is refused unless its limits name the permission: a role alone is not enough. */
  namedByKeys?: true;
  /** Counts calls by the caller's network (`Origin.key`), beside the limit that every call has. */
  rateLimit?: Limit & { name: string };
  /**
   * Open to a session that its organization does not let in until another sign-in: it is about the person's account alone,
   * and reads and changes nothing of the organization.
   */
  whileRefused?: true;
  /** Allowed to a session from outside of its organization's networks: it tells and changes nothing of the organization. */
  fromAnywhere?: true;
  /** Allowed while an admin looks as a member. Every other call is refused then, reads as well as writes. */
  inView?: true;
  /**
   * Open to keys that are limited to servers or tools: whatever the call reads or changes is theirs. Every other
   * call is refused for such a key.
   */
  inKeyScope?: true;
  /** A GET that leaves a line of history: refused with a session from another site's page, as a write is. */
  leavesTrace?: true;
  /** Exempt from the call limit: a probe, or a call that stays open. */
  uncounted?: true;
  /** Pages call it by themselves, so that it does not keep an idle session alive. */
  unattended?: true;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface Call<D extends Definition> {
  request: Request;
  /** Present wherever the definition asks for a credential. */
  caller: D["auth"] extends "none" ? null : Caller;
  params: Parsed<D["params"]>;
  query: Parsed<D["query"]>;
  body: Parsed<D["body"]>;
  /** For an answer that differs from the usual one. */
  reply: { status: number; headers: Headers };
}

export type Answer<D extends Definition> = D["output"] extends z.ZodType
  ? Promise<z.input<D["output"]> | Response>
  : Promise<void> | Promise<Response | undefined>;
type Context = { params: Promise<Record<string, string | string[]>> };

export interface Handler {
  (request: Request, context: Context): Promise<Response>;
  definition: Definition;
}

export function route<const D extends Definition>(
  definition: D,
  handle: (call: Call<D>) => Answer<D>,
): Handler {
  const handler = async (request: Request, context: Context): Promise<Response> => {
    const requestId = randomUUID();
    const [began, spent] = [performance.now(), new Spent()];
    const seen: Seen = { caller: null };
    const response = await observe(request, context.params, requestId, spent, () =>
      answer(definition, handle, request, context, seen).catch(async (error: unknown) => {
        const { pathname } = new URL(request.url);
        const path = definition.secretPath ? patternOf(pathname, await context.params) : pathname;
        const where = { method: request.method, path };
        noteRefusal(error, seen.caller, where);
        return (definition.refuse ?? problem)(error, requestId, where);
      }),
    );
    response.headers.set("x-request-id", requestId);
    // Timings could tell strangers whether an account exists.
    if (definition.auth !== "none" && response.status !== 401)
      response.headers.set("server-timing", serverTiming(performance.now() - began, spent));
    setApiHeaders(response.headers, { isForeign: definition.foreignBytes === true });
    if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
    return response;
  };
  return Object.assign(handler, { definition });
}

/** Who turned out to make a call, for the log. */
interface Seen {
  caller: Caller | null;
}

async function answer<D extends Definition>(
  definition: D,
  handle: (call: Call<D>) => Answer<D>,
  request: Request,
  context: Context,
  seen: Seen,
): Promise<Response> {
  const { key } = originOf(request);
  if (definition.rateLimit) await throttle(`${definition.rateLimit.name} ${key}`, definition.rateLimit);
  const identify = async () =>
    definition.auth === "none"
      ? null
      : await authenticate(request, {
          isUse: !definition.unattended,
          whileRefused: definition.whileRefused === true,
          anywhere: definition.fromAnywhere === true,
        });
  let caller = await identify().catch(async (error: unknown) => {
    // A key or session that is refused is counted as none is.
    if (isRefused(error) && !definition.uncounted) await countCall(null, key, request.method);
    throw error;
  });
  seen.caller = caller;
  if (!definition.uncounted) await countCall(caller, key, request.method);
  if (definition.auth !== "none") admit(definition.auth, definition, caller, request);
  if (!definition.takesFormData) refuseUploads(request);
  const params = definition.params ? parseParams(definition.params, await context.params) : undefined;
  const query = definition.query ? parse(definition.query, readQuery(request)) : undefined;
  const began = performance.now();
  const body = definition.body
    ? parse(definition.body, await readBody(request, definition, definition.body))
    : undefined;
  if (definition.auth !== "none" && performance.now() - began > HELD_BODY_MS) {
    caller = await identify();
    admit(definition.auth, definition, caller, request);
  }
  if (caller && needsStepUp(definition, body)) {
    refuseUnnamed(definition, caller);
    await refuseWithoutFactor(caller);
  }
  const reply = { status: definition.status ?? (definition.output ? 200 : 204), headers: new Headers() };
  // The values have the types of the definition's schemas; TypeScript does not follow that far.
  const result = await inSpan("handle", {}, async () =>
    handle({ request, caller, params, query, body, reply } as unknown as Call<D>),
  );
  if (result instanceof Response) return result;
  if (!definition.output) return new Response(null, reply);
  return jsonAnswer(result, reply);
}

const isRefused = (error: unknown) =>
  error instanceof AppError && error.code !== "database_busy" && error.code !== "caller_left";

function admit(
  access: Exclude<Access, "none">,
  { inView, inKeyScope, leavesTrace }: Definition,
  caller: Caller | null,
  request: Request,
): void {
  if (!caller) throw new AppError("unauthenticated", "Sign in, or send an API key as a Bearer token.");
  refuseOtherOrganization(request, caller);
  if (caller.principal.isView && !inView) throw viewOnly();
  if (access !== "any" && !may(caller.principal.role, access))
    throw new AppError(
      "forbidden",
      `This needs the role ${PERMISSIONS[access]}; yours is ${caller.principal.role}.`,
    );
  if (access !== "any" && !allows(caller.principal, access))
    throw new AppError("forbidden", `This key’s permissions do not include ${access}.`);
  if (!inKeyScope && reachOf(caller.principal))
    throw new AppError(
      "forbidden",
      "This key is limited to some servers or tools, so it can’t make this call.",
    );
  if (caller.via !== "session") return;
  if (request.method !== "GET") refuseCrossSite(request);
  else if (leavesTrace) refuseCrossSiteRead(request);
}

/** A key can't confirm who it is. So the member who made the key must have named the permission. */
function refuseUnnamed({ auth, namedByKeys }: Definition, { via, principal }: Caller): void {
  if (!namedByKeys || via !== "key" || principal.scope?.permissions?.includes(auth as Permission)) return;
  throw new AppError(
    "forbidden",
    `A key can make this call only if its permissions name ${auth}. Make a key with only the permissions that it needs.`,
  );
}

function needsStepUp({ stepUp }: Definition, body: unknown): boolean {
  return typeof stepUp === "function" ? stepUp(body as never) : stepUp === true;
}

/** Undefined: the request has no body, and none is required. */
async function readBody(
  request: Request,
  { auth, uncounted, mostValues, strictBody }: Definition,
  schema: z.ZodType,
): Promise<unknown> {
  const isEmpty = !request.headers.has("content-type") || request.headers.get("content-length") === "0";
  if (isEmpty && schema.safeParse(undefined).success) return undefined;
  const mostBytes = auth === "none" && !uncounted ? STRANGERS_BODY_BYTES : undefined;
  return readJson(request, undefined, mostBytes, mostValues, strictBody);
}

/** The query's texts, made storable by Postgres. */
function readQuery(request: Request): Record<string, string> {
  const { searchParams } = new URL(request.url);
  return Object.fromEntries([...searchParams].map(([name, value]) => [name, storableText(value)]));
}

/** Most errors reported at once; an invalid body may cause many thousands. */
const MOST_ERRORS = 100;
/** The longest words of one error; zod's name every unknown field. */
const ERROR_CHARACTERS = 300;

function parse(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_input", "Some values are not valid.", {
    errors: parsed.error.issues
      .slice(0, MOST_ERRORS)
      .map(({ path, message }) => ({ field: path.join("."), message: message.slice(0, ERROR_CHARACTERS) })),
  });
}

/** A malformed id gets the same answer as an unknown one. */
function parseParams(schema: z.ZodObject, params: Record<string, string | string[]>): unknown {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw notFound("thing");
}

/** The parameters of a path that names one thing. */
export const idParams = z.object({ id: z.uuid() });

type Endpoint = Record<Method, Handler>;

/** All methods of one path; those not given answer 405 with a problem document. */
export function endpoint(handlers: Partial<Endpoint>): Endpoint {
  const allowed = METHODS.filter((method) => handlers[method]).join(", ");
  const definition: Definition & { auth: "none" } = { auth: "none", summary: NOT_ALLOWED };
  if (METHODS.some((method) => handlers[method]?.definition.secretPath)) definition.secretPath = true;
  const refuse = route(definition, async () => {
    throw new AppError("method_not_allowed", `Use ${allowed}.`);
  });
  const refused: Handler = Object.assign(
    async (request: Request, context: Context) => {
      const response = await refuse(request, context);
      response.headers.set("allow", allowed);
      return response;
    },
    { definition: refuse.definition },
  );
  return Object.fromEntries(METHODS.map((method) => [method, handlers[method] ?? refused])) as Endpoint;
}

const NOT_ALLOWED = "Not allowed";

/** Whether an endpoint implements this method. */
export function isOffered(handler: Handler): boolean {
  return handler.definition.summary !== NOT_ALLOWED;
}
