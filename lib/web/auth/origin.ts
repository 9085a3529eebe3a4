/**
 * Where a request comes from: its network, and the browser if one signed in with it before. A browser is known by a
 * cookie that signing in sets; it opens nothing, and keeps its person apart from others who try from the same network.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { need } from "../../base/env.ts";
import { hashSecret } from "../../base/ids.ts";
import { clientAddress, countedNetworkOf } from "../http/client-address.ts";
import { BROWSER_COOKIE_MS } from "../tunables.ts";
import { cookieName, cookieOf, cookiesAreSecure } from "./session-cookie.ts";

export interface Origin {
  /** As it is shown in the list of sessions. */
  address: string;
  /** See `countedNetworkOf`. */
  network: string;
  /** The hash of the browser's id; null: no such cookie, or one that is not ours. */
  browser: string | null;
  /** What calls without a credential are counted by: the account that last signed in in this browser, or the network. */
  key: string;
}

const BROWSER_COOKIE = "intray.browser";

export function originOf(request: Request): Origin {
  const address = clientAddress(request.headers.get("x-forwarded-for"));
  const network = countedNetworkOf(address);
  const held = cookieIn(request);
  return {
    address,
    network,
    browser: held && hashSecret(held.id).toString("hex"),
    key: held ? `account ${held.userId}` : network,
  };
}

/**
 * The `Set-Cookie` header by which the browser is known from this sign-in on, and the browser's name. A browser keeps
 * its id whoever signs in with it.
 */
export function knownBrowser(request: Request, userId: string): { browser: string; setCookie: string } {
  const id = cookieIn(request)?.id ?? randomBytes(24).toString("base64url");
  const value = `${id}.${userId}.${mac(id, userId)}`;
  const secure = cookiesAreSecure() ? "; Secure" : "";
  return {
    browser: hashSecret(id).toString("hex"),
    setCookie: `${cookieName(BROWSER_COOKIE)}=${value}; Max-Age=${BROWSER_COOKIE_MS / 1000}; Path=/; HttpOnly; SameSite=Lax${secure}`,
  };
}

function cookieIn(request: Request): { id: string; userId: string } | null {
  const [id, userId, given] = cookieOf(request, cookieName(BROWSER_COOKIE))?.split(".") ?? [];
  if (!id || !userId || !given) return null;
  const [one, other] = [Buffer.from(given), Buffer.from(mac(id, userId))];
  return one.length === other.length && timingSafeEqual(one, other) ? { id, userId } : null;
}

function mac(id: string, userId: string): string {
  return createHmac("sha256", need("authSecret"))
    .update(`intray browser ${id} ${userId}`)
    .digest("base64url");
}
