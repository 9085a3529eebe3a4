/**
 * Answers calls of the API without Next, whose own part of a call is several times what the handler's is
 * (docs/decisions/048). The handlers are the built ones that Next has too. Only what is plainly a call is taken: its path
 * is written as the route is, its method has a handler, and its answer is JSON. Everything else is Next's as before:
 * HEAD, streams and files, a path with an escape or a slash too many, a path that is no call, what Next's own router asks.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip, gzipSync } from "node:zlib";
import { log } from "../../base/log.ts";
import { PACKED_FROM_BYTES, PACKED_IN_PLACE_BYTES, WHOLE_BODY_BYTES } from "../tunables.ts";
import { bytesOf, withWholeBody } from "./body.ts";
import { type Handler, METHODS, type Method } from "./route.ts";

export type Handlers = Partial<Record<Method, Handler>>;
/** Answers a request, or has `orElse` do it. */
export type Serve = (request: IncomingMessage, response: ServerResponse, orElse: () => void) => void;

interface Route {
  page: string;
  /** The names of the path's parameters, by their place. */
  names: Map<number, string>;
  /** Null: not loaded yet. */
  handlers: Handlers | null;
}

/** No escapes, no empty parts, no `.` or `..`: such a path means the same to everybody. */
const PLAIN = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

/**
 * `pages`: the routes by their folders, as `/api/v1/tasks/[id]`. `load` gives the handlers of one, at the first call to
 * it. A route that cannot be loaded stays Next's.
 */
export function callServer(pages: readonly string[], load: (page: string) => Promise<Handlers>): Serve {
  const find = finder(pages);
  return (request, response, orElse) => {
    const { method = "", url = "", headers } = request;
    const path = url.split("?", 1)[0] ?? "";
    const isCall = METHODS.includes(method as Method) && PLAIN.test(path) && headers.rsc === undefined;
    const found = isCall ? find(path) : null;
    if (!found) return orElse();
    const { route, params } = found;
    const take = (handlers: Handlers) => {
      const handler = handlers[method as Method];
      if (!handler || isStreamed(handler)) return orElse();
      if (!mayBeWhole(request)) return void answer(handler, request, response, params, null);
      // What came with the head is read by then.
      process.nextTick(() => void answer(handler, request, response, params, wholeBody(request)));
    };
    if (route.handlers) take(route.handlers);
    else void loaded(route, load).then(take);
  };
}

async function loaded(route: Route, load: (page: string) => Promise<Handlers>): Promise<Handlers> {
  try {
    route.handlers = await load(route.page);
  } catch (error) {
    log.error({ err: error, route: route.page }, "A route could not be loaded, and is left to Next");
    route.handlers = {};
  }
  return route.handlers;
}

/** Streams and files have a flow of their own, which Next keeps. */
function isStreamed({ definition }: Handler): boolean {
  return definition.mediaType !== undefined || definition.foreignBytes === true;
}

interface Found {
  route: Route;
  params: Record<string, string> | undefined;
}

/** Finds the route of a path; as in Next, a fixed name goes before a parameter. */
function finder(pages: readonly string[]): (path: string) => Found | null {
  interface Branch {
    route?: Route;
    fixed: Map<string, Branch>;
    any?: Branch;
  }
  const branch = (): Branch => ({ fixed: new Map() });
  const root = branch();
  for (const page of pages) {
    const route: Route = { page, names: new Map(), handlers: null };
    let at = root;
    for (const [place, part] of page.split("/").slice(1).entries()) {
      const name = /^\[(\w+)\]$/.exec(part)?.[1];
      let next = name === undefined ? at.fixed.get(part) : at.any;
      next ??= branch();
      if (name === undefined) at.fixed.set(part, next);
      else {
        at.any = next;
        route.names.set(place, name);
      }
      at = next;
    }
    at.route = route;
  }
  const follow = (at: Branch, parts: string[], place: number): Route | undefined => {
    const part = parts[place];
    if (part === undefined) return at.route;
    const fixed = at.fixed.get(part);
    return (fixed && follow(fixed, parts, place + 1)) ?? (at.any && follow(at.any, parts, place + 1));
  };
  return (path) => {
    const parts = path.split("/").slice(1);
    const route = follow(root, parts, 0);
    if (!route) return null;
    // As Next: a route without a parameter gets none at all.
    if (route.names.size === 0) return { route, params: undefined };
    return {
      route,
      params: Object.fromEntries([...route.names].map(([place, name]) => [name, parts[place] ?? ""])),
    };
  };
}

/** Whether a request has a body that is small enough to come with its head. */
function mayBeWhole({ method, headers }: IncomingMessage): boolean {
  const length = Number(headers["content-length"] ?? 0);
  return method !== "GET" && length > 0 && length <= WHOLE_BODY_BYTES;
}

/** The body, if all of it has come; else it is left where it is. */
function wholeBody(request: IncomingMessage): Buffer | null {
  if (!request.complete || request.readableLength !== Number(request.headers["content-length"])) return null;
  const bytes: Buffer | null = request.read();
  request.resume();
  return bytes;
}

async function answer(
  handler: Handler,
  request: IncomingMessage,
  response: ServerResponse,
  params: Found["params"],
  whole: Buffer | null,
): Promise<void> {
  try {
    const context = { params: Promise.resolve(params) } as Parameters<Handler>[1];
    const asked = toRequest(request, response, whole !== null);
    const reply = await handler(whole ? withWholeBody(asked, whole) : asked, context);
    await send(request, response, reply, await bytesOf(reply));
  } catch (error) {
    // A handler turns its own errors into answers: this one is ours.
    log.error({ err: error, method: request.method }, "An answer could not be sent");
    response.destroy();
  }
}

/**
 * As Next makes it: the body, unless it came whole, is read as the handler asks for it, and the signal tells that the
 * caller has left.
 */
export function toRequest(request: IncomingMessage, response: ServerResponse, isWhole = false): Request {
  const { method = "GET", url = "/" } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) headers.append(name, one);
  const left = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) left.abort();
  });
  return new Request(`http://intray${url}`, {
    method,
    headers,
    signal: left.signal,
    // The types know no Node stream here; undici reads it as any iterable.
    ...(method !== "GET" && !isWhole && { body: request as unknown as BodyInit, duplex: "half" as const }),
  });
}

const packAside = promisify(gzip);

/** Packs. In place where that takes a moment: to hand it to another thread takes several times as long. */
function pack(bytes: Buffer): Buffer | Promise<Buffer> {
  const how = { level: constants.Z_BEST_SPEED };
  return bytes.length <= PACKED_IN_PLACE_BYTES ? gzipSync(bytes, how) : packAside(bytes, how);
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers }: Response,
  body: Buffer | null,
): Promise<void> {
  for (const [name, value] of headers) if (name !== "set-cookie") response.setHeader(name, value);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) response.setHeader("set-cookie", cookies);
  let bytes = body;
  if (bytes !== null) {
    response.setHeader("vary", "Accept-Encoding");
    if (bytes.length >= PACKED_FROM_BYTES && !headers.has("content-encoding") && takesGzip(request)) {
      bytes = await pack(bytes);
      response.setHeader("content-encoding", "gzip");
    }
    response.setHeader("content-length", bytes.length);
  }
  response.writeHead(status);
  response.end(bytes ?? undefined);
}

function takesGzip({ headers }: IncomingMessage): boolean {
  return String(headers["accept-encoding"] ?? "")
    .split(",")
    .some((one) => /^\s*(gzip|\*)\s*(;(?!\s*q=0(\.0*)?\s*$)|$)/i.test(one));
}
