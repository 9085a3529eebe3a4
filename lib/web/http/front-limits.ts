/** What scripts/web.ts does to a request before Next sees it, whether a page, a call or a file is asked for. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setApiHeaders, transportSecurity } from "./security-headers.ts";

/** Next answers TRACE with 500, and OPTIONS by itself, without our headers. No other site has a preflight to pass. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** Parameters of a query. Next reads them in time with the square of their number: 7,000 would hold the process for seconds. */
const MOST_PARAMETERS = 200;

/** Requests of one connection that are under way. Neither browsers nor proxies send another before the answer. */
const MOST_AT_ONCE = 10;
const underWay = new WeakMap<Socket, number>();

/** Counts a request of its connection until it is answered. Returns how many there are. */
function countOn(socket: Socket, response: ServerResponse): number {
  const count = (underWay.get(socket) ?? 0) + 1;
  underWay.set(socket, count);
  response.once("close", () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
  return count;
}

/** Sets what every answer has. Returns false if it has answered by itself. */
export function receive(request: IncomingMessage, response: ServerResponse): boolean {
  const security = transportSecurity();
  if (security !== null) response.setHeader("strict-transport-security", security);
  const isKnown = METHODS.includes(request.method ?? "");
  const isShort = (request.url ?? "").split("&", MOST_PARAMETERS + 1).length <= MOST_PARAMETERS;
  const isAlone = countOn(request.socket, response) <= MOST_AT_ONCE;
  if (isKnown && isShort && isAlone) return true;
  if (isKnown) refuse(response, isShort ? 429 : 414);
  else refuse(response, 405, METHODS);
  return false;
}

/**
 * Pages and files are read, and nothing is sent to them. Next keeps up to 10 MB of a page's body in memory before anybody looks
 * at it. Returns true if it has answered by itself.
 */
export function refuseWrites({ method, url = "/" }: IncomingMessage, response: ServerResponse): boolean {
  if (method === "GET" || method === "HEAD") return false;
  // As Next reads it: `/api/../sign-in` is a page.
  if (URL.parse(url, "http://intray")?.pathname.startsWith("/api/")) return false;
  refuse(response, 405, ["GET", "HEAD"]);
  return true;
}

/** `allowed`: the methods that are. */
function refuse(response: ServerResponse, status: number, allowed: string[] = []): void {
  const headers = new Headers({
    connection: "close",
    ...(allowed.length > 0 && { allow: allowed.join(", ") }),
  });
  setApiHeaders(headers);
  response.writeHead(status, Object.fromEntries(headers)).end();
}
