/**
 * The address of a caller. `markCaller` writes it in front of Next as the one entry of `x-forwarded-for`. Where another server
 * runs Next, it is the last entry, which the proxy next to it appended.
 */

import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import { log } from "../../base/log.ts";
import { rememberedNetworkOf } from "../../base/network/address.ts";
import { onePerProcess } from "../../base/process/process-wide.ts";
import type { Caller } from "../../base/process/scope.ts";

export function clientAddress(forwardedFor: string | null | undefined): string {
  return forwardedFor?.split(",").at(-1)?.trim().slice(0, 64) || "unknown";
}

/**
 * The network that tries and calls of an address are counted by: an IPv4 address by itself, and the /64 of an IPv6
 * address, since one host has all of them. `unknown` for anything else.
 */
export function countedNetworkOf(address: string): string {
  const bare = address.split("%", 1)[0] ?? "";
  if (!isAddress(bare)) return "unknown";
  const parsed = ipaddr.process(bare);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const start = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`);
  return `${start.toRFC5952String()}/64`;
}

/** A call's caller, by whom its work takes turns with others'. */
export function callerIn(forwardedFor: string | null | undefined, left: AbortSignal): Caller {
  return { network: rememberedNetworkOf(clientAddress(forwardedFor)) ?? "unknown", left };
}

/** Whether a text is an IP address as it is commonly written: `127.1` is not. */
export function isAddress(text: string): boolean {
  return text.includes(":") ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);
}

/** Whether an address is none of the internet's: a private network's, this machine's, or none at all. */
export function isPrivate(address: string): boolean {
  const [bare = ""] = address.split("%", 1);
  return !isAddress(bare) || PRIVATE.includes(ipaddr.process(bare).range());
}

const PRIVATE: string[] = [
  "private",
  "loopback",
  "linkLocal",
  "uniqueLocal",
  "carrierGradeNat",
  "unspecified",
];

/**
 * Returns the address that the last trusted proxy saw. Believes as many entries of `X-Forwarded-For` as the operator has proxies
 * (INTRAY_TRUSTED_PROXIES), counted from the end: each proxy appends the address that it saw, and the caller sent the entries
 * before those. `proxies` 0: the socket's own address. An entry that is no address, or one that is missing since the caller came
 * past a proxy, leads to the nearest one that is there.
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

const warning = onePerProcess("warning of a proxy", () => ({ isSaid: false }));

/**
 * Logs once that requests seem to come through a proxy that the operator has not named: all people are one network
 * then. A caller can send the header too, so that it only makes a line in the log.
 */
export function warnOfProxy(request: IncomingMessage, proxies: number): void {
  if (warning().isSaid || proxies > 0 || request.headers["x-forwarded-for"] === undefined) return;
  warning().isSaid = true;
  log.warn(
    "A request has X-Forwarded-For. Where a proxy stands in front, set INTRAY_TRUSTED_PROXIES to the number of proxies: without it everybody is counted as one network.",
  );
}
