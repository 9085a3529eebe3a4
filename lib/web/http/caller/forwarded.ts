/**
 * Finds the address of a caller behind proxies. Only as many entries of `X-Forwarded-For` are believed as the operator
 * has proxies (INTRAY_TRUSTED_PROXIES), counted from the end: each proxy appends the address that it saw, and whatever
 * stands before those was sent by the caller.
 */
import type { IncomingMessage } from "node:http";
import { isAddress } from "./client-address.ts";

/**
 * Returns the address that the last trusted proxy saw. `proxies` 0: the socket's own. An entry that is no address, or
 * one that is missing since the caller came past a proxy, leads to the nearest one that is there.
 */
export function callerOf(peer: string, forwardedFor: string | undefined, proxies: number): string {
  const believed = proxies === 0 ? [] : (forwardedFor ?? "").split(",").slice(-proxies);
  for (const entry of [...believed, peer]) {
    const address = addressIn(entry);
    if (address !== null) return address;
  }
  return "unknown";
}

/** Writes the caller's address in place of everything that the request says of it. */
export function markCaller(request: IncomingMessage, proxies: number): void {
  const given = request.headers["x-forwarded-for"];
  const list = Array.isArray(given) ? given.join(",") : given;
  request.headers["x-forwarded-for"] = callerOf(request.socket.remoteAddress ?? "", list, proxies);
}

/** The address in an entry; some proxies add the port: `192.0.2.7:1234`, `[2001:db8::7]:1234`. */
function addressIn(entry: string): string | null {
  const text = entry.trim();
  const [, inBrackets, beforePort] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? [];
  const address = (inBrackets ?? beforePort ?? text).replace(/^::ffff:(?=[\d.]+$)/i, "");
  return isAddress(address) ? address : null;
}
