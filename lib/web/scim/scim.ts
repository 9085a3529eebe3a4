/**
 * The one way to make a handler of the SCIM service: calls by the directory's token alone, answers and refusals in
 * SCIM's forms. What `route()` does around every call it does here too: figures, log, limits of size and number.
 */
import { z } from "zod";
import type { Principal } from "../../access/principal.ts";
import { isDatabaseDown, isUniqueViolation } from "../../base/db/database-errors.ts";
import type { Tx } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { rememberedNetworkOf } from "../../base/network/address.ts";
import { findDirectory } from "../../people/directory/directory-reads.ts";
import { noteDirectoryCall, noteDirectoryFailure } from "../../people/directory/directory-writes.ts";
import { ERROR_SCHEMA, LIST_SCHEMA } from "../../people/directory/scim/discovery.ts";
import { resourceNotFound, ScimError } from "../../people/directory/scim/error.ts";
import { refuseOutside } from "../../people/organizations/addresses.ts";
import { originOf } from "../auth/origin.ts";
import { database } from "../database.ts";
import { readJson } from "../http/body.ts";
import { countCall } from "../http/calls.ts";
import { clientAddress } from "../http/client-address.ts";
import { type Handler, route } from "../http/route.ts";
import { DATABASE_RETRY_AFTER_MS } from "../tunables.ts";

/** A call of a directory, within its organization. */
export interface ScimCall {
  request: Request;
  /** The id in the path, a UUID; empty where the path has none. */
  id: string;
  query: URLSearchParams;
  principal: Principal;
  /** Reads the body. Throws `invalidSyntax`. */
  body(): Promise<unknown>;
  within<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

export interface ScimAnswer {
  status: number;
  body?: object;
  headers?: Record<string, string>;
}

const MEDIA_TYPE = "application/scim+json";
const BODY_TYPES = [MEDIA_TYPE, "application/json"];

/** The base of every address of the service. */
export function scimBase(): string {
  return `${env().url}/api/scim/v2`;
}

/** `isNamed`: the last part of the path is a UUID; anything else is unknown. */
export function scim(
  summary: string,
  handle: (call: ScimCall) => Promise<ScimAnswer>,
  { isNamed = false } = {},
): Handler {
  // Next hands a route without a parameter none at all, not an empty object.
  const params = isNamed ? { params: z.object({ id: z.string() }) } : {};
  return route({ auth: "none", uncounted: true, summary, ...params }, async ({ request, params }) => {
    const seen: { principal: Principal | null } = { principal: null };
    try {
      seen.principal = await identify(request);
      const id = isNamed
        ? z
            .uuid()
            .toLowerCase()
            .safeParse((params as { id?: string } | undefined)?.id)
        : null;
      if (id && !id.success) throw resourceNotFound();
      const answer = await handle(callOf(request, seen.principal, id?.data ?? ""));
      return respond(answer.status, answer.body, answer.headers);
    } catch (error) {
      const refusal = refusalOf(error, request);
      if (seen.principal) await keepRefusal(request, seen.principal, refusal);
      return respondRefusal(refusal);
    }
  });
}

/** A call that the service does not offer, refused as SCIM wants it. */
export function notImplemented(detail: string): Handler {
  return scim("Not offered", async () => {
    throw new ScimError(501, null, detail);
  });
}

function callOf(request: Request, principal: Principal, id: string): ScimCall {
  const { organizationId } = principal;
  return {
    request,
    id,
    query: new URL(request.url).searchParams,
    principal,
    body: () => readJson(request, BODY_TYPES),
    within: async (work) => (await database()).withOrganization(organizationId, (tx) => work(tx)),
  };
}

/** The directory as whose the call is made. No cookie and no API key counts. */
async function identify(request: Request): Promise<Principal> {
  const secret = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  const db = await database();
  const found = secret ? await findDirectory(db, secret) : null;
  if (!found) {
    await countCall(null, originOf(request).key, request.method);
    throw new ScimError(401, null, "Send the directory's token as a Bearer token.");
  }
  const { organization_id: organizationId, token_id: id } = found;
  const actor = { kind: "system" as const, id, name: "Directory (SCIM)" };
  // An admin's rights: owners are none of the directory's, unless an owner says so.
  const role = found.manages_owners ? ("owner" as const) : ("admin" as const);
  const principal: Principal = { organizationId, userId: null, role, actor };
  await countCall({ principal }, originOf(request).key, request.method);
  const address = clientAddress(request.headers.get("x-forwarded-for"));
  await refuseOutside(db, organizationId, address, actor);
  if (!found.noted) {
    const network = rememberedNetworkOf(address);
    const agent = request.headers.get("user-agent");
    await db.withOrganization(organizationId, (tx) =>
      noteDirectoryCall(tx, id, { network: network ?? "unknown", agent }),
    );
  }
  return principal;
}

interface Refusal {
  status: number;
  scimType: string | null;
  detail: string;
  retryAfterMs?: number | undefined;
}

function refusalOf(error: unknown, request: Request): Refusal {
  if (error instanceof ScimError) return error;
  if (isUniqueViolation(error))
    return { status: 409, scimType: "uniqueness", detail: "There is such a resource already." };
  if (error instanceof AppError) {
    const { status, code, detail, retryAfterMs } = error;
    return { status, scimType: code === "invalid_json" ? "invalidSyntax" : null, detail, retryAfterMs };
  }
  if (isDatabaseDown(error)) {
    log.warn({ err: error }, "The database cannot be reached");
    const detail = "The database cannot be reached just now. Try again.";
    return { status: 503, scimType: null, detail, retryAfterMs: DATABASE_RETRY_AFTER_MS };
  }
  log.error({ err: error, method: request.method }, "A call of a directory failed");
  return {
    status: 500,
    scimType: null,
    detail: "Something went wrong in Intray. Its log has the error.",
  };
}

/** An unknown id is how directories look, and a full window says nothing of people: the owners need not know. */
const UNKEPT = new Set([401, 404, 412, 429, 503]);

async function keepRefusal(
  request: Request,
  principal: Principal,
  { status, detail }: Refusal,
): Promise<void> {
  if (UNKEPT.has(status)) return;
  const path = new URL(request.url).pathname.replace(/^\/api\/scim\/v2/, "").slice(0, 100);
  const { organizationId } = principal;
  const call = `${request.method} ${path}`;
  const db = await database();
  await db
    .withOrganization(organizationId, (tx) => noteDirectoryFailure(tx, { call, status, detail }))
    .catch((error: unknown) => log.warn({ err: error }, "A refused call of a directory could not be kept"));
}

function respondRefusal({ status, scimType, detail, retryAfterMs }: Refusal): Response {
  const body = { schemas: [ERROR_SCHEMA], status: String(status), ...(scimType && { scimType }), detail };
  return respond(status, body, {
    ...(status === 401 && { "www-authenticate": 'Bearer realm="scim"' }),
    ...(retryAfterMs !== undefined && { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
  });
}

function respond(status: number, body?: object, headers: Record<string, string> = {}): Response {
  if (body === undefined) return new Response(null, { status, headers });
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": `${MEDIA_TYPE}; charset=utf-8`, ...headers },
  });
}

type Make = (base: string) => { id: string }[];

/** Tells what the service is (RFC 7644, section 4): a list that nobody filters, as the RFC refuses such a call. */
export async function definitions({ query }: ScimCall, make: Make): Promise<ScimAnswer> {
  if (query.has("filter")) throw new ScimError(403, null, "This list is not filtered.");
  const all = make(scimBase());
  const body = {
    schemas: [LIST_SCHEMA],
    totalResults: all.length,
    startIndex: 1,
    itemsPerPage: all.length,
    Resources: all,
  };
  return { status: 200, body };
}

export async function definition({ request }: ScimCall, make: Make): Promise<ScimAnswer> {
  const name = decodeURIComponent(new URL(request.url).pathname.split("/").at(-1) ?? "");
  const found = make(scimBase()).find(({ id }) => id === name);
  if (!found) throw resourceNotFound();
  return { status: 200, body: found };
}
