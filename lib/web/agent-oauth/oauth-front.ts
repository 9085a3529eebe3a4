/**
 * Answers what concerns OAuth for agents, past Next: oidc-provider is made for Node's own requests. Every answer is
 * observed, counted and has the headers of an API's answer, as those of route.ts.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type Provider from "oidc-provider";
import { may } from "../../access/permissions.ts";
import { env } from "../../base/env.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { Spent } from "../../base/process/scope.ts";
import { originOf } from "../auth/origin.ts";
import {
  cookieOf,
  refusedSessionOf,
  sessionCookieName,
  sessionOf,
  type WebSession,
} from "../auth/session-cookie.ts";
import { toRequest } from "../http/call-server.ts";
import { countCall } from "../http/calls.ts";
import { clientAddress } from "../http/client-address.ts";
import { observe } from "../http/observe.ts";
import { problem } from "../http/problem.ts";
import { setApiHeaders } from "../http/security-headers.ts";
import { mayTry, throttle } from "../http/throttle.ts";
import { AGENT_QUESTIONS_PER_MEMBER, AGENT_TOKENS_PER_NETWORK } from "../tunables.ts";
import {
  KEPT_AN_HOUR,
  METADATA,
  METADATA_PATHS,
  OAUTH_PATH,
  RECEIPT_KEYS_PATH,
  RESOURCE_PATHS,
  resourceMetadata,
  SCOPE,
} from "./addresses.ts";
import { errorPage, makeProvider } from "./provider.ts";
import { markAskedIn } from "./records.ts";
import { registerClient } from "./registration.ts";

/** Answers a request and returns true, or returns false for a path that is not its own. */
export type Front = (request: IncomingMessage, response: ServerResponse) => boolean;

export function agentOAuthFront(): Front {
  // Made at the first request for it: most installations have none for days.
  let made: Provider | null = null;
  const provider = () => {
    made ??= makeProvider();
    return made;
  };
  return (request, response) => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const way = wayOf(path);
    if (!way) return false;
    answer(request, response, path, way, provider).catch((error: unknown) => {
      log.error({ err: error, method: request.method }, "An answer could not be sent");
      response.destroy();
    });
    return true;
  };
}

interface Way {
  method: "GET" | "POST";
  /** Returns an answer, or null where oidc-provider has answered by itself. */
  take: (call: Call) => Promise<Response | null>;
  /** For figures: the path without what the caller chose. */
  params: Record<string, string | string[]>;
  /** A person's browser asks, and is shown a page where it fails. */
  isPage?: true;
}

interface Call {
  request: Request;
  node: { request: IncomingMessage; response: ServerResponse };
  provider: () => Provider;
}

function wayOf(path: string): Way | null {
  if (RESOURCE_PATHS.includes(path))
    return get(async () => Response.json(resourceMetadata(), { headers: { "cache-control": KEPT_AN_HOUR } }));
  if (METADATA_PATHS.includes(path)) return get((call) => pass(call, METADATA));
  // Clients look for documents at many addresses, and would take a page for one.
  if (/\/\.well-known(\/|$)/.test(path) && path !== RECEIPT_KEYS_PATH)
    return { ...get(nothing), params: { path: [path] } };
  if (!path.startsWith(`${OAUTH_PATH}/`)) return null;
  const [name = "", id, ...rest] = path.slice(OAUTH_PATH.length + 1).split("/");
  if (name === "auth" && id !== undefined && rest.length === 0)
    return { ...page((call) => goBack(call, `/auth/${id}`)), params: { request: id } };
  if (id !== undefined) return null;
  if (name === "auth") return page(authorize);
  if (name === "keys") return get((call) => pass(call, "/keys"));
  if (name === "token" || name === "revoke") return post((call) => exchange(call, `/${name}`));
  if (name === "register") return post(({ request, provider }) => registerClient(request, provider()));
  return null;
}

async function nothing(): Promise<never> {
  throw notFound("document");
}

const get = (take: Way["take"]): Way => ({ method: "GET", take, params: {} });
const page = (take: Way["take"]): Way => ({ ...get(take), isPage: true });
const post = (take: Way["take"]): Way => ({ method: "POST", take, params: {} });

async function answer(
  node: IncomingMessage,
  response: ServerResponse,
  path: string,
  { method, take, params, isPage }: Way,
  provider: Call["provider"],
): Promise<void> {
  const requestId = randomUUID();
  const request = toRequest(node, response);
  setApiHeaders(headersOf(response));
  response.setHeader("x-request-id", requestId);
  const work = async (): Promise<Response> => {
    try {
      await countCall(null, originOf(request).key, request.method);
      if (node.method !== method) {
        response.setHeader("allow", method);
        throw new AppError("method_not_allowed", `Use ${method}.`);
      }
      const reply = await take({ request, node: { request: node, response }, provider });
      if (!reply) return new Response(null, { status: response.statusCode });
      await send(response, reply);
      return reply;
    } catch (error) {
      const failure = oauthError(error, problem(error, requestId, { method: request.method, path }), isPage);
      if (response.headersSent) response.destroy();
      else await send(response, failure);
      return failure;
    }
  };
  await observe(request, Promise.resolve(params), requestId, new Spent(), work);
}

/** Clients of OAuth read `error`, and people a page. */
function oauthError(error: unknown, { status, headers }: Response, isPage = false): Response {
  const code =
    status === 429 || status === 503
      ? "temporarily_unavailable"
      : status >= 500
        ? "server_error"
        : "invalid_request";
  if (isPage && status !== 405) return seeOther(errorPage(code));
  headers.set("content-type", "application/json");
  const error_description = error instanceof AppError ? error.detail : "Something went wrong on our side.";
  return new Response(JSON.stringify({ error: code, error_description }), { status, headers });
}

async function send(response: ServerResponse, reply: Response): Promise<void> {
  for (const [name, value] of reply.headers) response.setHeader(name, value);
  if (!response.hasHeader("cache-control")) response.setHeader("cache-control", "no-store");
  response.writeHead(reply.status);
  response.end(Buffer.from(await reply.arrayBuffer()));
}

/**
 * A member is asked in Intray's own session, so that nobody else can answer and nothing is asked before somebody signed in.
 * Of the query only what is needed goes on: no mode of response that would post, no prompt that would not ask.
 */
async function authorize(call: Call): Promise<Response | null> {
  const { request, node } = call;
  const query = new URL(request.url).searchParams;
  const session = await signedIn(request, `${OAUTH_PATH}/auth?${query}`);
  if (session instanceof Response) return session;
  if (session.view) return seeOther(errorPage("view"));
  if (!may(session.role, "tasks:start")) return seeOther(errorPage("role"));
  if (query.get("response_mode") !== null && query.get("response_mode") !== "query")
    return seeOther(errorPage("unsupported_response_mode"));
  if (!(await mayTry(`agent questions ${session.user.id}`, AGENT_QUESTIONS_PER_MEMBER)))
    return seeOther(errorPage("temporarily_unavailable"));
  markAskedIn(node.request, session);
  const kept = new URLSearchParams({ scope: SCOPE });
  for (const name of PASSED_ON) for (const value of query.getAll(name)) kept.append(name, value);
  return pass(call, `/auth?${kept}`);
}

/** Back from the question, answered or not: it is asked again then, in this session. */
async function goBack(call: Call, url: string): Promise<Response | null> {
  const session = await signedIn(call.request, OAUTH_PATH + url);
  if (session instanceof Response) return session;
  markAskedIn(call.node.request, session);
  return pass(call, url);
}

/** The browser's session, or the way to one that leads back. */
async function signedIn(request: Request, back: string): Promise<WebSession | Response> {
  const cookie = cookieOf(request, sessionCookieName());
  try {
    const session = await sessionOf(cookie, clientAddress(request.headers.get("x-forwarded-for")));
    if (session) return session;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "address_not_allowed_for_organization") throw error;
    return seeOther("/not-from-here");
  }
  const refused = await refusedSessionOf(cookie);
  const page = refused?.kind === "second_factor" ? "/sign-in/second-factor" : "/sign-in";
  return seeOther(`${page}?callbackUrl=${encodeURIComponent(back)}`);
}

/** Twice the same parameter is refused by oidc-provider, which has to see it. */
const PASSED_ON = [
  ...["client_id", "redirect_uri", "response_type", "state"],
  ...["code_challenge", "code_challenge_method", "resource"],
];

async function exchange(call: Call, url: string): Promise<null> {
  await throttle(`agent tokens ${originOf(call.request).network}`, AGENT_TOKENS_PER_NETWORK);
  return pass(call, url);
}

const seeOther = (location: string) => new Response(null, { status: 303, headers: { location } });

/** Has oidc-provider answer, as if it stood at the issuer's address, whatever address the caller named. */
async function pass({ node, provider }: Call, url: string): Promise<null> {
  const { request, response } = node;
  const { host, protocol } = new URL(env().url);
  delete request.headers["x-forwarded-host"];
  Object.assign(request.headers, { host, "x-forwarded-proto": protocol.slice(0, -1) });
  Object.assign(request, { url, baseUrl: OAUTH_PATH });
  await provider().callback()(request, response);
  return null;
}

/** Lets what sets headers of a web answer set those of a Node's. */
function headersOf(response: ServerResponse): Headers {
  const set = (name: string, value: string) => void response.setHeader(name, value);
  return { set } as unknown as Headers;
}
